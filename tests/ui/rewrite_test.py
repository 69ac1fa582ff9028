"""Rewrites in the real program: each is tried on the graph's data before it is offered, a proven one is applied with its weights by a
click, and undo and redo bring back the very bytes of graph and weights. Keeps its screenshots in the output folder."""

import json
import os
import tempfile

from desktop import Editor, called_with, end_with, expect

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "x", "type": "random", "at": [0, 0], "params": {"shape": [4, 3, 8, 8], "axes": "N C H W"}},
        {"id": "conv", "type": "conv2d", "at": [280, 0], "params": {"out_channels": 8}},
        {"id": "norm", "type": "batch_norm", "at": [560, 0]},
        {"id": "relu", "type": "relu", "at": [840, 0]},
        {"id": "drop", "type": "dropout", "at": [1120, 0]},
        {"id": "pool", "type": "global_avg_pool", "at": [1400, 0]},
        {"id": "fc", "type": "linear", "at": [1680, 0], "params": {"out_features": 3}},
        {"id": "out", "type": "output", "at": [1960, 0]},
        {"id": "target", "type": "constant", "at": [1680, 200], "params": {"shape": [4, 3]}},
        {"id": "loss", "type": "mse", "at": [1960, 200]},
        {"id": "train", "type": "train", "at": [2240, 200], "params": {"steps": 20}},
    ],
    "links": [["x.y", "conv.x"], ["conv.y", "norm.x"], ["norm.y", "relu.x"], ["relu.y", "drop.x"], ["drop.y", "pool.x"], ["pool.y", "fc.x"], ["fc.y", "out.x"], ["fc.y", "loss.prediction"], ["target.y", "loss.target"], ["loss.loss", "train.loss"]],
}
FOLD, TO_CONV, DROPOUT = 0, 2, 4  # rows


def main():
    options = called_with()
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    path = os.path.join(folder, "graph.halfwire")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(GRAPH, file)
    weights = path.replace(".halfwire", ".safetensors")

    def saved(app):
        app.saved()
        app.wait_for("the weights are written", lambda _: app.text("canvas:zoom"))
        return [open(name, "rb").read() if os.path.exists(name) else None for name in (path, weights)]

    def looked(app):
        return app.wait_for("every rewrite was tried", lambda i: all(i.get(f"rewrite:verdict:{n}", {}).get("text", "").endswith(".") for n in range(6)))

    def apply(app, row, wanted):
        app.click("menu:Edit")
        app.click("menu:rewrite")
        looked(app)
        app.shot(f"offered-{row}")
        expect(wanted in app.text(f"rewrite:verdict:{row}"), app.text(f"rewrite:verdict:{row}"))
        app.click(f"rewrite:apply:{row}")
        app.wait_for("applied, and looked again", lambda i: f"rewrite:apply:{row}" not in i and "No place" in i.get(f"rewrite:verdict:{row}", {}).get("text", ""))
        app.shot(f"applied-{row}")
        app.key("Escape")
        app.wait_for("closed", lambda i: "rewriteSheet" not in i)

    with Editor(options.binary, options.out, path, name="rewrite") as app:
        app.wait_item("node:conv")
        before = saved(app)
        expect(before[1] is None, "no weights yet")
        apply(app, DROPOUT, "The same within the rounding of f32, over 4 batches.")
        expect(saved(app)[1] is None, "weights that there are none of stay so")
        apply(app, FOLD, "off the f64 result")
        expect("node:norm" not in app.items(), "the norm is gone")
        folded = saved(app)
        expect(folded[1] is not None, "the folded weights are kept")
        apply(app, TO_CONV, "The same within")
        convs = saved(app)
        expect(b'"conv2d"' in convs[0] and convs[1] != folded[1], "the weights have other sizes")
        app.key("ctrl+z")
        expect(saved(app) == folded, "undone: graph and weights")
        app.key("ctrl+shift+z")
        expect(saved(app) == convs, "redone: graph and weights")
        app.key("ctrl+z", "ctrl+z", "ctrl+z")
        expect(saved(app)[0] == before[0], "all undone")

        # What was trained is folded; training goes on from there, and undo brings back what was trained.
        app.click("run:start")
        app.wait_for("trained", lambda i: "step 20 / 20" in i["runNumbers"]["text"])
        trained = saved(app)
        apply(app, FOLD, "The same within the rounding of f32")
        expect(app.wait_for("ready", lambda i: i["runNumbers"]["text"].startswith("Ready")), "the run belonged to the other graph")
        expect(b"norm." not in saved(app)[1], "the folded weights are kept")
        app.click("run:start")
        app.wait_for("trained on", lambda i: "step 20 / 20" in i["runNumbers"]["text"])
        further = saved(app)
        app.key("ctrl+z", "ctrl+z")  # the training on the folded graph, then the fold
        expect(saved(app) == trained, "undone: what was trained before")
        app.key("ctrl+y", "ctrl+y")
        expect(saved(app) == further, "redone: what was trained after")
    print("rewrites: tried, applied, undone and redone with their weights")
    return 0


if __name__ == "__main__":
    end_with(main)
