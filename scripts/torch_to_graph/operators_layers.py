"""Rules of products and of layers with weights. See rules.py."""

import math

import torch

from torch_to_graph.rules import NARROW, Unsupported, back, computing, padding, rule, scaled, spans


def cast_of(value):
    """The dtype that a region of autocast casts a parameter to; None: it is read as it is stored."""
    return value.dtype if value.stored is not None else None


def as_layer(c, type, x, params, weight, bias, prefix=""):
    """A layer with its own weights; under autocast one that rounds its factors to the narrow dtype, and a Cast of the sum. None: see Converter.layer."""
    weights = {"weight": weight, **({"bias": bias} if bias is not None else {})}
    if any(value.parameter is None for value in weights.values()):
        return None
    narrow = cast_of(weight)
    if any(cast_of(value) != narrow for value in weights.values()):
        return None
    stored = weight.stored or weight.dtype
    if narrow is not None and (narrow not in NARROW or stored != torch.float32):
        return None
    params = {**params, "bias": bias is not None, "dtype": c.dtype(stored), "compute": None if narrow is None else c.dtype(narrow)}
    if not c.owns(weights):
        return None
    wire = c.layer(type, {"x": c.wire(x, stored)}, params, weights)
    return wire if narrow is None else c.cast(wire, narrow)


def plus(c, wire, bias):
    return wire if bias is None else c.add("add", {"a": wire, "b": c.wire(bias)})


@rule("linear")
def linear(c, x, weight, bias=None):
    if weight.rank == 2 and x.rank >= 1:
        made = as_layer(c, "linear", x, {"out_features": weight.shape[0]}, weight, bias)
        if made:
            return made
    return plus(c, c.add("matmul", {"a": c.wire(x), "b": c.wire(weight)}, {"transpose_b": weight.rank == 2}), bias)


@rule("addmm")
def addmm(c, bias, x, weight, beta=1, alpha=1):
    if beta != 1 or alpha != 1:
        raise Unsupported("beta or alpha is not 1")
    if weight.parameter and bias.rank == 1:
        turned = type(weight)(weight.shape[::-1], weight.dtype, parameter=weight.parameter, turned=not weight.turned, stored=weight.stored)
        made = as_layer(c, "linear", x, {"out_features": weight.shape[1]}, turned, bias)
        if made:
            return made
    return plus(c, c.add("matmul", {"a": c.wire(x), "b": c.wire(weight)}), bias)


@rule("matmul", "mm", "bmm")
def matmul(c, a, b):
    dtype = c.output().dtype
    wide = dtype if dtype.is_floating_point else torch.float64
    wires = {"a": c.wire(a, wide), "b": c.wire(b, wide)}
    for socket, value, shape in (("a", a, [1.0, -1.0]), ("b", b, [-1.0, 1.0])):
        if value.rank == 1:  # a vector is a matrix of one row, or column
            wires[socket] = c.add("reshape", {"x": wires[socket]}, {"shape": shape})
    y = c.add("matmul", wires)
    rank = max(a.rank, b.rank, 2)
    if a.rank == 1 or b.rank == 1:
        y = c.add("sum", {"x": y}, {"axes": [float(axis) for axis, one in ((rank - 2, a), (rank - 1, b)) if one.rank == 1], "keep": False})
    return back(c, y, wide, dtype)


@rule("baddbmm")
def baddbmm(c, x, a, b, beta=1, alpha=1):
    wide = torch.float32 if x.dtype in NARROW else x.dtype
    y = c.add("matmul", {"a": c.wire(a, wide), "b": c.wire(b, wide)})
    if alpha != 1:
        y = c.add("mul", {"a": y, "b": c.scalar(float(alpha), wide)})
    if beta != 0:
        added = c.wire(x, wide) if beta == 1 else c.add("mul", {"a": c.wire(x, wide), "b": c.scalar(float(beta), wide)})
        y = c.add("add", {"a": added, "b": y})
    return back(c, y, wide)


@rule("convolution")
def convolution(c, x, weight, bias, stride, pad, dilation, transposed, output_padding, groups):
    axes = weight.rank - 2
    if x.rank != weight.rank:
        raise Unsupported("its input has no batch axis")
    kind = f"conv_transpose{axes}d" if transposed else f"conv{axes}d"
    if transposed and axes == 3:
        raise Unsupported("it slides along three axes")
    all_of = lambda numbers: spans(numbers if len(numbers) == axes else list(numbers) * axes)
    params = {"out_channels": weight.shape[1] * groups if transposed else weight.shape[0], "kernel_size": spans(weight.shape[2:]), "stride": all_of(stride),
              "padding": padding([int(p) for p in all_of(pad)]), "dilation": all_of(dilation), "groups": groups}
    if transposed:
        params["output_padding"] = all_of(output_padding)
    made = as_layer(c, kind, x, params, weight, bias)
    if made:
        return made
    if weight.parameter and bias is not None:  # a bias that is computed, or trains apart
        made = as_layer(c, kind, x, params, weight, None)
        if made:
            shape = [-1.0] + [1.0] * axes
            return c.add("add", {"a": made, "b": c.add("reshape", {"x": c.wire(bias)}, {"shape": shape})})
    if transposed:
        raise Unsupported("its weight is computed of other tensors, or is read otherwise, too")
    return unfolded(c, x, weight, bias, *([int(n) for n in all_of(numbers)] for numbers in (stride, pad, dilation)), groups)


def unfolded(c, x, weight, bias, stride, pad, dilation, groups):
    """A convolution whose weight is a tensor of the graph: the windows side by side, and a product."""
    axes, kernel, sizes, out = weight.rank - 2, weight.shape[2:], x.shape[2:], c.output().shape[2:]
    if any(not isinstance(size, int) for size in sizes):
        raise Unsupported("its weight is computed of other tensors, and the sizes of its input are symbolic")
    padded = [size + 2 * p for size, p in zip(sizes, pad)]
    index = torch.zeros([1] * (2 * axes), dtype=torch.int64)
    for i in range(axes):
        place = torch.arange(kernel[i])[:, None] * dilation[i] + torch.arange(out[i])[None, :] * stride[i]
        shape = [1] * (2 * axes)
        shape[i], shape[axes + i] = kernel[i], out[i]
        index = index * padded[i] + place.view(shape)
    wire = c.wire(x)
    if any(pad):
        wire = c.add("pad", {"x": wire}, {"axes": spans(range(2, 2 + axes)), "before": spans(pad), "after": spans(pad)})
    flat = c.add("flatten", {"x": wire}, {"first": 2, "last": -1})
    windows = c.add("gather", {"x": flat, "index": c.constant(index.reshape(-1))}, {"axis": 2})
    taps, made = weight.shape[1] * math.prod(kernel), weight.shape[0]
    windows = c.add("reshape", {"x": windows}, {"shape": [c.size(x.shape[0]), float(groups), float(taps), float(math.prod(out))]})
    filters = c.add("reshape", {"x": c.wire(weight)}, {"shape": spans([groups, made // groups, taps])})
    y = c.add("matmul", {"a": filters, "b": windows})
    y = c.add("reshape", {"x": y}, {"shape": [c.size(x.shape[0]), *spans([made, *out])]})
    return scaled(c, y, None, bias, [-1.0] + [1.0] * axes)


def norm(c, type, x, params, weight, bias, shape=None):
    """A norm with its scale and shift. PyTorch computes it in f32 under autocast and for narrow inputs."""
    dtype = c.output().dtype if isinstance(c.output(), torch.Tensor) else c.output(0).dtype
    weights = {key: value for key, value in (("weight", weight), ("bias", bias)) if value is not None}
    whole = len(weights) == (1 if type == "rms_norm" else 2) and all(v.parameter and v.stored is None and v.dtype == dtype for v in weights.values())
    params = {**params, "dtype": c.dtype(dtype)}
    if whole:
        made = c.layer(type, {"x": c.wire(x, dtype)}, {**params, "affine": True}, weights)
        if made:
            return made
    wide = torch.float32 if dtype in NARROW and weights else dtype
    y = c.add(type, {"x": c.wire(x, wide)}, {**params, "affine": False, "dtype": c.dtype(wide)})
    as_wide = lambda value: value if value is None or value.dtype == wide else type_of(value, c.wire(value, wide), wide)
    return back(c, scaled(c, y, as_wide(weight), as_wide(bias), shape), wide, dtype)


def type_of(value, wire, dtype):
    return type(value)(value.shape, dtype, wire=wire)


@rule("layer_norm")
def layer_norm(c, x, shape, weight=None, bias=None, epsilon=1e-5, cudnn=True):
    if len(shape) == 1:
        return norm(c, "layer_norm", x, {"epsilon": epsilon}, weight, bias)
    flat = c.add("flatten", {"x": c.wire(x)}, {"first": x.rank - len(shape), "last": -1})
    y = c.add("layer_norm", {"x": flat}, {"epsilon": epsilon, "affine": False, "dtype": c.dtype(x.dtype)})
    return scaled(c, c.add("unflatten", {"x": y}, {"axis": -1, "sizes": spans(shape)}), weight, bias)


@rule("rms_norm")
def rms_norm(c, x, shape, weight=None, epsilon=None):
    if len(shape) != 1:
        raise Unsupported("it runs over several axes")
    return norm(c, "rms_norm", x, {"epsilon": torch.finfo(x.dtype).eps if epsilon is None else epsilon}, weight, None)


@rule("group_norm")
def group_norm(c, x, groups, weight=None, bias=None, epsilon=1e-5, cudnn=True):
    return norm(c, "group_norm", x, {"groups": groups, "epsilon": epsilon}, weight, bias, [-1.0] + [1.0] * (x.rank - 2))


@rule("instance_norm")
def instance_norm(c, x, weight, bias, mean, var, use_input_stats, momentum, epsilon, cudnn=True):
    if not use_input_stats:
        raise Unsupported("it normalises by running statistics")
    return norm(c, "instance_norm", x, {"epsilon": epsilon}, weight, bias, [-1.0] + [1.0] * (x.rank - 2))


@rule("halfwire::batch_norm")
def batch_norm(c, x, weight, bias, mean, var, training, momentum, epsilon):
    if mean is None:  # by the batch's statistics in either mode
        wire, dtype = computing(c, x)
        axes = {"axes": spans(axis for axis in range(x.rank) if axis != 1), "keep": True}
        spread = c.add("add", {"a": c.add("variance", {"x": wire}, {**axes, "correction": 0}), "b": c.scalar(epsilon, dtype)})
        y = c.add("div", {"a": c.add("sub", {"a": wire, "b": c.add("mean", {"x": wire}, axes)}), "b": c.add("sqrt", {"x": spread})})
        wide = lambda value: None if value is None else type(x)(value.shape, dtype, wire=c.wire(value, dtype))
        return back(c, scaled(c, y, wide(weight), wide(bias), [-1.0] + [1.0] * (x.rank - 2)), dtype, x.dtype)
    buffers = {key: c.buffer_of(c.fx_node.args[i]) for key, i in (("running_mean", 3), ("running_var", 4))}
    if not all(buffers.values()):
        raise Unsupported("its statistics are computed")
    dtype = x.dtype if weight is None else weight.dtype
    if dtype in NARROW:  # the node keeps them in f32
        c.saved_as |= {name: torch.float32 for name in buffers.values()}
    elif mean.dtype != dtype:
        raise Unsupported("its statistics have another dtype than its weights")
    statistics = {key: type(x)(mean.shape, mean.dtype, parameter=name) for key, name in buffers.items()}
    params = {"epsilon": epsilon, "momentum": momentum, "dtype": c.dtype(dtype)}
    wire = c.wire(x, dtype)
    affine = {"weight": weight, "bias": bias}
    made = None
    if training and all(v is not None and v.parameter and v.stored is None for v in affine.values()) and c.trains(affine):
        made = c.layer("batch_norm", {"x": wire}, params, {**affine, **statistics})
    if made is None:  # a frozen node would freeze scale and shift, too
        made = c.layer("batch_norm", {"x": wire}, {**params, "affine": False}, statistics)
        if made is None:
            raise Unsupported("its statistics are read by something else, too")
        made[0].frozen = not training
        made = scaled(c, made, weight, bias, [-1.0] + [1.0] * (x.rank - 2))
    return back(c, made, dtype, x.dtype)


@rule("embedding")
def embedding(c, table, index, padding_idx=-1, scale_grad=False, sparse=False):
    if scale_grad:
        raise Unsupported("its gradient is divided by how often a row is read")
    if table.parameter and table.stored is None:
        if padding_idx >= 0 and c.state[table.parameter].requires_grad:
            c.notes.append(f"{table.parameter}: row {padding_idx} (padding_idx) gets a gradient here, in PyTorch it gets none")
        params = {"entries": table.shape[0], "features": table.shape[1], "dtype": c.dtype(table.dtype)}
        made = c.layer("embedding", {"index": c.wire(index)}, params, {"table": table})
        if made:
            return made
    return c.add("gather", {"x": c.wire(table), "index": c.wire(index)}, {"axis": 0})


@rule("_prelu_kernel", "prelu")
def prelu(c, x, weight):
    many = weight.shape and math.prod(weight.shape) > 1
    if weight.parameter and weight.stored is None and weight.rank == 1 and x.rank > 1:
        made = c.layer("prelu", {"x": c.wire(x)}, {"per_channel": bool(many), "dtype": c.dtype(x.dtype)}, {"weight": weight})
        if made:
            return made
    shape = [-1.0] + [1.0] * (x.rank - 2) if many and weight.rank == 1 else None
    slope = c.wire(weight) if shape is None else c.add("reshape", {"x": c.wire(weight)}, {"shape": shape})
    wire = c.wire(x)
    negative = c.add("mul", {"a": slope, "b": c.add("min", {"a": wire, "b": c.scalar(0.0, x.dtype)})})
    return c.add("add", {"a": c.add("relu", {"x": wire}), "b": negative})
