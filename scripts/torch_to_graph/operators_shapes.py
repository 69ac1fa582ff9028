"""Rules of what moves elements: views, slices, indices. See rules.py."""

import math

import torch

from torch_to_graph.rules import Unsupported, back, joined, rule, spans


def reshaped(c, wire, was, shape):
    """One symbolic size follows from the others; with more of them axes are flattened, and unflattened by the size that an Input has."""
    sizes = [c.size(size) for size in shape]
    if sizes.count(-1.0) <= 1:
        return c.add("reshape", {"x": wire}, {"shape": sizes})
    same = lambda pairs: next((i for i, (a, b) in enumerate(pairs) if str(a) != str(b)), min(len(was), len(shape)))
    first = same(zip(was, shape))
    last = min(same(zip(was[::-1], shape[::-1])), len(was) - first, len(shape) - first)
    old, new = was[first : len(was) - last], shape[first : len(shape) - last]
    if not old or not new:
        whole = [axis for axis in range(first, first + max(len(old), len(new)))]
        return c.add("unsqueeze" if new else "squeeze", {"x": wire}, {"axes": spans(whole)})
    if len(old) > 1:
        wire = c.add("flatten", {"x": wire}, {"first": first, "last": first + len(old) - 1})
    if len(new) == 1:
        return wire
    sizes, links, params = [c.size(size) for size in new], {"x": wire}, {"axis": first}
    if sizes.count(-1.0) == 2:
        place = next((i for i, size in enumerate(new) if str(size) in c.symbols), None)
        if place is not None:
            links["like"], params["like_axis"] = c.symbols[str(new[place])]
            sizes[place] = 0.0
    if sizes.count(-1.0) > 1:
        raise Unsupported(f"it makes {list(map(str, shape))}, with symbolic sizes that are no axes of an Input; export it with fewer dynamic axes")
    return c.add("unflatten", links, {**params, "sizes": sizes})


@rule("view", "reshape", "_unsafe_view", "flatten.using_ints", "unflatten.int", "view_copy", "_reshape_copy")
def view(c, x, *rest):
    shape = c.output().shape
    if tuple(shape) == tuple(x.shape):
        return x
    return reshaped(c, c.wire(x), tuple(x.shape), tuple(shape))


@rule("unsqueeze")
def unsqueeze(c, x, axis):
    return c.add("unsqueeze", {"x": c.wire(x)}, {"axes": [float(axis % (x.rank + 1))]})


@rule("squeeze.dim", "squeeze.dims", "squeeze")
def squeeze(c, x, axes=None):
    axes = range(x.rank) if axes is None else [axes] if isinstance(axes, int) else axes
    axes = [axis % x.rank for axis in axes if x.rank and isinstance(x.shape[axis], int) and x.shape[axis] == 1]
    return c.add("squeeze", {"x": c.wire(x)}, {"axes": spans(sorted(axes))}) if axes else x


@rule("permute", "transpose.int", "t", "numpy_T", "permute_copy")
def permute(c, x, *how):
    axes = list(range(x.rank))
    name = c.fx_node.target._schema.name.partition("::")[2]
    if name.startswith("permute"):
        axes = [axis % x.rank for axis in how[0]]
    elif name == "transpose":
        a, b = (axis % x.rank for axis in how)
        axes[a], axes[b] = axes[b], axes[a]
    else:
        axes.reverse()
    if axes == list(range(x.rank)):
        return x
    if x.parameter and x.rank == 2 and x.wire is None:
        return type(x)(x.shape[::-1], x.dtype, parameter=x.parameter, turned=not x.turned, stored=x.stored)
    return c.add("transpose", {"x": c.wire(x)}, {"axes": spans(axes)})


@rule("expand", "broadcast_to", "expand_copy")
def expand(c, x, sizes, implicit=False):
    shape = c.output().shape
    if tuple(shape) == tuple(x.shape):
        return x
    return c.stretched(c.wire(x), x.dtype, x.shape, shape)


@rule("copy")
def copy(c, x, source, non_blocking=False):
    wire = c.wire(source, x.dtype)
    return c.stretched(wire, x.dtype, source.shape, x.shape)


@rule("repeat")
def repeat(c, x, repeats):
    if any(not isinstance(n, int) for n in repeats):
        raise Unsupported("it repeats a symbolic number of times; export it with fixed sizes")
    wire = c.wire(x)
    if len(repeats) > x.rank:
        wire = c.add("unsqueeze", {"x": wire}, {"axes": spans(range(len(repeats) - x.rank))})
    return c.add("tile", {"x": wire}, {"repeats": spans(repeats)})


def part(c, wire, axis, begin, end, size, step=1):
    """Every `step`th of elements begin to end - 1 along an axis; all of them: the wire itself."""
    to_end = end is size or end == size
    if begin == 0 and to_end and step == 1:
        return wire
    return c.add("slice", {"x": wire}, {"axis": axis, "begin": begin, "end": 0 if to_end else end, "step": step})


def bounds(begin, end, size):
    """As numbers from 0 to size, as PyTorch cuts them; of a symbolic size from either end, negative from the last."""
    begin = begin or 0
    if isinstance(size, int):
        if not isinstance(begin, int) or not isinstance(size if end is None else end, int):
            raise Unsupported("it is cut at a symbolic size")
        cut = lambda n: max(0, min(size, n + size if n < 0 else n))
        return cut(begin), cut(size if end is None else end)
    if isinstance(end, torch.SymInt):
        beyond = end.node.expr - size.node.expr
        if not beyond.is_number:
            raise Unsupported("a symbolic axis is cut at another symbolic size")
        end = int(beyond) if beyond < 0 else None
    if end is None or end >= 2**62:
        end = size
    if isinstance(begin, int) and (end is size or isinstance(end, int) and end < 0):
        return begin, end
    raise Unsupported("a symbolic axis is cut, which may be shorter")


@rule("slice.Tensor", "slice_copy.Tensor")
def slice_(c, x, axis=0, begin=None, end=None, step=1):
    axis, begin = axis % x.rank, begin or 0
    size, length = x.shape[axis], c.output().shape[axis]
    from_front = isinstance(begin, int) and begin >= 0
    if isinstance(size, int) and isinstance(end, torch.SymInt) and from_front:
        like, like_axis = c.symbol_axis(end)
        return c.add("slice", {"x": c.wire(x), "like": like}, {"axis": axis, "begin": begin, "step": step, "like_axis": like_axis})
    if not isinstance(size, int) and isinstance(length, int) and from_front:
        end = begin + (length - 1) * step + 1  # as long as this whatever the size
    else:
        begin, end = bounds(begin, end, size)
    if length == 0:
        raise Unsupported("it has no elements")
    wire = c.wire(x)
    made = part(c, wire, axis, begin, end, size, step)
    return x if made is wire else made


@rule("select.int", "select_copy.int")
def select(c, x, axis, index):
    if not isinstance(index, int):
        raise Unsupported("its index is a symbolic size")
    axis, size = axis % x.rank, x.shape[axis]
    if not isinstance(size, int) and index < -1:
        raise Unsupported("it counts from the end of a symbolic axis")
    index = index + size if index < 0 and isinstance(size, int) else index
    one = c.add("slice", {"x": c.wire(x)}, {"axis": axis, "begin": index, "end": 0 if index == -1 or index + 1 == size else index + 1})
    return c.add("squeeze", {"x": one}, {"axes": [float(axis)]})


@rule("split.Tensor", "split_with_sizes", "chunk", "unbind.int", "split_with_sizes_copy", "split_copy.Tensor", "unbind_copy.int")
def split(c, x, how=None, axis=0):
    if "unbind" in c.fx_node.target._schema.name:
        axis = how or 0
        return [select(c, x, axis, i) if c.reads(i) else None for i in range(len(c.output()))]
    made, begin = [], 0
    for i, tensor in enumerate(c.output()):
        size = tensor.shape[axis]
        if not isinstance(size, int):
            raise Unsupported("it splits a symbolic axis")
        made.append(part(c, c.wire(x), axis % x.rank, begin, begin + size, x.shape[axis]) if c.reads(i) else None)
        begin += size
    return made


@rule("cat")
def cat(c, tensors, axis=0):
    dtype = c.output().dtype
    tensors = [tensor for tensor in tensors if not (tensor.rank == 1 and tensor.shape[0] == 0)]
    return joined(c, [c.wire(tensor, dtype) for tensor in tensors], axis % len(c.output().shape))


@rule("stack")
def stack(c, tensors, axis=0):
    rank = len(c.output().shape)
    wires = [c.add("unsqueeze", {"x": c.wire(tensor, c.output().dtype)}, {"axes": [float(axis % rank)]}) for tensor in tensors]
    return joined(c, wires, axis % rank)


@rule("slice_scatter", "select_scatter")
def scatter_part(c, x, source, axis=0, begin=None, end=None, step=1):
    """x with a part replaced: what is before it, the part, what is after it."""
    rank, size = x.rank, x.shape[axis]
    wire = c.wire(source, x.dtype)
    if "select" in c.fx_node.target._schema.name:
        begin = begin % size if isinstance(size, int) else begin
        end, step = begin + 1, 1
        wire = c.add("unsqueeze", {"x": wire}, {"axes": [float(axis % rank)]})
    if step != 1 or not isinstance(size, int):
        raise Unsupported("it replaces elements with steps, or of a symbolic axis")
    begin, end = bounds(begin, end, size)
    pieces = [part(c, c.wire(x), axis % rank, 0, begin, size)] if begin else []
    pieces.append(wire)
    if end < size:
        pieces.append(part(c, c.wire(x), axis % rank, end, size, size))
    return joined(c, pieces, axis % rank)


@rule("index_select")
def index_select(c, x, axis, index):
    return c.add("gather", {"x": c.wire(x), "index": c.wire(index)}, {"axis": axis})


@rule("gather")
def gather(c, x, axis, index, sparse_grad=False):
    return c.add("gather_elements", {"x": c.wire(x), "index": c.wire(index)}, {"axis": axis})


@rule("index.Tensor")
def index(c, x, indices):
    """By tensors of whole numbers on axes that stand side by side; of several, rows of the flattened axes."""
    taken = [axis for axis, one in enumerate(indices) if one is not None]
    if any(indices[axis].dtype in (torch.bool, torch.uint8) for axis in taken):
        raise Unsupported("a mask chooses elements, so that their number depends on data")
    if taken != list(range(taken[0], taken[-1] + 1)):
        raise Unsupported("the axes that are indexed do not stand side by side")
    if len(taken) == 1:
        return c.add("gather", {"x": c.wire(x), "index": c.wire(indices[taken[0]])}, {"axis": taken[0]})
    sizes = [x.shape[axis] for axis in taken]
    place = None
    for axis, size in zip(taken, sizes):
        one = indices[axis]
        if one.constant is not None and isinstance(size, int):
            wire = c.constant(torch.where(one.constant < 0, one.constant + size, one.constant).to(torch.float64))
        else:
            wire = c.wire(one, torch.float64)
            negative = c.add("compare", {"a": wire, "b": c.scalar(0.0, torch.float64)}, {"operation": "less"})
            wire = c.add("where", {"condition": negative, "a": c.add("add", {"a": wire, "b": c.number(size, torch.float64)}), "b": wire})
        place = wire if place is None else c.add("add", {"a": c.add("mul", {"a": place, "b": c.number(size, torch.float64)}), "b": wire})
    flat = c.add("flatten", {"x": c.wire(x)}, {"first": taken[0], "last": taken[-1]})
    return c.add("gather", {"x": flat, "index": c.cast(place, torch.int64)}, {"axis": taken[0]})


@rule("constant_pad_nd")
def pad(c, x, sides, value=0.0):
    axes = [x.rank - 1 - i for i in range(len(sides) // 2)]
    before, after = list(sides[0::2]), list(sides[1::2])
    wire = c.wire(x)
    for axis, b, a in zip(axes, before, after):
        size = x.shape[axis]
        if b < 0 or a < 0:
            if not isinstance(size, int):
                raise Unsupported("a symbolic axis is cut")
            wire = part(c, wire, axis, max(0, -b), size + min(0, a), size)
    floating = x.dtype.is_floating_point
    wire = wire if floating else c.cast(wire, torch.float64)
    wire = c.add("pad", {"x": wire}, {"axes": spans(axes), "before": spans(max(0, b) for b in before), "after": spans(max(0, a) for a in after), "value": float(value)})
    return wire if floating else c.cast(wire, x.dtype)


@rule("flip")
def flip(c, x, axes):
    if not axes:
        return x
    return c.add("flip", {"x": c.wire(x)}, {"axes": spans(axis % x.rank for axis in axes)})


@rule("roll")
def roll(c, x, shifts, axes=()):
    if not axes:
        raise Unsupported("it rolls the flattened tensor")
    wire = c.wire(x)
    for shift, axis in zip(shifts, axes):
        size = x.shape[axis]
        if not isinstance(size, int):
            raise Unsupported("it rolls a symbolic axis")
        shift %= size
        if shift:
            wire = joined(c, [part(c, wire, axis % x.rank, size - shift, size, size), part(c, wire, axis % x.rank, 0, size - shift, size)], axis % x.rank)
    return wire


@rule("tril", "triu")
def triangle(c, x, diagonal=0):
    lower = "tril" in c.fx_node.target._schema.name
    dtype = x.dtype if x.dtype.is_floating_point else torch.float64
    return back(c, c.add("triangle", {"x": c.wire(x, dtype)}, {"keep": "lower" if lower else "upper", "diagonal": diagonal}), dtype)


@rule("pixel_shuffle", "pixel_unshuffle")
def pixel_shuffle(c, x, block):
    if x.rank != 4:
        raise Unsupported("its input has no batch axis")
    return c.add("depth_to_space", {"x": c.wire(x)}, {"block": block, "inverse": "un" in c.fx_node.target._schema.name})


@rule("full_like", "zeros_like", "ones_like", "new_zeros", "new_ones", "new_full", "zeros", "ones", "full", "empty_like", "scalar_tensor")
def filled(c, *args, **kwargs):
    name = c.fx_node.target._schema.name.partition("::")[2]
    number = args[1] if name in ("full_like", "full") else args[2] if name == "new_full" else args[0] if name == "scalar_tensor" else float("ones" in name)
    shape, dtype = c.output().shape, c.output().dtype
    if not isinstance(number, (int, float)):
        raise Unsupported("its value is a symbolic size")
    if all(isinstance(size, int) for size in shape):
        value = torch.full(tuple(shape), number, dtype=dtype)
        return args[0].__class__(tuple(shape), dtype, constant=value) if hasattr(args[0], "constant") else c.constant(value)
    one = torch.full([1] * len(shape), number, dtype=dtype)
    return c.stretched(c.constant(one), dtype, one.shape, shape)


@rule("arange", "arange.start", "arange.start_step")
def arange(c, *args, **kwargs):
    begin, end, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    count, dtype = c.output().shape[0], c.output().dtype
    wire, wide = c.symbol_wire(count), torch.int64
    if begin != 0 or step != 1:
        wide = torch.float64
        wire = c.add("mul", {"a": c.cast(wire, wide), "b": c.number(step, wide)})
        wire = c.add("add", {"a": wire, "b": c.number(begin, wide)})
    return back(c, wire, wide, dtype)


@rule("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec", "upsample_bilinear2d.vec", "upsample_linear1d.vec", "upsample_bicubic2d.vec")
def upsample(c, x, size, *rest):
    name = c.fx_node.target._schema.name
    align = rest[0] if len(rest) > 1 else False
    factors = rest[-1]
    out = list(c.output().shape[2:])
    mode = "nearest" if "nearest" in name else "cubic" if "cubic" in name else "linear"
    if factors is None or align:  # the scale of coordinates is the quotient of sizes
        if any(not isinstance(n, int) for n in out):
            raise Unsupported("a size that is symbolic")
        how = {"size": spans(out)}
    elif any(isinstance(n, int) and n != math.floor(f * size) for n, f, size in zip(out, factors, x.shape[2:])):
        raise Unsupported("a size that is not its scale's")
    else:
        how = {"scale": spans(factors)}
    if mode == "nearest":
        how |= {"coordinates": "asymmetric", "rounding": "floor"}
    else:
        how |= {"coordinates": "align_corners" if align else "half_pixel"}
    return c.add("resize", {"x": c.wire(x)}, {**how, "mode": mode})


@rule("grid_sampler", "grid_sampler_2d")
def grid_sample(c, x, grid, mode, pad, align):
    if mode > 1 or x.rank != 4:
        raise Unsupported("cubic, or of three axes")
    return c.add("grid_sample", {"x": c.wire(x), "grid": c.wire(grid)}, {"mode": ("bilinear", "nearest")[mode], "padding": ("zeros", "border", "reflection")[pad], "align_corners": align})


@rule("one_hot")
def one_hot(c, x, classes=-1):
    if classes < 0:
        raise Unsupported("the number of classes depends on data")
    return c.cast(c.add("one_hot", {"index": c.wire(x)}, {"classes": classes, "dtype": "f32"}), torch.int64)
