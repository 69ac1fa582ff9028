"""A shape edited after an import gave another result without a word; sizes ended at 1."""

import numpy as np

import onnx_file as onnx
from support import close, says, says_not


def check(cli, folder):
    sockets = [onnx.value("x", "float32", (1, 3, "h", "w"))], [onnx.value("y", "float32", (1, 3, "h", "w"))]
    kernel = onnx.tensor("k", np.eye(3, dtype=np.float32).reshape(3, 3, 1, 1))
    nodes = [onnx.node("Conv", ["x", "k"], ["small"], strides=[2, 2]), onnx.node("Shape", ["x"], ["sizes"]),
             onnx.node("Resize", ["small", "", "", "sizes"], ["y"], name="large", mode="nearest",
                       coordinate_transformation_mode="asymmetric", nearest_mode="floor")]
    onnx.write_model(folder / "m.onnx", nodes, *sockets, [kernel])
    says_not(cli("import", "m.onnx", "-o", "m.halfwire", "--size", "h=8,w=6"), "fixed")
    for size in ((8, 8), (4, 6), (7, 5)):
        x = np.arange(3 * size[0] * size[1], dtype=np.float32).reshape(1, 3, *size)
        np.save(folder / "x.npy", x)
        cli("run", "m.halfwire", "--input", "x=x.npy", "--output", "y=y.npy")
        rows, columns = (np.arange(n) * ((n + 1) // 2) // n for n in size)
        close(np.load(folder / "y.npy"), x[:, :, ::2, ::2][:, :, rows][:, :, :, columns])
        (folder / "y.npy").unlink()
    says(cli("run", "m.halfwire", "--set", "x.shape=1,3,8,8", "--output", "large.y"), "[1, 3, 8, 8]")

    nodes = [onnx.node("Slice", ["x", "b", "e", "a", "s"], ["y"], name="stepped")]
    steps = [onnx.tensor(name, np.array([n], np.int64)) for name, n in zip("beas", (-1, -(1 << 40), 2, -2))]
    onnx.write_model(folder / "s.onnx", nodes, *sockets, steps)
    says(cli("import", "s.onnx", "-o", "s.halfwire", "--size", "h=8,w=6"), "fixed sizes, h=8")
    says(cli("validate", "s.halfwire", "--set", "x.shape=1,3,10,6", expect=1), "HW-S002", "were made for")
    return "what can follow a size does; what is fixed is said, and may not be edited"
