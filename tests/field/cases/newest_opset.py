"""Opset 22 and newer closed the door on the whole file (openvino #36694, TensorRT #4639, pytorch #159249)."""

import numpy as np

import onnx_file as onnx
from support import close, says


def check(cli, folder):
    x = np.array([[3, 4]], np.float32)
    np.save(folder / "x.npy", x)
    sockets = [onnx.value("x", "float32", (1, 2))], [onnx.value("y", "float32", (1, 2))]
    scale = [onnx.tensor("s", np.array([2, 3], np.float32))]
    for opset in (23, 28):
        onnx.write_model(folder / "m.onnx", [onnx.node("RMSNormalization", ["x", "s"], ["y"], name="norm")], *sockets, scale, opset=opset, ir=11)
        cli("import", "m.onnx", "-o", f"m{opset}.halfwire")
        cli("run", f"m{opset}.halfwire", "--input", "x=x.npy", "--output", "y=y.npy")
        close(np.load(folder / "y.npy"), x / np.sqrt(12.5 + 1e-5) * [2, 3])
        (folder / "y.npy").unlink()
    nodes = [onnx.node("Relu", ["x"], ["y"], name="positive"), onnx.node("NotYetInvented", ["x"], ["z"])]
    onnx.write_model(folder / "far.onnx", nodes, *sockets, opset=40, ir=20)
    says(cli("import", "far.onnx", "-o", "far.halfwire"), "opset 40 is newer", "missing: NotYetInvented")
    cli("run", "far.halfwire", "--input", "x=x.npy", "--output", "y=y.npy")
    close(np.load(folder / "y.npy"), x)
    return "opset 23 and 28 are right; of opset 40 what is known runs, the rest is a placeholder"
