"""The gradient of a softmax under a mask of −3.4e38 was called wrong: the step was sized by the mask."""

import numpy as np

import onnx_file as onnx
from support import says


def check(cli, folder):
    rng = np.random.default_rng(0)
    mask = np.where(np.tri(16, dtype=bool), 0, np.finfo("f4").min).astype(np.float32)
    tensors = [onnx.tensor("mask", mask), onnx.tensor("w", rng.standard_normal((8, 16)).astype(np.float32)),
               onnx.tensor("v", rng.standard_normal((16, 4)).astype(np.float32))]
    nodes = [onnx.node("MatMul", ["x", "w"], ["a"]), onnx.node("Add", ["a", "mask"], ["b"]),
             onnx.node("Softmax", ["b"], ["p"]), onnx.node("MatMul", ["p", "v"], ["y"])]
    onnx.write_model(folder / "m.onnx", nodes, [onnx.value("x", "float32", (16, 8))], [onnx.value("y", "float32", (16, 4))], tensors)
    cli("import", "m.onnx", "-o", "m.halfwire")
    says(cli("gradcheck", "m.halfwire"), "no gradient is wrong")
    return "no gradient is wrong"
