"""Gradients and updates over a training, by hand: where a gradient vanishes is said above the plot, and a click goes to the node. Curves are
read under the pointer, the legend selects a node, Updates shows those with weights. Keeps its screenshots in the output folder."""

import itertools
import json
import os
import sys
import tempfile
import time

from desktop import Desktop, called_with, expect, living_in


def squeezed():
    """Learns sin x; what the first layer says, and so its gradient, is multiplied by 1e-7 on the way to the others."""
    nodes = [
        {"id": "x", "type": "random", "at": [0, 0], "params": {"a": -3, "b": 3, "shape": [16384, 1]}},
        {"id": "sin", "type": "sin", "at": [256, 300]},
        {"id": "first", "type": "linear", "at": [256, 0], "label": "First Layer"},
        {"id": "act", "type": "sigmoid", "at": [512, 0]},
        {"id": "factor", "type": "constant", "at": [512, 300], "params": {"value": 1e-7}},
        {"id": "squeeze", "type": "mul", "at": [768, 0], "label": "Squeeze"},
        {"id": "mlp", "type": "mlp", "at": [1024, 0], "params": {"bias": True, "out_features": 1}},
        {"id": "loss", "type": "mse", "at": [1280, 0]},
        {"id": "train", "type": "train", "at": [1536, 0], "params": {"steps": 150}},
    ]
    links = [["x.y", "sin.x"], ["x.y", "first.x"], ["first.y", "act.x"], ["act.y", "squeeze.a"], ["factor.y", "squeeze.b"],
             ["squeeze.y", "mlp.x"], ["mlp.y", "loss.prediction"], ["sin.y", "loss.target"], ["loss.loss", "train.loss"]]
    return {"halfwire": 1, "nodes": nodes, "links": links}


def main():
    options = called_with()
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    path = os.path.join(home, "squeezed.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(squeezed(), text)
    environment = living_in(home)

    with Desktop(options.binary, options.out, [path], environment=environment, folder=home) as app:
        app.wait_for("nothing is wrong", lambda i: i.get("status:problems", {}).get("text") == "No problems", 60)
        app.click("losses:tabs:Gradients")
        app.wait_item("gradients:hint")
        app.shot("empty")
        app.key("ctrl+Return")
        said = app.wait_for("the verdict is there", lambda i: i.get("gradients:verdict", {}).get("text"), 60)
        expect("vanishes along MLP → Squeeze → Sigmoid → First Layer: ×" in said, f"it names the way: {said!r}")
        expect("most of it in Squeeze (×1e-7)" in said, f"and the node: {said!r}")
        app.wait_for("trained", lambda i: i["runNumbers"]["text"].startswith("Finished"), 120)
        app.shot("gradients")

        app.click("gradients:verdict")
        app.wait_for("a click on the verdict selects the node", lambda i: i["gradients:node:squeeze"].get("checked"), 5)
        expect(app.find("node:squeeze"), "and shows it")

        plot = app.at_rest("gradientPlot")
        # Where other work takes the machine, steps are left out, and words report the gap there. The last step is always looked at.
        across = itertools.cycle(plot["x"] + plot["width"] * part for part in (0.6, 0.3, 0.1, 0.99))

        def looked_at(items):
            x = next(across)
            app.move(x, plot["y"] + 6)
            return "  at step " in app.text("gradients:under") and x

        x = app.wait_for("words under the pointer", looked_at, 20)
        app.move(x, plot["y"] + plot["height"] - 1)
        app.wait_for("the lowest curve is that of the first layer", lambda i: i.get("gradients:under", {}).get("text", "").startswith("First Layer"), 5)
        app.shot("under")
        app.click((x, plot["y"] + plot["height"] - 1))
        app.wait_for("a click on the curve selects its node", lambda i: i["gradients:node:first"].get("checked"), 5)

        app.click("gradients:node:mlp")
        app.wait_for("so does the legend", lambda i: i["gradients:node:mlp"].get("checked") and not i["gradients:node:first"].get("checked"), 5)
        app.shot("legend")

        app.click("losses:tabs:Updates")
        items = app.wait_for("nodes with weights alone", lambda i: "gradients:node:squeeze" not in i and "gradients:node:first" in i and i, 5)
        latest = float(items["gradients:node:mlp"]["text"].split()[-1])
        expect(0 < latest < 1, f"an update is a small part of the weights: {latest}")
        app.shot("updates")
        app.click("losses:tabs:Loss")
        app.wait_item("lossPlot")
        expect(app.find("gradients:verdict"), "what is off is said beside the loss, too")
        app.click("menu:View")
        app.click("menu:Theme")
        app.click("menu:theme:light")
        app.click("losses:tabs:Gradients")
        app.wait_item("gradients:node:mlp")
        time.sleep(0.3)
        app.shot("light")
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
