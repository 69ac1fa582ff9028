"""Rules of attention and of recurrent layers. See rules.py."""

import math

import torch

from torch_to_graph.rules import NARROW, Unsupported, back, joined, rule


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
