"""The X-ray on the canvas by hand: Ctrl+H, the quantity, one click that runs the X-ray; the worst card and wire differ from clean ones; words
under the pointer; from the X-ray's table and back; old after an edit; from afar; an Inf is marked. Keeps its screenshots in the output folder."""

import json
import os
import tempfile
import time

from PIL import ImageStat

from desktop import Desktop, called_with, end_with, expect, settled


def mean(picture):
    return ImageStat.Stat(picture.convert("RGB")).mean


def apart(a, b):
    """Difference of two mean colours, 0 … 255."""
    return sum(abs(x - y) for x, y in zip(a, b)) / 3


def body(app, node):
    """The mean colour of a card between the labels of its sockets."""
    card = app.wait_item(f"node:{node}")
    zoom = card["width"] / 216
    return mean(app.grab({"x": card["x"] + 90 * zoom, "y": card["y"] + 42 * zoom, "width": 36 * zoom, "height": 20 * zoom}))


def wire(app, start, end):
    """The colour of the middle of the wire from one first output to another's first input: of the pixel that is least like the canvas."""
    a, b = app.find(f"node:{start}"), app.find(f"node:{end}")
    zoom = a["width"] / 216
    x = (a["x"] + a["width"] + b["x"]) / 2
    y = (a["y"] + b["y"]) / 2 + 52 * zoom
    strip = app.grab({"x": x, "y": y - 60, "width": 1, "height": 120}).convert("RGB")
    pixels = [strip.getpixel((0, k)) for k in range(strip.height)]
    return max(pixels, key=lambda p: max(p) - min(p))


def choose(app, label):
    app.click("heat:quantity")
    app.wait_item(f"heat:quantity:{label}")
    app.click(f"heat:quantity:{label}")


def fresh(folder, theme, size):
    return settled(tempfile.mkdtemp(dir=folder), look={"theme": theme, "gauges": "false"}, panels={"bottomHeight": size})


def example(options, folder):
    with open(os.path.join(options.examples, "precision", "all_f16.halfwire"), encoding="utf-8") as text:
        graph = json.load(text)
    small = {"encoder": {"log2_table": 12}, "sampler": {"points": 4096}, "train": {"steps": 100}}
    for node in graph["nodes"]:
        node.setdefault("params", {}).update(small.get(node["id"], {}))
    path = os.path.join(folder, "all_f16.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(graph, text)
    return path


def by_hand(options, folder, theme):
    with Desktop(options.binary, options.out, [example(options, folder)], name=theme, environment=fresh(folder, theme, 200)) as app:
        app.wait_item("node:mlp", 60)
        app.key("ctrl+h")
        app.wait_item("heat:legend")
        choose(app, "Error Introduced")
        expect("Not looked at yet" in app.text("heat:note"), f"the legend teaches: {app.text('heat:note')!r}")
        expect(app.text("reading:mlp") == "–", "nothing is known of the card yet")
        app.shot("empty")
        app.click("heat:act")
        app.wait_for("the card shows its error", lambda i: i["reading:mlp"]["text"].startswith("0.000"), 60)
        app.wait_for("the legend says where it is from", lambda i: "initial weights" in i["heat:note"]["text"], 5)
        expect(app.text("reading:sampler") == "0", "the sampler is exact")
        expect("1e-6" in app.text("heat:scale") and "0.1" in app.text("heat:scale"), app.text("heat:scale"))
        app.wait_for("the MLP is hotter than the sampler", lambda _: apart(body(app, "mlp"), body(app, "sampler")) > 8)
        app.shot("introduced")

        # The gradients, as the table sorts them: the worst of all is there.
        app.click("problems:tabs:X-ray")
        app.wait_item("xray:onCanvas")
        app.click("xray:onCanvas")
        app.wait_for("the map is off", lambda i: "heat:legend" not in i, 5)
        app.still(app.find("canvas:surface"))
        plain = wire(app, "encoder", "mlp")
        first = app.text("xray:row:0")
        app.click("xray:onCanvas")
        app.wait_for("the map shows what leads the table", lambda i: "Gradients" in i.get("heat:quantity", {}).get("text", "") or "backward" in i["heat:meaning"]["text"], 5)
        expect(first.startswith("MLP"), first)
        hot = app.wait_for("the MLP shows its gradients' error", lambda i: "heat:legend" in i and i["reading:mlp"]["text"])
        expect(1e-3 < float(hot) < 1, hot)
        expect(app.text("reading:sampler") == "–", "the sampler has no gradient")

        def hot_wire(_):
            warm = wire(app, "encoder", "mlp")
            return apart(plain, warm) > 20 and warm[0] > warm[2] + 60

        app.wait_for("the wire that carries the worst gradient is hot", hot_wire)
        app.wait_for("and its card", lambda _: apart(body(app, "mlp"), body(app, "sampler")) > 15)
        app.shot("gradients")

        card = app.find("node:mlp")
        zoom = card["width"] / 216
        app.move(card["x"] + 108 * zoom, card["y"] + 52 * zoom)
        words = app.wait_for("words of the card", lambda i: i.get("canvas:tip", {}).get("text"), 5)
        expect("introduced" in words and "of 11 bits left" in words and "grad(" in words, words)
        app.shot("card-words")
        other = app.find("node:encoder")
        app.move((other["x"] + other["width"] + card["x"]) / 2, (other["y"] + card["y"]) / 2 + 52 * zoom)
        words = app.wait_for("words of the wire", lambda i: "f16" in i.get("canvas:tip", {}).get("text", "") and i["canvas:tip"]["text"], 5)
        expect("grad(encoder.features), f16\n  introduced" in words, words)
        app.shot("wire-words")
        choose(app, "Bits Left")
        app.wait_for("the card shows its bits", lambda i: i["reading:mlp"]["text"].endswith("of 11"), 5)
        app.shot("bits")

        # From afar: one layer of rectangles, the same colours.
        surface = app.find("canvas:surface")
        choose(app, "Error Introduced, Gradients")
        app.move(surface["x"] + surface["width"] * 0.5, surface["y"] + 20)
        for _ in range(8):
            app.xdotool("click", 5)
        time.sleep(0.6)
        app.shot("afar")
        app.key("Home")  # the canvas has the keys again
        time.sleep(0.5)

        # An edit makes it old, and says so.
        card = app.find("node:mlp")
        app.click((card["x"] + card["width"] / 2, card["y"] + 6))
        app.key("m")
        app.wait_for("the legend says that it is old", lambda i: "edited since" in i["heat:note"]["text"], 5)
        expect(app.text("heat:act") == "X-ray Again", app.text("heat:act"))
        app.shot("stale")
        app.key("ctrl+z")
        app.wait_for("undone, it is not", lambda i: "edited since" not in i["heat:note"]["text"] and "heat:act" not in i, 5)
        app.key("ctrl+h")
        app.wait_for("the map is off", lambda i: "heat:legend" not in i, 5)
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")
        print(f"{theme}: {first} on the canvas")


def marked(options, folder, theme):
    """What is too large for f16 is marked on its card and its wire, not only coloured."""
    path = os.path.join(folder, "inf.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump({"halfwire": 1, "nodes": [
            {"id": "p", "type": "parameter", "at": [40, 60], "params": {"shape": [2.0, 3.0], "init": "constant", "scale": 1e6}},
            {"id": "narrow", "type": "cast", "at": [340, 60], "label": "To f16", "params": {"to": "f16"}},
            {"id": "wide", "type": "cast", "at": [640, 60], "label": "To f32", "params": {"to": "f32"}}],
            "links": [["p.y", "narrow.x"], ["narrow.y", "wide.x"]]}, text)
    with Desktop(options.binary, options.out, [path], name=f"inf-{theme}", environment=fresh(folder, theme, 200)) as app:
        app.wait_item("node:narrow", 60)
        app.key("ctrl+shift+x")
        app.wait_item("xray:row:0", 60)
        app.click("xray:onCanvas")
        app.wait_item("heat:marks", 5)
        app.wait_item("bad:narrow", 5)
        expect("bad:p" not in app.items(), "the parameter is finite")
        expect(app.text("reading:narrow") == "Inf, NaN", app.text("reading:narrow"))
        app.shot("marked")
        surface = app.find("canvas:surface")
        app.move(surface["x"] + surface["width"] * 0.5, surface["y"] + surface["height"] * 0.3)
        for _ in range(6):
            app.xdotool("click", 5)
        time.sleep(0.6)
        app.shot("marked-afar")


def main():
    options = called_with("examples", description=__doc__, themes="dark,light")
    with tempfile.TemporaryDirectory() as folder:
        for theme in options.themes.split(","):
            by_hand(options, folder, theme)
            marked(options, folder, theme)
    return 0


if __name__ == "__main__":
    end_with(main)
