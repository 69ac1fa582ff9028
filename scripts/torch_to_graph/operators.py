"""Which nodes stand for an ATen operator: RULES has one rule for each. A rule takes the Converter and the operator's arguments (tensors are
Values), adds nodes, and returns a wire (None of an operator with several results that nothing reads).

Numbers are rounded where PyTorch rounds them: what it computes in f32 for f16 and bf16 is computed in f32 here, between Casts."""

import math

import torch

import torch_to_graph.own_operators  # noqa: F401  which rules name, too

aten = torch.ops.aten
RULES = {}
IGNORED = {aten._assert_tensor_metadata.default, aten._assert_scalar.default, aten.sym_constrain_range_for_size.default, aten.sym_constrain_range.default}
NARROW = (torch.float16, torch.bfloat16)


class Unsupported(Exception):
    """Why an operator has no nodes."""


def rule(*targets):
    """Overloads that this PyTorch does not have are passed over."""
    def put(function):
        for name in targets:
            namespace, _, rest = name.rpartition("::")
            packet, _, overload = rest.partition(".")
            found = getattr(getattr(torch.ops, namespace or "aten"), packet, None)
            found = getattr(found, overload or "default", None)
            if found is not None:
                RULES[found] = function
        return function
    return put


# Elementwise


def computing(c, value):
    """A tensor in the dtype that PyTorch computes it in: whole numbers as f64, f16 and bf16 as f32."""
    wide = torch.float32 if value.dtype in NARROW else value.dtype if value.dtype.is_floating_point else torch.float64
    return c.wire(value, wide), wide


def back(c, wire, dtype, wanted=None):
    wanted = wanted or c.output().dtype
    return wire if dtype == wanted else c.cast(wire, wanted)


def float_of(c, value):
    """A tensor as floats: whole numbers in the dtype of the result, where that is one of floats, else f64."""
    if value.dtype.is_floating_point:
        return c.wire(value), value.dtype
    wanted = c.output().dtype if isinstance(c.output(), torch.Tensor) else torch.float64
    wide = wanted if wanted.is_floating_point else torch.float64
    return c.wire(value, wide), wide


UNARY = {"abs": "abs", "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan", "atanh": "atanh", "ceil": "ceil", "cos": "cos",
         "cosh": "cosh", "erf": "erf", "exp": "exp", "floor": "floor", "log": "log", "neg": "neg", "reciprocal": "reciprocal", "relu": "relu",
         "round": "round", "sigmoid": "sigmoid", "sign": "sign", "sgn": "sign", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh",
         "silu": "silu", "mish": "mish", "log_sigmoid": "log_sigmoid", "hardswish": "hard_swish", "relu6": "relu6", "hardsigmoid": "hard_sigmoid", "selu": "selu"}
for _name, _type in UNARY.items():
    @rule(_name)
    def unary(c, x, type=_type):
        wire, dtype = float_of(c, x)
        return back(c, c.add(type, {"x": wire}), dtype)


@rule("rsqrt", "log1p", "expm1", "log2", "log10", "exp2", "square", "trunc", "erfc")
def composed(c, x):
    wire, dtype = computing(c, x)
    scalar = lambda number: c.scalar(number, dtype)
    name = c.fx_node.target._schema.name.partition("::")[2]
    if name == "rsqrt":
        y = c.add("reciprocal", {"x": c.add("sqrt", {"x": wire})})
    elif name == "square":
        y = c.add("mul", {"a": wire, "b": wire})
    elif name == "exp2":
        y = c.add("pow", {"base": scalar(2.0), "exponent": wire})
    elif name == "erfc":
        y = c.add("sub", {"a": scalar(1.0), "b": c.add("erf", {"x": wire})})
    elif name == "trunc":
        y = c.add("mul", {"a": c.add("sign", {"x": wire}), "b": c.add("floor", {"x": c.add("abs", {"x": wire})})})
    elif name in ("log2", "log10"):
        y = c.add("div", {"a": c.add("log", {"x": wire}), "b": scalar(math.log(2.0 if name == "log2" else 10.0))})
    else:
        raise Unsupported(f"{name} keeps the digits of numbers near 0, and no node does")
    return back(c, y, dtype)


@rule("gelu")
def gelu(c, x, approximate="none"):
    return c.add("gelu", {"x": c.wire(x)}, {"approximate": approximate})


@rule("leaky_relu")
def leaky_relu(c, x, slope=0.01):
    return c.add("leaky_relu", {"x": c.wire(x)}, {"negative_slope": float(slope)})


@rule("elu")
def elu(c, x, alpha=1.0, scale=1.0, input_scale=1.0):
    if scale == 1 and input_scale == 1:
        return c.add("elu", {"x": c.wire(x)}, {"alpha": float(alpha)})
    if input_scale != 1:
        raise Unsupported("its input is scaled")
    return c.add("selu", {"x": c.wire(x)}, {"alpha": float(alpha), "gamma": float(scale)})


@rule("celu")
def celu(c, x, alpha=1.0):
    return c.add("celu", {"x": c.wire(x)}, {"alpha": float(alpha)})


@rule("softplus")
def softplus(c, x, beta=1.0, threshold=20.0):
    return c.add("softplus", {"x": c.wire(x)}, {"beta": float(beta)})


@rule("hardtanh", "clamp")
def clamp(c, x, low=None, high=None):
    if c.fx_node.target is aten.hardtanh.default:
        low, high = -1.0 if low is None else low, 1.0 if high is None else high
    wire, dtype = float_of(c, x)
    limits = (("max", low), ("min", high))
    if low is not None and high is not None and low <= high:
        return back(c, c.add("clip", {"x": wire}, {"min": float(low), "max": float(high)}), dtype)
    for type, limit in limits:
        wire = wire if limit is None else c.add(type, {"a": wire, "b": c.scalar(float(limit), dtype)})
    return back(c, wire, dtype)


@rule("clamp.Tensor")
def clamp_tensor(c, x, low=None, high=None):
    dtype = c.output().dtype if c.output().dtype.is_floating_point else torch.float64
    wire = c.wire(x, dtype)
    for type, limit in (("max", low), ("min", high)):
        wire = wire if limit is None else c.add(type, {"a": wire, "b": c.wire(limit, dtype)})
    return back(c, wire, dtype)


def arithmetic(c, type, a, b):
    """Of tensors and numbers, in the dtype of the result. A number that an f16 or bf16 cannot hold is not rounded to one first."""
    out = c.output().dtype
    dtype = out if out.is_floating_point else torch.float64
    numbers = [value for value in (a, b) if isinstance(value, (int, float))]
    wide = dtype in NARROW and any(torch.tensor(float(n), dtype=dtype).item() != float(n) for n in numbers)
    if wide:
        dtype = torch.float32
    names = ("base", "exponent") if type == "pow" else ("a", "b")
    return back(c, c.add(type, dict(zip(names, (c.number(a, dtype), c.number(b, dtype))))), dtype)


def times(c, x, factor):
    """A tensor multiplied in the dtype of the result."""
    dtype = c.output().dtype
    wide = torch.float32 if dtype in NARROW else dtype if dtype.is_floating_point else torch.float64
    return type(x)(x.shape, wide, wire=c.add("mul", {"a": c.wire(x, wide), "b": c.scalar(float(factor), wide)}))


@rule("add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar", "rsub.Scalar", "rsub.Tensor")
def add(c, a, b, alpha=1):
    name = c.fx_node.target._schema.name.partition("::")[2]
    if c.output().dtype == torch.bool:
        return logical_of(c, "logical_or", a, b)
    if alpha != 1:
        b = b * alpha if isinstance(b, (int, float)) else times(c, b, alpha)
    if name == "rsub":
        return arithmetic(c, "sub", b, a)
    return arithmetic(c, name, a, b)


@rule("mul.Tensor", "mul.Scalar")
def mul(c, a, b):
    if c.output().dtype == torch.bool:
        return logical_of(c, "logical_and", a, b)
    return arithmetic(c, "mul", a, b)


@rule("div.Tensor", "div.Scalar", "div.Tensor_mode", "div.Scalar_mode", "floor_divide", "true_divide.Tensor")
def div(c, a, b, rounding_mode=None):
    if c.fx_node.target is aten.floor_divide.default:
        rounding_mode = "floor"
    if rounding_mode is None:
        return arithmetic(c, "div", a, b)
    if c.output().dtype.is_floating_point:
        raise Unsupported("a quotient of floats that is rounded")
    dtype = torch.float64
    quotient = c.add("div", {"a": c.number(a, dtype), "b": c.number(b, dtype)})
    return c.cast(c.add("floor", {"x": quotient}) if rounding_mode == "floor" else quotient, c.output().dtype)


@rule("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def pow(c, a, b):
    if isinstance(b, (int, float)) and c.output().dtype.is_floating_point:
        wire, dtype = float_of(c, a)
        if b == 2:
            return back(c, c.add("mul", {"a": wire, "b": wire}), dtype)
        return back(c, c.add("pow", {"base": wire}, {"exponent": float(b)}), dtype)
    return arithmetic(c, "pow", a, b)


@rule("maximum", "minimum", "atan2")
def pairwise(c, a, b):
    return arithmetic(c, {"maximum": "max", "minimum": "min", "atan2": "atan2"}[c.fx_node.target._schema.name.partition("::")[2]], a, b)


COMPARED = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


@rule(*(f"{name}.{overload}" for name in COMPARED for overload in ("Tensor", "Scalar")))
def compare(c, a, b):
    operation = COMPARED[c.fx_node.target._schema.name.partition("::")[2]]
    dtype = torch.promote_types(a.dtype, b.dtype) if hasattr(b, "dtype") else a.dtype if not isinstance(b, torch.SymInt) else torch.float64
    if isinstance(b, (int, float)):
        holds = torch.tensor(b, dtype=dtype if dtype != torch.bool else torch.float32).item() == b
        dtype = dtype if holds or math.isnan(b) else torch.float64
    if dtype == torch.bool:
        dtype = torch.float32
    return c.add("compare", {"a": c.wire(a, dtype), "b": c.number(b, dtype)}, {"operation": operation})


def logical_of(c, type, a, b):
    return c.add(type, {"a": c.wire(a, torch.bool), "b": c.wire(b, torch.bool)})


@rule("logical_and", "logical_or", "logical_xor", "bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor", "__and__.Tensor", "__or__.Tensor")
def logical(c, a, b):
    name = c.fx_node.target._schema.name.partition("::")[2].strip("_").replace("bitwise", "logical")
    if c.output().dtype != torch.bool:
        raise Unsupported("bits of whole numbers")
    return logical_of(c, name if name.startswith("logical") else f"logical_{name}", a, b)


@rule("logical_not", "bitwise_not")
def logical_not(c, a):
    if c.output().dtype != torch.bool:
        raise Unsupported("bits of whole numbers")
    return c.add("logical_not", {"a": c.wire(a, torch.bool)})


@rule("isnan", "isinf", "isfinite")
def is_finite(c, x):
    return c.add("is_finite", {"x": float_of(c, x)[0]}, {"what": c.fx_node.target._schema.name.partition("::is")[2]})


@rule("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar", "masked_fill.Scalar", "masked_fill.Tensor")
def where(c, condition, a, b):
    if "masked_fill" in c.fx_node.target._schema.name:  # (x, mask, value)
        condition, a, b = a, b, condition
    out = c.output().dtype
    dtype = out if out.is_floating_point else torch.float64
    return back(c, c.add("where", {"condition": c.wire(condition, torch.bool), "a": c.number(a, dtype), "b": c.number(b, dtype)}), dtype)


@rule("_to_copy", "to.dtype", "to.dtype_layout", "type_as")
def to_copy(c, x, dtype=None, *rest, **kwargs):
    wanted = c.output().dtype
    if x.parameter and x.stored is None and wanted.is_floating_point:
        return type(x)(x.shape, wanted, parameter=x.parameter, turned=x.turned, stored=x.dtype)
    return c.wire(x, wanted)


@rule("clone", "alias", "detach_copy", "lift_fresh_copy", "contiguous", "halfwire::copy")
def same(c, x, *rest, **kwargs):
    return x


@rule("halfwire::stop_gradient", "detach")
def stop_gradient(c, x):
    return c.add("stop_gradient", {"x": c.wire(x)}) if x.dtype.is_floating_point else x


@rule("halfwire::dropout")
def dropout(c, x, p):
    return x if p == 0 else c.add("dropout", {"x": c.wire(x)}, {"p": float(p)})


# Reductions


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


import torch_to_graph.operators_layers  # noqa: E402, F401  the rules of layers
import torch_to_graph.operators_shapes  # noqa: E402, F401  and of shapes
