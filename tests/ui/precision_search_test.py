"""Another precision is tried on selected nodes and accepted or dropped, and the precision of all is planned: by mouse and keys, the
window answering all the while. Keeps its screenshots in the output folder, dark and light."""

import argparse
import json
import os
import sys
import tempfile
import time

from desktop import Desktop, Failure, expect, settled


def small(example, folder):
    """The neural texture with few points and small tables: a step takes a millisecond."""
    with open(example, encoding="utf-8") as text:
        graph = json.load(text)
    less = {"sampler": {"points": 512}, "encoder": {"log2_table": 10, "levels": 4}, "train": {"steps": 60}}
    for node in graph["nodes"]:
        node.setdefault("params", {}).update(less.get(node["id"], {}))
    path = os.path.join(folder, "texture.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(graph, text)
    return path


def saved(app, path):
    """Parameters by node, in the file once it is what the canvas shows."""
    app.key("ctrl+s")
    app.wait_for("saved", lambda i: not i["documentTitle"]["text"].endswith("•"))
    with open(path, encoding="utf-8") as text:
        return {node["id"]: node.get("params", {}) for node in json.load(text)["nodes"]}


def row(items, title):
    for name, item in items.items():
        if name.startswith("precision:row:") and item["text"].startswith(title):
            return item["text"]
    return ""


def result(app, seconds=120):
    items = app.wait_for("a result", lambda i: i if "precision:verdict" in i and "precision:stop" not in i else None, seconds)
    time.sleep(0.7)  # until it is drawn, for the pictures
    return items


def header(app, node):
    card = app.wait_item(f"node:{node}")
    return card["x"] + card["width"] / 3, card["y"] + 10 * card["width"] / 200


def try_from_menu(app):
    app.click(header(app, "mlp"))
    app.click(header(app, "mlp"), button=3)
    app.click("menu:node:tryPrecision")
    app.wait_item("precision:start")


def tries(app, path):
    try_from_menu(app)
    app.shot("asked")
    app.click("precision:start")
    items = result(app)
    app.shot("tried")
    for title in ("Held-out loss", "Time a step", "Training memory", "Output error"):
        expect(row(items, title), f"a row for {title}")
    expect("bf16" in items["precision:detail:0"]["text"], "it says what would change")
    app.click("precision:drop")
    app.wait_for("dropped", lambda i: "precisionSheet" not in i)
    expect("dtype" not in saved(app, path)["mlp"], "dropped: the graph is as it was")

    # By keys alone; accepted, undone with one Ctrl+Z, redone.
    app.key("ctrl+alt+t")
    app.wait_item("precision:start")
    app.key("Return")
    result(app)
    app.click("precision:accept")
    app.wait_for("accepted", lambda i: "precisionSheet" not in i)

    def stored(dtype):
        return saved(app, path)["mlp"].get("dtype") == dtype

    expect(stored("bf16"), "accepted: the MLP is in bf16")
    app.key("ctrl+z")
    expect(stored(None), "one step of undo takes it all back")


def goes_on_from_training(app):
    app.key("ctrl+Return")
    app.wait_for("trained", lambda i: i["runNumbers"]["text"].startswith("Finished"), 120)
    try_from_menu(app)
    app.click("precision:start")
    expect("from step 60" in result(app)["precision:verdict"]["text"], "both go on from what was trained")
    app.click("precision:drop")


def plans(app, path):
    app.key("ctrl+alt+p")
    app.wait_item("precision:budget")
    app.click("precision:budget", repeat=3)
    app.type("-1")
    app.key("Return")
    app.wait_for("why not", lambda i: i.get("precision:budget:error", {}).get("text") == "The limit must be a number at least 0 (%), got -1.")
    for field, wrong, right, why in (("steps", "1.5", "", "Steps must be a whole number"), ("repeats", "101", "1", "Seeds must be a whole number from 1 to 100")):
        app.click(f"precision:{field}", repeat=3)
        app.type(wrong)
        app.key("Return")
        items = app.wait_for("why not", lambda i: i.get("precision:counts:error", {}).get("text", "").startswith(why) and i)
        expect(items[f"precision:{field}"]["text"] == wrong, f"what was typed stands: {items[f'precision:{field}']}")
        app.shot(f"refused-{field}")
        app.click(f"precision:{field}", repeat=3)
        app.key("BackSpace")
        app.type(right)
    expect("precision:stop" not in app.items(), "nothing began")
    app.click("precision:budget", repeat=3)
    app.type("1000")
    app.click("precision:minimise")
    app.click("precision:minimise:Memory")
    app.click("precision:kind")
    app.click("precision:kind:an error of the outputs")
    app.wait_for("an error has no seeds, and a limit of its own", lambda i: "precision:repeats" not in i and i["precision:budget"]["text"] == "0.1")
    app.shot("error")
    app.click("precision:kind")
    app.click("precision:kind:a higher loss")
    app.click("precision:budget", repeat=3)
    app.type("100000")  # any that trains is within it: one of f8 is smaller on every CPU
    app.click("precision:repeats", repeat=3)
    app.type("2")
    app.shot("asked-plan")
    app.click("precision:start")
    items = result(app, 240)
    expect("mean of 2 seeds" in items["precision:verdict"]["text"], items["precision:verdict"]["text"])
    app.shot("planned")
    expect("precision:details" in items, "it says what was tried")
    expect(row(items, "Training memory").count("−") == 1, f"it is smaller: {row(items, 'Training memory')}")
    app.click("precision:accept")
    app.wait_for("applied", lambda i: "precisionSheet" not in i)
    app.wait_for("valid", lambda i: i["status:problems"]["text"] == "No problems")
    after = saved(app, path)
    expect(after["train"].get("master_weights") == "none" or after["encoder"].get("dtype") or after["mlp"].get("dtype"), "the plan is in the graph")
    app.key("ctrl+z")


def can_be_stopped(app):
    """A search that would take hours: the canvas answers meanwhile, and Stop ends it."""
    app.key("ctrl+alt+p")
    app.click("precision:steps", repeat=3)
    app.type("1000000")
    app.click("precision:start")
    app.wait_item("precision:stop")
    app.click("precision:close")
    app.click(header(app, "encoder"))
    app.key("h")
    app.wait_for("collapsed: the canvas answers", lambda i: "param:encoder:levels" not in i)
    app.key("h")
    app.key("ctrl+alt+p")
    app.wait_item("precision:stop")  # while the search runs: nobody has stopped it
    app.shot("searching")
    app.click("precision:stop")
    app.wait_for("stopped", lambda i: "precision:stop" not in i, 30)
    app.click("precision:close")


def light(app):
    app.click("menu:View")
    app.click("menu:Theme")
    app.click("menu:theme:light")
    try_from_menu(app)
    app.click("precision:start")
    result(app)
    app.shot("light")
    app.click("precision:drop")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--binary", "--out", "--example"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = small(options.example, folder)
        environment = dict(settled(tempfile.mkdtemp(dir=folder)), QML_DISABLE_DISK_CACHE="1")
        with Desktop(options.binary, options.out, [path], name="precision", environment=environment) as app:
            app.wait_for("nothing is wrong", lambda i: i["status:problems"]["text"] == "No problems", 60)
            for part in (tries, plans):
                part(app, path)
            for part in (goes_on_from_training, can_be_stopped, light):
                part(app)
            expect("QML" not in app.output() and "Error" not in app.output(), app.output())
    print("precision: tried, accepted, dropped, planned, stopped")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"failed: {failure}")
