"""Precision by hand: a clash of weights mended by each remedy, the policy menu, the first bad value of a run that failed, the X-ray's table,
the loss scale's course. Every edit is one undo step. Keeps its screenshots in the output folder, in the dark and the light theme."""

import json
import os
import re
import shutil
import tempfile
import time

from desktop import Desktop, called_with, end_with, expect, settled


def fresh(folder, theme):
    """Settings of someone who has chosen a theme."""
    environment = settled(tempfile.mkdtemp(dir=folder), look={"theme": theme}, panels={"bottomHeight": 300})
    return dict(environment, QML_DISABLE_DISK_CACHE="1")


def problems(items):
    """How many rows the Problems tab lists."""
    return len({m.group(0) for name in items if (m := re.fullmatch(r"problem:\d+", name))})


def unmodified(items):
    return not items["documentTitle"]["text"].endswith("•")


def clash(options, folder, theme):
    """Each remedy of a float8 weight under a bf16 input is one click and one undo step."""
    graph = os.path.join(folder, f"clash-{theme}.halfwire")
    shutil.copy(os.path.join(options.examples, "precision", "dtype_clash.halfwire"), graph)
    with Desktop(options.binary, options.out, [graph], name=f"clash-{theme}", environment=fresh(folder, theme)) as app:
        app.wait_for("weight and bias are listed", lambda i: problems(i) == 2, 60)
        time.sleep(0.5)  # the frame
        app.shot("problems")
        remedies = sorted(name for name in app.items() if re.fullmatch(r"problem:0:remedy:\d+", name))
        labels = [app.text(name) for name in remedies]
        expect(len(remedies) >= 4, f"remedies: {labels}")
        left = {}
        for name, label in zip(remedies, labels):
            app.click(name)
            left[label] = app.wait_for(f"{label} mends it", lambda i: problems(i) < 2 and [problems(i)])[0]
            app.shot("mended-" + re.sub(r"\W+", "-", label))
            app.key("ctrl+z")
            app.wait_for("one step takes it back", lambda i: problems(i) == 2 and unmodified(i))
        expect(any(count == 0 for count in left.values()), f"one for the whole graph: {left}")
        print(f"clash, {theme}: {left}")


def choose_policy(app, policy):
    app.click("menu:Edit")
    item = app.wait_item("menu:Precision Policy")
    app.click((item["x"] + item["width"] / 2, item["y"] + item["height"] / 2))
    app.wait_item(f"menu:policy:{policy}")
    app.shot(f"menu-{policy}")
    app.click(f"menu:policy:{policy}")


def policy(options, folder, theme):
    """Choosing a policy mends the graph in one step; the menu marks the one that holds."""
    graph = os.path.join(folder, f"policy-{theme}.halfwire")
    shutil.copy(os.path.join(options.examples, "precision", "dtype_clash.halfwire"), graph)
    with Desktop(options.binary, options.out, [graph], name=f"policy-{theme}", environment=fresh(folder, theme)) as app:
        app.wait_for("weight and bias are listed", lambda i: problems(i) == 2, 60)
        for chosen in ("negotiate", "autocast bf16"):
            choose_policy(app, chosen)
            app.wait_for(f"{chosen} mends the graph", lambda i: problems(i) == 0 and not unmodified(i))
            app.wait_for("the status line names it", lambda i: i.get("status:policy", {}).get("text") == f"policy {chosen}")
            words = app.wait_item("toast:remedy")["text"]
            expect("block.weight" in words and "exact" in words, f"what was done and lost is said: {words}")
            app.shot(chosen)
            app.key("ctrl+z")
            app.wait_for("one step takes it back", lambda i: problems(i) == 2 and unmodified(i))
            expect("toast" not in app.items(), "what was said of it is gone, too")
        print(f"policy, {theme}: negotiate and autocast mend it in one step each")


def write(folder, name, nodes, links):
    path = os.path.join(folder, name + ".halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump({"halfwire": 1, "nodes": nodes, "links": links}, text)
    return path


def overflowing(folder):
    """A parameter that grows ninefold a step, through f16."""
    return write(folder, "overflow", [
        {"id": "p", "type": "parameter", "at": [40, 60], "label": "Growing", "params": {"shape": [2.0, 3.0], "init": "constant", "scale": 1.0}},
        {"id": "narrow", "type": "cast", "at": [280, 60], "label": "To f16", "params": {"to": "f16"}},
        {"id": "wide", "type": "cast", "at": [520, 60], "label": "To f32", "params": {"to": "f32"}},
        {"id": "target", "type": "constant", "at": [520, 260], "params": {"shape": [2.0, 3.0], "value": 0.0}},
        {"id": "mse", "type": "mse", "at": [760, 60]},
        {"id": "train", "type": "train", "at": [1000, 60],
         "params": {"optimiser": "sgd", "learning_rate": 30.0, "momentum": 0.0, "schedule": "constant", "steps": 40}}],
        [["p.y", "narrow.x"], ["narrow.y", "wide.x"], ["wide.y", "mse.prediction"], ["target.y", "mse.target"], ["mse.loss", "train.loss"]])


def bad(options, folder, theme):
    """A run fails; its problem's button finds what made it bad and goes there. With the switch on, the run stops there by itself."""
    graph = overflowing(folder)
    with Desktop(options.binary, options.out, [graph], name=f"bad-{theme}", environment=fresh(folder, theme)) as app:
        app.wait_item("node:narrow", 60)
        app.click("problems:tabs:First Bad Value")
        app.shot("before")
        app.click("problems:tabs:Problems")
        app.key("ctrl+Return")
        app.wait_for("it fails", lambda i: i["runNumbers"]["text"].startswith("Failed") and problems(i) == 1)
        app.shot("failed")
        app.click("problems:tabs:First Bad Value")
        app.wait_item("badValue:search")
        app.shot("searchable")
        app.click("problems:tabs:Problems (1)")
        app.click("problem:0:remedy:0")
        headline = app.wait_for("the node is named", lambda i: i.get("badValue:headline", {}).get("text"), 60)
        expect(headline == "To f16 made ∞ in the forward pass of step 7", headline)
        app.wait_for("it is selected", lambda i: i.get("nodeLabel", {}).get("text") == "To f16")
        app.shot("found")
        card = app.find("node:train")
        app.click((card["x"] + card["width"] / 2, card["y"] + 6))
        app.wait_for("another is selected", lambda i: i["nodeLabel"]["text"] == "Train")
        app.click("badValue:jump")
        app.wait_for("it is selected again", lambda i: i["nodeLabel"]["text"] == "To f16")
        # From the start.
        app.click("run:restart")
        app.wait_item("forget:discard")
        app.click("forget:discard")
        app.wait_for("it is forgotten", lambda i: "badValue:headline" not in i)
        app.click("menu:Run")
        app.wait_item("menu:halt")
        app.shot("menu")
        app.click("menu:halt")
        app.shot("watching")
        app.click("run:start")
        again = app.wait_for("it halts there", lambda i: i.get("badValue:headline", {}).get("text"), 60)
        expect(again == headline, again)
        print(f"first bad value, {theme}: {headline}")


def xray(options, folder, theme):
    """The table lists the largest error first; a click on a row goes to its node. The other checks have tabs beside it."""
    with open(os.path.join(options.examples, "neural_texture.halfwire"), encoding="utf-8") as text:
        graph = json.load(text)
    for node in graph["nodes"]:
        if node["type"] == "surface_sampler":
            node.setdefault("params", {})["points"] = 512
    path = os.path.join(folder, f"texture-{theme}.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(graph, text)
    with Desktop(options.binary, options.out, [path], name=f"xray-{theme}", environment=fresh(folder, theme)) as app:
        app.wait_item("node:mlp", 60)
        app.click("problems:tabs:X-ray")
        app.shot("before")
        app.key("ctrl+shift+x")
        app.wait_item("xray:row:0", 60)
        app.move(*app.centre("xray:row:1"))
        app.shot("table")
        first = app.text("xray:row:0")
        app.click("xray:row:0")
        app.wait_for("its node is selected", lambda i: first.startswith(i.get("nodeLabel", {}).get("text") or "?"))
        app.shot("revealed")
        app.click("xray:head:bits")
        app.wait_for("sorted otherwise", lambda i: "xray:row:0" in i)
        app.shot("by-bits")
        app.key("ctrl+shift+g")
        app.wait_for("gradients are checked", lambda i: i.get("gradients:start", {}).get("text") == "Check Again", 60)
        app.shot("gradients")
        app.click("menu:Run")
        app.click("menu:parity")
        app.wait_for("devices are compared", lambda i: i.get("parity:start", {}).get("text") == "Compare Again", 60)
        app.shot("parity")
        app.click("problems:tabs:X-ray")
        app.wait_for("what was found stays", lambda i: "xray:row:0" in i)
        print(f"X-ray, {theme}: {first} is the worst")


def scale(options, folder, theme):
    """The loss scale's course under the loss, from one too large for f16; a step that was left out names the node, and a click goes there."""
    with open(os.path.join(options.examples, "precision", "all_f16_scaled.halfwire"), encoding="utf-8") as text:
        graph = json.load(text)
    for node in graph["nodes"]:
        if node["type"] == "train":
            node.setdefault("params", {}).update({"steps": 60, "growth_interval": 10, "loss_scale": 2.0**27})
        if node["type"] == "surface_sampler":
            node.setdefault("params", {})["points"] = 512
    path = os.path.join(folder, f"scaled-{theme}.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(graph, text)
    with Desktop(options.binary, options.out, [path], name=f"scale-{theme}", environment=fresh(folder, theme)) as app:
        app.wait_item("node:train", 60)
        app.key("ctrl+Return")
        app.wait_for("trained", lambda i: i["runNumbers"]["text"].startswith("Finished"), 120)
        words = app.wait_for("the scale is shown", lambda i: i.get("lossScale:words", {}).get("text"))
        expect("left out" in words, words)
        plot = app.find("lossScale")
        app.shot("course")
        app.move(plot["x"] + plot["width"] * 0.5 / 60, plot["y"] + plot["height"] / 2)
        step = app.wait_for("the step is shown", lambda i: "step 1 left out" in i["lossScale:words"]["text"] and i["lossScale:words"]["text"])
        app.shot("left-out")
        param = re.search(r"gradient of ([a-z0-9_]+)\.", step).group(1)
        app.click((plot["x"] + plot["width"] * 0.5 / 60, plot["y"] + plot["height"] / 2))
        app.wait_for("its node is selected", lambda i: i.get("nodeLabel", {}).get("text"))
        print(f"loss scale, {theme}: {words}; {step} ({param})")


def main():
    options = called_with("examples", description=__doc__, only="clash,policy,bad,xray,scale", themes="dark,light")
    parts = {"clash": clash, "policy": policy, "bad": bad, "xray": xray, "scale": scale}
    with tempfile.TemporaryDirectory() as folder:
        for theme in options.themes.split(","):
            for name in options.only.split(","):
                parts[name](options, folder, theme)
    return 0


if __name__ == "__main__":
    end_with(main)
