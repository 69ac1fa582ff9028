#!/usr/bin/env python3
"""Writes cases of what ONNX Runtime fuses and quantises, with the results that it computes itself.

    python -m venv venv && venv/bin/pip install onnx onnxruntime
    venv/bin/python tests/interop/runtime_cases.py cases
    halfwire-cli onnx-test cases

Operators of com.microsoft one by one, networks quantised by onnxruntime.quantization, branches and loops.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

DTYPES = {np.dtype(t): getattr(TensorProto, n) for t, n in (
    ("float32", "FLOAT"), ("int32", "INT32"), ("int64", "INT64"), ("uint8", "UINT8"), ("int8", "INT8"), ("bool", "BOOL"))}
DOMAIN = "com.microsoft"
rng = np.random.default_rng(7)


def real(*dims):
    return rng.standard_normal(dims).astype(np.float32)


def run(model, inputs):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def save(folder, model, inputs):
    """The model, the inputs in its order, and what ONNX Runtime makes of them."""
    outputs = run(model, inputs)
    for value, made in zip(model.graph.output, outputs):
        value.CopyFrom(helper.make_tensor_value_info(value.name, DTYPES[made.dtype], None))
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(folder / "model.onnx"))
    named = [(i.name, inputs[i.name]) for i in model.graph.input]
    for kind, values in (("input", named), ("output", zip((o.name for o in model.graph.output), outputs))):
        for i, (name, value) in enumerate(values):
            (data / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(np.asarray(value), name).SerializeToString())


def operator(op, given, constants=None, outputs=1, domain=DOMAIN, **attributes):
    """One operator. `given`: its inputs in order, by name; those in `constants` are weights; "": left out."""
    constants = constants or {}
    node = helper.make_node(op, [name if value is not None else "" for name, value in given.items()],
                            [f"y{i}" if i in (outputs if isinstance(outputs, tuple) else range(outputs)) else ""
                             for i in range(max(outputs) + 1 if isinstance(outputs, tuple) else outputs)],
                            name="op", domain=domain, **attributes)
    inputs = [helper.make_tensor_value_info(n, DTYPES[v.dtype], v.shape) for n, v in given.items()
              if v is not None and n not in constants]
    made = [helper.make_tensor_value_info(n, TensorProto.UNDEFINED, None) for n in node.output if n]
    for value in made:
        value.ClearField("type")
    weights = [numpy_helper.from_array(given[n], n) for n in constants]
    graph = helper.make_graph([node], "g", inputs, made, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)],
                              ir_version=9)
    return model, {n: v for n, v in given.items() if v is not None and n not in constants}


def fused():
    x, skip, gamma, beta, bias = real(2, 3, 8), real(2, 3, 8), real(8), real(8), real(8)
    norm = {"x": x, "skip": skip, "gamma": gamma, "beta": beta, "bias": bias}
    yield "skip_norm", operator("SkipLayerNormalization", norm, ["gamma", "beta", "bias"], outputs=(0, 3), epsilon=1e-5)
    yield "skip_norm_plain", operator("SkipLayerNormalization", {"x": x, "skip": skip, "gamma": gamma}, ["gamma"])
    rms = {"x": x, "skip": skip, "gamma": gamma, "bias": bias}
    yield "skip_rms", operator("SkipSimplifiedLayerNormalization", rms, ["gamma", "bias"], outputs=(0, 3), epsilon=1e-6)
    yield "rms", operator("SimplifiedLayerNormalization", {"x": x, "gamma": gamma}, ["gamma"], domain="", epsilon=1e-5,
                          axis=-1)
    yield "gelu", operator("Gelu", {"x": x})
    yield "bias_gelu", operator("BiasGelu", {"x": x, "b": bias}, ["b"])
    yield "fast_gelu", operator("FastGelu", {"x": x, "b": bias}, ["b"])
    yield "quick_gelu", operator("QuickGelu", {"x": x}, alpha=1.5)
    yield "fused_matmul", operator("FusedMatMul", {"a": real(2, 4, 3), "b": real(2, 5, 4)}, transA=1, transB=1, alpha=0.25)
    yield "fused_conv", operator("FusedConv", {"x": real(1, 3, 6, 6), "w": real(4, 3, 3, 3), "b": real(4)}, ["w", "b"],
                                 activation="LeakyRelu", activation_params=[0.2], pads=[1, 1, 1, 1])
    yield "fused_gemm", operator("FusedGemm", {"a": real(3, 4), "b": real(4, 5), "c": real(5)}, ["b", "c"],
                                 activation="Relu", alpha=0.5)
    ids = rng.integers(0, 9, (2, 4)).astype(np.int32)
    segments, mask = rng.integers(0, 2, (2, 4)).astype(np.int32), np.array([[1, 1, 1, 0], [1, 1, 1, 1]], np.int32)
    yield "embed_norm", operator(
        "EmbedLayerNormalization",
        {"ids": ids, "segments": segments, "words": real(9, 8), "places": real(6, 8), "kinds": real(2, 8),
         "gamma": gamma, "beta": beta, "mask": mask}, ["words", "places", "kinds", "gamma", "beta"], outputs=2)


def attention():
    x, w, b = real(2, 5, 8), real(8, 24), real(24)
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    lengths, bias = np.array([3, 5], np.int32), real(1, 2, 5, 5)
    base = {"x": x, "w": w, "b": b}
    yield "attention", operator("Attention", base, ["w", "b"], num_heads=2)
    yield "attention_causal", operator("Attention", base, ["w", "b"], num_heads=2, unidirectional=1)
    yield "attention_mask", operator("Attention", {**base, "mask": mask}, ["w", "b"], num_heads=2)
    yield "attention_lengths", operator("Attention", {**base, "mask": lengths}, ["w", "b"], num_heads=2)
    yield "attention_bias", operator("Attention", {**base, "mask": mask, "past": None, "bias": bias}, ["w", "b"],
                                     num_heads=2, scale=0.4)
    q, k, v = real(2, 5, 8), real(2, 7, 8), real(2, 7, 8)
    yield "heads", operator("MultiHeadAttention", {"q": q, "k": k, "v": v}, num_heads=2)
    yield "heads_bias_mask", operator(
        "MultiHeadAttention", {"q": q, "k": k, "v": v, "b": real(24), "mask": np.array([[1] * 4 + [0] * 3, [1] * 7], np.int32)},
        ["b"], num_heads=2)
    yield "heads_past", operator(
        "MultiHeadAttention", {"q": q, "k": real(2, 5, 8), "v": real(2, 5, 8), "b": None, "m": None, "a": None,
                               "pk": real(2, 2, 3, 4), "pv": real(2, 2, 3, 4)}, num_heads=2, outputs=3)
    places = np.array([[0, 1, 2, 3, 4], [2, 3, 4, 5, 6]], np.int64)
    for interleaved in (0, 1):
        turned = {"x": real(2, 2, 5, 6), "places": places, "cos": real(8, 3), "sin": real(8, 3)}
        yield f"rotary_{interleaved}", operator("RotaryEmbedding", turned, ["cos", "sin"], interleaved=interleaved)
        flat = {**turned, "x": real(2, 5, 12), "places": np.array([1], np.int64)}
        yield f"rotary_flat_{interleaved}", operator("RotaryEmbedding", flat, ["cos", "sin"], interleaved=interleaved)
    for name, length, attributes in (("plain", 0, {}), ("turned", 0, {"do_rotary": 1}), ("past", 6, {"do_rotary": 1}),
                                     ("window", 6, {"local_window_size": 3, "softcap": 1.5})):
        q, k, now = real(2, 1 if length else 5, 64), real(2, 2, length, 16), 1 if length else 5
        given = {"q": q, "k": real(2, now, 32), "v": real(2, now, 32), "pk": k if length else None, "pv": real(*k.shape) if length else None,
                 "last": np.array([2, length] if length else [4, 4], np.int32), "total": np.array(length + now, np.int32)}
        if attributes.get("do_rotary"):
            given |= {"cos": real(9, 8), "sin": real(9, 8)}
        yield f"groups_{name}", operator("GroupQueryAttention", given, [n for n in ("total", "cos", "sin") if n in given],
                                         num_heads=4, kv_num_heads=2, outputs=3, **attributes)


def quantised():
    u8 = lambda *dims: rng.integers(0, 256, dims).astype(np.uint8)
    s8 = lambda *dims: rng.integers(-128, 128, dims).astype(np.int8)
    scale, zero = lambda v: np.float32(v), lambda v: np.uint8(v)
    a = {"a": u8(2, 5), "as": scale(0.1), "az": zero(120)}
    b = {"b": u8(2, 5), "bs": scale(0.07), "bz": zero(3)}
    y = {"ys": scale(0.23), "yz": zero(99)}  # no result lies half-way between two numbers
    for op in ("QLinearAdd", "QLinearMul"):
        yield op.lower(), operator(op, {**a, **b, **y}, [*list(a)[1:], *list(b)[1:], *y])
    # Not QLinearSoftmax: ONNX Runtime itself is off by one there.
    for op, more in (("QLinearSigmoid", {}), ("QLinearLeakyRelu", {"alpha": 0.1})):
        yield op.lower(), operator(op, {**a, **y}, [*list(a)[1:], *y], **more)
    picture = {**a, "a": u8(1, 3, 6, 6)}
    yield "qpool", operator("QLinearAveragePool", {**picture, **y}, [*list(a)[1:], *y], kernel_shape=[2, 2], strides=[2, 2])
    yield "qglobalpool", operator("QLinearGlobalAveragePool", {**picture, **y}, [*list(a)[1:], *y], channels_last=0)
    yield "qconcat", operator("QLinearConcat", {**y, **a, **b}, [*y, *list(a)[1:], *list(b)[1:]], axis=1)
    right = {"b": s8(5, 4), "bs": scale(0.05), "bz": np.int8(2)}
    yield "qgemm", operator("QGemm", {**a, **right, "c": rng.integers(-99, 99, 4).astype(np.int32), **y},
                            [*list(a)[1:], *right, "c", *y])
    yield "qlinear_conv", operator(
        "QLinearConv", {**picture, "w": s8(4, 3, 3, 3), "ws": np.abs(real(4)) + np.float32(0.1), "wz": np.zeros(4, np.int8), **y,
                        "c": rng.integers(-99, 99, 4).astype(np.int32)}, [*list(a)[1:], "w", "ws", "wz", *y, "c"], domain="",
        pads=[1, 1, 1, 1])
    for bits, has_zeros in ((4, False), (4, True), (8, True)):
        size, columns, rows = 16, 48, 6
        packed = {"x": real(3, columns), "b": u8(rows, columns // size, size * bits // 8),
                  "s": np.abs(real(rows * columns // size)) + np.float32(0.1)}
        if has_zeros:
            packed["z"] = u8(rows * ((columns // size * bits + 7) // 8))
        yield f"bits_{bits}_{int(has_zeros)}", operator(
            "MatMulNBits", packed, list(packed)[1:], K=columns, N=rows, bits=bits, block_size=size)


def network():
    nodes = [helper.make_node("Conv", ["x", "w0", "b0"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["r"]),
             helper.make_node("GlobalAveragePool", ["r"], ["p"]), helper.make_node("Flatten", ["p"], ["f"]),
             helper.make_node("MatMul", ["f", "w1"], ["m"]), helper.make_node("Add", ["m", "b1"], ["y"])]
    weights = [numpy_helper.from_array(v, n) for n, v in
               (("w0", real(8, 3, 3, 3)), ("b0", real(8)), ("w1", real(8, 4)), ("b1", real(4)))]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [1, 3, 8, 8])],
                              [value("y", TensorProto.FLOAT, [1, 4])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def quantised_networks():
    from onnxruntime import quantization as q

    inputs = {"x": real(1, 3, 8, 8)}

    class Samples(q.CalibrationDataReader):
        def __init__(self):
            self.left = [{"x": real(1, 3, 8, 8)} for _ in range(4)] + [inputs]

        def get_next(self):
            return self.left.pop() if self.left else None

    with tempfile.TemporaryDirectory() as folder:
        whole, less = str(Path(folder) / "m.onnx"), str(Path(folder) / "q.onnx")
        onnx.save(network(), whole)
        q.quantize_dynamic(whole, less)
        yield "quantize_dynamic", (onnx.load(less), inputs)
        for form in (q.QuantFormat.QOperator, q.QuantFormat.QDQ):
            for per_channel in (False, True):
                q.quantize_static(whole, less, Samples(), quant_format=form, per_channel=per_channel)
                yield f"quantize_{form.name.lower()}_{int(per_channel)}", (onnx.load(less), inputs)


def branches():
    """What scripts become: branches on sizes, loops with a count and with a condition, a Scan."""
    value = helper.make_tensor_value_info

    def model(nodes, given, outputs, weights=()):
        graph = helper.make_graph(nodes, "g", [value(n, DTYPES[v.dtype], v.shape) for n, v in given.items()],
                                  [value(n, TensorProto.FLOAT, None) for n in outputs],
                                  [numpy_helper.from_array(v, n) for n, v in weights])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), given

    def inner(nodes, inputs, outputs):
        return helper.make_graph(nodes, "b", [value(n, t, d) for n, t, d in inputs], [value(n, t, d) for n, t, d in outputs])

    f, i, b = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
    x = real(1, 4)
    squeezed = inner([helper.make_node("Squeeze", ["x", "zero"], ["s"])], [], [("s", f, None)])
    same = inner([helper.make_node("Identity", ["x"], ["t"])], [], [("t", f, None)])
    yield "if_squeeze", model(
        [helper.make_node("Shape", ["x"], ["dims"]), helper.make_node("Gather", ["dims", "first"], ["n"]),
         helper.make_node("Equal", ["n", "one"], ["is_one"]),
         helper.make_node("If", ["is_one"], ["y"], then_branch=squeezed, else_branch=same)], {"x": x}, ["y"],
        [("zero", np.array([0])), ("first", np.array(0)), ("one", np.array(1))])
    body = inner([helper.make_node("MatMul", ["h", "w"], ["m"]), helper.make_node("Tanh", ["m"], ["next"]),
                  helper.make_node("Identity", ["on"], ["still"]), helper.make_node("Identity", ["next"], ["each"])],
                 [("turn", i, []), ("on", b, []), ("h", f, [1, 4])], [("still", b, []), ("next", f, [1, 4]), ("each", f, [1, 4])])
    yield "loop_count", model([helper.make_node("Loop", ["three", "", "x"], ["last", "all"], body=body)], {"x": x}, ["last", "all"],
                              [("three", np.array(3)), ("w", real(4, 4))])
    body = inner([helper.make_node("Add", ["h", "x"], ["next"]), helper.make_node("Less", ["turn", "two"], ["still"])],
                 [("turn", i, []), ("on", b, []), ("h", f, [1, 4])], [("still", b, []), ("next", f, [1, 4])])
    yield "loop_condition", model([helper.make_node("Loop", ["", "true", "x"], ["y"], body=body)], {"x": x}, ["y"],
                                  [("true", np.array(True)), ("two", np.array(2))])
    body = inner([helper.make_node("Add", ["s", "row"], ["sum"]), helper.make_node("Mul", ["sum", "row"], ["each"])],
                 [("s", f, [4]), ("row", f, [4])], [("sum", f, [4]), ("each", f, [4])])
    yield "scan", model([helper.make_node("Scan", ["start", "rows"], ["last", "all"], body=body, num_scan_inputs=1,
                                          scan_input_directions=[1], scan_output_axes=[1])],
                        {"start": real(4), "rows": real(5, 4)}, ["last", "all"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count = 0
    for kind in (fused, attention, quantised, quantised_networks, branches):
        for name, (model, inputs) in kind():
            save(Path(sys.argv[1]) / f"test_{name}", model, inputs)
            count += 1
    print(f"{count} cases of onnxruntime {ort.__version__}")


if __name__ == "__main__":
    main()
