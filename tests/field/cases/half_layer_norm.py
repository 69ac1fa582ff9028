"""An f16 layer norm without bias gave zeros or NaN (onnxruntime #17692 #29034 #12726)."""

import numpy as np

import onnx_file as onnx
from support import close


def check(cli, folder):
    x = np.array([[900, -900, 300, -300], [7, 7, 7, 7]], np.float16)
    onnx.write_model(folder / "m.onnx", [onnx.node("LayerNormalization", ["x", "scale"], ["y"], name="norm", axis=-1)],
                     [onnx.value("x", "float16", x.shape)], [onnx.value("y", "float16", x.shape)],
                     [onnx.tensor("scale", np.ones(4, np.float16))])
    np.save(folder / "x.npy", x)
    cli("import", "m.onnx", "-o", "m.halfwire")
    cli("run", "m.halfwire", "--input", "x=x.npy", "--output", "y=y.npy")
    wide = x.astype(np.float64)
    right = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    close(np.load(folder / "y.npy").astype(np.float64), right, rtol=1e-3, atol=1e-3)
    return "a variance of 450,000 is no Inf, and equal numbers give zeros"
