"""How soon the picture follows a hand: milliseconds from an edit to the picture that has it (HALFWIRE_LATENCY), while a parameter is
scrubbed in the inspector of a graph without Train, whose weights were trained before. Fails where the 95th percentile is over the limit, or
where a byte of the weights has changed."""

import hashlib
import json
import math
import os
import subprocess
import tempfile
import time

from PIL import Image

from desktop import Desktop, called_with, end_with, expect, fresh, header


def trained(options, folder, name, change, arguments):
    """The example as `change` leaves it, trained for some steps, then without Train: a graph with its weights beside it."""
    with open(os.path.join(options.examples, f"{name}.halfwire"), encoding="utf-8") as text:
        graph = json.load(text)
    change(graph)
    path = os.path.join(folder, f"{name}.halfwire")
    write(graph, path)
    out = os.path.join(folder, f"{name}-out")
    subprocess.run([os.path.abspath(options.cli), "train", path, "--out", out, *arguments], check=True, capture_output=True, cwd=folder)
    os.replace(os.path.join(out, "weights.safetensors"), path.replace(".halfwire", ".safetensors"))
    graph["nodes"] = [node for node in graph["nodes"] if node["type"] != "train"]
    graph["links"] = [link for link in graph["links"] if not link[1].startswith("train.")]
    write(graph, path)
    return path


def write(graph, path):
    with open(path, "w", encoding="utf-8") as text:
        json.dump(graph, text)


def sine(_):
    pass


def field(graph):
    """Colours in a range that can be scrubbed, of a picture of 256 × 256."""
    for node in graph["nodes"]:
        if node["id"] == "photo":
            node["params"]["path"] = "made.png"
    graph["nodes"].append({"id": "range", "type": "remap", "at": [512, 600], "params": {"to_min": 0}})
    graph["links"] = [link for link in graph["links"] if link != ["sigmoid.y", "view.field"]]
    graph["links"] += [["sigmoid.y", "range.x"], ["range.y", "view.field"]]


def scrub(app, item, seconds):
    """To the right and back, a pixel at a time, as fast as a mouse reports."""
    x, y = app.centre(item)
    app.move(x, y)
    moves, width = [], 120
    for i in range(round(seconds * 60)):
        at = i % (2 * width)
        moves += ["mousemove", round(x + (at if at < width else 2 * width - at)), round(y), "sleep", "0.0166"]
    app.xdotool("mousedown", 1)
    app.xdotool(*moves)
    app.xdotool("mouseup", 1)


def busy(process):
    """Seconds of processors that were in use by anybody, and by this process."""
    tick = os.sysconf("SC_CLK_TCK")
    with open("/proc/stat", encoding="utf-8") as text:
        times = [int(word) for word in text.readline().split()[1:]]
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as text:
        own = text.read().rsplit(")", 1)[1].split()
    return (sum(times[:3]) + sum(times[5:8])) / tick, (int(own[11]) + int(own[12])) / tick


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def measured(options, folder, graph, node, item, shown):
    """What the program reports of a scrub of `item` in the inspector of `node`, once shown(items) holds."""
    report = os.path.join(folder, os.path.basename(graph) + ".json")
    weights = graph.replace(".halfwire", ".safetensors")
    before = digest(weights)
    environment = fresh(folder, HALFWIRE_LATENCY=report)
    name = os.path.basename(graph).split(".")[0]
    with Desktop(options.binary, options.out, [graph], name=name, environment=environment, folder=folder) as app:
        app.wait_for("a picture", shown, 60)
        app.click(header(app.wait_item(f"node:{node}")))
        begin, (all_before, own_before) = time.monotonic(), busy(app.process)
        scrub(app, item, float(options.seconds))
        all_after, own_after = busy(app.process)
        others = (all_after - all_before - own_after + own_before) / (time.monotonic() - begin) / os.cpu_count()
        app.wait_for("all is drawn", lambda _: True)
        app.shot("scrubbed")
    with open(report, encoding="utf-8") as text:
        found = json.load(text)
    found["others"] = others
    expect(digest(weights) == before, "the file of the weights is as it was")
    expect(found["weights_before"] == found["weights_after"], f"the weights are as they were: {found}")
    expect(found["weights_before"]["bytes"] > 0, "there are weights")
    return found


def summary(what, series, limit):
    expect(series["edits"] > 20, f"{what}: edits were drawn: {series}")
    good = series["p95_ms"] <= limit
    print(f"{what}: median {series['p50_ms']:.0f} ms, 95th percentile {series['p95_ms']:.0f} ms, longest {series['max_ms']:.0f} ms "
          f"of {series['edits']} edits; limit {limit:.0f} ms: {'ok' if good else 'falls short'}")
    return good


def main():
    options = called_with("cli", "examples", description=__doc__, seconds="8", limit="100")
    limit = float(options.limit)
    with tempfile.TemporaryDirectory() as folder:
        picture = Image.new("RGB", (256, 256))
        picture.putdata([(x, y, round(127 + 120 * math.sin(x / 9) * math.cos(y / 7))) for y in range(256) for x in range(256)])
        picture.save(os.path.join(folder, "made.png"))
        graph = trained(options, folder, "sine", sine, ["--steps", "50"])
        lines = measured(options, folder, graph, "x", "param:b", lambda i: i.get("plot", {}).get("value") == "MLP, Sin")
        graph = trained(options, folder, "photograph", field, ["--steps", "20"])
        pictures = measured(options, folder, graph, "range", "param:to_max", lambda i: "dB" in i.get("picture:status", {}).get("text", ""))
    print("Graphs without Train, a parameter scrubbed at 60 moves a second, from an edit to its picture in the scene graph:")
    good = [summary("sine, its plot", lines["plot"], limit),
            summary("256 × 256 field, the first picture", pictures["picture"], limit),
            summary("256 × 256 field, every pixel", pictures["full picture"], limit)]
    print(f"other programs, the X server among them, took {100 * lines['others']:.0f} % and {100 * pictures['others']:.0f} % of the {os.cpu_count()} processors meanwhile; engine threads give way to them")
    print(f"weights: {lines['weights_after']['bytes']} and {pictures['weights_after']['bytes']} bytes, unchanged in the window and in the file")
    return 0 if all(good) else 1


if __name__ == "__main__":
    end_with(main)
