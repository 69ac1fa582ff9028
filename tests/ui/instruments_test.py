"""Instruments by hand: train the all-f16 example, read a gauge on a wire, find the mark on the node whose gradients underflow, colour the
canvas by underflow with Ctrl+H, by another quantity, and back from the menu. Keeps its screenshots in the output folder."""

import json
import os
import sys
import tempfile

from PIL import ImageChops, ImageStat

from desktop import Desktop, called_with, expect, living_in


def difference(a, b):
    """Mean difference of two pictures of one size, 0 … 255."""
    return sum(ImageStat.Stat(ImageChops.difference(a.convert("RGB"), b.convert("RGB"))).mean) / 3


def main():
    options = called_with("examples")
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    with open(os.path.join(options.examples, "precision", "all_f16.halfwire"), encoding="utf-8") as text:
        graph = json.load(text)
    small = {"encoder": {"log2_table": 12}, "train": {"steps": 100}}
    for node in graph["nodes"]:
        node.setdefault("params", {}).update(small.get(node["id"], {}))
    path = os.path.join(home, "all_f16.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(graph, text)
    environment = living_in(home)

    with Desktop(options.binary, options.out, [path], environment=environment, folder=home) as app:
        app.wait_for("nothing is wrong", lambda i: i.get("status:problems", {}).get("text") == "No problems", 60)
        expect("gauge:mlp:y:forward" not in app.items(), "no gauge before anything was looked at")
        app.key("ctrl+Return")
        app.wait_for("trained", lambda i: i["runNumbers"]["text"].startswith("Finished"), 120)
        app.shot("gauges")

        gauge = app.wait_item("gauge:mlp:y:backward")
        expect("grad(mlp.y), f16" in gauge["text"], f"the gauge names the gradient: {gauge['text']!r}")
        expect("underflows f16" in gauge["text"], f"and what is lost: {gauge['text']!r}")
        expect("headroom" in app.text("gauge:mlp:y:forward"), "the forward gauge shows the headroom")
        app.move(gauge["x"] + gauge["width"] / 2, gauge["y"] + gauge["height"] / 2)
        app.wait_for("its words appear under the pointer", lambda i: i.get("canvas:tip", {}).get("text") == gauge["text"], 5)
        app.shot("tip")
        weight = app.text("gauge:mlp:param:layer_2:backward")
        expect("grad(mlp.layer_2), f32" in weight, f"a weight's gradient has its gauge under the card: {weight!r}")
        expect(app.find("trouble:mlp"), "the MLP is marked: its gradients underflow")
        expect(not app.find("trouble:aabb"), "the box is not")

        card = app.find("node:mlp")
        app.move(card["x"] - 30, card["y"] - 30)
        app.wait_for("the words are gone", lambda i: "canvas:tip" not in i, 5)
        # Between the labels of its sockets: the first row is 40 to 64 below the top of a card that is 216 wide.
        zoom = card["width"] / 216
        inside = {"x": card["x"] + 90 * zoom, "y": card["y"] + 42 * zoom, "width": 36 * zoom, "height": 20 * zoom}
        plain = app.still(inside)
        app.key("ctrl+h")
        app.wait_item("heat:legend")
        expect("%" in app.text("reading:mlp"), f"the card shows its share: {app.text('reading:mlp')!r}")
        app.wait_for("the card is coloured", lambda i: difference(plain, app.grab(inside)) > 8, 5)
        app.shot("heat")
        app.click("heat:quantity")
        app.click("heat:quantity:Headroom")
        app.wait_for("the card shows its headroom", lambda i: "bits" in i["reading:mlp"]["text"], 5)
        app.shot("headroom")

        app.click("menu:View")
        app.click("menu:heatMap")
        app.wait_for("the legend is gone", lambda i: "heat:legend" not in i, 5)
        app.wait_for("the card is as before", lambda i: difference(plain, app.grab(inside)) < 1, 5)
        app.click("menu:View")
        app.click("menu:gauges")
        app.wait_for("the gauges are gone", lambda i: "gauge:mlp:y:forward" not in i, 5)
        app.click("menu:View")
        app.click("menu:gauges")
        app.click("menu:View")
        app.click("menu:Theme")
        app.click("menu:theme:light")
        app.key("ctrl+h")
        app.wait_item("heat:legend")
        app.shot("light")
        surface = app.find("canvas:surface")
        app.move(gauge["x"], gauge["y"])
        for _ in range(5):
            app.xdotool("click", 4)
        expect(app.find("gauge:mlp:y:backward")["width"] > 20, "at 100 % a gauge is large enough to read")
        app.move(surface["x"] + 6, surface["y"] + 6)
        app.shot("close")
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
