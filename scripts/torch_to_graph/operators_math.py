"""Rules of what goes element by element. See rules.py."""

import math

import torch

from torch_to_graph.rules import NARROW, Unsupported, aten, back, computing, float_of, rule


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
    if slope >= 0:
        return c.add("leaky_relu", {"x": c.wire(x)}, {"negative_slope": float(slope)})
    wire, dtype = computing(c, x)
    zero = c.scalar(0.0, dtype)
    below = c.add("mul", {"a": c.add("min", {"a": wire, "b": zero}), "b": c.scalar(float(slope), dtype)})
    return back(c, c.add("add", {"a": c.add("max", {"a": wire, "b": zero}), "b": below}), dtype)


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
    wire, dtype = float_of(c, x)
    soft = c.add("softplus", {"x": wire}, {"beta": float(beta)})
    if threshold >= 20 and beta > 0:  # what lies above differs by less than rounding
        return back(c, soft, dtype)
    above = c.add("compare", {"a": wire, "b": c.scalar(threshold / beta, dtype)}, {"operation": "greater" if beta > 0 else "less"})
    return back(c, c.add("where", {"condition": above, "a": wire, "b": soft}), dtype)


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
    """An operator on tensors and numbers, in the dtype of the result. A number that an f16 or bf16 cannot hold is not rounded to one first."""
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
    if name == "rsub":
        a, b, name = b, a, "sub"
    if alpha != 1:
        b = b * alpha if isinstance(b, (int, float)) else times(c, b, alpha)
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
    whole = [torch.iinfo(d) for d in (x.dtype, wanted) if not d.is_floating_point and not d.is_complex and d != torch.bool]
    if len(whole) == 2 and (whole[1].min > whole[0].min or whole[1].max < whole[0].max):
        c.notes.append(f"{str(x.dtype)[6:]} to {str(wanted)[6:]}: numbers beyond its range become its ends, where PyTorch takes them modulo")
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
