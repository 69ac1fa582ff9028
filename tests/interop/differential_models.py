#!/usr/bin/env python3
"""Random models through halfwire-cli and through ONNX Runtime, in both directions.

    python -m venv venv && venv/bin/pip install numpy onnx onnxruntime safetensors
    venv/bin/python tests/interop/differential_models.py --cli build/release/halfwire-cli --seed 1 --count 500 --keep differences

import: a random ONNX model, valid by onnx.checker, is imported, and what `run` gives is held against ONNX Runtime's.
export: a random Halfwire graph is exported in an opset at random, or that of --opset; what ONNX Runtime gives of the model is held
against `run`, and the model is read back.

How far a float may be off follows from the model: each of its operators is computed as it is, and in two worlds in which its inputs
are moved, up or down at random, and its results, away from what they are, by as many units in the last place of their dtype as it has
roundings (two for an addition, eight times as many for a function; of a sum of n terms, 1 + √n in place of two). A result may be off by
four times the largest change of its tensor. What only moves, selects or counts must be the same, so must whole numbers and bools; a
model in which a rounding decides between two of these, or which allows more than 2e-4 of the largest value in f32 (1e-9 in f64, 6e-2 in
f16), is drawn anew. Inputs are searched for which nothing becomes Inf, NaN or large.

What the program refuses with an error is counted by its reason. A crash, no answer for 20 seconds, or another result is a difference:
it is made as small as it goes and written to the folder of --keep, with a line of shell that repeats it (about.txt) and what ONNX
Runtime gives (expected_N.npy). Exit code 1: there are differences, or nothing is right. A seed draws the same models each time."""

import argparse
import collections
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from differential_nodes import FLOAT, Graph
from differential_operators import Draw, Evaluation, model_of, random_array, run_onnx, tolerable
from onnx import numpy_helper
from safetensors.numpy import save_file

PATIENCE = 20  # seconds for one call
NAMES = ["a/b.1", "x:0", "input", "output", "with space", "3", "constructor", "y", "x", "Übung", "in-1", "a.b", "a_b", "linear", "A", "a"]


class Refused(Exception):
    """The program says clearly that it does not do this."""


class Different(Exception):
    """A crash, no answer, or another result."""


class Reference:
    """What ONNX Runtime makes of a model, and how far a result may be off; raises ArithmeticError where that shows nothing."""

    def __init__(self, model, inputs):
        opset = max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
        evaluation = Evaluation(opset, 0)
        for name, array in [*inputs.items(), *((t.name, numpy_helper.to_array(t)) for t in model.graph.initializer)]:
            evaluation.give(name, array)
        for node in model.graph.node:
            evaluation.add(node)
        self.values = evaluation.values
        self.want = run_onnx(model, inputs)
        self.allowed = {name: tolerable(a, [w[name] for w in evaluation.worlds]) for name, a in self.want.items()}

    def compare(self, got, folder):
        for i, (name, want) in enumerate(self.want.items()):
            have = got[name]
            np.save(folder / f"expected_{i}.npy", want)
            if (want.dtype, want.shape) != (have.dtype, have.shape):
                raise Different(f"{name} is {have.dtype}{list(have.shape)}, expected {want.dtype}{list(want.shape)}")
            wrong = ~(np.abs(want.astype(np.float64) - have.astype(np.float64)) <= self.allowed[name])
            if wrong.any():
                at = tuple(map(int, np.argwhere(wrong)[0]))
                place = f"at {list(at)} {have[at]}, expected {want[at]} ± {self.allowed[name]:.2g}"
                raise Different(f"{name}: {int(wrong.sum())} of {wrong.size} values differ; {place}")


class Program:
    """Calls of the command line in a folder, which a line of shell can repeat."""

    def __init__(self, cli, folder):
        self.cli, self.folder, self.calls = cli, folder, []
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def call(self, *words):
        self.calls.append(shlex.join(["halfwire-cli", *words]))
        try:
            done = subprocess.run([self.cli, *words], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Different(f"{words[0]}: no answer for {PATIENCE} s") from None
        if done.returncode not in (0, 1, 2, 3):
            raise Different(f"{words[0]}: exit code {done.returncode}: {done.stderr.strip()[-200:]}")
        said = " ".join((done.stderr.strip() or done.stdout.strip()).split())
        if done.returncode and not said:
            raise Different(f"{words[0]}: exit code {done.returncode} without a word")
        if done.returncode:
            raise Refused(f"{words[0]}: " + re.sub(r"^.*?(HW-\w+) at [^:]*: (.*?\.)( .*)?$", r"\1: \2", said))
        return done.stdout

    def run(self, graph, inputs, outputs, *words):
        """What `run` gives for the Output nodes of these names; a refusal comes too late here."""
        nodes = json.loads((self.folder / graph).read_text())["nodes"]
        ids = {(n["type"], n.get("name", n["id"])): n["id"] for n in nodes if n["type"] in ("input", "output")}
        words = list(words)
        for i, (name, array) in enumerate(inputs.items()):
            if ("input", name) in ids:
                np.save(self.folder / f"in_{i}.npy", array)
                words += ["--input", f"{ids['input', name]}.y=in_{i}.npy"]
        for i, name in enumerate(outputs):
            words += ["--output", f"{ids['output', name]}.x=out_{i}.npy"]
        try:
            self.call("run", graph, *words)
        except Refused as error:
            raise Different(f"{self.calls[0].split()[1]} took it, but {error}") from None
        return {name: np.load(self.folder / f"out_{i}.npy") for i, name in enumerate(outputs)}


class Imported:
    """An ONNX model with inputs."""

    redrawn = 0  # operators that ONNX Runtime refused, or no inputs suited, while it was drawn

    def __init__(self, nodes, inputs, constants, outputs, opset):
        used = {i for n in nodes for i in n.input}
        self.nodes, self.outputs, self.opset = nodes, outputs, opset
        self.inputs, self.constants = ({k: v for k, v in arrays.items() if k in used} for arrays in (inputs, constants))
        self.model = model_of(nodes, self.inputs, self.constants, dict.fromkeys(outputs), opset)
        self.reference = Reference(self.model, self.inputs)
        self.model = model_of(nodes, self.inputs, self.constants, self.reference.want, opset)
        onnx.checker.check_model(self.model)

    def check(self, program):
        """Raises Refused or Different."""
        onnx.save(self.model, program.folder / "model.onnx")
        report = json.loads(program.call("import", "model.onnx", "-o", "graph.halfwire", "--json"))
        if report["missing"]:
            raise Refused("import: {op}: {reason}".format(**report["missing"][0]))
        self.reference.compare(program.run("graph.halfwire", self.inputs, self.outputs), program.folder)

    def changed(self, nodes=None, outputs=None, resize=lambda a: a):
        nodes = self.nodes if nodes is None else nodes
        made = [o for n in nodes for o in n.output if o]
        taken = dict.fromkeys(i for n in nodes for i in n.input if i)
        inputs = {i: resize(self.reference.values[i]) for i in taken if i not in made and i not in self.constants}
        constants = {k: resize(v) for k, v in self.constants.items()}
        return Imported(nodes, inputs, constants, outputs or [o for o in made if o not in taken], self.opset)

    def smaller(self):
        """Makers of models that have less of something, the largest steps first."""
        for node in self.nodes if len(self.nodes) > 1 else []:
            yield lambda: self.changed([node])
        for node in self.nodes if len(self.nodes) > 2 else []:
            yield lambda: self.changed([n for n in self.nodes if n is not node])
        for output in self.outputs if len(self.outputs) > 1 else []:
            yield lambda: self.changed(outputs=[output])
        for node in self.nodes:
            for attribute in node.attribute:
                yield lambda: self.changed([without(n, attribute.name) if n is node else n for n in self.nodes])
            if len(node.input) > 1:
                yield lambda: self.changed([without(n, None) if n is node else n for n in self.nodes])
        arrays = [*self.inputs.values(), *self.constants.values()]
        for size in sorted({s for a in arrays for s in a.shape if s > 1}, reverse=True):
            for new in sorted({1, size // 2, size - 1}):
                yield lambda: self.changed(resize=lambda a: resized(a, size, new))

    def describe(self):
        lines = [f"opset {self.opset}"]
        for n in self.nodes:
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in n.attribute}
            lines.append(f"  {', '.join(n.output)} = {n.op_type}({', '.join(n.input)}) {attributes or ''}")
        for kind, arrays in (("input", self.inputs), ("constant", self.constants), ("expected", self.reference.want)):
            lines += [f"  {kind} {k} {v.dtype}{list(v.shape)}" + (f" = {v.tolist()}" if v.size <= 12 else "") for k, v in arrays.items()]
        return "\n".join(lines)


def without(node, attribute):
    """A node without an attribute, or, of None, without its last input."""
    new = onnx.NodeProto()
    new.CopyFrom(node)
    del new.attribute[:]
    new.attribute.extend(a for a in node.attribute if a.name != attribute)
    if attribute is None:
        del new.input[-1]
    return new


def resized(array, size, new):
    """The array with its first elements only along all axes of this size; shapes that are written down follow."""
    if array.dtype.kind == "i" and array.ndim == 1 and size in array:
        return np.where(array == size, new, array).astype(array.dtype)
    return np.array(array[tuple(slice(new) if s == size else slice(None) for s in array.shape)])


def draw_import(rng):
    """Raises what ONNX Runtime or onnx.checker raise where the whole is refused."""
    draw, wish = Draw(rng, int(rng.integers(13, 24))), int(rng.integers(1, 9))
    for _ in range(10 * wish):
        if len(draw.nodes) < wish:
            draw.draw_node()
    nodes, inputs, constants = draw.nodes, draw.inputs, draw.constants
    taken = {i for n in nodes for i in n.input}
    outputs = [o for n in nodes for o in n.output if o and (o not in taken or draw.chance(0.1))]
    if draw.chance(0.15):  # names that are hard to carry over
        every = dict.fromkeys(i for n in nodes for i in [*n.input, *n.output] if i)
        new = {name: f"{draw.one_of(*NAMES)}{k or ''}" for k, name in enumerate(every)} | {"": ""}
        for node in nodes:
            node.input[:], node.output[:] = [new[i] for i in node.input], [new[o] for o in node.output]
        inputs, constants = ({new[k]: v for k, v in arrays.items() if k in new} for arrays in (inputs, constants))
        outputs = [new[o] for o in outputs]
    case = Imported(nodes, inputs, constants, outputs, draw.opset)
    case.redrawn = draw.redrawn
    return case


def node_of(wire):
    return wire.split(".")[0]


class Exported:
    """A Halfwire graph with weights, and the opset and a seed for its inputs. `wires`: shape and dtype of each, by NODE.SOCKET."""

    def __init__(self, nodes, links, weights, wires, drawn):
        while True:  # what leads to no Output goes, and links to what is gone
            ids = {n["id"] for n in nodes}
            links = [(a, b) for a, b in links if {node_of(a), node_of(b)} <= ids]
            taken = {node_of(a) for a, _ in links} | {node_of(b) for _, b in links if b.startswith("output")}
            if ids <= taken:
                break
            nodes = [n for n in nodes if n["id"] in taken]
        self.nodes, self.links, self.wires, self.drawn = nodes, links, wires, drawn
        self.opset, self.seed = drawn
        self.weights = {k: v for k, v in weights.items() if node_of(k) in ids}

    def check(self, program):
        """Raises Refused or Different, ArithmeticError where no inputs show anything."""
        (program.folder / "graph.halfwire").write_text(self.describe())
        if self.weights:
            save_file(self.weights, program.folder / "graph.safetensors")
        words = ["--weights", "graph.safetensors", "--partial-weights"] if self.weights else []
        program.call("export", "graph.halfwire", "-o", "model.onnx", "--opset", str(self.opset), *words)
        model = onnx.load(program.folder / "model.onnx")
        try:
            onnx.checker.check_model(model, full_check=True)
            run_onnx(model, self.inputs(model, 0))
        except Exception as error:
            if re.search("NOT_IMPLEMENTED|does not support", str(error)):  # ONNX Runtime lacks this operator in this dtype
                raise ArithmeticError(str(error)) from None
            raise Different("exported, but " + " ".join(str(error).split())[:300]) from None
        for attempt in range(10):
            inputs = self.inputs(model, attempt)
            try:
                reference = Reference(model, inputs)
            except ArithmeticError:
                continue
            reference.compare(program.run("graph.halfwire", inputs, reference.want, *words), program.folder)
            report = json.loads(program.call("import", "model.onnx", "-o", "again.halfwire", "--json"))
            if report["missing"]:
                raise Different("exported, but not read: {op}: {reason}".format(**report["missing"][0]))
            return reference.compare(program.run("again.halfwire", inputs, reference.want), program.folder)
        want = run_onnx(model, inputs)
        got = program.run("graph.halfwire", inputs, want, *words)
        for name, array in want.items():  # place by place would be too strict: Shrink, MaxPool and GRU of ONNX Runtime make numbers of NaN
            if array.dtype.kind == "f" and np.isfinite(got[name]).all() and not np.isfinite(array).all():
                raise Different(f"{name}: finite where ONNX Runtime has Inf or NaN")
        raise ArithmeticError("no inputs found")

    def inputs(self, model, attempt):
        inputs = {}
        for i in model.graph.input:
            rng = np.random.default_rng([self.seed, attempt, zlib.crc32(i.name.encode())])
            shape = [d.dim_value for d in i.type.tensor_type.shape.dim]
            dtype = onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type)
            whole = rng.integers(0, 1 if dtype == np.uint8 else 2, shape)  # see Graph.indices()
            inputs[i.name] = random_array(rng, shape, dtype) if dtype.kind in "fb" else np.asarray(whole).astype(dtype)
        return inputs

    def smaller(self):
        """Makers of graphs that have less of something, the largest steps first."""
        for node in self.nodes:
            if node["type"] not in ("input", "parameter"):
                yield lambda: self.less(node["id"])
        if self.weights:
            yield lambda: Exported(self.nodes, self.links, {}, self.wires, self.drawn)
        for node in self.nodes:
            for param in node["params"] if node["type"] != "input" else []:
                fewer = node | {"params": {k: v for k, v in node["params"].items() if k != param}}
                yield lambda: Exported([fewer if n is node else n for n in self.nodes], self.links, self.weights, self.wires, self.drawn)
        for size in sorted({s for n in self.nodes for s in n["params"].get("shape", []) if s > 1}, reverse=True):
            for new in sorted({1.0, size // 2, size - 1}):
                yield lambda: self.resized(size, new)

    def resized(self, size, new):
        """With another size of the Inputs and Parameters; weights start anew."""
        nodes = []
        for n in self.nodes:
            shape = [new if s == size else s for s in n["params"].get("shape", [])]
            nodes.append(n | {"params": n["params"] | {"shape": shape}} if n["type"] in ("input", "parameter") else n)
        return Exported(nodes, self.links, {}, self.wires, self.drawn)

    def less(self, name):
        """Without a node: what it gave becomes Inputs."""
        nodes, links = [n for n in self.nodes if n["id"] != name], self.links
        for wire in sorted({a for a, _ in links if node_of(a) == name}):
            own, (shape, dtype) = wire.replace(".", "_"), self.wires[wire]
            params = {"axes": "", "symbolic": "", "shape": list(map(float, shape)), "dtype": dtype}
            nodes.append({"id": own, "type": "input", "at": [0, 0], "params": params})
            links = [(f"{own}.y", b) if a == wire else (a, b) for a, b in links]
        return Exported(nodes, links, self.weights, self.wires, self.drawn)

    def describe(self):
        return json.dumps({"halfwire": 1, "nodes": self.nodes, "links": self.links}, indent=1)


def draw_export(rng, opset):
    graph = Graph(rng)
    graph.draw(int(rng.integers(1, 9)))
    wires = {w.socket: (w.shape, graph.dtype if w.dtype == FLOAT else w.dtype) for w in graph.wires}
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[graph.dtype]
    weights = {name: np.asarray(rng.normal(0, 0.7, shape)).astype(dtype) for name, shape in graph.weights.items()}
    statistics = {k: v.astype(np.promote_types(dtype, np.float32)) for k, v in weights.items() if ".running_" in k}  # never narrower
    weights |= {k: np.abs(v) + v.dtype.type(0.5) if k.endswith("var") else v for k, v in statistics.items()}
    return Exported(graph.nodes, graph.links, weights, wires, (opset or int(rng.integers(17, 29)), int(rng.integers(2**31))))


def verdict(case, cli, folder):
    """right, refused, different or drawn anew, why, and the calls that were made."""
    program = Program(cli, folder)
    try:
        case.check(program)
        return "right", "", program.calls
    except Refused as error:
        return "refused", str(error), program.calls
    except ArithmeticError as error:
        return "anew", str(error), program.calls
    except Exception as error:  # Different, or what was written cannot be read
        return "different", str(error), program.calls


def reduced(case, cli, folder, seconds=90):
    """The smallest case that is different, too, of those found in this time."""
    end, found = time.monotonic() + seconds, True
    while found:
        found = False
        for make in case.smaller():
            try:
                other = make()
                found = time.monotonic() < end and verdict(other, cli, folder)[0] == "different"
            except Exception:  # no model: ONNX's, ONNX Runtime's or NumPy's own refusal
                continue
            if found:
                case = other
                break
    return case


def one_direction(direction, options, folder):
    """Counts right, refused and different cases."""
    counts, reasons = collections.Counter(), collections.Counter()
    start, number = time.monotonic(), 0
    while sum(counts[kind] for kind in ("right", "refused", "different")) < options.count:
        rng, number = np.random.default_rng([options.seed, number, direction == "export"]), number + 1
        try:
            case = draw_import(rng) if direction == "import" else draw_export(rng, options.opset)
        except Exception:  # ONNX Runtime, onnx.checker or NumPy do not take it
            counts["anew"] += 1
            continue
        counts["operators"] += getattr(case, "redrawn", 0)
        kind, reason, _ = verdict(case, options.cli, folder)
        counts[kind] += 1
        if kind == "refused":
            reasons[reason] += 1
        if kind == "different":
            print(f"different: {direction} {options.seed}/{number - 1}: {reason}", flush=True)
            case = reduced(case, options.cli, folder)
            place = Path(options.keep) / f"{direction}_{options.seed}_{number - 1}" if options.keep else folder
            _, reason, calls = verdict(case, options.cli, place)
            about = [reason, f"cd {shlex.quote(str(place))} && " + " && ".join(calls), case.describe()]
            (place / "about.txt").write_text("\n".join(about) + "\n")
            print("\n".join("  " + line for line in "\n".join(about).splitlines()), flush=True)
    for reason, n in reasons.most_common():
        print(f"{n:6} refused: {reason}")
    minutes = (time.monotonic() - start) / 60
    pace = f"{options.count} in {minutes:.1f} minutes, {options.count / minutes:.0f} a minute"
    print(f"{direction}: {pace}; drawn anew: {counts['anew']} of them, {counts['operators']} operators")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default="build/release/halfwire-cli")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, help="models of each direction")
    parser.add_argument("--keep", help="a folder for models that differ")
    parser.add_argument("--direction", choices=("import", "export", "both"), default="both")
    parser.add_argument("--opset", type=int, help="of exported models; default: 17 to 28 at random")
    options = parser.parse_args()
    options.cli = str(Path(options.cli).resolve())
    onnxruntime.set_default_logger_severity(4)
    np.seterr(all="ignore")
    counts = {}
    with tempfile.TemporaryDirectory() as temporary:
        for direction in ("import", "export") if options.direction == "both" else (options.direction,):
            counts[direction] = one_direction(direction, options, Path(temporary) / "case")
    report = (f"{d} {c['right']} right, {c['refused']} refused, {c['different']} different" for d, c in counts.items())
    print("differential: " + "; ".join(report))
    sys.exit(1 if any(c["different"] or not c["right"] for c in counts.values()) else 0)


if __name__ == "__main__":
    main()
