"""The ONNX operators that differential_models.py draws: OPERATORS lists weight, first opset, names and a function of each kind.

A function takes a Draw and an operator's name and gives its inputs, its attributes and, unless it is one output, how many or their
names. It need not be right every time: what ONNX Runtime refuses is drawn anew. Names that begin with k hold values that stay as they
are when a search for other inputs begins: whole numbers, and floats whose range or ties matter.

Left out, as ONNX Runtime itself does not do what ONNX says: SAME of a pool with dilations, whose padding it takes of the window without
them; SAME of a ConvTranspose whose stride is larger than its window, whose output it makes too small, and of an AveragePool with such a
stride, which it lets begin inside; Shrink of f64, which it computes in f32, and the tanh of a Gelu of f64, whose constants it rounds to
f32; LRN of computed wires: its running sum over the channels loses the digits of what follows a large element, and stays NaN behind a
NaN.
"""

import zlib

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

F32, F64, F16, I64, I32, U8, I8, BOOL = map(np.dtype, ("f4", "f8", "f2", "i8", "i4", "u1", "i1", "?"))
FLOATS = [F32] * 18 + [F64, F16]
NUMBERS = FLOATS + [I32, I64]
ANY = NUMBERS + [BOOL, U8, I8]

# Whole numbers stay below this, and so do their products within 31 bits: ONNX leaves open what an overflow gives, and Halfwire
# computes whole numbers in f64, which holds them to 2^53 only.
LARGEST_WHOLE = 10000
LARGEST_FLOAT = 100000  # of f16, 65504 is the end
WORLDS = 2  # how many times a model is computed with its roundings otherwise
SAFETY = 4  # what is allowed, as a multiple of the largest change that was seen in these
LIMITS = {F64: 1e-9, F32: 2e-4, F16: 6e-2}  # of a result's largest value; where SAFETY would allow more, a model is drawn anew

# What these give is exact: they move, select, compare or count.
EXACT = set(
    "Abs Neg Floor Ceil Round Sign Relu Identity IsNaN IsInf Max Min And Or Xor Not Equal Less Greater LessOrEqual GreaterOrEqual Where "
    "Clip Trilu ReduceMax ReduceMin ArgMax ArgMin TopK Reshape Flatten Transpose Squeeze Unsqueeze Expand Tile Slice "
    "Gather GatherElements GatherND Concat Split Pad DepthToSpace SpaceToDepth Shape Size OneHot Dropout ConstantOfShape EyeLike Range "
    "MaxPool GlobalMaxPool Hardmax Mod Constant ThresholdedRelu Cast CastLike QuantizeLinear".split()
)
# An implementation of these may be a few units in the last place off, and, where they end flat, one of the largest result's.
FUNCTIONS = set(
    "Exp Log Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Sigmoid Softplus Elu Selu Celu Mish Gelu Swish Pow LRN Softmax "
    "LogSoftmax ReduceLogSum ReduceLogSumExp GridSample Resize HardSwish LSTM GRU Attention SoftmaxCrossEntropyLoss "
    "ReduceProd".split()
)


def terms(op, inputs, outputs):
    """How many terms the longest sum of an operator has."""
    x = inputs[0]
    if op in ("MatMul", "Gemm", "Attention", "Softmax", "LogSoftmax"):
        return max(x.shape, default=1)
    if op == "Conv":
        return inputs[1][0].size
    if op == "ConvTranspose":
        return inputs[1][:, 0].size
    if op in ("LSTM", "GRU"):
        return x.shape[0] * (x.shape[2] + inputs[2].shape[2])
    if op.endswith("Normalization") and op != "BatchNormalization":
        return x.size
    if op == "Einsum":
        return max(a.size for a in inputs)
    if op in ("CumSum", "Sum", "Mean", "ScatterND"):
        return max(max(x.shape, default=1), len(inputs))
    if op.startswith(("Reduce", "Global")) or op.endswith(("Loss", "Pool")):
        return max(1, x.size // max(1, outputs[0].size))
    return 1


def roundings(op, inputs, outputs):
    """How many units in the last place the result of an operator may be off, and its inputs seem to be.

    A sum of n terms is off by the root of n: the order of its additions is free, their errors do not depend on one another. A
    Cast rounds only where it narrows a float, which every implementation does in the same way.
    """
    if op in EXACT:
        return 0
    return (8 if op in FUNCTIONS else 1) * (1 + terms(op, inputs, outputs) ** 0.5)


def shaken(array, times, signs, around=0):
    """The floats of an array, each moved up or down by so many of its units in the last place, and one of a number around it."""
    if array.dtype.kind != "f" or times == 0:
        return array
    exact = array.astype(np.float64)
    return np.asarray(exact + np.finfo(array.dtype).eps * (times * np.abs(exact) + around) * signs).astype(array.dtype)


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run_onnx(model, feeds):
    """The outputs of ONNX Runtime by name; raises what it raises."""
    session = session_of(model)
    wanted = {i.name for i in session.get_inputs()}
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, {k: v for k, v in feeds.items() if k in wanted})))


def info(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def model_of(nodes, inputs, constants, outputs, opset):
    """A model; outputs holds arrays of their dtypes and shapes, or None where these are to be inferred."""
    results = [helper.make_value_info(n, onnx.TypeProto()) if a is None else info(n, a) for n, a in outputs.items()]
    weights = [numpy_helper.from_array(a, n) for n, a in constants.items()]
    graph = helper.make_graph(nodes, "random", [info(*i) for i in inputs.items()], results, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8 if opset < 19 else 10)
    return onnx.shape_inference.infer_shapes(model) if any(a is None for a in outputs.values()) else model


def tolerable(values, worlds):
    """How far a result may be off: SAFETY times the largest change seen in worlds; None where that says nothing about it."""
    if values.dtype.kind != "f":
        return 0.0 if all(np.array_equal(values, w) for w in worlds) else None
    exact = values.astype(np.float64)
    if not all(np.isfinite(w).all() for w in worlds):
        return None
    change = SAFETY * max(np.abs(w.astype(np.float64) - exact).max(initial=0) for w in worlds)
    smallest = 4 * float(np.finfo(values.dtype).smallest_subnormal) if change else 0.0
    return change + smallest if change <= LIMITS[values.dtype] * np.abs(exact).max(initial=0) else None


def fine(array):
    """Whether a result is there, finite and of a middling size: an Inf or NaN hides what differs."""
    largest = np.abs(array.astype(np.float64)).max(initial=0)
    return bool(array.size and largest < (LARGEST_FLOAT if array.dtype.kind == "f" else LARGEST_WHOLE))


class Evaluation:
    """Nodes computed one by one: values of all wires, and of each in WORLDS worlds where every operator rounds otherwise."""

    def __init__(self, opset, seed):
        self.opset, self.seed = opset, seed
        self.values, self.worlds, self.steps = {}, [{} for _ in range(WORLDS)], []

    def give(self, name, array):
        for world in (self.values, *self.worlds):
            world[name] = array

    def add(self, node):
        """Computes one more node; raises what ONNX Runtime raises, ArithmeticError where its results show nothing."""
        feeds = {i: self.values[i] for i in node.input if i}
        outputs = [o for o in node.output if o]
        session = session_of(model_of([node], feeds, {}, dict.fromkeys(outputs), self.opset))
        self.steps.append((node, session, outputs))
        self.compute(*self.steps[-1])

    def compute(self, node, session, outputs):
        feeds = {i: self.values[i] for i in node.input if i}
        results = session.run(outputs, feeds)
        if node.op_type != "Constant" and not all(fine(r) for r in results):
            raise ArithmeticError(f"{node.op_type}: not finite, empty or large")
        times = roundings(node.op_type, [self.values[i] if i else np.zeros(0) for i in node.input], results) if node.input else 0
        rng = np.random.default_rng([self.seed, zlib.crc32(outputs[0].encode())])
        kept = node.input[1:] if node.op_type == "Resize" else []  # scales decide about the size
        for world in self.worlds:
            moved = {i: world[i] if i in kept else shaken(world[i], times, rng.choice([-1.0, 1.0], world[i].shape)) for i in feeds}
            for o, result, there in zip(outputs, results, session.run(outputs, moved)):  # further away, lest it moves back
                around = np.abs(there).max(initial=node.op_type in ("LSTM", "GRU")) if node.op_type in FUNCTIONS else 0  # gates reach 1
                world[o] = shaken(there, times, np.where(there < result, -1.0, 1.0), around)
        self.values.update(zip(outputs, results))
        if any(tolerable(r, [w[o] for w in self.worlds]) is None for o, r in zip(outputs, results)):
            raise ArithmeticError(f"{node.op_type}: ill conditioned")

    def again(self, inputs):
        """Computes all nodes with other inputs; raises as add() does."""
        for name, array in inputs.items():
            self.give(name, array)
        for step in self.steps:
            self.compute(*step)


def random_array(rng, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        return np.asarray(rng.random(shape) < 0.5)
    if dtype.kind in "iu":
        return np.asarray(rng.integers(0 if dtype.kind == "u" else -9, 10, shape)).astype(dtype)
    middle, width = rng.choice([0, 0, 1, 3]), rng.choice([0.3, 1, 3])
    return np.asarray(rng.normal(middle, width, shape)).astype(dtype)


def broadcasts(a, b):
    return all(x == y or x == 1 or y == 1 for x, y in zip(a[::-1], b[::-1]))


class Choice:
    """What both directions choose at random."""

    def __init__(self, rng):
        self.rng = rng
        self.big = self.chance(0.1)  # sizes at which kernels work in blocks

    def chance(self, p):
        return self.rng.random() < p

    def one_of(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def whole(self, low, high):
        """An int, both ends included."""
        return int(self.rng.integers(low, high + 1))

    def number(self, low=-2.0, high=2.0):
        return float(np.float32(self.rng.uniform(low, high)))

    def divisor(self, n):
        return self.one_of(*[d for d in range(1, n + 1) if n % d == 0])

    def size(self):
        """Sizes of what the inner loops of a kernel go over."""
        return self.one_of(1, 8, 16, 17, 33, 65) if self.big else self.whole(1, 6)

    def shape(self, rank):
        if self.big and 2 <= rank < 5:
            return tuple(self.one_of(1, 2, 3, 8, 13, 16, 17, 31, 33) if i > 0 or rank == 2 else self.whole(1, 2) for i in range(rank))
        return tuple(self.whole(1, 7 if rank < 5 else 3) for _ in range(rank))

    def shape_that(self, fits, ranks):
        shapes = [self.shape(self.one_of(*[r for r in ranks for _ in range(1 if r in (0, 5) else 4)])) for _ in range(20)]
        return next((s for s in shapes if fits(s)), shapes[0])

    def axis(self, wire, extra=0):
        rank = self.rank(wire) + extra
        return self.whole(-rank, rank - 1)

    def axes(self, wire, least=0):
        rank = self.rank(wire)
        chosen = self.rng.permutation(rank)[: self.whole(min(least, rank), rank)]
        return [int(a) - (rank if self.chance(0.3) else 0) for a in chosen]

    def stretched(self, shape):
        """A shape that broadcasts with another one."""
        return tuple([1 if self.chance(0.25) else s for s in shape][self.whole(0, len(shape)) if self.chance(0.4) else 0 :])


class Draw(Choice):
    """A model while it is drawn. Its methods choose at random: numbers, shapes, constants, and wires that are there or new."""

    def __init__(self, rng, opset):
        super().__init__(rng)
        self.opset, self.count, self.redrawn = opset, 0, 0
        self.evaluation = Evaluation(opset, int(rng.integers(2**31)))
        self.values = self.evaluation.values
        self.nodes, self.inputs, self.constants, self.extra = [], {}, {}, []

    def some(self, **choices):
        """Each attribute with chance one half."""
        return {k: v for k, v in choices.items() if self.chance(0.5)}

    def epsilon(self, name):
        """Always of f64: its default is 1e-5 as f32, in Halfwire as f64, which is a difference of 2.5e-8 of it."""
        return {"epsilon": self.number(1e-5, 0.1)} if self.dtype(name) == F64 or self.chance(0.5) else {}

    def name(self, kept=False):
        self.count += 1
        return ("k" if kept else "v") + str(self.count)

    def const(self, value, dtype=None):
        """An initializer; sometimes a Constant, or what is computed from the shape of a wire."""
        name, array = self.name(True), np.array(value, dtype=dtype)
        wires = [n for n, v in self.values.items() if v.ndim and set(v.shape) & set(array.ravel().tolist())]
        if array.dtype == I64 and array.ndim == 1 and 0 < array.size < 6 and wires and self.chance(0.2):
            return self.from_shape(array, self.one_of(*wires), name)
        self.evaluation.give(name, array)
        if self.chance(0.15):
            self.extra.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array)))
        else:
            self.constants[name] = array
        return name

    def from_shape(self, array, wire, name):
        """The array as exporters write one: elements of the wire's shape where they are equal, joined with constants."""
        shape, parts = self.name(True), []
        self.extra.append(helper.make_node("Shape", [wire], [shape]))
        for number in array:
            found = [i for i, size in enumerate(self.of(wire)) if size == number]
            part, place = self.name(True), self.name(True)
            if found:
                self.extra.append(helper.make_node("Gather", [shape, place], [part]))
            held = place if found else part
            self.constants[held] = np.array(found[:1] or [number], I64)
            self.evaluation.give(held, self.constants[held])
            parts.append(part)
        self.extra.append(helper.make_node("Concat", parts, [name], axis=0))
        self.evaluation.give(name, array)
        return name

    def fresh(self, shape, dtype=F32, constant=0.4, positive=False):
        """A new input or initializer with random values."""
        array = random_array(self.rng, shape, dtype)
        kept = array.dtype.kind != "f" or positive
        if positive:
            array = (np.abs(array) + np.asarray(0.1 if array.dtype.kind == "f" else 1, array.dtype)).astype(array.dtype)
        elif array.dtype.kind == "f" and self.chance(0.15):
            array, kept = (np.round(array * 2) / 2).astype(array.dtype), True  # halves: ties of Round, equal elements
        return self.hold(array, constant, kept)

    def hold(self, array, constant=0.5, kept=True):
        """An input or an initializer of an array."""
        name, array = self.name(kept), np.asarray(array)
        self.evaluation.give(name, array)
        (self.constants if self.chance(constant) else self.inputs)[name] = array
        return name

    def indices(self, shape, n):
        """A wire of indices into an axis of n, negative ones among them."""
        array = self.rng.integers(-n if self.chance(0.4) else 0, n, shape)
        return self.hold(np.asarray(array).astype(self.one_of(I64, I64, I32)))

    def pick(self, dtypes=F32, rank=range(0, 6), fits=lambda shape: True):
        """A wire of one of the dtypes and ranks for which fits(shape); mostly one that is there."""
        dtypes = dtypes if isinstance(dtypes, list) else [dtypes]
        ranks = [rank] if isinstance(rank, int) else list(rank)
        there = [n for n, v in self.values.items() if v.dtype in dtypes and v.ndim in ranks and fits(v.shape)]
        made = [n for n in there if n not in self.constants and n not in self.inputs]
        if there and self.chance(0.8):
            return self.one_of(*(made if made and self.chance(0.8) else there))
        return self.fresh(self.shape_that(fits, ranks), self.one_of(*dtypes), constant=0.15)

    def of(self, name):
        return self.values[name].shape

    def rank(self, name):
        return self.values[name].ndim

    def dtype(self, name):
        return self.values[name].dtype

    def partner(self, name, positive=False):
        """A wire that broadcasts with another one."""
        shape, dtype = self.of(name), self.dtype(name)
        there = [n for n, v in self.values.items() if v.dtype == dtype and broadcasts(v.shape, shape)]
        if there and self.chance(0.5) and not positive:
            return self.one_of(*there)
        other = self.stretched(shape)
        if self.chance(0.1) and len(other) < 4:
            other = (self.whole(1, 3),) + (1,) * (len(shape) - len(other)) + other
        return self.fresh(other, dtype, positive=positive)

    def draw_node(self):
        """One more node, with those that its constants need, unless ONNX Runtime refuses it or no inputs suit it."""
        state = self.count, dict(self.inputs), dict(self.constants), len(self.evaluation.steps)
        worlds = [dict(world) for world in (self.values, *self.evaluation.worlds)]
        rows = [row for row in OPERATORS if row[1] <= self.opset]
        weights = np.array([row[0] for row in rows])
        _, _, names, draw = rows[int(self.rng.choice(len(rows), p=weights / weights.sum()))]
        op, self.extra = self.one_of(*names.split()), []
        try:
            inputs, attributes, *more = draw(self, op)
            while inputs and inputs[-1] == "":
                inputs = inputs[:-1]
            outputs = more[0] if more and isinstance(more[0], list) else [self.name() for _ in range(*more or [1])]
            new = self.extra + [helper.make_node(op, inputs, outputs, **{k: v for k, v in attributes.items() if v is not None})]
            self.add(new)
            self.nodes += new
        except Exception:  # ONNX Runtime's own, and those of helper.make_node and of drawing itself: all mean another draw
            self.redrawn += 1
            self.count, self.inputs, self.constants = state[:3]
            del self.evaluation.steps[state[3] :]
            for world, kept in zip((self.values, *self.evaluation.worlds), worlds):
                world.clear()
                world.update(kept)

    def add(self, nodes):
        """Adds nodes to the evaluation; where they are not finite or ill conditioned, with other inputs, if any suit all nodes."""
        for node in nodes:
            try:
                self.evaluation.add(node)
            except ArithmeticError:
                self.search()

    def search(self):
        for _ in range(6):
            others = {n: a if n[0] == "k" else random_array(self.rng, a.shape, a.dtype) for n, a in self.inputs.items()}
            try:
                self.evaluation.again(others)
                self.inputs = others
                return
            except ArithmeticError:
                pass
        raise ArithmeticError("no inputs found")


def binary(g, op):
    a = g.pick([I32, I64, U8, I8, I32, I64, U8, I8, F32] if op == "Mod" else NUMBERS)
    whole = g.dtype(a).kind != "f"
    b = g.partner(a, positive=op == "Mod" or (op in ("Div", "Pow") and whole))
    if op == "Mod" and g.chance(0.5) and g.dtype(b).kind == "i":
        b = g.const(-g.values[b])
    if op == "Pow" and whole and np.abs(g.values[a].astype(float)).max() ** g.values[b].max() > LARGEST_WHOLE:
        raise ValueError("overflows")
    return [a, b], {"fmod": 1 if not whole else g.whole(0, 1)} if op == "Mod" else {}


def clip(g, op):
    a = g.pick(NUMBERS + [I8, U8])
    bounds = sorted(g.number(-3, 3) if g.dtype(a).kind == "f" else g.whole(0, 9) for _ in range(2))
    return [a] + [g.const(bound, g.dtype(a)) if g.chance(0.7) else "" for bound in bounds], {}


def cast(g, op):
    a, to = g.pick(ANY), g.one_of(F32, F32, F64, F16, I32, I64, BOOL, U8, I8)
    if to in (U8, I8) and (g.values[a].min() < (0 if to == U8 else -128) or g.values[a].max() > 127):
        raise ValueError("ONNX leaves open what a value outside the dtype becomes")
    return ([a, g.fresh((2,), to)], {}) if op == "CastLike" else ([a], {"to": helper.np_dtype_to_tensor_dtype(to)})


def matmul(g, op):
    a = g.pick(FLOATS + [I32], rank=range(1, 5))
    k, lead = g.of(a)[-1], g.of(a)[:-2]
    batch = tuple(1 if g.chance(0.3) else s for s in lead)[g.whole(0, len(lead)) :]
    if g.chance(0.1):
        batch = (g.whole(1, 3),) + (1,) * max(0, len(lead) - len(batch)) + batch
    return [a, g.fresh((k,) if g.chance(0.05) else batch + (k, g.size()), g.dtype(a), constant=0.6)], {}


def gemm(g, op):
    a, ta, tb, n = g.pick(FLOATS, rank=2), g.whole(0, 1), g.whole(0, 1), g.size()
    m, k = g.of(a)[::-1] if ta else g.of(a)
    b = g.fresh((n, k) if tb else (k, n), g.dtype(a), constant=0.6)
    c = g.fresh(g.one_of((n,), (1, n), (m, 1), (m, n), (1,), ()), g.dtype(a), constant=0.6) if g.chance(0.7) else ""
    return [a, b, c], {"transA": ta, "transB": tb} | g.some(alpha=g.number(), beta=g.number())


def window(g, spatial, op, dilated=True):
    """kernel_shape, strides, dilations and pads of a window over these sizes."""
    n = len(spatial)
    kernel = [g.whole(1, min(4, s + 1)) for s in spatial]
    attributes = g.some(strides=[g.whole(1, 3) for _ in range(n)])
    if dilated and g.chance(0.3):
        attributes["dilations"] = [g.whole(1, 2) for _ in range(n)]
    skips = any(step > k for k, step in zip(kernel, attributes.get("strides", [1] * n)))
    wrong = skips and op in ("ConvTranspose", "AveragePool") or op.endswith("Pool") and "dilations" in attributes
    if g.chance(0.25) and not wrong:
        attributes["auto_pad"] = g.one_of("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    elif g.chance(0.6):
        attributes["pads"] = [g.whole(0, max(0, k - 1)) for k in kernel * 2]
    return kernel, attributes


def conv(g, op):
    x, turned = g.pick(FLOATS, rank=[3, 4, 4, 4, 5]), op == "ConvTranspose"
    channels, spatial = g.of(x)[1], g.of(x)[2:]
    kernel, attributes = window(g, spatial, op)
    group, outs = g.divisor(channels), min(g.size(), 33)
    lead = (channels, outs) if turned else (outs * group, channels // group)
    w = g.fresh(lead + tuple(kernel), g.dtype(x), constant=0.95)
    b = g.fresh((outs * group,), g.dtype(x), constant=0.95) if g.chance(0.5) else ""
    attributes |= ({"group": group} if group > 1 or g.chance(0.3) else {}) | g.some(kernel_shape=kernel)
    if turned and "strides" in attributes and g.chance(0.4):
        attributes["output_padding"] = [g.whole(0, s - 1) for s in attributes["strides"]]
    if turned and g.chance(0.15):
        attributes["output_shape"] = [s * t + g.whole(-1, 1) for s, t in zip(spatial, attributes.get("strides", [1] * 9))]
    return [x, w, b], attributes


def pool(g, op):
    x = g.pick(FLOATS, rank=[3, 4, 4, 4, 5])
    kernel, attributes = window(g, g.of(x)[2:], op, dilated=op == "MaxPool" or g.opset >= 19)
    attributes |= g.some(count_include_pad=1) if op == "AveragePool" else {}
    attributes |= {"ceil_mode": 1} if g.chance(0.35) else {}
    return [x], {"kernel_shape": kernel} | attributes, 2 if op == "MaxPool" and g.chance(0.05) else 1


def norm(g, op):
    """Scales and biases have a number a channel. Of channels of one element ONNX Runtime loses digits: (b - x * s) + x * s."""
    x = g.pick(FLOATS, rank=[2, 3, 4] if op == "BatchNormalization" else [3, 4], fits=lambda s: op[0] == "B" or np.prod(s[2:]) > 1)
    n, d, attributes = g.of(x)[1], g.dtype(x), g.epsilon(x)
    attributes |= {"num_groups": g.divisor(n)} if op == "GroupNormalization" else {}
    if op == "GroupNormalization" and d == F64:
        attributes["stash_type"] = onnx.TensorProto.DOUBLE  # without it f64 is computed in f32 on the way
    scales = [g.fresh((n,), d, 0.95) for _ in range(3 if op == "BatchNormalization" else 2)]
    return [x] + scales + ([g.fresh((n,), d, 0.8, True)] if op == "BatchNormalization" else []), attributes


def layer_norm(g, op):
    x = g.pick(FLOATS, rank=range(1, 5))
    axis = g.axis(x)
    shape = g.of(x)[-1:] if g.chance(0.2) else g.of(x)[axis:]
    bias = [g.fresh(shape, g.dtype(x), 0.95)] if op == "LayerNormalization" and g.chance(0.6) else []
    return [x, g.fresh(shape, g.dtype(x), 0.95)] + bias, {"axis": axis} | g.epsilon(x)


def reduce(g, op):
    x = g.pick(NUMBERS if op in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd") else FLOATS)
    if op == "ReduceProd" and np.prod(np.maximum(1.0, np.abs(g.values[x].astype(float)))) > LARGEST_WHOLE:
        raise ValueError("overflows")
    axes, attributes = g.axes(x), g.some(keepdims=g.whole(0, 1))
    if g.opset >= 18 or op == "ReduceSum":
        return [x, g.const(axes, I64) if g.chance(0.7) else ""], attributes | ({"noop_with_empty_axes": 1} if g.chance(0.2) else {})
    return [x], attributes | ({"axes": axes} if axes else {})


def reshape(g, op):
    x = g.pick(ANY)
    total, shape = g.values[x].size, []
    while total > 1 and len(shape) < 4:
        shape.append(g.divisor(total))
        total //= shape[-1]
    shape += [total] if total > 1 else []
    given = [int(s) for s in g.rng.permutation(shape)] if shape else g.one_of([], [1], [1, 1])
    if given and g.chance(0.4):
        given[g.whole(0, len(given) - 1)] = -1
    if given and g.of(x)[:1] == (given[0],) and g.chance(0.5):
        given[0] = 0
    return [x, g.const(given, I64)], {}


def squeeze(g, op):
    if op == "Unsqueeze":
        x, n = g.pick(ANY, rank=range(0, 4)), g.whole(1, 2)
        rank = g.rank(x) + n
        return [x, g.const([int(a) - (rank if g.chance(0.3) else 0) for a in g.rng.permutation(rank)[:n]], I64)], {}
    x = g.pick(ANY, fits=lambda s: 1 in s)
    ones = [i - (g.rank(x) if g.chance(0.3) else 0) for i, s in enumerate(g.of(x)) if s == 1]
    return [x, g.const(ones[: g.whole(1, len(ones))], I64) if ones and g.chance(0.7) else ""], {}


def expand(g, op):
    x = g.pick(ANY, rank=range(0, 4))
    if op == "Tile":
        return [x, g.const([g.whole(1, 3) for _ in g.of(x)], I64)], {}
    to = [1 if g.chance(0.2) else g.whole(1, 4) if s == 1 else s for s in g.of(x)]
    return [x, g.const([g.whole(1, 3)] * g.whole(0, 1) + to[g.whole(0, len(to)) if g.chance(0.15) else 0 :], I64)], {}


def slice_of(g, op):
    x = g.pick(ANY, rank=range(1, 5))
    axes, d = g.axes(x, 1), g.one_of(I32, I64)
    steps = [g.one_of(1, 1, 2, 3, -1, -2) for _ in axes]
    low, high, far = [], [], np.iinfo(d).max
    for axis, step in zip(axes, steps):
        n = g.of(x)[axis]
        a, b = sorted([g.whole(0, n - 1), g.whole(1, n)])
        first, last = (a, b) if step > 0 else (b, a - 1)
        low.append(first - n if g.chance(0.3) and first < n else far if first == n and g.chance(0.3) else first)
        high.append(-far if last < 0 else last - n if g.chance(0.3) and 0 < last < n else far if last == n and g.chance(0.3) else last)
    return [x, *(g.const(values, d) for values in (low, high, axes, steps))], {}


def concat(g, op):
    x = g.pick(ANY, rank=range(1, 5))
    axis, parts = g.axis(x), [x]
    for _ in range(g.whole(0, 3)):
        shape = list(g.of(x))
        shape[axis] = g.whole(1, 4)
        parts.insert(g.whole(0, len(parts)), x if g.chance(0.2) else g.fresh(tuple(shape), g.dtype(x)))
    return parts, {"axis": axis}


def split(g, op):
    x = g.pick(ANY, rank=range(1, 5))
    axis = g.axis(x)
    n = g.of(x)[axis]
    if g.chance(0.5):
        cuts = [0, *sorted(int(c) + 1 for c in g.rng.permutation(n - 1)[: g.whole(0, 2)]), n]
        return [x, g.const(np.diff(cuts), I64)], {"axis": axis}, len(cuts) - 1
    parts = g.whole(1, min(n, 3))
    return [x], {"axis": axis} | ({"num_outputs": parts} if g.opset >= 18 else {}), parts


def pad(g, op):
    x = g.pick(NUMBERS + [BOOL], rank=range(1, 5))
    mode, rank = g.one_of("constant", "constant", "edge", "reflect", *(["wrap"] if g.opset >= 19 else [])), g.rank(x)
    axes = g.axes(x, 1) if g.opset >= 18 and g.chance(0.4) else list(range(rank))
    least = -1 if g.chance(0.2) and mode != "wrap" else 0
    pads = [g.whole(least, max(0, g.of(x)[a] - 1) if mode in ("reflect", "wrap") else 2) for a in axes * 2]
    fill = g.whole(0, 1) if g.dtype(x).kind != "f" else g.number()
    value = g.const(fill, g.dtype(x)) if mode == "constant" and g.chance(0.6) else ""
    more = [g.const(axes, I64)] if len(axes) < rank else []
    return [x, g.const(pads, I64), value] + more, {} if mode == "constant" and g.chance(0.5) else {"mode": mode}


def gather(g, op):
    x = g.pick(ANY, rank=range(1, 4))
    axis = g.axis(x)
    if op == "Gather":
        return [x, g.indices(g.shape(g.whole(0, 2)), g.of(x)[axis])], {"axis": axis}
    shape = [g.whole(1, s) if g.chance(0.1) else s for s in g.of(x)]
    shape[axis] = g.whole(1, 4)
    return [x, g.indices(tuple(shape), g.of(x)[axis])], {"axis": axis}


def gather_nd(g, op):
    x = g.pick(NUMBERS, rank=range(1, 5))
    batch = g.whole(0, g.rank(x) - 1) if g.chance(0.3) else 0
    depth, lead = g.whole(1, g.rank(x) - batch), g.of(x)[:batch] + g.shape(g.whole(0 if batch else 1, 2))
    array = np.stack([g.rng.integers(-n if g.chance(0.3) else 0, n, lead) for n in g.of(x)[batch : batch + depth]], -1)
    return [x, g.const(array, I64)], {"batch_dims": batch} if batch else {}


def scatter_nd(g, op):
    x = g.pick(NUMBERS, rank=range(1, 4))
    how = g.one_of("none", "add", "mul", *(["max", "min"] if g.opset >= 18 else [])) if g.opset >= 16 else None
    shape, depth = g.of(x), g.whole(1, g.rank(x))
    places = g.rng.permutation(int(np.prod(shape[:depth])))[: g.whole(1, 4)]
    if how not in (None, "none") and g.chance(0.5):
        places = np.concatenate([places, places[:1]])
    array = np.stack(np.unravel_index(places, shape[:depth]), -1)
    return [x, g.const(array, I64), g.fresh((len(places),) + shape[depth:], g.dtype(x), constant=0.95)], {"reduction": how}


def resize(g, op):
    x = g.pick([F32] * 20 + [U8, I8, I32], rank=[2] + [3, 4, 4, 4, 5] * 3)
    mode = g.one_of("nearest", "linear", "linear", "cubic") if g.dtype(x) == F32 else "nearest"
    where = ["half_pixel", "align_corners", "asymmetric"] * 3 + ["pytorch_half_pixel"] + (["half_pixel_symmetric"] if g.opset >= 19 else [])
    attributes = g.some(coordinate_transformation_mode=g.one_of(*where)) | {"mode": mode}
    if mode == "nearest":
        attributes |= g.some(nearest_mode=g.one_of("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))
    if mode == "cubic":
        attributes |= g.some(cubic_coeff_a=g.one_of(-0.5, -0.75)) | ({"exclude_outside": 1} if g.chance(0.2) else {})
    if g.opset >= 18 and g.chance(0.1) and mode != "nearest":
        attributes["antialias"] = 1
    moved = ([0] * max(0, g.rank(x) - g.whole(1, 3 if g.chance(0.1) else 2)) + [1] * g.rank(x))[: g.rank(x)]
    if g.chance(0.5):
        return [x, "", g.const([g.one_of(0.5, 1, 1.5, 2, 3, 0.7, 2.5) if m else 1 for m in moved], F32)], attributes
    return [x, "", "", g.const([g.whole(1, 9) if m else s for s, m in zip(g.of(x), moved)], I64)], attributes


def einsum(g, op):
    equation = g.one_of(*EQUATIONS.split())
    letters = {c: (g.whole(1, 3),) for c in "abcdijk"} | {"#": (2,)}
    operands = equation.replace("...", "#").split("->")[0].split(",")
    return [g.fresh(sum((letters[c] for c in o), ())) for o in operands], {"equation": equation}


def recurrent(g, op):
    x, h, direction = g.pick(rank=3), min(g.size(), 33), g.one_of("forward", "forward", "reverse", "bidirectional")
    gates, (t, b, n), d = 4 if op == "LSTM" else 3, g.of(x), 2 if direction == "bidirectional" else 1
    inputs = [x, g.fresh((d, gates * h, n), constant=0.97), g.fresh((d, gates * h, h), constant=0.97)]
    inputs.append(g.fresh((d, 2 * gates * h), constant=0.97) if g.chance(0.6) else "")
    inputs.append(g.const([g.whole(1, t) for _ in range(b)], I32) if g.chance(0.03) else "")
    inputs.append(g.fresh((d, b, h)) if g.chance(0.4) else "")
    if op == "LSTM":
        inputs += [g.fresh((d, b, h)) if g.chance(0.4) else "", g.fresh((d, 3 * h), constant=0.97) if g.chance(0.03) else ""]
    rare = {"clip": g.number(0.2, 2), "activations": ["Sigmoid", "Relu", "Tanh"][: 3 if op == "LSTM" else 2] * d}
    attributes = {"hidden_size": h, "direction": direction} | {k: v for k, v in rare.items() if g.chance(0.03)}
    attributes |= {"linear_before_reset": 1} if op == "GRU" and g.chance(0.95) else {}
    return inputs, attributes, [g.name() if g.chance(0.7) else "" for _ in range(2 if op == "LSTM" else 1)] + [g.name()]


def quantize(g, op):
    forth = op == "QuantizeLinear"
    x = g.pick(F32 if forth else [U8, I8, I32], rank=range(0, 5))
    q, attributes = g.one_of(U8, I8) if forth else g.dtype(x), {"axis": g.axis(x)} if g.chance(0.4) and g.rank(x) else {}
    shape = (g.of(x)[attributes["axis"]],) if attributes else ()
    zero = np.zeros(shape) if q == I32 else g.rng.integers(0, 20, shape)
    return [x, g.const(g.rng.uniform(0.01, 0.2, shape), F32), g.const(zero, q) if g.chance(0.7) or q == I8 and forth else ""], attributes


def one_hot(g, op):
    depth = g.whole(2, 5)
    x = g.indices(g.shape(g.whole(1, 3)), depth + 1)
    return [x, g.const(g.one_of(depth, [depth]), I64), g.const(g.one_of([0, 1], [-1.5, 2]), F32)], g.some(axis=g.axis(x, 1))


def grid_sample(g, op):
    x, mode = g.pick(rank=4), g.one_of("linear" if g.opset >= 20 else "bilinear", "nearest")
    how = g.some(mode=mode, padding_mode=g.one_of("zeros", "border", "reflection"), align_corners=1)
    return [x, g.fresh((g.of(x)[0], g.whole(1, 4), g.whole(1, 4), 2))], how


def attention(g, op):
    heads, d, dv, b, t, s = g.one_of(1, 2, 4), g.whole(1, 4), g.whole(1, 4), g.whole(1, 2), g.whole(1, 5), g.whole(1, 5)
    kv, attributes = g.divisor(heads), g.some(scale=g.number(0.1, 1), is_causal=1)
    q, k, v = (b, heads, t, d), (b, kv, s, d), (b, kv, s, dv)
    if g.chance(0.5):
        q, k, v = (b, t, heads * d), (b, s, kv * d), (b, s, kv * dv)
        attributes |= {"q_num_heads": heads, "kv_num_heads": kv}
    mask = [g.fresh(g.one_of((t, s), (1, 1, t, s), (b, heads, t, s)))] if g.chance(0.3) else []
    return [g.fresh(q), g.fresh(k), g.fresh(v)] + mask, attributes


EQUATIONS = "ij,jk->ik aij,ajk->aik ij->ji ij->i ij-> i,j->ij abij,abkj->abik ij,ij->i bi,bj->bij aij,jk ij,jk,kd->id \
...ij,...jk->...ik ii->i ii abc,abd->dc i,i-> ab,b ij,ij->ij abc->cab aijc,ikc->aijk ba,b->a"
# weight, first opset, operators, function
OPERATORS = [
    (8, 13, "Exp Log Sqrt Reciprocal Floor Ceil Round Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Sigmoid Softplus "
     "Softsign IsNaN IsInf", lambda g, op: ([g.pick(FLOATS)], {})),
    (2, 13, "Abs Neg Sign Identity Relu", lambda g, op: ([g.pick(NUMBERS)], {})),
    (0.5, 14, "HardSwish", lambda g, op: ([g.pick(FLOATS)], {})), (0.5, 18, "Mish", lambda g, op: ([g.pick(FLOATS)], {})),
    (0.5, 20, "Gelu", lambda g, op: ([x := g.pick(FLOATS)], {} if g.dtype(x) == F64 else g.some(approximate="tanh"))),
    (2, 13, "Elu Celu LeakyRelu ThresholdedRelu", lambda g, op: ([g.pick(FLOATS)], g.some(alpha=g.number(0.1)))),
    (0.5, 13, "Selu", lambda g, op: ([g.pick(FLOATS)], g.some(alpha=g.number(0.1), gamma=g.number(0.1)))),
    (0.5, 13, "HardSigmoid", lambda g, op: ([g.pick(FLOATS)], g.some(alpha=g.number(0.1), beta=g.number(0.1)))),
    (0.5, 13, "Shrink", lambda g, op: ([g.pick([F32, F16])], g.some(lambd=g.number(0.1), bias=g.number()))),
    (0.5, 13, "Dropout", lambda g, op: ([g.pick()] + ([g.const(0.3, F32)] if g.chance(0.5) else []), {})),
    (10, 13, "Add Sub Mul Div Pow Mod PRelu", binary),
    (3, 13, "Max Min Mean Sum", lambda g, op: ([a := g.pick(FLOATS)] + [g.partner(a) for _ in range(g.whole(0, 3))], {})),
    (0.5, 13, "Max Min", lambda g, op: ([a := g.pick([U8, I8, I32, I64]), g.partner(a)], {})),
    (2, 13, "Where", lambda g, op: ([g.fresh(g.of(a := g.pick(ANY))[g.whole(0, 1) :], BOOL), a, g.partner(a)], {})),
    (2, 13, "Clip", clip), (1, 13, "And Or Xor", lambda g, op: ([a := g.pick(BOOL), g.partner(a)], {})),
    (0.5, 13, "Not", lambda g, op: ([g.pick(BOOL)], {})),
    (1, 13, "Equal", lambda g, op: ([a := g.pick(NUMBERS + [BOOL]), g.partner(a)], {})),
    (1, 13, "Less Greater", lambda g, op: ([a := g.pick(NUMBERS), g.partner(a)], {})),
    (1, 16, "LessOrEqual GreaterOrEqual", lambda g, op: ([a := g.pick(NUMBERS), g.partner(a)], {})),
    (3, 13, "Cast", cast), (0.5, 15, "CastLike", cast), (5, 13, "MatMul", matmul), (3, 13, "Gemm", gemm),
    (8, 13, "Conv ConvTranspose", conv), (5, 13, "MaxPool AveragePool", pool),
    (2, 13, "GlobalAveragePool GlobalMaxPool", lambda g, op: ([g.pick(FLOATS, rank=[3, 4, 5])], {})),
    (2, 13, "BatchNormalization InstanceNormalization", norm), (2, 21, "GroupNormalization", norm),
    (1, 13, "LRN", lambda g, op: ([g.fresh(g.shape(4))],
     {"size": g.whole(1, 5)} | g.some(alpha=g.number(0.01, 1), beta=g.number(0.3, 1), bias=g.number(1, 2)))),
    (1, 13, "LpNormalization", lambda g, op: ([x := g.pick(FLOATS, rank=[3, 4])], g.some(axis=g.axis(x), p=g.whole(1, 2)))),
    (1, 13, "MeanVarianceNormalization", lambda g, op: ([x := g.pick(rank=4)], g.some(axes=sorted(a % g.rank(x) for a in g.axes(x, 1))))),
    (2, 17, "LayerNormalization", layer_norm), (2, 23, "RMSNormalization", layer_norm),
    (3, 13, "Softmax LogSoftmax Hardmax", lambda g, op: ([x := g.pick(FLOATS, rank=range(1, 5))], g.some(axis=g.axis(x)))),
    (1.5, 14, "CumSum", lambda g, op: (
     [x := g.pick(NUMBERS, rank=range(1, 5)), g.const(g.axis(x), g.one_of(I32, I64))], g.some(exclusive=1, reverse=1))),
    (2, 13, "ArgMax ArgMin", lambda g, op: ([x := g.pick(FLOATS + [I32], rank=range(1, 5))],
     g.some(axis=g.axis(x), keepdims=g.whole(0, 1), select_last_index=g.whole(0, 1)))),
    (1.5, 13, "TopK", lambda g, op: ([x := g.pick(FLOATS + [I64], rank=range(1, 5)),
     g.const([g.whole(1, g.of(x)[axis := g.axis(x)])], I64)], {"axis": axis} | g.some(largest=g.whole(0, 1)), 2)),
    (1.5, 14, "Trilu", lambda g, op: (
     [g.pick(NUMBERS, rank=range(2, 5)), g.const(g.whole(-3, 3), I64)][: g.whole(1, 2)], g.some(upper=g.whole(0, 1)))),
    (6, 13, "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare", reduce),
    (2, 13, "Reshape", reshape), (1, 13, "Flatten", lambda g, op: ([x := g.pick(ANY)], g.some(axis=g.axis(x)))),
    (3, 13, "Transpose", lambda g, op: ([x := g.pick(ANY)], g.some(perm=[int(p) for p in g.rng.permutation(g.rank(x))]))),
    (3, 13, "Squeeze Unsqueeze", squeeze), (3, 13, "Expand Tile", expand), (3, 13, "Slice", slice_of), (3, 13, "Concat", concat),
    (2, 13, "Split", split), (3, 13, "Pad", pad), (3, 13, "Gather GatherElements", gather), (1.5, 13, "GatherND", gather_nd),
    (1.5, 13, "ScatterND", scatter_nd),
    (1, 13, "DepthToSpace", lambda g, op: (
     [g.fresh((g.whole(1, 2), (b := g.whole(1, 3)) ** 2 * g.whole(1, 2), *g.shape(2)))],
     {"blocksize": b} | g.some(mode=g.one_of("DCR", "CRD")))),
    (1, 13, "SpaceToDepth", lambda g, op: (
     [g.fresh(g.shape(2) + ((b := g.whole(1, 3)) * g.whole(1, 3), b * g.whole(1, 3)))], {"blocksize": b})),
    (3, 13, "Resize", resize), (2, 13, "Einsum", einsum), (3, 14, "LSTM GRU", recurrent),
    (3, 13, "QuantizeLinear DequantizeLinear", quantize), (0.4, 13, "OneHot", one_hot),
    (1, 13, "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", lambda g, op: (
     [x := g.pick(rank=[2, 3, 4]), g.const(g.rng.integers(0, g.of(x)[1], g.of(x)[:1] + g.of(x)[2:]), I64),
      *[g.fresh(g.of(x)[1:2], positive=True)][: g.whole(0, 1)]], g.some(reduction=g.one_of("none", "mean", "sum"), ignore_index=0))),
    (1, 16, "GridSample", grid_sample), (3, 23, "Attention", attention),
    (0.5, 15, "Shape", lambda g, op: ([g.pick(ANY)], g.some(start=g.whole(-3, 2), end=g.whole(-2, 4)))),
    (0.5, 13, "Size", lambda g, op: ([g.pick(ANY)], {})),
    (0.5, 13, "ConstantOfShape", lambda g, op: (
     [g.const(g.shape(g.whole(0, 3)), I64)], g.some(value=helper.make_tensor("v", 1, [1], [g.number()])))),
    (0.5, 13, "EyeLike", lambda g, op: ([g.pick(rank=2)], g.some(k=g.whole(-3, 3)))),
    (0.5, 13, "Range", lambda g, op: ([g.const(g.whole(low, high), I64) for low, high in ((-3, 3), (4, 9), (1, 3))], {})),
]  # fmt: skip
