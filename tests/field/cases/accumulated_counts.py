"""Accumulated micro-batches are not the big batch where some labels do not count (transformers #24725, PR #34191)."""

import json
import struct

import numpy as np

from support import close, read_safetensors, write_graph

RATE, IGNORED = 0.1, 0


def write_weights(path, arrays):
    header, body = {}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(body), len(body) + array.nbytes]}
        body += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def by_hand(x, labels, weight, bias):
    """One step of softmax regression over all samples that count, in f64."""
    logits = x @ weight.T.astype("f8") + bias
    share = np.exp(logits - logits.max(1, keepdims=True))
    share /= share.sum(1, keepdims=True)
    slope = share - np.eye(3)[labels]
    slope[labels == IGNORED] = 0
    slope /= (labels != IGNORED).sum()
    return weight - RATE * slope.T @ x, bias - RATE * slope.sum(0)


def check(cli, folder):
    rng = np.random.default_rng(5)
    labels = np.array([1, 2, 0, 0, 1, 0, 2, 2], "i8")  # of the micro-batches of two, one has none that counts
    x = rng.standard_normal((8, 4)).astype("f4")
    (folder / "data").mkdir(exist_ok=True)
    for split in ("train", "test"):
        np.save(folder / "data" / f"x_{split}.npy", x)
        np.save(folder / "data" / f"y_{split}.npy", labels)
    weight, bias = rng.standard_normal((3, 4)).astype("f4"), rng.standard_normal(3).astype("f4")
    write_weights(folder / "begin.safetensors", {"scores.weight": weight, "scores.bias": bias})
    write_graph(folder / "g.halfwire",
                [{"id": "data", "type": "dataset_source", "params": {"path": "data", "sample": [4], "classes": 3}},
                 {"id": "batch", "type": "batch", "params": {"batch_size": 8, "shuffle": False}},
                 {"id": "scores", "type": "linear", "params": {"out_features": 3}},
                 {"id": "loss", "type": "cross_entropy", "params": {"ignores": True, "ignore_index": IGNORED}},
                 {"id": "train", "type": "train",
                  "params": {"steps": 1, "optimiser": "sgd", "learning_rate": RATE}}],
                [("data.data", "batch.data"), ("batch.x", "scores.x"), ("scores.y", "loss.logits"),
                 ("batch.labels", "loss.labels"), ("loss.loss", "train.loss")])
    want = by_hand(x.astype("f8"), labels, weight, bias)
    worst = 0.0
    for rows, parts in ((8, 1), (4, 2), (2, 4), (1, 8)):
        out = f"out{parts}"
        cli("train", "g.halfwire", "--out", out, "--weights", "begin.safetensors", "--set", f"batch.batch_size={rows}",
            "--set", f"train.accumulate={parts}")
        got = read_safetensors(folder / out / "weights.safetensors")
        for name, expected in zip(("scores.weight", "scores.bias"), want):
            close(got[name], expected, rtol=0, atol=1e-6)
            worst = max(worst, float(np.abs(got[name] - expected).max()))
    return f"1, 2, 4 and 8 parts give the step worked out by hand, to {worst:.1e}"
