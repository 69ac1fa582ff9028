"""A random node by hand: read what it draws from, fix its step while the graph trains and see that the step it draws from stays, look at
the mark on its card, undo. Keeps its screenshots in the output folder, in the dark and the light theme."""

import json
import os
import re
import sys
import tempfile

from desktop import Desktop, called_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "x", "type": "random", "at": [0, 0], "params": {"shape": [256, 8]}},
        {"id": "target", "type": "constant", "at": [0, 400], "params": {"shape": [256, 4], "value": 0.5}},
        {"id": "linear", "type": "linear", "at": [280, 0], "params": {"out_features": 4}},
        {"id": "drop", "type": "dropout", "at": [560, 0]},
        {"id": "mse", "type": "mse", "at": [840, 0]},
        {"id": "train", "type": "train", "at": [1120, 0], "params": {"seed": 7, "steps": 4000000}},
    ],
    "links": [["x.y", "linear.x"], ["linear.y", "drop.x"], ["drop.y", "mse.prediction"], ["target.y", "mse.target"],
              ["mse.loss", "train.loss"]],
}


def replace(app, name, text):
    app.click(name)
    app.key("ctrl+a")
    app.type(text)
    app.key("Return")


def step_of(text):
    found = re.search(r"step (\d+)", text)
    return int(found.group(1)) if found else -1


def run(options, folder, theme):
    graph = os.path.join(folder, f"random-{theme}.halfwire")
    with open(graph, "w", encoding="utf-8") as file:
        json.dump(GRAPH, file)
    environment = living_in(folder, f"config-{theme}", look={"theme": theme})
    with Desktop(options.binary, options.out, [graph], name=theme, environment=environment, folder=folder) as app:
        app.wait_for("nothing is wrong", lambda i: i.get("status:problems", {}).get("text") == "No problems", 60)
        app.click(header(app.wait_item("node:drop")))
        app.wait_item("param:random_seed")
        expect(re.fullmatch(r"Draws from seed 7, stream 0x[0-9a-f]{8}, step 1", app.text("draws")), app.text("draws"))
        app.shot("plain")

        app.key("ctrl+Return")
        app.wait_for("it draws from the step that runs", lambda i: step_of(i["draws"]["text"]) > 10, 60)
        app.click(header(app.wait_item("node:drop")))
        replace(app, "param:random_step", "12")
        app.wait_for("the step is fixed", lambda i: i["draws"]["text"].endswith("step 12 (fixed)"), 20)
        replace(app, "param:random_seed", "99")
        app.wait_for("so is the seed", lambda i: "seed 99 (fixed)" in i["draws"]["text"], 20)
        before = app.text("draws")
        done = app.find("runProgress")["value"]
        app.wait_for("while the graph trains on", lambda i: i["runProgress"]["value"] > done, 20)
        expect(app.text("draws") == before, "what is fixed stays")
        dice = app.wait_item("dice:drop")
        app.move(dice["x"] + dice["width"] / 2, dice["y"] + dice["height"] / 2)
        app.wait_for("the mark says the same", lambda i: "step 12 (fixed)" in i.get("dice:drop", {}).get("text", ""), 5)
        app.shot("fixed")
        app.click("draws:copy")

        app.click(header(app.wait_item("node:drop")))
        app.key("ctrl+z")
        app.key("ctrl+z")
        app.wait_for("undone", lambda i: "fixed" not in i["draws"]["text"], 20)
        app.click(header(app.wait_item("node:linear")))
        app.wait_for("a node without random numbers says nothing", lambda i: "draws" not in i, 20)
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")


def main():
    options = called_with()
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    for theme in ("dark", "light"):
        run(options, folder, theme)
    return 0


if __name__ == "__main__":
    sys.exit(main())
