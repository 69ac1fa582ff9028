"""Training ends in NaN, and takes the weights of all the steps before with it (OneTrainer #1147, DeepFilterNet #30)."""

import json

import numpy as np

from support import read_safetensors, says, write_graph


def check(cli, folder):
    write_graph(folder / "g.halfwire",
                [{"id": "x", "type": "random", "params": {"shape": [8, 4]}},
                 {"id": "lin", "type": "linear", "params": {"out_features": 2}},
                 {"id": "zero", "type": "constant", "params": {"shape": [8, 2], "value": 0.0}},
                 {"id": "loss", "type": "mse"},
                 {"id": "train", "type": "train",
                  "params": {"steps": 400, "optimiser": "sgd", "learning_rate": 50.0}}],
                [("x.y", "lin.x"), ("lin.y", "loss.prediction"), ("zero.y", "loss.target"), ("loss.loss", "train.loss")])
    said = cli("train", "g.halfwire", "--out", "failed", expect=1)
    report = json.loads((folder / "failed" / "report.json").read_text())
    step = report["steps"]
    assert step > 2, report
    says(said, "HW-R003", f"after step {step}, the last that are sound")
    says(report["weights_are"], f"step {step}")
    cli("train", "g.halfwire", "--out", "before", "--steps", step)
    left, before = (read_safetensors(folder / f / "weights.safetensors") for f in ("failed", "before"))
    for name, array in before.items():
        assert np.isfinite(left[name]).all() and (left[name] == array).all(), f"{name}: {left[name]} {array}"
    return f"failed after step {step}; its weights are those of {step} steps, to the bit"
