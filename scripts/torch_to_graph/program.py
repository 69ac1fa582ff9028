"""A module as a functional program of few operators: torch.export, then decomposed to those that `operators` has a rule for."""

import inspect

import torch

from torch_to_graph.operators import RULES, Unsupported  # noqa: F401

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
        given = kwargs[name] if name in kwargs else args[names.index(name)]
        if isinstance(given, torch.Tensor) and int(axis) >= given.dim():
            raise ValueError(f"--dynamic {word}: {name} has {given.dim()} axes, counted from 0.")
        if int(axis) in shapes[name]:
            raise ValueError(f"--dynamic {word}: axis {axis} of {name} has a symbol already.")
        dim = dims.setdefault(symbol, torch.export.Dim(symbol))
        shapes[name][int(axis)] = dim
    return {name: shape or None for name, shape in shapes.items()}


def named_axes(module, args, kwargs, dynamic):
    """{axis: name} of the axes that have one, for each input tensor in the program's order."""
    given = inspect.signature(module.forward).bind(*args, **kwargs).arguments
    found = []

    def walk(value, shape):
        if isinstance(value, torch.Tensor):
            axes = dict(enumerate(shape)) if isinstance(shape, (tuple, list)) else shape or {}
            found.append({axis: dim.__name__ for axis, dim in axes.items() if hasattr(dim, "__name__")})
        elif isinstance(value, (tuple, list)):
            for i, one in enumerate(value):
                walk(one, shape[i] if shape else None)
        elif isinstance(value, dict):
            for key, one in value.items():
                walk(one, shape.get(key) if shape else None)

    for i, (name, value) in enumerate(given.items()):
        walk(value, (dynamic.get(name) if isinstance(dynamic, dict) else dynamic[i] if i < len(dynamic) else None) if dynamic else None)
    return found


def export(module, args, kwargs, dynamic=None):
    """The exported program, with dropout, batch norms and regions without gradient as operators of their own; and what has to be said of it."""
    try:
        exported = torch.export.export(module, args, kwargs, dynamic_shapes=dynamic, strict=False)
    except Exception as error:
        raise ExportError(f"torch.export cannot trace {type(module).__name__}: {_first_lines(error)}") from error
    inline_regions(exported.graph_module)
    notes = keep_layers(exported.graph_module.graph, module.training)
    exported.graph_module.recompile()
    table = torch.export.default_decompositions()
    for target in [target for target in table if target in RULES]:
        del table[target]
    try:
        return exported.run_decompositions(table), notes
    except Exception as error:
        raise ExportError(f"torch.export cannot decompose {type(module).__name__}: {_first_lines(error)}") from error


def _first_lines(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    place = [line.strip() for line in lines if line.strip().startswith("File ") and "/torch/" not in line]
    return " ".join(line.strip() for line in lines[:3]) + (f" ({place[-1]})" if place else "")


def inline_regions(graph_module):
    """Regions of autocast and without gradient as plain nodes, which keep their modules: between an enter and an exit of autocast; with a
    stop_gradient behind what leaves a region without gradient."""
    graph, modes = graph_module.graph, torch.amp.autocast_mode
    for node in list(graph.nodes):
        if node.target not in (torch.ops.higher_order.wrap_with_autocast, torch.ops.higher_order.wrap_with_set_grad_enabled):
            continue
        is_autocast = node.target is torch.ops.higher_order.wrap_with_autocast
        settings, inner, operands = (node.args[:4], *_rest(node.args, 4)) if is_autocast else (node.args[:1], *_rest(node.args, 1))
        child = graph_module.get_submodule(inner.target)
        inline_regions(child)
        places = dict(zip((n for n in child.graph.nodes if n.op == "placeholder"), operands))
        with graph.inserting_before(node):
            entered = graph.call_function(modes._enter_autocast, settings) if is_autocast else None
            for one in child.graph.nodes:
                if one.op == "call_function":
                    places[one] = graph.node_copy(one, places.__getitem__)
                elif one.op == "output":
                    results = [places[value] if isinstance(value, torch.fx.Node) else value for value in one.args[0]]
            if is_autocast:
                graph.call_function(modes._exit_autocast, (entered,))
        for user in list(node.users):
            result = results[user.args[1]]
            if not is_autocast and settings[0] is False and result.meta["val"].is_floating_point():
                with graph.inserting_before(user):
                    made = graph.call_function(torch.ops.halfwire.stop_gradient.default, (result,))
                _carry(result, made)
                result = made
            user.replace_all_uses_with(result)
            graph.erase_node(user)
        graph.erase_node(node)
        if not inner.users:
            graph.erase_node(inner)


def _rest(args, count):
    return args[count], args[count + 1 :]


def keep_layers(graph, training):
    """Puts the operators above in the place of PyTorch's own. `training`: the module's mode. Returns what has to be said."""
    ops, notes = torch.ops.halfwire, []
    for node in list(graph.nodes):
        place = str(next(reversed((node.meta.get("nn_module_stack") or {"": ("",)}).values()))[0]) or "the module itself"
        with graph.inserting_before(node):
            if node.target in (aten.dropout.default, aten.dropout_.default):
                x, p, on = node.args
                if on and not training:
                    notes.append(f"{place}: dropout that PyTorch applies in evaluation mode, too, is applied in training alone")
                made = graph.call_function(ops.dropout.default, (x, float(p) if on or not training else 0.0))
                _carry(node, made)
                if node.target is aten.dropout_.default:
                    made = graph.call_function(aten.copy_.default, (x, made))
                _replace(graph, node, made)
            elif node.target is aten.batch_norm.default:
                x, weight, bias, mean, var, on, momentum, epsilon, _ = node.args
                made = graph.call_function(ops.batch_norm.default, (x, weight, bias, mean, var, on or not training, float(momentum), float(epsilon)))
                _replace(graph, node, made)
            elif node.target in (aten.detach.default, aten.detach_.default):
                _replace(graph, node, graph.call_function(ops.stop_gradient.default, (node.args[0],)))
    return notes


def _carry(old, new):
    new.meta.update({key: old.meta[key] for key in ("val", "nn_module_stack", "stack_trace") if key in old.meta})


def _replace(graph, old, new):
    _carry(old, new)
    old.replace_all_uses_with(new)
    graph.erase_node(old)
