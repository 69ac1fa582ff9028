#!/usr/bin/env python3
"""One initializer that two operators read, every pair of READERS by itself: import, run and export beside ONNX Runtime.

A weight that a product takes turned, an embedding, a convolution, a recurrent layer, a norm and plain arithmetic each become a node of
another kind, with names of weights of their own; the file has the tensor once. Needs onnx, onnxruntime and numpy."""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

W = "net.weight"
N = 6


def node(op, inputs, y, **attributes):
    return helper.make_node(op, inputs, [y], **attributes)


def lstm(y, inputs):
    return [helper.make_node("LSTM", inputs, ["", y + "h"], hidden_size=N), node("Identity", [y + "h"], y)]


# By the shape of the tensor: what reads it, as a function of the names of its own input x, of constants by prefix c, and of its output.
READERS = {
    (N, N): {
        "matmul": ((3, N), lambda x, c, y: [node("MatMul", [x, W], y)]),
        "matmul_left": ((N, 3), lambda x, c, y: [node("MatMul", [W, x], y)]),
        "gemm": ((3, N), lambda x, c, y: [node("Gemm", [x, W], y)]),
        "gemm_t": ((3, N), lambda x, c, y: [node("Gemm", [x, W], y, transB=1)]),
        "gemm_bias": ((3, N), lambda x, c, y: [node("Gemm", [x, W, c + "v"], y, transB=1)]),
        "gemm_left": ((N, 3), lambda x, c, y: [node("Gemm", [W, x], y, transA=1)]),
        "matmul_bias": ((3, N), lambda x, c, y: [node("MatMul", [x, W], y + "m"), node("Add", [y + "m", c + "v"], y)]),
        "turned": ((3, N), lambda x, c, y: [node("Transpose", [W], y + "t", perm=[1, 0]), node("MatMul", [x, y + "t"], y)]),
        "transpose": ((N, N), lambda x, c, y: [node("Transpose", [W], y + "t", perm=[1, 0]), node("Add", [x, y + "t"], y)]),
        "add": ((N, N), lambda x, c, y: [node("Add", [x, W], y)]),
        "mul": ((N, N), lambda x, c, y: [node("Mul", [W, x], y)]),
        "embedding": ((4,), lambda x, c, y: [node("Gather", [W, x], y)]),
        "columns": ((4,), lambda x, c, y: [node("Gather", [W, x], y, axis=1)]),
        "row": ((N,), lambda x, c, y: [node("Gather", [W, c + "one"], y + "r"), node("Add", [x, y + "r"], y)]),
        "conv": ((1, N, 4, 4), lambda x, c, y: [node("Reshape", [W, c + "s4"], y + "r"), node("Conv", [x, y + "r"], y)]),
        "einsum": ((3, N), lambda x, c, y: [node("Einsum", [x, W], y, equation="bi,oi->bo")]),
        "output": (None, lambda x, c, y: [node("Identity", [W], y)]),
    },
    (N, 4): {
        "matmul": ((3, N), lambda x, c, y: [node("MatMul", [x, W], y)]),
        "gemm_t": ((3, 4), lambda x, c, y: [node("Gemm", [x, W], y, transB=1)]),
        "turned": ((3, 4), lambda x, c, y: [node("Transpose", [W], y + "t", perm=[1, 0]), node("MatMul", [x, y + "t"], y)]),
        "embedding": ((5,), lambda x, c, y: [node("Gather", [W, x], y)]),
        "add": ((N, 4), lambda x, c, y: [node("Add", [x, W], y)]),
        "output": (None, lambda x, c, y: [node("Identity", [W], y)]),
    },
    (N, N, 1, 1): {
        "conv": ((1, N, 4, 4), lambda x, c, y: [node("Conv", [x, W], y)]),
        "conv_transposed": ((1, N, 4, 4), lambda x, c, y: [node("ConvTranspose", [x, W], y)]),
        "add": ((N, N, 2, 2), lambda x, c, y: [node("Add", [x, W], y)]),
        "matmul": ((N, N, 2, 1), lambda x, c, y: [node("MatMul", [x, W], y)]),
        "gemm": ((3, N), lambda x, c, y: [node("Reshape", [W, c + "s2"], y + "r"), node("Gemm", [x, y + "r"], y)]),
        "gemm_t": ((3, N), lambda x, c, y: [node("Reshape", [W, c + "s2"], y + "r"), node("Gemm", [x, y + "r"], y, transB=1)]),
        "transpose": ((1, N, 4, 4), lambda x, c, y: [node("Transpose", [W], y + "t", perm=[1, 0, 2, 3]), node("Conv", [x, y + "t"], y)]),
        "output": (None, lambda x, c, y: [node("Identity", [W], y)]),
    },
    (1, 4 * N, N): {
        "lstm": ((5, 2, N), lambda x, c, y: lstm(y, [x, W, c + "r", c + "b"])),
        "lstm_state": ((5, 2, N), lambda x, c, y: lstm(y, [x, c + "r", W, c + "b"])),
        "lstm_both": ((5, 2, N), lambda x, c, y: lstm(y, [x, W, W, c + "b"])),
        "add": ((4 * N, N), lambda x, c, y: [node("Add", [x, W], y)]),
        "matmul": ((1, 3, 4 * N), lambda x, c, y: [node("MatMul", [x, W], y)]),
        "gemm_t": ((3, N), lambda x, c, y: [node("Reshape", [W, c + "s24"], y + "r"), node("Gemm", [x, y + "r"], y, transB=1)]),
        "output": (None, lambda x, c, y: [node("Identity", [W], y)]),
    },
    (N,): {
        "norm": ((3, N), lambda x, c, y: [node("LayerNormalization", [x, W], y)]),
        "norm_bias": ((3, N), lambda x, c, y: [node("LayerNormalization", [x, c + "v", W], y)]),
        "batch_norm": ((2, N, 3), lambda x, c, y: [node("BatchNormalization", [x, W, c + "v", c + "v", c + "p"], y)]),
        "add": ((3, N), lambda x, c, y: [node("Add", [x, W], y)]),
        "mul": ((3, N), lambda x, c, y: [node("Mul", [x, W], y)]),
        "gemm_bias": ((3, N), lambda x, c, y: [node("Gemm", [x, c + "m", W], y, transB=1)]),
        "matmul_bias": ((3, N), lambda x, c, y: [node("MatMul", [x, c + "m"], y + "m"), node("Add", [y + "m", W], y)]),
        "conv_bias": ((1, N, 4, 4), lambda x, c, y: [node("Conv", [x, c + "k", W], y)]),
        "slope": ((3, N), lambda x, c, y: [node("PRelu", [x, W], y)]),
        "matmul": ((3, N), lambda x, c, y: [node("MatMul", [x, W], y)]),
        "output": (None, lambda x, c, y: [node("Identity", [W], y)]),
    },
}


def constants(rng, c):
    of = {"one": np.array(1), "s4": np.array([N, N, 1, 1]), "s2": np.array([N, N]), "s24": np.array([4 * N, N]), "v": rng.normal(size=N),
          "p": rng.uniform(0.5, 2, size=N), "m": rng.normal(size=(N, N)), "k": rng.normal(size=(N, N, 1, 1)),
          "r": rng.normal(size=(1, 4 * N, N)), "b": rng.normal(size=(1, 8 * N))}
    return {c + k: v if v.dtype == np.int64 else v.astype(np.float32) for k, v in of.items()}


def model_of(shape, readers, seed):
    rng = np.random.default_rng(seed)
    nodes, feeds, held = [], {}, {W: rng.normal(size=shape).astype(np.float32)}
    for i, reader in enumerate(readers):
        of_input, made = READERS[shape][reader]
        if of_input:
            whole = reader in ("embedding", "columns")
            feeds[f"x{i}"] = rng.integers(0, 4, size=of_input) if whole else rng.normal(size=of_input).astype(np.float32)
        nodes += made(f"x{i}", f"c{i}.", f"y{i}")
        held.update(constants(rng, f"c{i}."))
    read = {name for n in nodes for name in n.input}
    graph = helper.make_graph(
        nodes, "shared",
        [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for k, v in feeds.items()],
        [helper.make_tensor_value_info(f"y{i}", onnx.TensorProto.FLOAT, None) for i in range(len(readers))],
        [numpy_helper.from_array(v, k) for k, v in held.items() if k in read])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), feeds


def called(cli, *arguments):
    done = subprocess.run([cli, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{arguments[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def by_runtime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def by_product(cli, graph, feeds, folder):
    nodes = json.loads(graph.read_text())["nodes"]
    of = {n.get("name", n["id"]): n["id"] for n in nodes if n["type"] in ("input", "output")}
    words = []
    for name, value in feeds.items():
        np.save(folder / f"{name}.npy", value)
        words += ["--input", f"{of[name]}.y={folder / name}.npy"]
    outputs = sorted(name for name in of if name.startswith("y"))
    for name in outputs:
        words += ["--output", f"{of[name]}.x={folder / name}.npy"]
    called(cli, "run", graph, *words)
    return [np.load(folder / f"{name}.npy") for name in outputs]


def check(cli, shape, readers, seed, folder):
    model, feeds = model_of(shape, readers, seed)
    wanted = by_runtime(model, feeds)
    onnx.save(model, folder / "imported.onnx")
    for stage, options in (("imported", []), ("again", ["--flat"])):
        graph = folder / f"{stage}.halfwire"
        missing = json.loads(called(cli, "import", folder / f"{stage}.onnx", "-o", graph, "--json", *options))["missing"]
        if missing:
            raise RuntimeError(f"{stage}: missing {missing}")
        for i, (a, b) in enumerate(zip(wanted, by_product(cli, graph, feeds, folder), strict=True)):
            if a.shape != b.shape or not np.allclose(a, b, rtol=1e-4, atol=1e-5):
                raise RuntimeError(f"{stage}: y{i} differs: {a.shape} {b.shape}")
        if stage == "imported":
            called(cli, "export", graph, "-o", folder / "again.onnx", "--opset", 18)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", default="build/release/halfwire-cli")
    parser.add_argument("--only", default="", help="a reader")
    options = parser.parse_args()
    tried, wrong = 0, 0
    for shape, of in READERS.items():
        for readers in itertools.combinations_with_replacement(of, 2):
            if options.only and options.only not in readers:
                continue
            tried += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    check(options.cli, shape, readers, tried, Path(folder))
                except Exception as error:
                    wrong += 1
                    print(f"WRONG {shape} {' + '.join(readers)}: {str(error)[:400]}", flush=True)
    print(f"{tried} pairs, {wrong} wrong")
    sys.exit(1 if wrong or not tried else 0)


if __name__ == "__main__":
    main()
