"""Rules of pools. See rules.py."""

import torch

from torch_to_graph.rules import Unsupported, padding, rule, spans


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
