"""A model in a cache of downloads was refused: model and data are links (onnxruntime #27353, PR #27374)."""

import os

import numpy as np

import onnx_file as onnx
from support import close, says


def check(cli, folder):
    weights = np.array([10, 20], np.float32)
    for part in ("blobs", "snapshots/r1", "elsewhere"):
        (folder / part).mkdir(parents=True)
    onnx.write_model(folder / "blobs/a1", [onnx.node("Add", ["x", "w"], ["y"], name="sum")], [onnx.value("x", "float32", (2,))],
                     [onnx.value("y", "float32", (2,))], [onnx.external_tensor("w", weights, "model.onnx_data")])
    (folder / "blobs/b2").write_bytes(weights.tobytes())
    (folder / "elsewhere/b2").write_bytes(weights.tobytes())
    os.symlink("../../blobs/a1", folder / "snapshots/r1/model.onnx")
    os.symlink("../../blobs/b2", folder / "snapshots/r1/model.onnx_data")
    np.save(folder / "x.npy", np.array([1, 2], np.float32))
    cli("import", "snapshots/r1/model.onnx", "-o", "m.halfwire")
    cli("run", "m.halfwire", "--input", "x=x.npy", "--output", "y=y.npy")
    close(np.load(folder / "y.npy"), [11, 22])

    os.remove(folder / "snapshots/r1/model.onnx_data")
    os.symlink("../../elsewhere/b2", folder / "snapshots/r1/model.onnx_data")
    says(cli("import", "snapshots/r1/model.onnx", "-o", "n.halfwire", expect=3), "HW-F001", "elsewhere/b2")
    return "links into the folder of the real file are followed; one that leads out of it is refused by name"
