"""Rules of layers: what has weights, products, pools and attention. See operators.py."""

import math

import torch

from torch_to_graph.operators import NARROW, Unsupported, back, computing, rule


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
    if not dtype.is_floating_point:
        return c.cast(c.add("matmul", {"a": c.wire(a, torch.float64), "b": c.wire(b, torch.float64)}), dtype)
    return c.add("matmul", {"a": c.wire(a), "b": c.wire(b)})


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


def spans(numbers):
    return [float(n) for n in numbers]


def padding(before, after=None):
    """Of two or more axes "before, then after" (top left bottom right); of one axis two numbers."""
    after = before if after is None else after
    return " ".join(str(int(n)) for n in (*before, *after)) if any((*before, *after)) else "valid"


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


def scaled(c, y, weight, bias, shape=None):
    """y · weight + bias, by tensors of the graph."""
    turned = lambda value: c.wire(value) if shape is None else c.add("reshape", {"x": c.wire(value)}, {"shape": shape})
    y = y if weight is None else c.add("mul", {"a": y, "b": turned(weight)})
    return y if bias is None else c.add("add", {"a": y, "b": turned(bias)})


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
    if table.parameter and table.stored is None:
        if padding_idx >= 0 and c.state[table.parameter].requires_grad:
            c.notes.append(f"{table.parameter}: row {padding_idx} (padding_idx) gets a gradient here, in PyTorch it gets none")
        params = {"entries": table.shape[0], "features": table.shape[1], "dtype": c.dtype(table.dtype)}
        made = c.layer("embedding", {"index": c.wire(index)}, params, {"table": table})
        if made:
            return made
    return c.add("gather", {"x": c.wire(table), "index": c.wire(index)}, {"axis": 0})


@rule("scaled_dot_product_attention")
def attention(c, query, key, value, mask=None, dropout=0.0, causal=False, scale=None, enable_gqa=False):
    if query.rank not in (3, 4):
        raise Unsupported(f"its query has {query.rank} axes")
    wires = {name: c.wire(v) for name, v in (("query", query), ("key", key), ("value", value))}
    if query.rank == 3:
        wires = {name: c.add("unsqueeze", {"x": wire}, {"axes": [1.0]}) for name, wire in wires.items()}
    if enable_gqa and query.shape[-3] != key.shape[-3]:
        wires["key"], wires["value"] = (repeated(c, v, wires[n], query.shape[-3] // v.shape[-3]) for n, v in (("key", key), ("value", value)))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale)
    if dropout == 0 and (mask is None or mask.dtype == torch.bool and mask.rank in (2, 3, 4) and query.rank == 4):
        links = dict(wires)
        if mask is not None:
            links["mask"] = whole_mask(c, mask, query, key)
        y = c.add("scaled_dot_product_attention", links, {"causal": causal, "scale": 0.0 if scale is None else factor})
        return c.add("squeeze", {"x": y}, {"axes": [1.0]}) if query.rank == 3 else y
    if query.rank == 3 or causal and (mask is not None or not isinstance(query.shape[2], int) or not isinstance(key.shape[2], int)):
        raise Unsupported("it has dropout or a mask of floats, and no axis of heads, or is causal")
    if causal:
        seen = torch.ones(query.shape[2], key.shape[2], dtype=torch.bool).tril()
        mask = type(query)(tuple(seen.shape), seen.dtype, constant=seen)
    wide = torch.float32 if query.dtype in NARROW else query.dtype
    scores = c.add("matmul", {name: wire if wide == query.dtype else c.cast(wire, wide) for name, wire in (("a", wires["query"]), ("b", wires["key"]))}, {"transpose_b": True})
    scores = c.add("mul", {"a": scores, "b": c.scalar(factor, wide)})
    if mask is not None and mask.dtype == torch.bool:
        scores = c.add("where", {"condition": c.wire(mask), "a": scores, "b": c.scalar(-math.inf, wide)})
    elif mask is not None:
        scores = c.add("add", {"a": scores, "b": c.wire(mask, wide)})
    weights = c.add("softmax", {"x": scores}, {"axis": -1})
    if dropout:
        weights = c.add("dropout", {"x": weights}, {"p": float(dropout)})
    product = c.add("matmul", {"a": weights, "b": wires["value"] if wide == query.dtype else c.cast(wires["value"], wide)})
    return back(c, product, wide, query.dtype)


def whole_mask(c, mask, query, key):
    """[batch, heads, seq, tokens], or [seq, tokens] as it is."""
    wanted = (*query.shape[:-1], key.shape[-2])
    if mask.rank == 2 and tuple(mask.shape) == wanted[-2:] or mask.rank == 4 and tuple(mask.shape) == wanted:
        return c.wire(mask)
    return c.stretched(c.wire(mask), mask.dtype, mask.shape, wanted)


def repeated(c, value, wire, times):
    """Each head so often, one behind the other: grouped queries."""
    index = torch.arange(value.shape[-3]).repeat_interleave(times)
    return c.add("gather", {"x": wire, "index": c.constant(index)}, {"axis": 1})


# Pools


def pool_sizes(kernel, stride, pad, axes):
    all_of = lambda numbers: list(numbers) if len(numbers) == axes else list(numbers) * axes
    return all_of(kernel), all_of(stride or kernel), all_of(pad)


def trailing(c, x, kernel, stride, pad, dilation, ceil_mode):
    """With ceil_mode: how much more padding at the end its last window reaches over."""
    more = []
    for size, k, s, p, out in zip(x.shape[-len(kernel):], kernel, stride, pad, (c.output() if isinstance(c.output(), torch.Tensor) else c.output(0)).shape[-len(kernel):]):
        if not isinstance(size, int):
            if ceil_mode:
                raise Unsupported("ceil_mode with a symbolic size")
            more.append(p)
        else:
            more.append(max(p, (out - 1) * s + (k - 1) * dilation + 1 - size - p) if ceil_mode else p)
    return more


def pooled(c, type, x, kernel, stride, pad, params, ceil_mode):
    axes = len(kernel)
    if x.rank != axes + 2:
        raise Unsupported("its input has no batch axis")
    after = trailing(c, x, kernel, stride, pad, 1, ceil_mode)
    name = {1: f"{type}1d", 2: type, 3: f"{type}3d"}[axes]
    return c.add(name, {"x": c.wire(x)}, {"kernel_size": spans(kernel), "stride": spans(stride), "padding": padding(pad, after), **params})


def max_pool(c, x, kernel, stride, pad, dilation, ceil_mode, axes):
    if any(n != 1 for n in ([dilation] if isinstance(dilation, int) else dilation)):
        raise Unsupported("its windows are dilated")
    return pooled(c, "max_pool", x, *pool_sizes(kernel, stride, pad, axes), {}, ceil_mode)


@rule("max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool_with_indices(c, x, kernel, stride=(), pad=(0,), dilation=(1,), ceil_mode=False):
    if c.reads(1):
        raise Unsupported("its indices are read")
    return max_pool(c, x, kernel, stride, pad, dilation, ceil_mode, x.rank - 2), None


@rule("max_pool1d", "max_pool2d", "max_pool3d")
def max_pool_plain(c, x, kernel, stride=(), pad=(0,), dilation=(1,), ceil_mode=False):
    return max_pool(c, x, kernel, stride, pad, dilation, ceil_mode, int(c.fx_node.target._schema.name[-2]))


@rule("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(c, x, kernel, stride=(), pad=(0,), ceil_mode=False, count_include_pad=True, divisor_override=None):
    axes = int(c.fx_node.target._schema.name[-2])
    kernel, stride, pad = pool_sizes(kernel, stride, pad, axes)
    if divisor_override or (ceil_mode and trailing(c, x, kernel, stride, pad, 1, True) != pad):
        raise Unsupported("it has a divisor of its own, or ceil_mode with windows beyond the end")
    return pooled(c, "avg_pool", x, kernel, stride, pad, {"count_include_pad": count_include_pad}, False)


@rule("adaptive_avg_pool2d", "_adaptive_avg_pool2d", "adaptive_avg_pool1d")
def adaptive_avg_pool(c, x, size):
    axes = len(size)
    if all(n == 1 for n in size):
        return c.add("mean", {"x": c.wire(x)}, {"axes": spans(range(x.rank - axes, x.rank)), "keep": True})
    if axes == 2 and x.rank == 4:
        return c.add("adaptive_avg_pool", {"x": c.wire(x)}, {"output_size": spans(size)})
    raise Unsupported("an adaptive pool of one axis, or without a batch axis")


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


# Recurrent


@rule("lstm.input", "gru.input")
def recurrent(c, x, state, weights, has_biases, layers, dropout, train, bidirectional, batch_first):
    kind = c.fx_node.target._schema.name.partition("::")[2]
    states = state if isinstance(state, (list, tuple)) else [state]
    sides = 2 if bidirectional else 1
    each = 4 if has_biases else 2
    if len(weights) != layers * sides * each:
        raise Unsupported("it has projections")
    wire = c.wire(x) if batch_first else c.add("transpose", {"x": c.wire(x)}, {"axes": [1.0, 0.0, 2.0]})
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")[:each]
    last = [[] for _ in states]
    for layer in range(layers):
        begun = {}
        for socket, value in zip(("initial_hidden", "initial_cell"), states):
            if value.constant is not None and not bool(value.constant.any()):
                continue
            parts = [c.add("gather", {"x": c.wire(value), "index": c.add("reshape", {"x": c.constant(torch.tensor([layer * sides + s]))}, {"shape": []})}, {"axis": 0}) for s in range(sides)]
            begun[socket] = parts[0] if sides == 1 else c.add("concat", {"a": parts[0], "b": parts[1]}, {"axis": -1, "inputs": 2})
        taken = weights[layer * sides * each : (layer + 1) * sides * each]
        if any(value.parameter is None or value.stored is not None for value in taken):
            raise Unsupported("its weights are computed")
        own = {name + ("_reverse" if side else ""): taken[side * each + i] for side in range(sides) for i, name in enumerate(names)}
        hidden_size = taken[1].shape[1]
        made = c.layer(kind, {"x": wire, **begun}, {"hidden_size": hidden_size, "direction": "bidirectional" if bidirectional else "forward", "bias": has_biases,
                                                    "dtype": c.dtype(x.dtype)}, own)
        if made is None:
            raise Unsupported("its weights are read by something else, too, or train in part")
        for found, socket in zip(last, ("hidden", "cell")):
            found.append((made[0], socket))
        wire = made
        if dropout and layer + 1 < layers:
            wire = c.add("dropout", {"x": wire}, {"p": float(dropout)})
    y = wire if batch_first else c.add("transpose", {"x": wire}, {"axes": [1.0, 0.0, 2.0]})
    return (y, *(final(c, found, sides, hidden_size) if c.reads(i + 1) else None for i, found in enumerate(last)))


def final(c, wires, sides, hidden_size):
    """[layers · sides, batch, hidden] of each layer's [batch, sides · hidden]."""
    parts = []
    for wire in wires:
        part = c.add("unflatten", {"x": wire}, {"axis": -1, "sizes": [float(sides), float(hidden_size)]})
        parts.append(c.add("transpose", {"x": part}, {"axes": [1.0, 0.0, 2.0]}))
    return parts[0] if len(parts) == 1 else joined(c, parts, 0)


def joined(c, wires, axis):
    """Concat of any number of wires."""
    if len(wires) == 1:
        return wires[0]
    if len(wires) > 256:
        raise Unsupported("more than 256 tensors in one")
    return c.add("concat", {socket(i): wire for i, wire in enumerate(wires)}, {"axis": axis, "inputs": len(wires)})


def socket(i):
    """a, b, .. z, aa, ab, .."""
    return (socket(i // 26 - 1) if i >= 26 else "") + chr(ord("a") + i % 26)
