"""How the editor feels while it trains: milliseconds from the window to the first picture, and the GUI thread's heartbeat
(HALFWIRE_HEARTBEAT) at 1280×800 while a graph trains and a hand pans, zooms, drags a node and turns the model. Prints; judges nothing."""

import argparse
import itertools
import json
import os
import subprocess
import tempfile
import time

from PIL import ImageGrab

from desktop import Desktop


def first_picture(app):
    """Seconds from the window being visible until the model's colours are in the viewport."""
    subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "Halfwire"], check=True, stdout=subprocess.DEVNULL)
    begin = time.monotonic()
    frames = []  # judged once the viewport's place is known
    while time.monotonic() - begin < 5:
        frames.append((time.monotonic() - begin, ImageGrab.grab(xdisplay=os.environ["DISPLAY"]).convert("RGB")))
    view = app.wait_item("viewport")
    place = [view["x"], view["y"], view["x"] + view["width"], view["y"] + view["height"]]
    for seconds, picture in frames:
        inside = picture.crop([round(v) for v in place]).resize((80, 60))
        if sum(1 for r, g, b in inside.getdata() if r > 200 and g > 150 and b < 90) > 20:
            return seconds
    return float("nan")


def play(app, seconds):
    canvas = app.wait_item("canvas:surface")
    view = app.wait_item("viewport")
    node = app.wait_item("node:mlp")
    x, y = canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2
    vx, vy = view["x"] + view["width"] * 0.75, view["y"] + view["height"] / 2
    nx, ny = node["x"] + node["width"] / 2, node["y"] + 6
    nodes = itertools.cycle(["encoder", "cast", "mlp", "sigmoid", "loss"])
    end = time.monotonic() + seconds
    app.drag((nx, ny), (nx + 30, ny + 40), steps=20)
    while time.monotonic() < end:
        app.move(x, y + canvas["height"] * 0.4)
        for button in (4, 4, 5, 5):
            app.xdotool("click", button)
            time.sleep(0.1)
        app.drag((vx, vy), (vx - 60, vy + 10), steps=20)
        time.sleep(0.3)
        app.click(f"node:{next(nodes)}")
        for tab in ("Docs", "Tensor", "Gradient", "Parameters"):
            app.click(f"inspectorTabs:{tab}")
            time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--graph", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    report = os.path.join(os.path.abspath(options.out), "heartbeat.json")
    environment = {"HOME": home, "XDG_CONFIG_HOME": home, "HALFWIRE_HEARTBEAT": report, "HALFWIRE_HEARTBEAT_AFTER": "8"}
    started = time.monotonic()
    with Desktop(options.binary, options.out, [os.path.abspath(options.graph)], name="feel", environment=environment) as app:
        seconds = first_picture(app)
        window = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Halfwire"], check=True, capture_output=True, text=True)
        app.xdotool("windowsize", "--sync", window.stdout.split()[0], 1280, 800)
        time.sleep(1)
        app.click("run:start")
        app.wait_for("steps are done", lambda i: "step" in str(i.get("runNumbers", {}).get("text", "")), 60)
        time.sleep(max(0.0, 8 - (time.monotonic() - started)))
        play(app, options.seconds)
        numbers = app.text("runNumbers")
        app.shot("training")
    beat = json.load(open(report))
    print(f"first picture {seconds * 1e3:.0f} ms after the window opened")
    print(f"while training ({numbers}):")
    print(f"heartbeat gap: median {beat['gap_ms_p50']:.1f} ms, 99th percentile {beat['gap_ms_p99']:.1f} ms, longest {beat['gap_ms_max']:.1f} ms of {beat['ticks']} ticks")
    print(f"scene graph synchronisation: at most {beat['costliest_sync_ms']:.1f} ms of work, {beat['longest_sync_ms']:.1f} ms; events that cost the GUI thread most:")
    for slow in beat["costliest_events"][:8]:
        stolen = f" (with up to {slow['stolen_ms']:.0f} ms that the machine's host took)" if slow["stolen_ms"] > 0 else ""
        print(f"  {slow['cpu_ms']:7.1f} ms of work in {slow['ms']:6.1f} ms  {slow['event']}{stolen}")


if __name__ == "__main__":
    main()
