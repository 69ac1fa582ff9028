"""What the editor costs with a large graph: opening it, each frame of a gesture, edits, memory. A generated graph, real mouse and keys;
frames from HALFWIRE_HEARTBEAT: CPU time of the GUI thread and the render thread together, without what the software driver takes to
hand the picture to the X server, which is printed beside it. Prints a table; judges by the wanted figures."""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

from desktop import Desktop, settled

COLUMN, ROW = 264, 240  # canvas units between nodes
# id, parameters that differ from the default; an "add" has a second wire, from the row above.
KINDS = [
    ("linear", {"out_features": 8}),
    ("add", {}),
    ("add", {}),
    ("cast", {"to": "f16"}),
    ("cast", {"to": "f32"}),
    ("add", {}),
    ("add", {}),
    ("mlp", {"out_features": 8}),
    ("add", {}),
    ("relu", {}),
    ("add", {}),
    ("add", {}),
]
COLOURS = ["blue", "green", "yellow", "orange", "red", "purple"]
OPEN_S = {1000: 0.8, 10000: 5.0}
OPEN_MIB = {1000: 300, 10000: 900}
FRAME_MS = {1000: 8, 10000: 25}
EDIT_S = 0.5
NODES_A_FRAME = 5, 4  # columns, rows
# After closing, above an empty window; and from the first closings to the last, the least of each half: what the allocator's arenas
# hold differs by as much from one closing to the next.
KEPT_MIB = {1000: 60, 10000: 150}
GROWN_MIB = 20
CLOSINGS = 6


def make_graph(count):
    """Chains side by side, wired to each other: valid, and as wide as high on the screen."""
    columns = round(math.sqrt(count * ROW / COLUMN * 1.4))
    nodes, links = [], []
    for number in range(count):
        row, column = divmod(number, columns)
        at = [column * COLUMN, row * ROW]
        if column == 0:
            nodes.append({"id": f"n{number}", "type": "constant", "at": at, "params": {"shape": [4, 8]}})
            continue
        kind, params = KINDS[(column - 1) % len(KINDS)]
        nodes.append({"id": f"n{number}", "type": kind, "at": at, **({"params": params} if params else {})})
        links.append([f"n{number - 1}.y", f"n{number}.{'a' if kind == 'add' else 'x'}"])
        if kind == "add":
            links.append([f"n{number - columns - 1 if row else 0}.y", f"n{number}.b"])
    return {"halfwire": 1, "nodes": nodes, "links": links}, columns


def framed(graph, count, columns):
    """The graph with a frame around every few nodes."""
    wide, high = NODES_A_FRAME
    frames = []
    for top in range(0, math.ceil(count / columns), high):
        for left in range(0, columns, wide):
            at, size = [left * COLUMN - 20, top * ROW - 60], [wide * COLUMN - 20, high * ROW - 20]
            frames.append({"id": f"f{len(frames)}", "title": f"Block {len(frames) + 1}", "at": at, "size": size, "colour": COLOURS[len(frames) % len(COLOURS)]})
    return dict(graph, frames=frames)


def resident(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def windows(name):
    return subprocess.run(["xdotool", "search", "--onlyvisible", "--name", name], capture_output=True, text=True).stdout.split()


def wait_window(name, seconds=120):
    deadline = time.monotonic() + seconds
    while not windows(name):
        if time.monotonic() > deadline:
            raise TimeoutError(f"no window {name!r}")
        time.sleep(0.01)
    return time.monotonic()


class Bench:
    """Gestures with the times between which they lasted."""

    def __init__(self, app, canvas):
        self.app = app
        self.canvas = canvas
        self.centre = canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2
        self.spans = {}

    def settle(self, seconds=1.5):
        """Until the program does nothing, and that for a while: what edits leave to be done soon is over."""
        quiet, last = 0.0, self.cpu()
        while quiet < seconds:
            time.sleep(0.1)
            now = self.cpu()
            quiet = quiet + 0.1 if now - last < 0.03 else 0.0
            last = now

    def cpu(self):
        with open(f"/proc/{self.app.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def gesture(self, name, commands):
        """One run of xdotool, so that events come evenly."""
        self.settle(0.5)
        begin = time.monotonic()
        subprocess.run(["xdotool", *map(str, commands)], check=True)
        self.spans[name] = begin, time.monotonic()

    def path(self, start, end, steps=60, wait=0.016):
        commands = []
        for i in range(1, steps + 1):
            x, y = (a + (b - a) * i / steps for a, b in zip(start, end))
            commands += ["mousemove", round(x), round(y), "sleep", wait]
        return commands

    def drag(self, name, start, end, button=1):
        there = ["mousemove", round(start[0]), round(start[1]), "sleep", 0.1, "mousedown", button]
        self.gesture(name, there + self.path(start, end) + ["mouseup", button])

    def to_and_fro(self, name, start, end, button):
        there = ["mousemove", round(start[0]), round(start[1]), "sleep", 0.1, "mousedown", button]
        self.gesture(name, there + self.path(start, end) + self.path(end, start) + ["mouseup", button])

    def notches(self, notches, rounds=1):
        """Steps of the wheel, in and out again."""
        commands = ["mousemove", *map(round, self.centre), "sleep", 0.1]
        for button in ([4] * notches + [5] * notches) * rounds:
            commands += ["click", button, "sleep", 0.033]
        return commands

    def zoom(self, name, notches=12):
        self.gesture(name, self.notches(notches, 24 // notches))

    def closed(self):
        """MiB after closing the graph."""
        self.settle()
        self.app.key("ctrl+w")
        self.settle(3)
        return resident(self.app.process)

    def edit(self, name, *commands):
        """An edit, until the program is at rest."""
        self.settle()
        begin = time.monotonic()
        subprocess.run(["xdotool", *map(str, commands)], check=True)
        self.settle(0.3)
        self.spans[name] = begin, time.monotonic()


def fitting_sockets(items, columns):
    """Where a visible input of an Add is, and the output of the Add above it."""
    middle = lambda i: (i["x"] + i["width"] / 2, i["y"] + i["height"] / 2)
    for name, target in sorted(items.items()):
        if name.startswith("socket:") and name.endswith(":in:b"):
            source = items.get(f"socket:n{int(name.split(':')[1][1:]) - columns}:out:y")
            if source:
                return middle(source), middle(target)
    raise LookupError("no two sockets in view that fit")


def play(app, columns):
    """All gestures. Returns their spans and memory in MiB."""
    canvas = app.wait_item("canvas:surface")
    bench = Bench(app, canvas)
    (cx, cy), half = bench.centre, canvas["height"] / 3
    bench.settle()
    memory = {"open": resident(app.process)}
    app.xdotool("mousemove", round(cx), round(cy), "click", 1)
    app.key("Home")
    bench.settle()
    app.shot("all")
    bench.to_and_fro("panning, all in view", (cx, cy), (cx + 60, cy + half), 2)
    bench.zoom("zooming, from all in view")
    app.key("Home")
    bench.settle()
    bench.gesture("moving the mouse over all", ["mousemove", round(cx - half), round(cy)] + bench.path((cx - half, cy), (cx + half, cy + 40)))
    bench.drag("box-selecting, all in view", (canvas["x"] + 12, canvas["y"] + 12), (canvas["x"] + canvas["width"] - 12, canvas["y"] + canvas["height"] - 12))
    app.key("Escape")
    # A node near the middle: there are gaps and wires between.
    for off in range(0, 40, 3):
        time.sleep(0.6)  # no double click
        app.click((cx + off, cy))
        if app.find("nodeLabel"):
            break
        app.key("Escape")
    bench.drag("dragging a node, all in view", (cx + off, cy), (cx + off + 40, cy + half))
    app.key("ctrl+z")
    app.key("Escape")
    bench.settle()

    app.key("Home")
    app.key("ctrl+0")
    bench.settle()
    app.shot("near")
    bench.to_and_fro("panning at 100 %", (cx, cy), (cx + 300, cy + half), 2)
    bench.zoom("zooming at 100 %", 4)
    bench.settle()
    app.key("Home")
    app.key("ctrl+0")
    bench.settle()
    start, end = fitting_sockets(app.items(), columns)
    place = lambda p: (round(p[0]), round(p[1]))
    bench.settle()
    app.xdotool("mousemove", *place(start), "mousedown", 1, *bench.path(start, end, 12, 0.05), "sleep", 0.5)
    bench.edit("wiring", "mouseup", 1)
    app.shot("wired")
    bench.edit("undo of a wire", "key", "ctrl+z")
    bench.edit("redo of a wire", "key", "ctrl+shift+z")
    bench.edit("select all", "key", "ctrl+a")
    bench.edit("duplicate all", "key", "ctrl+d")
    bench.edit("undo of it", "key", "ctrl+z")
    bench.edit("undo of a wire, again", "key", "ctrl+z")
    bench.settle(3)
    memory["closed"] = [bench.closed()]
    app.shot("closed")
    for _ in range(CLOSINGS - 1):
        app.click("recent:large")
        bench.settle()
        app.key("Home")
        bench.gesture("", bench.notches(6))
        app.key("ctrl+0")
        bench.settle()
        app.key("ctrl+a", "ctrl+d")
        bench.settle()
        app.key("ctrl+z")
        memory["closed"].append(bench.closed())
    del bench.spans[""]
    return bench.spans, memory


def play_framed(app):
    """The gestures that show all frames."""
    bench = Bench(app, app.wait_item("canvas:surface"))
    (cx, cy), half = bench.centre, bench.canvas["height"] / 3
    bench.settle()
    app.xdotool("mousemove", round(cx), round(cy))
    app.key("Home")
    bench.settle()
    app.shot("all")
    bench.to_and_fro("panning, all in view, with frames", (cx, cy), (cx + 60, cy + half), 2)
    bench.zoom("zooming, from all in view, with frames")
    return bench.spans


def frames_of(report):
    with open(report, encoding="utf-8") as written:
        return json.load(written)["frames"]


def at_share(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


class Table:
    def __init__(self):
        self.short = False
        print(f"{'figure':46} {'measured':>24} {'wanted':>12}")

    def row(self, figure, measured, wanted=None, unit=""):
        text = measured if isinstance(measured, str) else f"{measured:.3g}" if measured < 100 else f"{measured:.0f}"
        judged = "" if wanted is None else "ok" if (measured if not isinstance(measured, str) else float(measured.split()[0])) <= wanted else "falls short"
        self.short = self.short or judged == "falls short"
        print(f"{figure:46} {text + ' ' + unit:>24} {'' if wanted is None else f'≤ {wanted} {unit}':>12}  {judged}")


def rows_of_gesture(table, name, during, wanted):
    # The first frame's cost counts from the frame before it, with all that was done in between.
    costs = sorted(gui + render - present for _, gui, render, present in during[1:])
    presents = sorted(present for *_, present in during[1:])
    table.row(f"{name}: p95 of {len(costs)} frames", at_share(costs, 0.95), wanted, "ms")
    table.row("    median, most", f"{at_share(costs, 0.5):.1f} {costs[-1]:.1f}", None, "ms")
    table.row("    and handing it over: median, p95", f"{at_share(presents, 0.5):.1f} {at_share(presents, 0.95):.1f}", None, "ms")


def rows_of_edit(table, name, begin, during):
    # What can wait (the list of problems, keeping unsaved changes) comes frames later, and may cost more.
    costs = [(gui + render, at) for at, gui, render, _ in during]
    shown = next(at for cost, at in costs if cost * 3 > max(costs)[0])
    table.row(name + ": until it is shown", shown - begin, EDIT_S, "s")
    table.row("    the costliest frame", max(costs)[0], None, "ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--nodes", type=int, default=1000)
    options = parser.parse_args()
    size = min(OPEN_S, key=lambda known: abs(math.log(known / options.nodes)))
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    file = os.path.join(home, "large.halfwire")
    graph, columns = make_graph(options.nodes)
    with open(file, "w", encoding="utf-8") as out:
        json.dump(graph, out)
    report = os.path.join(os.path.abspath(options.out), "heartbeat.json")
    framed_file = os.path.join(home, "framed.halfwire")
    with_frames = framed(graph, options.nodes, columns)
    with open(framed_file, "w", encoding="utf-8") as out:
        json.dump(with_frames, out)

    def reporting(to):
        return {"HOME": home, "XDG_DATA_HOME": os.path.join(home, "data"), "HALFWIRE_HEARTBEAT": to, **settled(home)}

    with Desktop(options.binary, options.out, name="empty", environment=reporting(report)) as app:
        wait_window("Halfwire")
        app.wait_item("canvas:surface")
        time.sleep(3)
        empty = resident(app.process)
    with Desktop(options.binary, options.out, [framed_file], name="framed", environment=reporting(report)) as app:
        wait_window("framed")
        framed_spans = play_framed(app)
    framed_times = frames_of(report)
    with Desktop(options.binary, options.out, [file], name="scale", environment=reporting(report)) as app:
        began = time.monotonic()
        titled = wait_window("large")
        spans, memory = play(app, columns)
    frames = frames_of(report)

    print(f"{options.nodes} nodes, {len(graph['links'])} wires; wanted figures are those of {size} nodes")
    table = Table()
    shown = next(at for at, *_ in frames if at > titled)
    table.row("open: from the empty window to its picture", shown - frames[0][0], OPEN_S[size], "s")
    table.row("from the start of the program", shown - began, None, "s")
    table.row("memory of the empty window", empty, None, "MiB")
    table.row("memory with the graph", memory["open"], OPEN_MIB[size], "MiB")
    closed = memory["closed"]
    table.row("kept after all gestures, closed, above empty", closed[0] - empty, KEPT_MIB[size], "MiB")
    half = CLOSINGS // 2
    table.row(f"grown over {CLOSINGS} closings", min(closed[half:]) - min(closed[:half]), GROWN_MIB, "MiB")
    table.row("    closed, each time", " ".join(f"{mib:.0f}" for mib in closed), None, "MiB")
    for name, (begin, end) in spans.items():
        if name.startswith(("wiring", "undo", "redo", "select", "duplicate")):
            during = [frame for frame in frames if begin < frame[0] < end]
            if not during:
                sys.exit(f"{name}: no frame was drawn; the gesture did not reach the window")
            rows_of_edit(table, name, begin, during)
        else:
            rows_of_gesture(table, name, [frame for frame in frames if begin < frame[0] < end], FRAME_MS[size])
    print(f"with {len(with_frames['frames'])} frames:")
    for name, (begin, end) in framed_spans.items():
        rows_of_gesture(table, name, [frame for frame in framed_times if begin < frame[0] < end], FRAME_MS[size])
    return 1 if table.short else 0


if __name__ == "__main__":
    sys.exit(main())
