"""The step whose loss is NaN is the one to look at, and nothing of it was shown."""

import re

import numpy as np
from support import says, write_graph


def check(cli, folder):
    write_graph(
        folder / "g.halfwire",
        [
            {"id": "x", "type": "tensor_constant", "at": [0, 0], "params": {"values": [1, 0, -1]}},
            {"id": "lin", "type": "linear", "at": [256, 0], "params": {"out_features": 3}},
            {"id": "log", "type": "log", "at": [512, 0]},
            {"id": "mean", "type": "mean", "at": [768, 0]},
            {"id": "train", "type": "train", "at": [1024, 0], "params": {"seed": 1}},
        ],
        [("x.y", "lin.x"), ("lin.y", "log.x"), ("log.y", "mean.x"), ("mean.y", "train.loss")],
    )
    said = cli("inspect", "g.halfwire", "--node", "log", "--grad", "--npy", "out", "--steps", "5", expect=1)
    says(said, "log at step 1", "NaN", "HW-R003", "the loss is NaN at step 1")
    if not np.isnan(np.load(folder / "out/log.y.npy")).any():
        raise AssertionError("log.y.npy holds no NaN")
    np.load(folder / "out/log.y.grad.npy")
    # p is multiplied by 1 - 100 in each step, until its square is Inf: a step that nobody knows before.
    write_graph(
        folder / "later.halfwire",
        [
            {"id": "p", "type": "parameter", "at": [0, 0], "params": {"shape": [2], "init": "constant", "scale": 1.0}},
            {"id": "m", "type": "mul", "at": [256, 0]},
            {"id": "mean", "type": "mean", "at": [512, 0]},
            {"id": "train", "type": "train", "at": [768, 0],
             "params": {"optimiser": "sgd", "learning_rate": 100, "steps": 100, "schedule": "cosine"}},
        ],
        [("p.y", "m.a"), ("p.y", "m.b"), ("m.y", "mean.x"), ("mean.y", "train.loss")],
    )
    said = cli("inspect", "later.halfwire", "--node", "m", "--npy", "later", "--steps", "100", expect=1)
    step = re.search(r"at step (\d+)\.", said).group(1)
    says(said, f"m at step {step}, before its update")
    if not np.isinf(np.load(folder / "later/m.y.npy")).all():
        raise AssertionError("m.y.npy is not the step that failed")
    return "tensors and gradients of the step are shown and written, with the verdict and exit code 1"
