"""The table of rules: which nodes stand for an ATen operator. A rule takes the Converter and the operator's arguments (tensors are Values),
adds nodes, and returns a wire, or several (None where nothing reads one). Beside it what many rules need.

Numbers are rounded where PyTorch rounds them: what it computes in f32 for f16 and bf16 is computed in f32 here, between Casts."""

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


def spans(numbers):
    return [float(n) for n in numbers]


def padding(before, after=None):
    """Two or more axes "before, then after" (top left bottom right); one axis as two numbers."""
    after = before if after is None else after
    return " ".join(str(int(n)) for n in (*before, *after)) if any((*before, *after)) else "valid"


def scaled(c, y, weight, bias, shape=None):
    """y · weight + bias, by tensors of the graph."""
    turned = lambda value: c.wire(value) if shape is None else c.add("reshape", {"x": c.wire(value)}, {"shape": shape})
    y = y if weight is None else c.add("mul", {"a": y, "b": turned(weight)})
    return y if bias is None else c.add("add", {"a": y, "b": turned(bias)})


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
