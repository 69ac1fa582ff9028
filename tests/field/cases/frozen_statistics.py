"""A frozen backbone keeps learning its statistics (pytorch #86590; ultralytics PR #8753)."""

import numpy as np

from support import close, read_safetensors, write_graph


def check(cli, folder):
    nodes = [{"id": "x", "type": "constant", "params": {"shape": [4, 1], "value": 9.0}},
             {"id": "norm", "type": "batch_norm", "frozen": True},
             {"id": "head", "type": "linear", "params": {"out_features": 1, "bias": False}},
             {"id": "loss", "type": "mean"},
             {"id": "train", "type": "train", "params": {"steps": 20}}]
    links = [("x.y", "norm.x"), ("norm.y", "head.x"), ("head.y", "loss.x"), ("loss.y", "train.loss")]
    write_graph(folder / "g.halfwire", nodes, links)
    cli("train", "g.halfwire", "--out", "frozen")
    got = read_safetensors(folder / "frozen" / "weights.safetensors")
    for name, value in (("running_mean", 0), ("running_var", 1), ("weight", 1), ("bias", 0)):
        close(got[f"norm.{name}"], np.full(1, value), rtol=0, atol=0)
    # By the running statistics 9 is 9 / sqrt(1 + 1e-5); by those of the batch it would be 0, and the loss with it.
    first = float((folder / "frozen" / "loss.csv").read_text().splitlines()[1].split(",")[1])
    second = float((folder / "frozen" / "loss.csv").read_text().splitlines()[2].split(",")[1])
    close(first - second, 9 / np.sqrt(1 + 1e-5) * 0.01, rtol=1e-3)  # Adam's first step moves the head by the rate
    nodes[1]["frozen"] = False
    write_graph(folder / "g.halfwire", nodes, links)
    cli("train", "g.halfwire", "--out", "free")
    moved = read_safetensors(folder / "free" / "weights.safetensors")["norm.running_mean"]
    close(moved, np.full(1, 9 * (1 - 0.9 ** 20)), rtol=1e-5)
    return f"frozen: 0 and 1 stay, and serve in training; free: the mean goes to {moved[0]:.3f}"
