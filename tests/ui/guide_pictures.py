"""The pictures of the guide, resources/guide/pictures: of the real window, dark, made by mouse and keys on examples and small graphs.
None takes more than MOST bytes."""

import argparse
import io
import json
import os
import re
import tempfile
import time

from PIL import Image

from desktop import Editor, header, living_in
from digits import write_digits

SIZE = 1280, 800
MOST = 200 * 1024  # bytes of a picture

# What a hash grid in f16 makes goes into an MLP in f32: a Cast is missing.
CLASH = {
    "halfwire": 1,
    "nodes": [
        {"id": "points", "type": "random", "at": [0, 0], "params": {"shape": [1024, 2]}},
        {"id": "encoder", "type": "hash_grid", "at": [256, 0]},
        {"id": "mlp", "type": "mlp", "at": [576, 0]},
    ],
    "links": [["points.y", "encoder.x"], ["encoder.features", "mlp.x"]],
}


def written(folder, name, graph):
    path = os.path.join(folder, f"{name}.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(graph, text)
    return path


class Guide(Editor):
    """A window with one graph, whose pictures go into the guide."""

    def __init__(self, options, home, path, **panels):
        width, height = SIZE
        sections = {"look": {"theme": "dark"}, "panels": {"windowWidth": width, "windowHeight": height, **panels}}
        super().__init__(options.binary, home, path, name=os.path.basename(path), environment=living_in(home, **sections), folder=home)
        self.pictures = options.out

    def names(self, beginning):
        return [name for name in self.items() if name.startswith(beginning)]

    def take(self, name, *items, rest=True, margin=4):
        """The window, or the smallest rectangle around these items of it. `rest`: the pointer is out of the way."""
        if rest:
            self.move(SIZE[0] - 2, SIZE[1] - 2)
        time.sleep(1)
        picture = self.grab().convert("RGB")
        if items:
            boxes = [self.find(item) for item in items]
            left, top = (min(box[key] for box in boxes) - margin for key in ("x", "y"))
            right = max(box["x"] + box["width"] for box in boxes) + margin
            bottom = max(box["y"] + box["height"] for box in boxes) + margin
            picture = picture.crop((max(0, round(left)), max(0, round(top)), min(SIZE[0], round(right)), min(SIZE[1], round(bottom))))
        file = os.path.join(self.pictures, f"{name}.png")
        with open(file, "wb") as out:
            out.write(small(picture))
        print(file, picture.size, os.path.getsize(file))

    def right_click(self, node):
        self.click(header(self.wait_item(f"node:{node}")), button=3)

    def trained(self, step):
        """Once a run has done so many steps."""

        def done(items):
            found = re.search(r"step (\d+)", str(items.get("runNumbers", {}).get("text", "")))
            return found and int(found.group(1)) >= step

        self.wait_for(f"step {step}", done, 300)


def small(picture):
    """The bytes of a PNG of at most MOST bytes: with all colours, or else with as many as a palette has."""
    for one in (picture, picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)):
        data = io.BytesIO()
        one.save(data, "PNG", optimize=True)
        if data.tell() <= MOST:
            return data.getvalue()
    raise SystemExit(f"a picture of {picture.size} takes {data.tell()} bytes")


def wrong_wire(options, home):
    with Guide(options, home, written(home, "colours", CLASH), viewport="false", losses="false") as app:
        app.wait_item("remedy:mlp:x:0")
        app.key("Home")
        app.choose("mlp")
        app.take("canvas")


def node_menu(options, home):
    hidden = {panel: "false" for panel in ("viewport", "losses", "problems", "inspector")}
    with Guide(options, home, written(home, "frame", CLASH), **hidden) as app:
        app.click("remedy:mlp:x:0")
        app.wait_item("node:cast")
        app.click(app.empty())
        app.key("l")
        app.choose("cast", "mlp")
        app.key("ctrl+j")
        app.wait_item("frame:frame")
        app.key("F2")
        app.type("Network")
        app.key("Return", "Home")
        app.right_click("points")
        app.wait_item("menu:delete")
        app.take("canvas-menu", "canvas", rest=False)
        app.key("Escape")
        app.choose("mlp")
        app.key("Tab")
        app.wait_item("search:field")
        app.take("canvas-search", "node:cast", "node:mlp", "search:field", *app.names("search:item:"))
        app.key("Escape")


def groups(options, home):
    hidden = {panel: "false" for panel in ("viewport", "losses", "problems")}
    with Guide(options, home, os.path.join(options.examples, "language_model.halfwire"), **hidden) as app:
        app.choose("block_1")
        app.key("Tab")
        app.wait_item("breadcrumb:block_1")
        app.key("Home")
        app.click(app.empty())
        canvas = app.find("canvas:surface")
        app.wheel(4, 7, (canvas["x"] + 36, canvas["y"] + canvas["height"] / 2))
        app.take("groups-inside")
        app.key("shift+Tab")
        app.right_click("block_1")
        app.click("menu:describeGroup")
        app.wait_item("block:title")
        app.take("groups-library", "blockSheet", "sheet:close", margin=12)
        app.key("Escape")


def training(options, home):
    with Guide(options, home, os.path.join(options.examples, "neural_texture.halfwire")) as app:
        app.wait_item("node:train")
        app.key("Home")
        app.choose("train")
        app.click("run:start")
        app.trained(100)
        app.take("training")
        app.click("run:pause")
        app.wait_item("run:start")
        app.choose("cast")
        app.key("m")
        app.wait_item("problem:0:remedy:0")
        app.take("tabs", "problems", "losses")
        app.key("ctrl+z")
        app.click("close:losses")
        app.key("ctrl+shift+x")
        app.wait_for("it is looked through", lambda items: items["xray:start"]["text"] == "X-ray Again", 240)
        app.take("tabs-xray", "problems")


def gradients(options, home):
    data = os.path.join(home, "digits")
    write_digits(data)
    with open(os.path.join(options.examples, "digits.halfwire"), encoding="utf-8") as text:
        graph = json.load(text)
    next(node for node in graph["nodes"] if node["id"] == "data")["params"]["path"] = data
    with Guide(options, home, written(home, "digits", graph), problems="false") as app:
        app.wait_for("the data is there", lambda items: items["status:problems"]["text"] == "No problems")
        app.click("run:start")
        app.trained(400)
        app.click("run:pause")
        app.wait_item("run:start")
        app.click("losses:tabs:Gradients")
        app.take("tabs-gradients", "losses")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--only", choices=[part.__name__ for part in PARTS], help="some of the pictures")
    options = parser.parse_args()
    options.out, options.examples = os.path.abspath(options.out), os.path.abspath(options.examples)
    os.makedirs(options.out, exist_ok=True)
    for part in PARTS:
        if options.only in (None, part.__name__):
            part(options, tempfile.mkdtemp(prefix="halfwire-ui-"))


PARTS = (wrong_wire, node_menu, groups, training, gradients)

if __name__ == "__main__":
    main()
