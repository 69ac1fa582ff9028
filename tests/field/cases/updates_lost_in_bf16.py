"""Weights trained in pure bf16 do not move by one bit, and nothing says so (pytorch/ao PR #1124, OneTrainer #996)."""

import json

import numpy as np

from support import read_safetensors, says, write_graph


def check(cli, folder):
    write_graph(folder / "g.halfwire",
                [{"id": "x", "type": "random", "params": {"shape": [64, 8], "distribution": "normal", "dtype": "bf16"}},
                 {"id": "lin", "type": "linear", "params": {"out_features": 8, "dtype": "bf16"}},
                 {"id": "y", "type": "cast", "params": {"to": "f32"}},
                 {"id": "want", "type": "cast", "params": {"to": "f32"}},
                 {"id": "loss", "type": "mse"},
                 {"id": "train", "type": "train",
                  "params": {"optimiser": "sgd", "learning_rate": 0.0005, "master_weights": "none"}}],
                [("x.y", "lin.x"), ("lin.y", "y.x"), ("x.y", "want.x"), ("y.y", "loss.prediction"),
                 ("want.y", "loss.target"), ("loss.loss", "train.loss")])
    cli("train", "g.halfwire", "--steps", "1", "--out", "one")
    said = cli("train", "g.halfwire", "--steps", "200", "--instruments-every", "10", "--out", "many")
    says(said, "Updates of lin.bias are lost", "Updates of lin.weight are lost", "Keep f32 masters")
    before, after = (read_safetensors(folder / f / "weights.safetensors") for f in ("one", "many"))
    still = {name: float(np.mean(before[name] == after[name])) for name in ("lin.weight", "lin.bias")}
    assert min(still.values()) > 0.5, f"the input is to lose updates: {still}"
    values = json.loads((folder / "many" / "report.json").read_text())["gradients"]["values"]
    lost = {v["node"] + "." + v["value"]: v["updates_lost"] for v in values if v["kind"] == "parameter"}
    assert all(lost[name] > 0.5 for name in still), lost
    with_masters = cli("train", "g.halfwire", "--steps", "200", "--instruments-every", "10", "--out", "masters", "--set",
                       "train.master_weights=f32")
    assert "are lost" not in with_masters, with_masters
    return f"said of lin.weight ({lost['lin.weight']:.0%} of a step's updates) and lin.bias ({lost['lin.bias']:.0%})"
