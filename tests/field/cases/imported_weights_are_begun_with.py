"""Training an imported model began with drawn weights, its causal mask too, without a word."""

import json

import numpy as np

import onnx_file as onnx
from support import close, read_safetensors, says

LEAST = np.finfo("f4").min


def check(cli, folder):
    mask = np.where(np.tri(9, dtype=bool), 0, LEAST).astype(np.float32)
    weight = (np.arange(9, dtype=np.float32).reshape(1, 9) - 4) / 8
    nodes = [onnx.node("MatMul", ["x", "w"], ["a"]), onnx.node("Add", ["a", "mask"], ["b"]), onnx.node("Softmax", ["b"], ["y"], name="shares")]
    onnx.write_model(folder / "m.onnx", nodes, [onnx.value("x", "float32", (9, 1))], [onnx.value("y", "float32", (9, 9))],
                     [onnx.tensor("w", weight), onnx.tensor("mask", mask)])
    cli("import", "m.onnx", "-o", "g.halfwire")
    graph = json.loads((folder / "g.halfwire").read_text())
    wire = next(link[0] for link in graph["links"] if link[1] == "y.x")
    graph["nodes"] += [{"id": "square", "type": "mul"}, {"id": "mean", "type": "mean"},
                       {"id": "train", "type": "train", "params": {"steps": 1, "learning_rate": 1e-30}}]
    graph["links"] += [[wire, "square.a"], [wire, "square.b"], ["square.y", "mean.x"], ["mean.y", "train.loss"]]
    (folder / "g.halfwire").write_text(json.dumps(graph))
    says(cli("train", "g.halfwire", "--out", "out"), "begins with the weights beside the graph")
    learnt = read_safetensors(folder / "out/weights.safetensors")
    before = read_safetensors(folder / "g.safetensors")
    assert set(learnt) == set(before) and len(learnt) == 2, sorted(learnt)
    for name, array in before.items():
        close(learnt[name], array)
    says(cli("train", "g.halfwire", "--out", "out", "--weights", "none"), "no weights are given", "not trained")
    says(cli("validate", "g.halfwire"), "9 trainable parameters and 81 frozen")
    return "training begins with the weights beside the graph; --weights none says what is drawn and never trained"
