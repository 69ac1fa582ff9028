#!/usr/bin/env python3
"""Attention and rotary embeddings, scaled casts and other nodes, exported in several opsets, through ONNX Runtime.

    python -m venv venv && venv/bin/pip install numpy onnx onnxruntime
    venv/bin/python tests/interop/export_attention.py --cli build/release/halfwire-cli

Each node is drawn with parameters at random, exported in each opset, checked by the onnx package and run by ONNX Runtime on random
inputs; what it gives must be what `run` gives, within the rounding of the dtype. Exit code 1: something differs, or nothing was run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

OPSETS = (17, 20, 23, 24, 28)
ALLOWED = {"f32": (2e-5, 1e-5), "f16": (1e-2, 4e-3), "f64": (1e-10, 1e-12)}
NUMPY = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "bool": np.bool_}


class Case:
    def __init__(self, kind, params, inputs, output="y", dtype="f32"):
        self.kind, self.params, self.inputs, self.output, self.dtype = kind, params, inputs, output, dtype

    def graph(self):
        nodes = [{"id": "tried", "type": self.kind, "at": [300, 0], "params": self.params}]
        links = []
        for row, (socket, (shape, dtype)) in enumerate(self.inputs.items()):
            params = {"shape": list(shape), "dtype": dtype, "axes": "", "symbolic": ""}
            nodes.append({"id": f"in_{socket}", "type": "input", "at": [0, 100 * row], "name": socket, "params": params})
            links.append([f"in_{socket}.y", f"tried.{socket}"])
        nodes.append({"id": "out", "type": "output", "at": [600, 0], "name": "result"})
        return {"halfwire": 1, "nodes": nodes, "links": [*links, [f"tried.{self.output}", "out.x"]]}

    def __str__(self):
        return f"{self.kind} {self.params} {self.inputs}"


def masks(batch, heads, queries, keys):
    yield None
    for shape in ((queries, keys), (batch, queries, keys), (batch, 1, keys), (batch, heads, queries, keys), (batch, 1, 1, keys), (1, keys), (queries, 1)):
        yield shape


def cases(rng):
    for batch, heads, queries, keys, size in ((2, 3, 4, 4, 8), (1, 2, 5, 3, 4), (2, 2, 3, 6, 6)):
        for mask in masks(batch, heads, queries, keys):
            for causal in (False, True):
                dtype = str(rng.choice(["f32", "f32", "f16", "f64"]))
                inputs = {
                    "query": ((batch, heads, queries, size), dtype),
                    "key": ((batch, heads, keys, size), dtype),
                    "value": ((batch, heads, keys, int(rng.integers(1, 9))), dtype),
                }
                if mask:
                    inputs["mask"] = (mask, "bool")
                scale = 0 if rng.random() < 0.5 else round(float(rng.uniform(0.1, 1)), 3)
                yield Case("scaled_dot_product_attention", {"causal": causal, "scale": scale}, inputs, dtype=dtype)
    for heads, flags in ((1, 0), (2, 3), (4, 5), (2, 6), (2, 15)):
        causal, rotary, bias, crossed = (bool(flags >> bit & 1) for bit in range(4))
        inputs = {"x": ((2, 5, 8), "f32")}
        if crossed:
            inputs["context"] = ((2, 7, 6), "f32")
            inputs["mask"] = ((2, 1, 7), "bool")
        yield Case("attention", {"heads": heads, "causal": causal, "rotary": rotary, "bias": bias}, inputs)
    for shape in ((5, 4), (3, 6, 8), (2, 3, 4, 6), (1, 2, 7, 4)):
        for pairs in ("halves", "interleaved"):
            for dtype in ("f32", "f16", "f64"):
                yield Case("rotary_embedding", {"pairs": pairs, "base": 100.0}, {"x": (shape, dtype)}, dtype=dtype)
    yield Case("position_embedding", {"scale": 1.0}, {"x": ((2, 5, 4), "f32")})
    yield Case("patchify", {"size": 2}, {"x": ((2, 3, 4, 6), "f32")}, output="tokens")
    yield Case("flip", {"axes": [0, 2]}, {"x": ((2, 3, 4), "f32")})
    for params in ({"mode": "nearest", "factor": [2, 3]}, {"mode": "bilinear"}, {"mode": "bilinear", "align_corners": True, "factor": [3]}):
        yield Case("upsample", params, {"x": ((1, 2, 4, 5), "f32")})
    for per_channel in (False, True):
        yield Case("prelu", {"per_channel": per_channel}, {"x": ((2, 3, 4, 5), "f32")})
    yield Case("log_sigmoid", {}, {"x": ((3, 40), "f32")})
    yield Case("threshold", {"threshold": 0.2, "value": -3.0}, {"x": ((3, 40), "f32")})


def scaled_casts():
    """x ÷ s → Round → Cast to i8 → Cast to f32 → · s, and how many scales there are."""
    for scales in ([1], [5], [3, 1], [1, 5]):
        params = {"values": [0.05 * (i + 1) for i in range(max(scales))], "shape": scales}
        names = [("x", "input", {"shape": [3, 5], "axes": "", "symbolic": ""}), ("s", "tensor_constant", params), ("d", "div", {}), ("r", "round", {})]
        names += [("n", "cast", {"to": "i8", "saturate": True}), ("b", "cast", {"to": "f32"}), ("w", "mul", {}), ("out", "output", {})]
        nodes = [{"id": own, "type": kind, "at": [200 * i, 0], "params": p} for i, (own, kind, p) in enumerate(names)]
        links = [["x.y", "d.a"], ["s.y", "d.b"], ["d.y", "r.x"], ["r.y", "n.x"], ["n.y", "b.x"], ["b.y", "w.a"], ["s.y", "w.b"], ["w.y", "out.x"]]
        yield f"scales {scales}", {"halfwire": 1, "nodes": nodes, "links": links}, {"x": ((3, 5), "f32")}, max(scales) > 1


def call(cli, *words):
    done = subprocess.run([cli, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())


def draw(rng, shape, dtype):
    if dtype == "bool":
        return rng.random(shape) < 0.6
    return rng.normal(0, 1, shape).astype(NUMPY[dtype])


def run_model(file, feeds):
    onnx.checker.check_model(str(file), full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})[0]


def compared(cli, graph, inputs, dtype, opsets, rng, folder, lacking):
    """The operators of each opset, and in how many it was run. `lacking` takes what this ONNX Runtime does not have."""
    (folder / "g.halfwire").write_text(json.dumps(graph))
    feeds, words, operators, runs = {}, [], {}, 0
    ids = {n.get("name", n["id"]): n["id"] for n in graph["nodes"] if n["type"] == "input"}
    for name, (shape, kind) in inputs.items():
        feeds[name] = draw(rng, shape, kind)
        np.save(folder / f"{name}.npy", feeds[name])
        words += ["--input", f"{ids[name]}.y={folder / name}.npy"]
    call(cli, "run", folder / "g.halfwire", *words, "--output", f"out.x={folder}/want.npy")
    want = np.load(folder / "want.npy")
    for opset in opsets:
        file = folder / f"{opset}.onnx"
        file.unlink(missing_ok=True)
        call(cli, "export", folder / "g.halfwire", "-o", file, "--opset", opset)
        operators[opset] = [n.op_type for n in onnx.load(file).graph.node]
        try:
            got = run_model(file, feeds)
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
            lacking.add((opset, " ".join(sorted(set(operators[opset])))))
            continue
        absolute, relative = ALLOWED[dtype]
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=relative, atol=absolute, err_msg=f"opset {opset}")
        runs += 1
    return operators, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default="build/release/halfwire-cli")
    parser.add_argument("--opsets", type=int, nargs="*", default=list(OPSETS))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(4)
    cli, rng = str(Path(options.cli).resolve()), np.random.default_rng(options.seed)
    right = wrong = not_run = 0
    lacking = set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        every = [(str(c), c.graph(), c.inputs, c.dtype, None) for c in cases(rng)]
        every += [(name, graph, inputs, "f32", along) for name, graph, inputs, along in scaled_casts()]
        for name, graph, inputs, dtype, along in every:
            try:
                operators, runs = compared(cli, graph, inputs, dtype, options.opsets, rng, folder, lacking)
                pairs = all(o == ["QuantizeLinear", "DequantizeLinear"] for o in operators.values())
                assert along is None or pairs, f"no pairs: {operators}"
                right += runs > 0
                not_run += runs == 0
            except Exception as error:
                wrong += 1
                print(f"{name}: {' '.join(str(error).split())[:500]}", flush=True)
    for opset, words in sorted(lacking):
        print(f"not run: this ONNX Runtime does not have all of {words} of opset {opset}")
    print(f"{right} right in opsets {options.opsets}, {wrong} wrong, {not_run} run in none of them")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
