"""A functional program of ATen operators as nodes and wires. What no rule knows becomes a placeholder that names operator and place."""

import operator
from dataclasses import dataclass, field

import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree as pytree

from torch_to_graph.operators import IGNORED, RULES, Unsupported

aten = torch.ops.aten
DTYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.float8_e4m3fn: "f8e4m3",
          torch.float8_e5m2: "f8e5m2", torch.int8: "i8", torch.uint8: "u8", torch.int32: "i32", torch.int64: "i64", torch.bool: "bool"}
SEEN_THROUGH = {aten._to_copy.default, aten.permute.default, aten.t.default, aten.transpose.int}
MOST_INLINE = 1024  # elements of a constant that are written into the graph; a larger one is a frozen Parameter


@dataclass
class Node:
    type: str
    params: dict
    links: dict  # socket: (node, socket)
    scope: tuple = ()  # of modules, outermost first: ("layers.0@1", "Block")
    weights: dict = field(default_factory=dict)  # weight: name of a tensor, with "^T" where it is its transpose
    id: str = ""
    name: str = ""
    label: str = ""
    frozen: bool = False
    tie: "Node | None" = None


@dataclass
class Value:
    """A tensor of the program: a wire, a constant, or a parameter that no node has read yet."""
    shape: tuple
    dtype: torch.dtype
    wire: tuple | None = None
    constant: torch.Tensor | None = None
    parameter: str | None = None
    turned: bool = False  # the parameter's transpose
    stored: torch.dtype | None = None  # the parameter's dtype, where this is a Cast of it
    scope: tuple | None = None  # of the modules where a constant is made

    @property
    def rank(self):
        return len(self.shape)


class Converter:
    def __init__(self, exported, notes=(), named_axes=()):
        exported.graph.eliminate_dead_code()
        self.exported = exported
        self.signature = exported.graph_signature
        self.state = {**exported.constants, **exported.state_dict}
        self.nodes, self.missing, self.notes = [], [], list(notes)
        self.values = {}  # fx node: Value, or a list of these
        self.parameters = {}  # name: wire of its Parameter
        self.layers = {}  # names of weights: the first node that has them
        self.named_axes = iter(named_axes)
        self.symbol_names = {}  # symbol of the program: as its Dim is called
        self.symbols = {}  # symbol: (wire, axis) of an Input that has it
        self.constants_made = {}  # name of a tensor that is no parameter: its values
        self.scope, self.fx_node = (), None
        first = {}
        self.names = {name: first.setdefault(id(tensor), name) for name, tensor in self.state.items()}  # of a tensor with two names the first
        self.saved_as = {}  # name: dtype of a tensor that the file holds in another one
        self.readers = self.count_readers()

    # The program

    def run(self):
        for node in self.exported.graph.nodes:
            self.fx_node = node
            self.scope = scope_of(node)
            if node.op == "placeholder":
                self.values[node] = self.placeholder(node)
            elif node.op == "get_attr":
                self.values[node] = self.attribute(node)
            elif node.op == "call_function":
                self.values[node] = self.call(node)
            elif node.op == "output":
                self.scope = ()
                self.outputs(node)
        self.prune()
        read = {name.removesuffix("^T") for name in self.tensor_names()}
        unused = [name for name in self.signature.parameters if self.names[name] not in read]
        if any(name in self.constants_made for name in read):
            held = [name for name in self.constants_made if name in read]
            self.notes.append(f"{', '.join(held)}: constants of the graph, in its weights; a checkpoint of the module has none of them")
        if unused:
            self.notes.append(f"parameters that nothing reads are left out: {', '.join(unused)}")
        return self

    def prune(self):
        """Takes away what no Output waits for."""
        waiting = [node for node in self.nodes if node.type in ("input", "output") or node.type.startswith("torch:")]
        kept = set()
        while waiting:
            node = waiting.pop()
            if id(node) not in kept:
                kept.add(id(node))
                waiting += [wire[0] for wire in node.links.values()] + ([node.tie] if node.tie else [])
        self.nodes = [node for node in self.nodes if id(node) in kept]

    def tensor_names(self):
        return sorted({name for node in self.nodes if node.tie is None for name in node.weights.values()})

    def tensors(self):
        """What the file of weights holds, by name."""
        found = {}
        for name in self.tensor_names():
            name = name.removesuffix("^T")
            value = self.constants_made[name] if name in self.constants_made else self.state[name]
            found[name] = value.detach().cpu().to(self.saved_as.get(name, value.dtype)).contiguous().clone()
        return found

    def summary(self):
        groups = {tuple(path for path, _ in node.scope[: i + 1]) for node in self.nodes for i in range(len(node.scope))}
        held = self.tensors()
        count = sum(self.state[name].numel() for name in {*self.signature.parameters} if name in held)
        return f"{len(self.nodes)} nodes of {len(groups)} modules, {count} parameters, {len(self.missing)} operators missing"

    def count_readers(self):
        """{parameter: how it is read}: by which operator, with which other parameters, each of them cast or turned how. A layer that is used twice
        reads its parameters in one way; a table that is the weight of another layer, too, is read in two."""
        names = {**self.signature.inputs_to_parameters, **self.signature.inputs_to_buffers}
        readers = {}

        def source(arg):
            path = []
            while is_fx(arg) and arg.op == "call_function" and arg.target in SEEN_THROUGH and is_fx(arg.args[0]):
                path.append(f"{arg.target}{arg.args[1:]}{arg.kwargs}")
                arg = arg.args[0]
            return (self.names[names[arg.name]], *path) if is_fx(arg) and arg.op == "placeholder" and arg.name in names else None

        for node in self.exported.graph.nodes:
            if node.op == "call_function" and node.target not in SEEN_THROUGH or node.op == "output":
                read = tuple(source(arg) for arg in pytree.tree_leaves((node.args, node.kwargs)))
                for one in read:
                    if one:
                        readers.setdefault(one[0], set()).add((str(node.target), read))
        return readers

    def placeholder(self, node):
        spec = next(spec for spec in self.signature.input_specs if getattr(spec.arg, "name", None) == node.name)
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            return value
        if spec.kind == InputKind.PARAMETER:
            return Value(tuple(value.shape), value.dtype, parameter=self.names[spec.target])
        if spec.kind == InputKind.CONSTANT_TENSOR and (name := self.parameter_at(self.state[spec.target])):
            return Value(tuple(value.shape), value.dtype, parameter=name)
        if spec.kind in (InputKind.BUFFER, InputKind.CONSTANT_TENSOR):
            return Value(tuple(value.shape), value.dtype, constant=self.state[spec.target].detach(), parameter=None)
        return self.input(node, value)

    def parameter_at(self, tensor):
        """The parameter whose values a constant of the program is: one that the module reads out of a list of its own. None: it is none."""
        at = lambda t: (t.data_ptr(), t.shape, t.stride(), t.dtype)
        return next((self.names[name] for name in self.signature.parameters if tensor.numel() and at(self.state[name]) == at(tensor)), None)

    def attribute(self, node):
        """A constant of the program; a part of it that an operator runs is no tensor."""
        value = self.exported.graph_module
        for name in node.target.split("."):
            value = getattr(value, name)
        return Value(tuple(value.shape), value.dtype, constant=value.detach(), scope=self.scope) if isinstance(value, torch.Tensor) else None

    def input(self, node, value):
        shape, axes, symbolic = [], [], []
        named = next(self.named_axes, {})
        for axis, size in enumerate(value.shape):
            symbol = None if isinstance(size, int) else str(size)
            if symbol and not symbol.isidentifier():
                raise ValueError(f"the size of axis {axis} of {node.name} is {symbol}: only sizes that are one symbol are known.")
            if symbol:
                symbol = self.symbol_names.setdefault(symbol, named.get(axis, symbol))
            shape.append(float(size if symbol is None else size.node.hint))
            axes.append(symbol or f"axis_{axis}")
            if symbol and symbol not in symbolic:
                symbolic.append(symbol)
        names = " ".join(axes) if symbolic else ""
        params = {"axes": names, "dtype": self.dtype(value.dtype), "shape": shape, "symbolic": " ".join(symbolic)}
        if not value.dtype.is_floating_point:
            params["example"] = "ones" if value.dtype == torch.bool else "zeros"
        wire = self.add("input", {}, params, id=node.name, name=node.name)
        for axis, size in enumerate(value.shape):
            if not isinstance(size, int):
                self.symbols.setdefault(str(size), (wire, axis))
        return Value(tuple(value.shape), value.dtype, wire=wire)

    def outputs(self, node):
        spec = self.exported.module_call_graph[0].signature.out_spec
        counted = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
        paths, _ = pytree.tree_flatten_with_path(counted)
        names = {number: "_".join(str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", "")))) for key in path) for path, number in paths}
        number = 0
        for spec, arg in zip(self.signature.output_specs, node.args[0]):
            if spec.kind != OutputKind.USER_OUTPUT:
                if not str(spec.target).endswith("num_batches_tracked"):
                    self.notes.append(f"{spec.target} is written by the module; the graph reads what it held, and leaves it")
                continue
            name = names.get(number, "")
            name = name if name and not name[0].isdigit() else "y" + ("_" + name if name and len(names) > 1 else "")
            number += 1
            value = self.values.get(arg) if isinstance(arg, torch.fx.Node) else None
            if not isinstance(value, Value):
                self.notes.append(f"output {name} is no tensor ({arg}); it has no Output")
                continue
            try:
                self.add("output", {"x": self.wire(value)}, {}, id=name, name=name)
            except Unsupported as reason:
                self.missing.append(f"output {name}: {reason}")

    def call(self, node):
        if node.target is operator.getitem:
            made = self.values[node.args[0]]
            return made[node.args[1]]
        if node.target in IGNORED or not isinstance(node.target, torch._ops.OpOverload) and node.meta.get("val") is None:
            return None
        given = [value for value in pytree.tree_leaves(pytree.tree_map(self.resolve, (node.args, node.kwargs), is_leaf=is_fx)) if isinstance(value, Value)]
        meta = node.meta.get("val")
        if not isinstance(meta, (torch.Tensor, list, tuple)):
            return meta  # a size
        try:
            args, kwargs = pytree.tree_map(self.resolve, (node.args, node.kwargs), is_leaf=is_fx)
            folded = self.fold(node, args, kwargs, given)
            if folded is not None:
                return folded
            if node.target not in RULES:
                raise Unsupported("Halfwire has no operator for it")
            if given and given[0].rank == 0 and any(argument.name == "dim" for argument in node.target._schema.arguments):
                raise Unsupported("along an axis of a scalar")
            made = RULES[node.target](self, *args, **kwargs)
            return self.checked(node, made)
        except Unsupported as reason:
            return self.missing_operator(node, given, str(reason))
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            return self.missing_operator(node, given, f"its rule does not know these arguments ({type(error).__name__}: {error})")

    def resolve(self, arg):
        return self.values[arg] if is_fx(arg) else arg

    def fold(self, node, args, kwargs, given):
        """What depends on constants alone is computed; None: it does not, or draws random numbers."""
        target = node.target
        if any(value.constant is None for value in given) or not isinstance(target, torch._ops.OpOverload):
            return None
        if target.namespace == "halfwire" or torch.Tag.nondeterministic_seeded in target.tags:
            return None
        sizes = pytree.tree_leaves((args, kwargs))
        if any(isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)) for size in sizes):
            return None
        plain = pytree.tree_map(lambda value: value.constant if isinstance(value, Value) else value, (args, kwargs), is_leaf=lambda v: isinstance(v, Value))
        try:
            with torch.no_grad():
                made = target(*plain[0], **plain[1])
        except RuntimeError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        as_value = lambda tensor: Value(tuple(tensor.shape), tensor.dtype, constant=tensor, scope=self.scope) if isinstance(tensor, torch.Tensor) else tensor
        return as_value(made) if isinstance(made, torch.Tensor) else [as_value(tensor) for tensor in made]

    def checked(self, node, made):
        """The values of what a rule made, with the sizes and dtypes that PyTorch gives them."""
        meta = node.meta["val"]
        if isinstance(made, Value) or made is None:
            return made
        if isinstance(meta, torch.Tensor):
            return Value(tuple(meta.shape), meta.dtype, wire=made)
        values = [None if wire is None else wire if isinstance(wire, Value) else Value(tuple(t.shape), t.dtype, wire=wire) for wire, t in zip(made, meta)]
        return values

    def missing_operator(self, node, given, reason):
        target = str(node.target)
        module = ".".join(path for path, _ in self.scope[-1:]) or "the module itself"
        place = source_line(node)
        self.missing.append(f"{target} in {module}: {reason}{f'; {place}' if place else ''}")
        links = {}
        for i, value in enumerate(given):
            try:
                links[f"input_{i}"] = self.wire(value)
            except Unsupported:  # a constant of a dtype that no node has: the reason says enough
                pass
        wire = self.add(f"torch:{target}", links, {"reason": f"{reason}; {place}" if place else reason}, label=target)
        meta = node.meta["val"]
        if isinstance(meta, torch.Tensor):
            return Value(tuple(meta.shape), meta.dtype, wire=(wire[0], "output_0"))
        return [Value(tuple(t.shape), t.dtype, wire=(wire[0], f"output_{i}")) if isinstance(t, torch.Tensor) else t for i, t in enumerate(meta)]

    # For the rules

    def output(self, index=None):
        """The tensor that the operator makes: its sizes and dtype."""
        meta = self.fx_node.meta["val"]
        return meta if index is None else meta[index]

    def reads(self, index):
        """Whether result `index` of the operator is read."""
        return any(user.target is operator.getitem and user.args[1] == index for user in self.fx_node.users)

    def dtype(self, dtype):
        if dtype not in DTYPES:
            raise Unsupported(f"Halfwire has no {str(dtype).removeprefix('torch.')}")
        return DTYPES[dtype]

    def add(self, type, links, params=None, output="y", scope=None, **more):
        params = {key: value for key, value in (params or {}).items() if value is not None}
        node = Node(type, params, links, self.scope if scope is None else scope, **more)
        if type in ("input", "output"):
            node.scope = ()
        self.nodes.append(node)
        return (node, output)

    def wire(self, value, dtype=None):
        """The wire of a value, in `dtype` where that is given."""
        if not isinstance(value, Value):
            raise Unsupported(f"{value} is computed of a symbolic size; export it with fixed sizes")
        if value.wire is None:
            if value.constant is not None:
                here, self.scope = self.scope, common(self.scope, self.scope if value.scope is None else value.scope)
                made = self.constant(value.constant if dtype is None else value.constant.to(dtype))
                self.scope = here
                return made
            value.wire = self.parameter(value.parameter, value.turned)
            if value.stored is not None:
                value.wire = self.cast(value.wire, value.dtype)
        return value.wire if dtype in (None, value.dtype) else self.cast(value.wire, dtype)

    def cast(self, wire, dtype):
        return self.add("cast", {"x": wire}, {"to": self.dtype(dtype)})

    def parameter(self, name, turned=False):
        if name not in self.parameters:
            tensor = self.state[name]
            scope = owner_scope(self.scope, name)
            self.parameters[name] = self.add("parameter", {}, {"shape": floats(tensor.shape), "trainable": tensor.requires_grad and tensor.is_floating_point(),
                                             "dtype": self.dtype(tensor.dtype)}, scope=scope, weights={"value": name})
        wire = self.parameters[name]
        return self.add("transpose", {"x": wire}) if turned else wire

    def constant(self, tensor):
        dtype = self.dtype(tensor.dtype)
        floating = tensor.is_floating_point()
        if tensor.numel() == 0:
            raise Unsupported("a constant without elements")
        finite = bool(torch.isfinite(tensor).all()) if floating else True
        first = tensor.reshape(-1)[0].item()
        if floating and finite and bool((tensor == first).all()):
            return self.add("constant", {}, {"value": first, "shape": floats(tensor.shape), "dtype": dtype})
        if finite and tensor.numel() <= MOST_INLINE:
            values = [float(v) for v in tensor.reshape(-1).tolist()]
            wire = self.add("tensor_constant", {}, {"values": values, "shape": floats(tensor.shape), "dtype": dtype})
            return wire if tensor.dim() else self.add("reshape", {"x": wire}, {"shape": []})
        held = tensor if floating else tensor.to(torch.float64 if tensor.numel() and int(tensor.abs().max() if tensor.dtype != torch.bool else 1) > 2**24 else torch.float32)
        name = next((n for n, t in self.state.items() if not t.requires_grad and t.dtype == held.dtype and t.shape == held.shape and torch.equal(t, held)), None)
        name = name or next((n for n, t in self.constants_made.items() if t.dtype == held.dtype and t.shape == held.shape and torch.equal(t, held)), None)
        if name is None:
            name = f"constant_{len(self.constants_made)}"
            self.constants_made[name] = held
        wire = self.add("parameter", {}, {"shape": floats(held.shape), "trainable": False, "dtype": self.dtype(held.dtype)}, weights={"value": name})
        return wire if floating else self.cast(wire, tensor.dtype)

    def scalar(self, number, dtype):
        return self.constant(torch.tensor(number, dtype=dtype))

    def owns(self, weights):
        """Whether one layer may have these weights: nothing reads them otherwise, and all train or none."""
        if any(len(self.readers.get(value.parameter, ())) > 1 for value in weights.values()):
            return False
        trained = {self.state[value.parameter].requires_grad for value in weights.values() if value.parameter in self.signature.parameters}
        return len(trained) < 2

    def layer(self, type, links, params, weights, output="y"):
        """A node with weights; where another one has them, it is tied to that. None: see owns()."""
        if not self.owns(weights):
            return None
        names = {key: value.parameter + ("^T" if value.turned else "") for key, value in weights.items()}
        node, socket = self.add(type, links, params, output, weights=names, frozen=not self.trains(weights))
        key = (type, *sorted(names.items()))
        node.tie = self.layers.get(key)
        self.layers.setdefault(key, node)
        return (node, socket)

    def size_wire(self, size, dtype):
        """A symbolic size as a number of the graph: a sum of multiples of Inputs' sizes."""
        made = None
        for term, factor in size.node.expr.as_coefficients_dict().items():
            wire = self.scalar(float(factor), dtype)
            if term != 1:
                last = self.add("reduce_max", {"x": self.cast(self.symbol_wire(term), dtype)}, {"axes": [0.0]}, scope=())
                count = self.add("add", {"a": last, "b": self.scalar(1.0, dtype)})
                wire = count if factor == 1 else self.add("mul", {"a": count, "b": wire})
            made = wire if made is None else self.add("add", {"a": made, "b": wire})
        return made

    def number(self, value, dtype):
        """The wire of a tensor, of a Python number or of a symbolic size."""
        if isinstance(value, torch.SymInt):
            return self.size_wire(value, dtype)
        return self.scalar(value, dtype) if isinstance(value, (int, float)) else self.wire(value, dtype)

    def trains(self, weights):
        """Whether parameters are trained; one that is frozen beside one that is not is both."""
        return any(self.state[value.parameter].requires_grad for value in weights.values())

    def buffer_of(self, node):
        return self.names.get(self.signature.inputs_to_buffers.get(getattr(node, "name", "")))

    def stretched(self, wire, dtype, shape, wanted):
        """A wire of `shape` broadcast to the sizes `wanted`, symbolic ones by adding zeros of that size."""
        front = len(wanted) - len(shape)
        kept = [axis >= front and str(shape[axis - front]) == str(size) for axis, size in enumerate(wanted)]
        symbolic = [axis for axis, size in enumerate(wanted) if not kept[axis] and not isinstance(size, int)]
        if symbolic:
            wide = dtype if dtype.is_floating_point else torch.float64
            wire = wire if wide == dtype else self.cast(wire, wide)
            for axis in symbolic:
                zeros = self.add("mul", {"a": self.cast(self.symbol_wire(wanted[axis]), wide), "b": self.scalar(0.0, wide)})
                zeros = self.add("reshape", {"x": zeros}, {"shape": [-1.0] + [1.0] * (len(wanted) - axis - 1)})
                wire = self.add("add", {"a": wire, "b": zeros})
                kept[axis] = True
            wire = wire if wide == dtype else self.cast(wire, dtype)
        if all(kept):
            return wire
        return self.add("expand", {"x": wire}, {"shape": [-1.0 if kept[axis] else float(size) for axis, size in enumerate(wanted)]})

    def size(self, size):
        """-1 of a symbolic one."""
        return float(size) if isinstance(size, int) else -1.0

    def symbol_axis(self, size):
        """A wire and the axis of it that has a symbolic size."""
        if str(size) not in self.symbols:
            raise Unsupported(f"the size {size} is no axis of an Input; export it with a fixed size")
        return self.symbols[str(size)]

    def symbol_wire(self, size):
        """The whole numbers 0 to `size` - 1, of a symbolic size."""
        wire, axis = self.symbol_axis(size)
        return self.add("indices", {"x": wire}, {"axis": axis}, scope=())


def is_fx(arg):
    return isinstance(arg, torch.fx.Node)


def floats(sizes):
    if any(not isinstance(size, int) for size in sizes):
        raise Unsupported(f"a symbolic size in {list(sizes)}; export it with fixed sizes")
    return [float(size) for size in sizes]


def scope_of(node):
    """((path, class), ...) of the modules that a node is in, without the outermost."""
    stack = node.meta.get("nn_module_stack") or {}
    scope = []
    for key, (path, kind) in stack.items():
        call = key.rpartition("@")[2] if "@" in key else ""
        kind = kind if isinstance(kind, str) else kind.__name__
        if path:
            scope.append((path.split("@")[0] + (f"@{call}" if call else ""), kind.rpartition(".")[2]))
    return tuple(scope)


def common(a, b):
    """The modules that two scopes have in common."""
    return tuple(one for one, other in zip(a, b) if one == other)


def owner_scope(scope, name):
    """The modules around a parameter: those of `scope` whose path its name begins with."""
    return tuple((path, kind) for path, kind in scope if name.startswith(path.split("@")[0] + "."))


def source_line(node):
    """The line of the model's own code that called the operator; else of a library's."""
    lines = [line.strip() for line in (node.meta.get("stack_trace") or "").splitlines() if line.strip().startswith("File ")]
    own = [line for line in lines if "site-packages" not in line and "<eval_with_key>" not in line] or lines
    return own[-1] if own else ""
