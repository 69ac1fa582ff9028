"""Nodes with a device of their own, by hand: choose one in the inspector, see the badge and the marks on the wires, train and read what
goes between the devices each step, choose one in the menu of a node, undo, find it in the file. Keeps its screenshots in the output
folder, in the dark and the light theme."""

import json
import os
import sys
import tempfile

from desktop import Desktop, called_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "x", "type": "random", "at": [0, 0], "params": {"shape": [256, 8]}},
        {"id": "target", "type": "constant", "at": [0, 260], "params": {"shape": [256, 4], "value": 0.5}},
        {"id": "linear", "type": "linear", "at": [300, 0], "params": {"out_features": 4}},
        {"id": "act", "type": "sigmoid", "at": [620, 0]},
        {"id": "mse", "type": "mse", "at": [920, 0]},
        {"id": "train", "type": "train", "at": [1220, 0], "params": {"seed": 7, "steps": 200}},
    ],
    "links": [["x.y", "linear.x"], ["linear.y", "act.x"], ["act.y", "mse.prediction"], ["target.y", "mse.target"], ["mse.loss", "train.loss"]],
}


def tip_on(app, name, words):
    """The canvas's tip with the cursor on a mark, once it holds some words."""
    nudges = [0]

    def said(items):
        mark = items.get(name)
        if mark and words in items.get("canvas:tip", {}).get("text", ""):
            return items["canvas:tip"]["text"]
        if mark:  # a list that has just closed may have taken the first move
            nudges[0] += 1
            app.move(mark["x"] + mark["width"] / 2 + nudges[0] % 2, mark["y"] + mark["height"] / 2)
        return None

    return app.wait_for(f"the tip on {name} says {words!r}", said, 20)


def devices(path):
    with open(path, encoding="utf-8") as file:
        return {n["id"]: n["device"] for n in json.load(file)["nodes"] if "device" in n}


def run(options, folder, theme):
    graph = os.path.join(folder, f"devices-{theme}.halfwire")
    with open(graph, "w", encoding="utf-8") as file:
        json.dump(GRAPH, file)
    environment = living_in(folder, f"config-{theme}", look={"theme": theme})
    with Desktop(options.binary, options.out, [graph], name=theme, environment=environment, folder=folder) as app:
        items = app.wait_for("nothing is wrong", lambda i: i.get("status:problems", {}).get("text") == "No problems" and i, 60)
        expect(not any(n.startswith(("transfer:", "deviceBadge:")) for n in items), "nothing is shown where nothing is pinned")
        app.click(header(app.wait_item("node:act")))
        app.wait_for("the graph's device", lambda i: i.get("node:device", {}).get("currentText", "").startswith("Graph's ("), 20)
        app.click("node:device")
        app.wait_item("node:device:ref")
        app.shot("choices")
        app.click("node:device:ref")
        app.wait_for("the card says so", lambda i: i.get("deviceBadge:act", {}).get("text", "").startswith("Runs on ref"), 20)
        app.wait_for("and both wires", lambda i: "transfer:act:x" in i and "transfer:mse:prediction" in i, 20)
        tip_on(app, "transfer:act:x", "cpu → ref")
        app.shot("pinned")
        cards = lambda items: sum(n.startswith("node:") and n != "node:device" for n in items)
        before = cards(app.items())
        app.key("ctrl+d")
        app.wait_for("the keys are the canvas's again", lambda i: cards(i) == before + 1, 5)
        app.key("Delete")
        app.wait_for("all of them", lambda i: cards(i) == before, 5)
        app.key("ctrl+z", "ctrl+z")
        app.click(header(app.wait_item("node:act")))

        app.key("ctrl+Return")
        app.wait_for("trained", lambda i: i["runNumbers"]["text"].startswith("Finished"), 60)
        app.move(600, 600)
        # 256 × 4 numbers of four bytes there, and their gradients back.
        said = tip_on(app, "transfer:act:x", "a step")
        lines = said.split("\n")
        expect(any(l.startswith("4.00 KiB a step") and l.endswith("cpu → ref") for l in lines), said)
        expect(any(l.startswith("gradient: 4.00 KiB a step") and l.endswith("ref → cpu") for l in lines), said)
        app.shot("trained")

        app.click(header(app.wait_item("node:linear")), button=3)
        app.click("menu:Run on")
        app.wait_item("menu:runOn:ref")
        app.shot("menu")
        app.click("menu:runOn:ref")
        app.wait_for("the wire between the two is no longer between devices",
                     lambda i: "deviceBadge:linear" in i and "transfer:act:x" not in i and "transfer:linear:x" in i, 20)
        app.key("ctrl+s")
        app.wait_for("saved", lambda _: devices(graph) == {"act": "ref", "linear": "ref"}, 20)
        app.key("ctrl+z")
        app.wait_for("one step back", lambda i: "deviceBadge:linear" not in i and "deviceBadge:act" in i, 20)
        app.key("ctrl+z")
        app.wait_for("two", lambda i: not any(n.startswith(("transfer:", "deviceBadge:")) for n in i), 20)
        app.key("ctrl+s")
        app.wait_for("saved without", lambda _: devices(graph) == {}, 20)

        app.click("device")
        app.wait_item("device:ref")
        app.shot("chooser")
        app.key("Escape")
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")


def main():
    options = called_with()
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    for theme in ("dark", "light"):
        run(options, folder, theme)
    print("devices: pinned in the inspector and the menu, transfers read, undone, saved, in both themes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
