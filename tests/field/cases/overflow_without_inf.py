"""An overflow that leaves no Inf behind: x ÷ (a power that is Inf) is 0, finite and wrong (onnxruntime #31626)."""

import numpy as np
import onnx_file as onnx
from support import says


def check(cli, folder):
    x = np.array([[787.5, 2.0, 1.0, 0.5]], np.float16)
    onnx.write_model(
        folder / "model.onnx",
        [
            onnx.node("Pow", ["x", "two"], ["squares"]),
            onnx.node("ReduceMean", ["squares"], ["mean"], axes=[1], keepdims=1),
            onnx.node("Sqrt", ["mean"], ["root"]),
            onnx.node("Div", ["x", "root"], ["y"]),
        ],
        [onnx.value("x", "float16", [1, 4])],
        [onnx.value("y", "float16", [1, 4])],
        [onnx.tensor("two", np.array(2, np.float16))],
    )
    cli("import", "model.onnx", "-o", "g.halfwire")
    np.save(folder / "x.npy", x)
    np.savez(folder / "x.npz", x=x)
    seen = cli("xray", "g.halfwire", "--input", "x=x.npy")
    says(seen, "first Inf or NaN: 1 of 4 elements of", "[0, 0] is inf", "787.5", "Keep", "in a wider dtype than f16",
         "is finite again, and wrong")
    says(cli("xray", "g.halfwire", "--input", "x.npz"), "first Inf or NaN: 1 of 4 elements")
    for given in ("x=x.npy", "x.npz"):
        says(cli("first-bad", "g.halfwire", "--input", given, expect=1), "first bad value: squares.y of node squares",
             "1 Inf, 0 NaN; the first is Inf at [0, 0]", "787.5", "Keep squares …", "is finite again, and wrong")
    cli("bench", "g.halfwire", "--input", "x=x.npy", "--runs", "2")
    return "the power is named as the first Inf by both instruments, and what is to be kept wide; y is finite and wrong"
