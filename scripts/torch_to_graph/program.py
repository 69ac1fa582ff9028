"""A module as a functional program of few operators: torch.export, then decomposed to those that `operators` has a rule for."""

import inspect
import operator

import torch

from torch_to_graph.operators import RULES

aten = torch.ops.aten


class ExportError(Exception):
    """torch.export cannot trace the module; says where and why."""


def dynamic_shapes(module, args, kwargs, words):
    """{"x": {0: Dim}} of words such as "x:0=N"."""
    names = [name for name, _ in zip(inspect.signature(module.forward).parameters, args)] + list(kwargs)
    shapes, dims = {name: {} for name in names}, {}
    for word in words:
        place, _, symbol = word.partition("=")
        name, _, axis = place.rpartition(":")
        if name not in shapes or not axis.isdigit() or not symbol.isidentifier():
            raise ValueError(f"--dynamic {word}: expected INPUT:AXIS=SYMBOL; inputs are {', '.join(names)}.")
        dim = dims.setdefault(symbol, torch.export.Dim(symbol))
        shapes[name][int(axis)] = dim
    return {name: shape or None for name, shape in shapes.items()}


def export(module, args, kwargs, dynamic=None):
    """The exported program, with dropout, batch norms and regions without gradient as operators of their own."""
    try:
        exported = torch.export.export(module, args, kwargs, dynamic_shapes=dynamic, strict=False)
    except Exception as error:
        raise ExportError(f"torch.export cannot trace {type(module).__name__}: {_first_lines(error)}") from error
    keep_layers(exported.graph_module)
    table = torch.export.default_decompositions()
    for target in [target for target in table if target in RULES]:
        del table[target]
    try:
        return exported.run_decompositions(table)
    except Exception as error:
        raise ExportError(f"torch.export cannot decompose {type(module).__name__}: {_first_lines(error)}") from error


def _first_lines(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    place = [line.strip() for line in lines if line.strip().startswith("File ") and "/torch/" not in line]
    return " ".join(line.strip() for line in lines[:3]) + (f" ({place[-1]})" if place else "")


def keep_layers(graph_module):
    """Puts the operators above in the place of PyTorch's own, in all regions."""
    graph = graph_module.graph
    ops = torch.ops.halfwire
    for node in list(graph.nodes):
        with graph.inserting_before(node):
            if node.target in (aten.dropout.default, aten.dropout_.default):
                made = graph.call_function(ops.dropout.default, (node.args[0], float(node.args[1])))
                _carry(node, made)
                if node.target is aten.dropout_.default:
                    made = graph.call_function(aten.copy_.default, (node.args[0], made))
                _replace(graph, node, made)
            elif node.target is aten.batch_norm.default:
                x, weight, bias, mean, var, training, momentum, epsilon, _ = node.args
                _replace(graph, node, graph.call_function(ops.batch_norm.default, (x, weight, bias, mean, var, training, float(momentum), float(epsilon))))
            elif node.target in (aten.detach.default, aten.detach_.default):
                _replace(graph, node, graph.call_function(ops.stop_gradient.default, (node.args[0],)))
        if node.target is torch.ops.higher_order.wrap_with_set_grad_enabled and node.args[0] is False:
            for user in [user for user in node.users if user.target is operator.getitem and isinstance(user.meta.get("val"), torch.Tensor)]:
                if not user.meta["val"].is_floating_point():
                    continue
                with graph.inserting_after(user):
                    made = graph.call_function(ops.stop_gradient.default, (user,))
                _carry(user, made)
                user.replace_all_uses_with(made, delete_user_cb=lambda reader, made=made: reader is not made)
    for child in graph_module.children():
        if isinstance(child, torch.fx.GraphModule):
            keep_layers(child)
    graph_module.recompile()


def _carry(old, new):
    new.meta.update({key: old.meta[key] for key in ("val", "nn_module_stack", "stack_trace") if key in old.meta})


def _replace(graph, old, new):
    _carry(old, new)
    old.replace_all_uses_with(new)
    graph.erase_node(old)
