"""The mask constant −3.4e38 became −Inf in bf16, and NaN behind it (transformers PR #20605, coremltools PR #2669)."""

import numpy as np

import onnx_file as onnx
from support import close, says, write_graph


def check(cli, folder):
    constants = [onnx.tensor("one", np.array(1, np.float32)), onnx.tensor("least", np.array(np.finfo("f4").min, np.float32))]
    nodes = [onnx.node("Sub", ["one", "mask"], ["inv"]), onnx.node("Mul", ["inv", "least"], ["far"]),
             onnx.node("Add", ["scores", "far"], ["sum"]), onnx.node("Softmax", ["sum"], ["y"], name="shares", axis=1)]
    onnx.write_model(folder / "m.onnx", nodes, [onnx.value(n, "float32", (1, 3)) for n in ("mask", "scores")],
                     [onnx.value("y", "float32", (1, 3))], constants)
    np.save(folder / "mask.npy", np.array([[1, 1, 0]], np.float32))
    np.save(folder / "scores.npy", np.array([[0.2, 0.3, 0.4]], np.float32))
    cli("import", "m.onnx", "-o", "m.halfwire")
    said = cli("validate", "m.halfwire", "--fix", "unify=bf16", "-o", "b.halfwire")
    says(said, "-inf in bf16", "the nearest that bf16 holds is -3.38953e+38")
    cli("run", "b.halfwire", "--input", "mask=mask.npy", "--input", "scores=scores.npy", "--output", "y=y.npy")
    close(np.load(folder / "y.npy"), [[0.475, 0.525, 0]], rtol=1.6e-2)

    write_graph(folder / "lost.halfwire", [
        {"id": "x", "type": "constant", "params": {"value": 0, "shape": [4], "dtype": "f16"}},
        {"id": "n", "type": "expression", "params": {"source": "in x; y = 1 / (x + 0.00000001)"}},
        {"id": "k", "type": "constant", "params": {"value": 100000, "dtype": "f16"}}], [("x.y", "n.x")])
    says(cli("validate", "lost.halfwire"), "1e-08 is 0 in f16", "100000 is inf in f16", "65504")
    return "0.475, 0.525, 0 in bf16, the constant named; an epsilon that is 0 and a constant that is Inf are named"
