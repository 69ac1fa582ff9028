"""A batch norm behind a convolution: its card is marked, and the mark follows an edit, undo and redo. Keeps its screenshots in the output
folder, in the dark and the light theme."""

import json
import os
import sys
import tempfile
import time

from desktop import Desktop, called_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "x", "type": "random", "at": [0, 0], "params": {"axes": "N C H W", "shape": [4, 2, 9, 8]}},
        {"id": "conv", "type": "conv2d", "at": [280, 0], "params": {"out_channels": 3}},
        {"id": "norm", "type": "batch_norm", "at": [560, 0]},
        {"id": "view", "type": "tensor_view", "at": [840, 0]},
    ],
    "links": [["x.y", "conv.x"], ["conv.y", "norm.x"], ["norm.y", "view.x"]],
}
TEXT = "norm is computed in conv"


def run(options, folder, theme):
    graph = os.path.join(folder, f"passes-{theme}.halfwire")
    with open(graph, "w", encoding="utf-8") as file:
        json.dump(GRAPH, file)
    environment = living_in(folder, f"config-{theme}", look={"theme": theme})
    with Desktop(options.binary, options.out, [graph], name=theme, environment=environment, folder=folder) as app:
        app.wait_for("the norm is marked", lambda i: TEXT in i.get("passes:norm", {}).get("tip", ""), 60)
        expect(not app.find("passes:conv"), "the convolution is not")
        mark = app.find("passes:norm")
        app.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
        time.sleep(1)  # tips wait
        app.shot("mark")
        app.click(header(app.wait_item("node:conv")))
        app.key("Delete")
        app.wait_for("alone it is not", lambda i: "passes:norm" not in i, 20)
        app.key("ctrl+z")
        app.wait_for("with the convolution it is", lambda i: "passes:norm" in i, 20)
        app.key("ctrl+shift+z")
        app.wait_for("redone", lambda i: "passes:norm" not in i, 20)
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")


def main():
    options = called_with()
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    for theme in ("dark", "light"):
        run(options, folder, theme)
    return 0


if __name__ == "__main__":
    sys.exit(main())
