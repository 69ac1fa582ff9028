"""The proof of a rewrite looked up other tokens in f64, so that any rewrite held."""

import json

import numpy as np

import onnx_file as onnx


def check(cli, folder):
    rng = np.random.default_rng(0)
    tensors = [onnx.tensor("table", rng.standard_normal((50, 16)).astype(np.float32)),
               onnx.tensor("w", rng.standard_normal((16, 6)).astype(np.float32))]
    nodes = [onnx.node("Gather", ["table", "ids"], ["e"]), onnx.node("MatMul", ["e", "w"], ["y"])]
    onnx.write_model(folder / "m.onnx", nodes, [onnx.value("ids", "int64", (1, 8))], [onnx.value("y", "float32", (1, 8, 6))], tensors)
    cli("import", "m.onnx", "-o", "m.halfwire")
    said = cli("rewrite", "m.halfwire", "mixed_precision", "-o", "r.halfwire", "--json")
    output = json.loads(said[said.index("{"):said.rindex("}") + 1])["outputs"][0]
    assert output["holds"] and output["proves"] and output["allowed"] < output["largest"] / 10, output
    return f"off by {output['after']:.3g} where {output['allowed']:.3g} is allowed and the largest value is {output['largest']:.3g}"
