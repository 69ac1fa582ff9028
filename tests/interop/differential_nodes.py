"""The Halfwire nodes that differential_models.py draws: NODES lists a weight, node types and a function for them.

A function takes a Graph and a type and gives parameters, inputs (socket: Wire), outputs (socket: shape and dtype) and, where it learns,
weights (name: shape). Left out: what is random, and most of what the program does not export; the last row is such.
"""

from typing import NamedTuple

import numpy as np
from differential_operators import Choice

FLOAT = "the graph's"  # of a dtype: f32 mostly, else f64 or f16


class Wire(NamedTuple):
    socket: str
    shape: tuple
    dtype: str = FLOAT


class Graph(Choice):
    """A graph while it is drawn."""

    def __init__(self, rng):
        super().__init__(rng)
        self.nodes, self.links, self.wires, self.weights = [], [], [], {}
        self.dtype = self.one_of(*["f32"] * 17, "f64", "f64", "f16")

    def rank(self, wire):
        return len(wire.shape)

    def node(self, kind, params, inputs, outputs, weights=()):
        """Adds a node; the Wires that it gives."""
        name = f"{kind}_{len(self.nodes)}"
        params = {k: (list(map(float, v)) if isinstance(v, (tuple, list)) else v) for k, v in params.items()}
        self.nodes.append({"id": name, "type": kind, "at": [0, 0], "params": params})
        self.links += [[wire.socket, f"{name}.{socket}"] for socket, wire in inputs.items()]
        self.weights |= {f"{name}.{weight}": shape for weight, shape in dict(weights).items()}
        return [Wire(f"{name}.{socket}", tuple(map(int, shape)), dtype) for socket, (shape, dtype) in outputs.items()]

    def fresh(self, shape, dtype=FLOAT):
        """A new Input, or Parameter."""
        own = {"shape": shape, "dtype": self.dtype if dtype == FLOAT else dtype}
        if dtype == FLOAT and self.chance(0.3):
            made = self.node("parameter", own, {}, {"y": (shape, dtype)}, {"value": shape})
        else:
            made = self.node("input", own | {"axes": "", "symbolic": ""}, {}, {"y": (shape, dtype)})
        self.wires += made
        return made[0]

    def pick(self, rank=range(0, 6), fits=lambda shape: True, dtype=FLOAT):
        ranks = [rank] if isinstance(rank, int) else list(rank)
        there = [w for w in self.wires if len(w.shape) in ranks and fits(w.shape) and w.dtype == dtype]
        if there and self.chance(0.85):
            return there[-1] if self.chance(0.6) else self.one_of(*there)
        return self.fresh(self.shape_that(fits, ranks), dtype)

    def partner(self, x):
        """A wire that broadcasts with another one."""
        there = [w for w in self.wires if w.dtype == x.dtype and all(1 in (a, b) or a == b for a, b in zip(w.shape[::-1], x.shape[::-1]))]
        return self.one_of(*there) if there and self.chance(0.5) else self.fresh(self.stretched(x.shape), x.dtype)

    def indices(self, shape, n=2):
        """Whole numbers below n, which is 1 or 2: the bound of what an Input of its dtype is given."""
        return self.fresh(shape, self.one_of("i64", "i32") if n == 2 else "u8")

    def draw(self, wish):
        """Adds nodes, and an Output for each wire that nobody takes."""
        weights = np.array([row[0] for row in NODES], float)
        for _ in range(wish):
            _, kinds, draw = NODES[int(self.rng.choice(len(NODES), p=weights / weights.sum()))]
            kind = self.one_of(*kinds.split())
            if (kind, self.dtype) == ("soft_shrink", "f64"):  # ONNX Runtime computes it in f32
                continue
            params, inputs, outputs, *learnt = draw(self, kind)
            if kind in TYPED:
                params = params | {"dtype": self.dtype}
            self.wires += self.node(kind, params, inputs, outputs, *learnt)
        taken = {a for a, _ in self.links}
        for wire in [w for w in self.wires if w.socket not in taken]:
            self.node("output", {}, {"x": wire}, {})


def same(x, socket="x", **params):
    return params, {socket: x}, {"y": (x.shape, x.dtype)}


def gives(shape, inputs, dtype=FLOAT, /, **params):
    return params, inputs, {"y": (shape, dtype)}


ACTIVATIONS = {"elu": "alpha", "celu": "alpha", "selu": "gamma", "leaky_relu": "negative_slope", "hard_sigmoid": "slope"}
ACTIVATIONS |= {"soft_shrink": "lambda", "threshold": "threshold", "clip": "max", "remap": "from_max"}


def unary(g, kind):
    params = {ACTIVATIONS[kind]: g.number(0.1, 2)} if kind in ACTIVATIONS and g.chance(0.7) else {}
    return same(g.pick(), **params | ({"approximate": g.one_of("none", "tanh")} if kind == "gelu" else {}))


def binary(g, kind):
    a = g.pick()
    b = g.partner(a)
    names = ("base", "exponent") if kind == "pow" else ("a", "b")
    params = {"operation": g.one_of("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")} if kind == "compare" else {}
    shape = np.broadcast_shapes(a.shape, b.shape)
    return gives(shape, dict(zip(names, (a, b))), "bool" if kind == "compare" else FLOAT, **params)


def logical(g, kind):
    a = g.pick(dtype="bool")
    if kind == "logical_not":
        return same(a, "a")
    b = g.partner(a)
    return gives(np.broadcast_shapes(a.shape, b.shape), {"a": a, "b": b}, "bool")


def where(g, kind):
    a = g.pick()
    c, b = g.fresh(g.stretched(a.shape), "bool"), g.partner(a)
    return gives(np.broadcast_shapes(a.shape, b.shape, c.shape), {"condition": c, "a": a, "b": b})


def reduce(g, kind):
    x, keep = g.pick(), g.chance(0.5)
    axes = g.axes(x, 0)
    shape = np.any(np.zeros(x.shape), tuple(axes) or None, keepdims=keep).shape
    return gives(shape, {"x": x}, axes=axes, keep=keep, **({"correction": 0, "deviation": g.chance(0.3)} if kind == "variance" else {}))


def along_axis(g, kind):
    x = g.pick(range(1, 5))
    axis, shape = g.axis(x), list(x.shape)
    if kind == "cumsum":
        return same(x, axis=axis, exclusive=g.chance(0.5), reverse=g.chance(0.5))
    if kind == "argmax":
        keep = g.chance(0.5)
        return gives(np.any(np.zeros(shape), axis, keepdims=keep).shape, {"x": x}, "i64", axis=axis, keep=keep, smallest=g.chance(0.5))
    if kind == "top_k":
        shape[axis] = g.whole(1, shape[axis])
        return {"k": shape[axis], "axis": axis, "smallest": g.chance(0.5)}, {"x": x}, {"values": (shape, FLOAT), "indices": (shape, "i64")}
    if kind == "pad":
        before, after = g.whole(0, 2), g.whole(0, 2)
        shape[axis] += before + after
        return gives(shape, {"x": x}, axes=[axis], before=[before], after=[after], value=g.number())
    return same(x, axis=axis)


def matmul(g, kind):
    a = g.pick(range(2, 5))
    ta, tb = g.chance(0.3), g.chance(0.3)
    m, k = a.shape[-2:][::-1] if ta else a.shape[-2:]
    n, lead = g.whole(1, 6), a.shape[:-2] if g.chance(0.5) else ()
    b = g.fresh(lead + ((n, k) if tb else (k, n)))
    return gives(a.shape[:-2] + (m, n), {"a": a, "b": b}, transpose_a=ta, transpose_b=tb)


def einsum(g, kind):
    equation = g.one_of(*"ij,jk->ik aij,ajk->aik i,j->ij abij,abkj->abik ij,ij->i bi,bj->bij abc,abd->dc i,i-> ij,ij->ij".split())
    size = {c: g.whole(1, 5) for c in "abcdijk"}
    a, b, y = [tuple(size[c] for c in term) for term in equation.replace("->", ",").split(",")]
    return gives(y, {"a": g.fresh(a), "b": g.fresh(b)}, equation=equation)


def linear(g, kind):
    x, n, bias = g.pick(range(1, 5)), g.whole(1, 6), g.chance(0.7)
    y = gives(x.shape[:-1] + (n,), {"x": x}, out_features=n, bias=bias)
    if kind == "mlp":
        width, layers = g.whole(1, 9), g.whole(0, 3)
        y[0].update(width=width, hidden_layers=layers, activation=g.one_of("relu", "sigmoid"), output_activation=g.one_of("none", "relu"))
        sizes = [x.shape[-1], *[width] * layers, n]
        weights = {f"layer_{i}": (b, a) for i, (a, b) in enumerate(zip(sizes, sizes[1:]))}
        return *y, weights | ({f"bias_{i}": (b,) for i, b in enumerate(sizes[1:])} if bias else {})
    return *y, {"weight": (n, x.shape[-1])} | ({"bias": (n,)} if bias else {})


def windows(g, n, spatial):
    """Kernel, stride, padding (a number for each side) and the sizes that a pool or convolution gives."""
    kernel = [g.whole(1, min(4, s)) for s in spatial]
    stride, pads = [g.whole(1, 3) for _ in range(n)], [g.whole(0, k // 2) for k in kernel]
    sizes = [(s + 2 * p - k) // t + 1 for s, p, k, t in zip(spatial, pads, kernel, stride)]
    return kernel, stride, pads, sizes


def conv(g, kind):
    n = int(kind[-2])
    x = g.pick(n + 2)
    channels, spatial = x.shape[1], x.shape[2:]
    kernel, stride, pads, sizes = windows(g, n, spatial)
    groups = g.divisor(channels)
    outs, bias = groups * g.whole(1, 3), g.chance(0.7)
    params = dict(out_channels=outs, kernel_size=kernel, stride=stride, padding=" ".join(map(str, pads)), groups=groups, bias=bias)
    lead = (outs, channels // groups)
    if "transpose" in kind:
        more = [g.whole(0, t - 1) for t in stride]
        sizes = [(s - 1) * t - 2 * p + k + m for s, t, p, k, m in zip(spatial, stride, pads, kernel, more)]
        lead = (channels, outs // groups)
        params |= {"output_padding": more}
    elif g.chance(0.3):
        params["padding"], sizes = "same", [-(-s // t) for s, t in zip(spatial, stride)]
    return *gives((x.shape[0], outs, *sizes), {"x": x}, **params), {"weight": lead + tuple(kernel)} | ({"bias": (outs,)} if bias else {})


def pool(g, kind):
    n = int(kind[-2]) if kind[-1] == "d" else 2
    x = g.pick(n + 2)
    kernel, stride, pads, sizes = windows(g, n, x.shape[2:])
    params = dict(kernel_size=kernel, stride=stride, padding=" ".join(map(str, pads)))
    return gives(x.shape[:2] + tuple(sizes), {"x": x}, **params, **({"count_include_pad": g.chance(0.5)} if kind.startswith("avg") else {}))


def picture(g, kind):
    x, a, b = g.pick(4), g.whole(1, 9), g.whole(1, 9)
    n, c, _, _ = x.shape
    if kind == "global_avg_pool":
        keep = g.chance(0.5)
        return gives((n, c, 1, 1) if keep else (n, c), {"x": x}, keep_axes=keep)
    if kind == "depth_to_space":
        block, inverse = g.whole(1, 3), g.chance(0.5)
        x = g.fresh((n, c, a * block, b * block) if inverse else (n, c * block * block, a, b))
        shape = (n, c * block * block, a, b) if inverse else (n, c, a * block, b * block)
        return gives(shape, {"x": x}, block=block, inverse=inverse, order=g.one_of("channels_first", "blocks_first"))
    if kind == "grid_sample":
        params = dict(mode=g.one_of("bilinear", "nearest"), padding=g.one_of("zeros", "border", "reflection"), align_corners=g.chance(0.5))
        return gives((n, c, a, b), {"x": x, "grid": g.fresh((n, a, b, 2))}, **params)
    params = dict(mode=g.one_of("nearest", "linear", "cubic"), coordinates=g.one_of("half_pixel", "align_corners", "asymmetric"))
    return gives((n, c, a, b), {"x": x}, size=(a, b), **params, rounding=g.one_of("prefer_floor", "prefer_ceil", "floor", "ceil"))


def norm(g, kind):
    ranks = {"instance_norm": range(3, 5), "local_response_norm": 4}.get(kind, range(2, 5))
    x = g.pick(ranks, fits=lambda s: kind != "instance_norm" or np.prod(s[2:]) > 1)  # as norm() of ONNX
    if kind == "local_response_norm":  # of an Input, see differential_operators.py
        return same(g.fresh(g.shape(4)), channels=g.one_of(1, 3, 5), alpha=g.number(0.1, 1), beta=g.number(0.3, 1), k=g.number(0.5, 2))
    size, affine = x.shape[-1 if kind in ("layer_norm", "rms_norm") else 1], g.chance(0.7)
    groups = {"groups": g.divisor(size)} if kind == "group_norm" else {}
    names = ["weight", "bias"][: 1 if kind == "rms_norm" else 2] * affine + ["running_mean", "running_var"] * (kind == "batch_norm")
    epsilon = g.one_of(1e-5, 0.01) if g.dtype != "f64" else 2**-7  # f32 in ONNX, which does not hold the others exactly
    return *same(x, affine=affine, epsilon=epsilon, **groups), dict.fromkeys(names, (size,))


def recurrent(g, kind):
    x, h = g.pick(3), g.whole(1, 5)
    direction = g.one_of("forward", "reverse", "bidirectional")
    y = x.shape[:2] + (h * (2 if direction == "bidirectional" else 1),)
    params, inputs, outputs = gives(y, {"x": x}, hidden_size=h, direction=direction, bias=g.chance(0.7))
    rows, ends = (4 if kind == "lstm" else 3) * h, {"forward": [""], "reverse": ["_reverse"]}.get(direction, ["", "_reverse"])
    weights = {f"weight_ih{e}": (rows, x.shape[2]) for e in ends} | {f"weight_hh{e}": (rows, h) for e in ends}
    weights |= {f"bias_{i}{e}": (rows,) for e in ends for i in ("ih", "hh")} if params["bias"] else {}
    ends = {"hidden": ((x.shape[0], y[2]), FLOAT)} | ({"cell": ((x.shape[0], y[2]), FLOAT)} if kind == "lstm" else {})
    if g.chance(0.3):
        inputs |= {f"initial_{name}": g.fresh(shape) for name, (shape, _) in ends.items()}
    return params, inputs, outputs | (ends if g.chance(0.5) else {}), weights


def arranged(g, kind):
    """Other shapes and orders of the same elements, of any dtype."""
    x = g.pick(range(1, 5), dtype=g.one_of(*[w.dtype for w in g.wires], FLOAT))
    axis = g.axis(x)
    n, at = x.shape[axis], axis % len(x.shape)
    put = lambda *sizes: x.shape[:at] + sizes + x.shape[at + 1 :]
    d, last, times = g.divisor(n), g.whole(at, len(x.shape) - 1), [g.whole(1, 3) for _ in x.shape]
    begin, order = g.whole(0, n - 1), [int(a) for a in g.rng.permutation(len(x.shape))]
    end = g.whole(begin + 1, n)
    if kind == "split":
        x, n = (x, n) if n > 1 else (g.fresh(put(3), x.dtype), 3)
        cut = g.whole(1, n - 1)
        return {"axis": axis, "at": cut}, {"x": x}, {"a": (put(cut), x.dtype), "b": (put(n - cut), x.dtype)}
    if kind in ("gather", "gather_elements"):
        n = min(n, 2)  # Graph.indices() gives 0 and 1 alone
        shape = g.shape(g.whole(0, 2)) if kind == "gather" else put(g.whole(1, 4))
        index = g.indices(shape, n)
        return gives(put(*shape) if kind == "gather" else shape, {"x": x, "index": index}, x.dtype, axis=axis)
    if kind in ("stack", "concat"):
        b = g.fresh(x.shape if kind == "stack" else put(g.whole(1, 4)), x.dtype)
        return gives(put(2, n) if kind == "stack" else put(n + b.shape[axis]), {"a": x, "b": b}, x.dtype, axis=at)
    shape, params = {
        "transpose": (np.take(x.shape, order), {"axes": order}),
        "reshape": (put(d, n // d), {"shape": put(d, n // d)}),
        "flatten": (x.shape[:at] + (np.prod(x.shape[at : last + 1]),) + x.shape[last + 1 :], {"first": at, "last": last}),
        "unflatten": (put(d, n // d), {"axis": axis, "sizes": (d, -1)}),
        "unsqueeze": (put(1, n), {"axes": [at]}),
        "squeeze": ([s for s in x.shape if s > 1], {}),
        "expand": ((2,) + x.shape, {"shape": (2,) + x.shape}),
        "tile": (np.multiply(times, x.shape), {"repeats": times}),
        "flip": (x.shape, {"axes": [axis]}),
    }.get(kind, (put(end - begin), {"axis": axis, "begin": begin - n if times[0] == 1 else begin, "end": 0 if end == n else end}))
    return gives(shape, {"x": x}, x.dtype, **params)


def of_index(g, kind):
    index, n = g.indices(g.shape(g.whole(0, 3))), g.whole(2, 5)
    if kind == "one_hot":
        return gives(index.shape + (n,), {"index": index}, classes=n, on=g.number(), off=g.number())
    return *gives(index.shape + (n,), {"index": index}, entries=3, features=n), {"table": (3, n)}


def cast(g, kind):
    """A bool or a whole number: an error in the last place of a float would decide."""
    x, to = g.pick(dtype=g.one_of("bool", "i64", "u8")), g.one_of("i64", "bool", "i32")
    return gives(x.shape, {"x": x}, to, to=to)


TYPED = "parameter linear mlp conv1d conv2d conv3d conv_transpose1d conv_transpose2d batch_norm instance_norm layer_norm group_norm \
rms_norm embedding lstm gru one_hot".split()
# weight, types, function
NODES = [
    (8, "abs neg exp log sqrt reciprocal floor ceil round sign sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf", unary),
    (7, "sigmoid relu relu6 softplus softsign elu selu celu leaky_relu hard_sigmoid hard_swish gelu mish silu soft_shrink clip", unary),
    (0.5, "dropout drop_path", unary), (10, "add sub mul div max min pow compare", binary), (2, "where", where),
    (2, "logical_and logical_or logical_xor logical_not", logical),
    (7, "sum mean reduce_l1 reduce_l2 reduce_max reduce_min reduce_prod reduce_sum_square log_sum_exp", reduce), (1, "cast", cast),
    (6, "softmax log_softmax cumsum argmax top_k pad", along_axis), (4, "matmul", matmul), (2, "einsum", einsum), (4, "linear mlp", linear),
    (7, "conv1d conv2d conv2d conv3d conv_transpose1d conv_transpose2d", conv), (3, "lstm gru", recurrent),
    (4, "max_pool max_pool1d max_pool3d avg_pool avg_pool1d avg_pool3d", pool),
    (4, "global_avg_pool grid_sample resize depth_to_space", picture),
    (6, "batch_norm instance_norm layer_norm group_norm rms_norm local_response_norm", norm), (3, "one_hot embedding", of_index),
    (10, "transpose reshape flatten unflatten unsqueeze squeeze expand tile slice split gather gather_elements stack concat", arranged),
    (0.3, "log_sigmoid threshold remap", unary), (0.2, "atan2", binary), (0.2, "variance", reduce), (0.2, "flip", arranged),
]  # fmt: skip
