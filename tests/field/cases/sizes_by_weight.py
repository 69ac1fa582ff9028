"""Channels of a picture were exported as symbols, and a guess for them fitted no convolution; a Reshape to traced sizes fitted one size alone."""

import numpy as np

import onnx_file as onnx
from support import close, says, says_not


def check(cli, folder):
    pictures = [onnx.value("ref", "float32", ("batch", "channel_x2", "height", "width")),
                onnx.value("cloth", "float32", ("batch", "channel", "height", "width"))]
    kernels = [onnx.tensor(name, np.full((1, size, 1, 1), 1, np.float32)) for name, size in (("a", 6), ("b", 3))]
    nodes = [onnx.node("Conv", ["ref", "a"], ["x"]), onnx.node("Conv", ["cloth", "b"], ["z"]), onnx.node("Add", ["x", "z"], ["y"], name="sum")]
    onnx.write_model(folder / "m.onnx", nodes, pictures, [onnx.value("y", "float32", ("n", 1, "h", "w"))], kernels)
    made = cli("import", "m.onnx", "-o", "m.halfwire")
    says(made, "fixed sizes, channel=3, channel_x2=6, because of", "0 operators missing")
    ref, cloth = np.ones((2, 6, 4, 5), np.float32), np.ones((2, 3, 4, 5), np.float32)
    for name, array in (("ref", ref), ("cloth", cloth)):
        np.save(folder / f"{name}.npy", array)
    cli("run", "m.halfwire", "--input", "ref=ref.npy", "--input", "cloth=cloth.npy", "--output", "y=y.npy")
    close(np.load(folder / "y.npy"), np.full((2, 1, 4, 5), 9, np.float32))

    x = [onnx.value("x", "float32", (1, 1, "width", "height"))]
    traced = [onnx.tensor("sizes", np.array([1, 4, 122, 102], np.int64))]
    onnx.write_model(folder / "t.onnx", [onnx.node("Reshape", ["x", "sizes"], ["y"])], x, [onnx.value("y", "float32", (1, 4, "h", "w"))], traced)
    says(cli("import", "t.onnx", "-o", "t.halfwire"), "at the sizes height=224, width=224")
    says_not(cli("import", "t.onnx", "-o", "u.halfwire", "--size", "width=244,height=204"), "missing with", "missing: ")
    return "a layer's weight says how many channels there are, batch and sides stay free; sizes that were traced can be given"
