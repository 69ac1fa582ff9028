"""Rules of reductions, sums along an axis and softmax. See rules.py."""

import torch

from torch_to_graph.rules import Unsupported, aten, back, computing, float_of, rule


def axes_of(axes, rank):
    axes = range(rank) if axes is None or axes == [] else [axes] if isinstance(axes, int) else axes
    return sorted(axis % rank if rank else 0 for axis in axes)


def reduced(c, type, x, axes, keep, **params):
    wire, dtype = computing(c, x) if not x.dtype.is_floating_point else float_of(c, x)
    out = c.output().dtype
    if x.rank == 0:
        return back(c, wire, dtype)
    if dtype != out and out.is_floating_point and x.dtype.is_floating_point:  # dtype=
        wire, dtype = c.cast(wire, out), out
    return back(c, c.add(type, {"x": wire}, {"axes": [float(a) for a in axes_of(axes, x.rank)], "keep": bool(keep), **params}), dtype)


for _names, _type in ((("sum.dim_IntList", "sum"), "sum"), (("mean.dim", "mean"), "mean"), (("amax", "max"), "reduce_max"), (("amin", "min"), "reduce_min"),
                      (("logsumexp",), "log_sum_exp")):
    @rule(*_names)
    def reduction(c, x, axes=None, keep=False, dtype=None, type=_type):
        return reduced(c, type, x, axes, keep)


@rule("any", "any.dim", "any.dims", "all", "all.dim", "all.dims")
def any_all(c, x, axes=None, keep=False):
    return reduced(c, "reduce_max" if "any" in c.fx_node.target._schema.name else "reduce_min", type(x)(x.shape, torch.bool, wire=c.wire(x, torch.bool)), axes, keep)


@rule("prod", "prod.dim_int")
def prod(c, x, axes=None, keep=False, dtype=None):
    return reduced(c, "reduce_prod", x, axes, keep)


def spread_params(correction):
    correction = 1 if correction is None else correction
    if correction not in (0, 1):
        raise Unsupported(f"correction is {correction}")
    return int(correction)


@rule("var.correction", "std.correction", "var_mean.correction")
def variance(c, x, axes=None, correction=None, keepdim=False):
    wide, dtype = computing(c, x)
    params = {"axes": [float(a) for a in axes_of(axes, x.rank)], "keep": bool(keepdim)}
    name = c.fx_node.target._schema.name.partition("::")[2]
    made = c.add("variance", {"x": wide}, {**params, "correction": spread_params(correction), "deviation": name == "std"})
    if name != "var_mean":
        return back(c, made, dtype)
    return back(c, made, dtype, x.dtype), back(c, c.add("mean", {"x": wide}, params), dtype, x.dtype)


@rule("linalg_vector_norm")
def vector_norm(c, x, order=2, axes=None, keep=False, dtype=None):
    if order not in (1, 2):
        raise Unsupported(f"a norm of order {order}")
    return reduced(c, f"reduce_l{int(order)}", x, axes, keep)


@rule("max.dim", "min.dim")
def max_dim(c, x, axis, keep=False):
    kind = c.fx_node.target._schema.name.partition("::")[2]
    wire, dtype = float_of(c, x) if x.dtype.is_floating_point else computing(c, x)
    values = c.add(f"reduce_{kind}", {"x": wire}, {"axes": [float(axis % x.rank)], "keep": keep}) if c.reads(0) else None
    places = c.add("argmax", {"x": wire}, {"axis": axis, "smallest": kind == "min", "keep": keep}) if c.reads(1) else None
    return values and back(c, values, dtype, x.dtype), places


@rule("argmax", "argmin")
def argmax(c, x, axis=None, keep=False):
    wire = float_of(c, x)[0] if x.dtype.is_floating_point else computing(c, x)[0]
    if axis is None:
        wire, axis = c.add("reshape", {"x": wire}, {"shape": [-1.0]}), 0
    return c.add("argmax", {"x": wire}, {"axis": axis, "keep": keep, "smallest": c.fx_node.target is aten.argmin.default})


@rule("topk")
def topk(c, x, k, axis=-1, largest=True, ordered=True):
    node, _ = c.add("top_k", {"x": float_of(c, x)[0]}, {"k": k, "axis": axis, "smallest": not largest})
    return (node, "values"), (node, "indices")


@rule("cumsum")
def cumsum(c, x, axis, dtype=None):
    wire, dtype = computing(c, x)
    return back(c, c.add("cumsum", {"x": wire}, {"axis": axis}), dtype)


@rule("softmax.int", "_softmax", "log_softmax.int", "_log_softmax")
def softmax(c, x, axis, *rest):
    type = "log_softmax" if "log" in c.fx_node.target._schema.name else "softmax"
    return c.add(type, {"x": c.wire(x, c.output().dtype)}, {"axis": axis})
