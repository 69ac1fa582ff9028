"""Unsaved changes after a crash: two documents are edited, the program is killed, the next start brings both back as unsaved changes of
what they were; what is given up on closing does not come back. Keeps its screenshots in the output folder."""

import json
import os
import sys
import tempfile
import time

from desktop import PATIENCE, Desktop, called_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [{"id": "x", "type": "random", "at": [0, 0], "params": {"shape": [8, 2]}}, {"id": "relu", "type": "relu", "at": [280, 0]}],
    "links": [["x.y", "relu.x"]],
}


def kept(folder):
    place = os.path.join(folder, "data", "Halfwire", "Halfwire", "recovery")
    return sorted(name for name in os.listdir(place) if name.endswith(".unsaved.json")) if os.path.isdir(place) else []


def wait_kept(app, folder, count):
    app.wait_for(f"{count} are kept", lambda _: len(kept(folder)) == count)


def main():
    options = called_with()
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    graph = os.path.join(folder, "graph.halfwire")
    with open(graph, "w", encoding="utf-8") as file:
        json.dump(GRAPH, file)
    saved = open(graph, encoding="utf-8").read()
    environment = living_in(folder)

    def start(name, arguments=()):
        return Desktop(options.binary, options.out, arguments, name=name, environment=environment, folder=folder, recovers=True)

    with start("edited", [graph]) as app:
        app.click(header(app.wait_item("node:relu")))
        app.key("Delete")
        app.wait_for("the node is gone", lambda i: "node:relu" not in i)
        app.key("ctrl+n")
        app.wait_for("an empty document", lambda i: "node:x" not in i)
        canvas = app.wait_item("canvas:surface")
        app.move(canvas["x"] + canvas["width"] / 2, canvas["y"] + 40)
        app.key("Tab")
        app.wait_item("search:field")
        app.type("sigmoid")
        app.key("Return")
        app.wait_item("node:sigmoid")
        wait_kept(app, folder, 2)
        app.process.kill()
        app.process.wait(PATIENCE)
    expect(open(graph, encoding="utf-8").read() == saved, "the file is as it was saved")

    with start("recovered") as app:
        app.wait_item("toast")
        items = app.wait_for("a document is there", lambda i: ("node:x" in i or "node:sigmoid" in i) and i)
        app.shot("toast")
        first = "node:x" if "node:x" in items else "node:sigmoid"
        expect("node:relu" not in items and first in items, "a document is shown as it was left")
        app.key("ctrl+Tab")
        other = "node:sigmoid" if first == "node:x" else "node:x"
        app.wait_item(other)
        expect(len(kept(folder)) == 2, "both stay kept until they are saved")
        if other == "node:sigmoid":
            app.key("ctrl+Tab")
            app.wait_item("node:x")
        app.key("ctrl+s")
        wait_kept(app, folder, 1)
        expect([n["id"] for n in json.load(open(graph, encoding="utf-8"))["nodes"]] == ["x"], "saved as it was left, in its own file")
        app.key("ctrl+q")
        app.wait_item("unsaved:discard")
        app.shot("question")
        app.click("unsaved:discard")
        app.process.wait(PATIENCE)
        expect(app.process.returncode == 0, app.output())
    expect(kept(folder) == [], "what is given up is not kept")

    with start("after") as app:
        app.wait_item("canvas:surface")
        time.sleep(1)
        expect("toast" not in app.items() and "node:sigmoid" not in app.items(), "nothing comes back")
    return 0


if __name__ == "__main__":
    sys.exit(main())
