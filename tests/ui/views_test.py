"""What views show is what the engine says: the lines of a Plot View, the picture of an Image View, the accuracy of a run; and weights frozen
and shared, each in one undo step. Keeps its screenshots in the output folder."""

import json
import math
import os
import re
import subprocess
import tempfile
import time

from PIL import Image, ImageChops, ImageStat

from desktop import Desktop, called_with, end_with, expect, fresh, header
from digits import write_digits


def example(options, name, folder, parameters):
    """A copy of the example with other parameters: {node: {parameter: value}}."""
    with open(os.path.join(options.examples, f"{name}.halfwire"), encoding="utf-8") as text:
        graph = json.load(text)
    for node in graph["nodes"]:
        node.setdefault("params", {}).update(parameters.get(node["id"], {}))
    path = os.path.join(folder, f"{name}.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(graph, text)
    return path


def train(app, seconds=120):
    app.wait_for("nothing is wrong", lambda i: i["status:problems"]["text"] == "No problems", 60)
    app.key("ctrl+Return")
    app.wait_for("trained", lambda i: i["runNumbers"]["text"].startswith("Finished"), seconds)


def number(text):
    """The last number of a text, as the program writes it."""
    found = re.findall(r"[−-]?[0-9.]+(?:e[−-]?[0-9]+)?", text or "")
    return float(found[-1].replace("−", "-")) if found else None


def plot(options, folder):
    """Prediction beside target: apart before training, together after it; both where the sine is."""
    graph = example(options, "sine", folder, {})
    with Desktop(options.binary, options.out, [graph], name="plot", environment=fresh(folder)) as app:
        app.wait_for("both lines are named", lambda i: i.get("plot", {}).get("value") == "MLP, Sin", 60)

        def read(share):
            area = app.wait_item("plot")
            app.move(area["x"] + share * area["width"], area["y"] + area["height"] / 2)
            numbers = lambda i: [number(i.get(name, {}).get("text", "")) for name in ("plot:x", "plot:line:0", "plot:line:1")]
            return numbers(app.wait_for("the values under the cursor", lambda i: None not in numbers(i) and i))

        def apart():
            values = [read(share) for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
            for x, _, target in values:
                expect(abs(math.sin(x) - target) < 2e-3, f"the target is the sine: {x} {target}")
            return max(abs(prediction - target) for _, prediction, target in values)

        before = apart()
        app.shot("before")
        train(app)
        app.wait_for("the prediction has come to the target", lambda _: apart() < 0.05)
        app.shot("trained")
        expect(before > 0.3, f"the initial prediction is another: {before}")
        # Colours of both lines are in the picture.
        app.move(5, 995)
        seen = app.grab(app.find("plot")).convert("RGB")
        blue = sum(1 for r, g, b in seen.getdata() if b > r + 60 and b > 150)
        orange = sum(1 for r, g, b in seen.getdata() if r > b + 60 and r > 150)
        expect(blue > 80 and orange > 80, f"both lines are drawn: {blue}, {orange} pixels")
        print(f"plot: prediction and target apart by up to {before:.3f}, then {apart():.4f}")


def accuracy(options, folder):
    """The accuracy on the screen is the one that the command line's session reports of the same run."""
    assets = os.path.join(folder, "assets")
    write_digits(os.path.join(assets, "mnist"))
    graph = example(options, "digits", folder, {"train": {"steps": 10}, "batch": {"batch_size": 16}})
    environment = fresh(folder, HALFWIRE_ASSETS=assets)
    with Desktop(options.binary, options.out, [graph], name="digits", environment=environment) as app:
        app.wait_item("node:conv_1", 60)
        train(app)
        shown = app.wait_for("an accuracy", lambda i: i.get("status:metrics", {}).get("text", ""))
        app.shot("trained")
    out = os.path.join(folder, "digits-out")
    subprocess.run([options.cli, "train", graph, "--out", out], check=True, capture_output=True, env=dict(os.environ, **environment))
    with open(os.path.join(out, "report.json"), encoding="utf-8") as text:
        reported = json.load(text)["accuracy"]
    expect(0.15 < reported < 1, f"it has learnt something, and not all, so that digits can differ: {reported}")
    expect(shown == f"Accuracy {100 * reported:.2f} %  test, step 10", f"the window says {shown}, the report {reported}")
    print(f"digits: {shown}; report.json {reported}")


def picture(options, folder):
    """Left of the split the original, right of it what the network says at every pixel."""
    original = Image.new("RGB", (96, 48))
    original.putdata([((x * 5) % 256, (y * 5) % 256, 220 if (x // 12 + y // 12) % 2 else 40) for y in range(48) for x in range(96)])
    original.save(os.path.join(folder, "made.png"))
    small = {"photo": {"path": "made.png"}, "sampler": {"points": 1024}, "encoder": {"levels": 8, "log2_table": 10}, "train": {"steps": 60}}
    graph = example(options, "photograph", folder, small)
    with Desktop(options.binary, options.out, [graph], name="picture", environment=fresh(folder), folder=folder) as app:
        app.wait_for("the original is shown", lambda i: "96" in i.get("picture:status", {}).get("text", ""), 60)

        def halves():
            view = app.find("picture")
            width, height = view["width"], view["height"]
            scale = min(width / 96, height / 48)
            area = (view["x"] + (width - 96 * scale) / 2, view["y"] + (height - 48 * scale) / 2, 96 * scale, 48 * scale)
            seen = app.grab({"x": area[0], "y": area[1], "width": area[2], "height": area[3]}).convert("RGB")
            # Captions lie over the top, the split in the middle.
            top, bottom, middle = seen.height // 4, seen.height - 4, seen.width // 2
            return seen.size, seen.crop((4, top, middle - 4, bottom)), seen.crop((middle + 4, top, seen.width - 4, bottom))

        def wanted(size, image):
            fitted = image.convert("RGB").resize(size, Image.BILINEAR)
            top, bottom, middle = size[1] // 4, size[1] - 4, size[0] // 2
            return fitted.crop((4, top, middle - 4, bottom)), fitted.crop((middle + 4, top, size[0] - 4, bottom))

        def differ(a, b):
            return max(ImageStat.Stat(ImageChops.difference(a, b)).mean)

        train(app)
        app.wait_for("the full picture is judged", lambda i: "dB" in i.get("picture:status", {}).get("text", ""))
        app.shot("trained")
        app.key("ctrl+s")
        app.wait_for("the weights are saved", lambda _: os.path.exists(graph.replace(".halfwire", ".safetensors")))
        app.move(5, 995)
        size, left, right = halves()
        drawn = os.path.join(folder, "drawn.png")
        said = subprocess.run([options.cli, "render", graph, "-o", drawn, "--compare"], check=True, capture_output=True, text=True).stdout
        with Image.open(drawn) as network:
            network_left, network_right = wanted(size, network)
        original_left, original_right = wanted(size, original)
        expect(differ(left, original_left) < 4, f"the original is on the left: {differ(left, original_left)}")
        expect(differ(right, network_right) < 4, f"the network's picture is on the right: {differ(right, network_right)}")
        expect(differ(network_right, original_right) > 8, "which is not the original")
        status = app.text("picture:status")
        shown = number(re.search(r"PSNR ([0-9.]+) dB at step 60", status).group(1))
        reported = number(re.search(r"[0-9.]+ dB", said).group(0).replace("dB", ""))
        expect(abs(shown - reported) < 0.05, f"the PSNR of the window, {shown} dB, and of the command, {said}")
        print(f"picture: {shown} dB in the window, {reported} dB in the terminal")


def sharing(options, folder):
    """Frozen, and another node's weights: shown, saved, and each one step of undo."""
    graph = os.path.join(folder, "two.halfwire")
    nodes = [{"id": "x", "type": "random", "at": [0, 0], "params": {"shape": [16, 4]}},
             {"id": "one", "type": "linear", "at": [256, 0], "params": {"out_features": 4}},
             {"id": "two", "type": "linear", "at": [512, 0], "params": {"out_features": 4}},
             {"id": "loss", "type": "mse", "at": [768, 0]},
             {"id": "train", "type": "train", "at": [1024, 0], "params": {"steps": 5}}]
    links = [["x.y", "one.x"], ["one.y", "two.x"], ["two.y", "loss.prediction"], ["x.y", "loss.target"], ["loss.loss", "train.loss"]]
    with open(graph, "w", encoding="utf-8") as text:
        json.dump({"halfwire": 1, "nodes": nodes, "links": links}, text)

    def saved(app):
        app.key("ctrl+s")
        app.wait_for("saved", lambda i: not i["documentTitle"]["text"].endswith("•"))
        with open(graph, encoding="utf-8") as text:
            return next(n for n in json.load(text)["nodes"] if n["id"] == "two")

    with Desktop(options.binary, options.out, [graph], name="sharing", environment=fresh(folder), folder=folder) as app:
        card = app.wait_item("node:two", 60)
        app.click((card["x"] + card["width"] / 2, card["y"] + 6))
        app.click("weights:frozen")
        app.wait_for("frozen", lambda i: i["weights:frozen"]["checked"] and i["documentTitle"]["text"].endswith("•"))
        app.shot("frozen")
        app.key("ctrl+z")
        app.wait_for("one step back is where it began", lambda i: not i["weights:frozen"]["checked"] and not i["documentTitle"]["text"].endswith("•"))
        app.key("ctrl+shift+z")
        app.wait_for("frozen again", lambda i: i["weights:frozen"]["checked"])
        expect(saved(app).get("frozen") is True, "the file says so")
        app.click("weights:frozen")
        app.wait_for("trained again", lambda i: not i["weights:frozen"]["checked"])
        saved(app)

        app.wheel(5, 5, app.centre("weights:frozen"))  # the rows below
        app.click("weights:tie")
        app.wait_item("weights:tie:of one")
        app.shot("choices")
        app.click("weights:tie:of one")
        app.wait_for("shared", lambda i: i["weights:tie"]["currentText"] == "of one" and not i["weights:frozen"]["enabled"])
        app.shot("shared")
        app.key("ctrl+z")
        app.wait_for("one step back is its own", lambda i: i["weights:tie"]["currentText"] == "its own" and not i["documentTitle"]["text"].endswith("•"))
        app.key("ctrl+shift+z")
        app.wait_for("shared again", lambda i: i["weights:tie"]["currentText"] == "of one")
        expect(saved(app).get("tie") == "one", "the file says so")
    print("sharing: frozen and tied, one undo step each")


def evaluated(options, folder):
    """A graph without Train: a node's tensors follow what is typed on a card; nothing is trained, no weights are written."""
    graph = os.path.join(folder, "evaluated.halfwire")
    with open(graph, "w", encoding="utf-8") as text:
        json.dump({"halfwire": 1, "nodes": [
            {"id": "c", "type": "constant", "at": [0, 0], "params": {"shape": [16]}},
            {"id": "s", "type": "sin", "at": [300, 0]},
            {"id": "open", "type": "relu", "at": [300, 240]}], "links": [["c.y", "s.x"]]}, text)
    with Desktop(options.binary, options.out, [graph], name="evaluated", environment=fresh(folder), folder=folder) as app:
        app.click(header(app.wait_item("node:s", 60)))
        app.click("inspectorTabs:Tensor")
        shows = lambda value: lambda i: abs((number(i.get("stat:max", {}).get("text")) or 9) - value) < 1e-3
        app.wait_for("the sine of one", shows(math.sin(1)), 30)
        for typed in (2, 0.5, 1.2):
            app.click("param:c:value")
            app.key("ctrl+a")
            app.type(str(typed))
            app.key("Return")
            app.click(header(app.find("node:s")))
            app.wait_for(f"the sine of {typed}", shows(math.sin(typed)), 30)
        app.shot("tensor")
        app.click(header(app.find("node:open")))
        app.wait_for("what is wrong is said", lambda i: "not wired" in i.get("tensors:nothing", {}).get("text", ""), 30)
        expect(not os.path.exists(graph.replace(".halfwire", ".safetensors")), "no weights are written")
    print("evaluated: tensors without training")


def live(options, folder):
    """Live off: nothing follows an edit, and what is shown says so, until Shift+Ctrl+Enter; the choice is remembered. Training mode: dropout is on."""
    graph = os.path.join(folder, "live.halfwire")
    with open(graph, "w", encoding="utf-8") as text:
        json.dump({"halfwire": 1, "nodes": [
            {"id": "c", "type": "constant", "at": [0, 0], "params": {"shape": [16, 4]}},
            {"id": "d", "type": "dropout", "at": [300, 0]},
            {"id": "plot", "type": "plot_view", "at": [600, 0]}], "links": [["c.y", "d.x"], ["d.y", "plot.a"]]}, text)
    environment = fresh(folder)
    largest = lambda i: number(i.get("stat:max", {}).get("text"))
    smallest = lambda i: number(i.get("stat:min", {}).get("text"))

    def looking(app):
        app.click(header(app.wait_item("node:d", 60)))
        app.click("inspectorTabs:Tensor")

    def set_constant(app, value):
        app.click("param:c:value")
        app.key("ctrl+a")
        app.type(str(value))
        app.key("Return")
        app.click(header(app.find("node:d")))

    with Desktop(options.binary, options.out, [graph], name="live", environment=environment, folder=folder) as app:
        looking(app)
        app.wait_for("the value is shown", lambda i: largest(i) == 1, 30)
        expect(app.find("run:live")["checked"], "Live is on at first")
        app.click("run:live")
        set_constant(app, 5)
        app.wait_for("it says that it is older", lambda i: "Live is off" in i.get("tensors:older", {}).get("text", ""))
        app.wait_for("the plot says so, too", lambda i: "Live is off" in i.get("plot:older", {}).get("text", ""))
        time.sleep(0.5)
        expect(largest(app.items()) == 1, "nothing is evaluated")
        app.shot("older")
        app.key("shift+ctrl+Return")
        app.wait_for("evaluated", lambda i: largest(i) == 5 and "tensors:older" not in i and "plot:older" not in i)
        set_constant(app, 6)
        app.wait_item("tensors:older")
        app.click("run:evaluate")
        app.wait_for("evaluated by the button", lambda i: largest(i) == 6)
        app.click("menu:Run")
        app.click("menu:live")
        app.wait_for("Live is on again", lambda i: i["run:live"]["checked"])
        set_constant(app, 7)
        app.wait_for("and follows", lambda i: largest(i) == 7)
        app.click("mode:training")
        app.wait_for("half of it is dropped, the rest doubled", lambda i: largest(i) == 14 and smallest(i) == 0)
        app.wait_for("the plot says the mode", lambda i: i.get("plot:mode", {}).get("text") == "training mode")
        app.move(5, 995)
        app.shot("training-mode")
        app.click("mode:evaluation")
        app.wait_for("all of it is there", lambda i: largest(i) == 7 and smallest(i) == 7)
        app.click("run:live")
    with Desktop(options.binary, options.out, [graph], name="live-again", environment=environment, folder=folder) as app:
        looking(app)
        app.wait_for("Live off is remembered", lambda i: not i["run:live"]["checked"] and "Live is off" in i.get("tensors:nothing", {}).get("text", ""))
        app.move(5, 995)
        app.shot("remembered")
    expect(not os.path.exists(graph.replace(".halfwire", ".safetensors")), "no weights are written")
    print("live: follows edits or waits, as chosen; training mode drops")


def main():
    options = called_with("cli", "examples", description=__doc__, only="plot,accuracy,picture,sharing,evaluated,live")
    parts = {"plot": plot, "accuracy": accuracy, "picture": picture, "sharing": sharing, "evaluated": evaluated, "live": live}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(","):
            parts[name](options, folder)
    return 0


if __name__ == "__main__":
    end_with(main)
