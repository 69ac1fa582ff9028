#!/usr/bin/env python3
"""Models of PyTorch that were exported with dynamic axes, at three sizes beside ONNX Runtime: the example's and two others.

    tests/interop/dynamic_exports.py [--cli build/release/halfwire-cli] [--keep FOLDER] [MODEL ...]

Each of dynamic_models.py is exported by both of PyTorch's exporters, imported without a word on sizes, and run at its three sizes from the
one graph. It is right where all outputs are within 1e-4 of the largest value of ONNX Runtime's, in f32, whole numbers the same.
Where import said that a size is fixed, each size has an import of its own with --size, and a model that is right then counts as
fixed. A model of which an operator is missing, or that the program refuses to run at a size, counts as refused, with the reason. What an
exporter does not export, or ONNX Runtime does not run at a size, is left out and counted. Any other result, or a graph that cannot be
run though nothing was said, is wrong: exit code 1. So it is where of all models of an exporter none is right. A folder of --keep keeps
the models; those that are there are not exported anew. Needs torch, torchvision, transformers, onnx, onnxscript and onnxruntime."""

import collections
import io
import json
import logging
import os
import subprocess
import sys
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import each_model
import numpy as np
import onnx
import onnxruntime
import small_models
import torch
from dynamic_models import MODELS, VOCABULARY

CLOSE, PATIENCE = 1e-4, 60  # of the largest value; seconds for one call
counts = {"old": collections.Counter(), "new": collections.Counter()}


class Left(Exception):
    """It cannot be tried: the exporter or ONNX Runtime do not take it."""


class Refused(Exception):
    """The program says that it does not do this, and why."""


def axes_of(spec):
    """What an input holds, and its axes."""
    words = spec.split()
    return (words[0], words[1:]) if words[0] in ("tokens", "lengths", "mask") else ("floats", words)


def arrays_of(row, at):
    """Inputs of the row's i-th sizes, the same each time."""
    symbols = dict.fromkeys(a for spec in row.inputs for a in axes_of(spec)[1] if not a.isdigit())
    size = dict(zip(symbols, map(int, row.sizes[at].split()), strict=True))
    rng = np.random.default_rng(at)
    for spec in row.inputs:
        holds, axes = axes_of(spec)
        shape = [size.get(a) or int(a) for a in axes]
        if holds == "floats":
            yield rng.normal(size=shape).astype(np.float32)
        elif holds == "tokens":
            yield rng.integers(2, VOCABULARY, shape)
        else:
            lengths = rng.integers(1, size["seq"] + 1, size["batch"])
            yield lengths if holds == "lengths" else (np.arange(size["seq"]) < lengths[:, None]).astype(np.int64)


@contextmanager
def silence():
    """The old exporter prints its graph, not by way of Python, where it fails."""
    stdout = os.dup(1)
    with open(os.devnull, "w", encoding="utf8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)


def export(row, new, file):
    torch.manual_seed(1)
    model = small_models.varied(row.make())
    inputs = tuple(map(torch.from_numpy, arrays_of(row, 0)))
    axes = [{i: a for i, a in enumerate(axes_of(spec)[1]) if not a.isdigit()} for spec in row.inputs]
    names = [f"in{i}" for i in range(len(axes))]
    shapes = (tuple(axes),) if hasattr(model, "names") else tuple(axes)  # of a Dictionary all inputs are one argument
    how = dict(dynamic_shapes=shapes) if new else dict(dynamic_axes=dict(zip(names, axes)))
    try:
        with silence(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            torch.onnx.export(model, inputs, str(file), input_names=names, dynamo=new, verbose=False, external_data=False, **how)
    except Exception as error:
        raise Left("export: " + " ".join(str(error).split())[:160]) from None


def call(cli, *words):
    done = subprocess.run([cli, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
    said = " ".join((done.stderr.strip() or done.stdout.strip()).split())
    if done.returncode not in (0, 1, 2, 3) or (done.returncode and not said):
        raise RuntimeError(f"{words[0]}: exit code {done.returncode} {said[-200:]}")
    if done.returncode:
        raise Refused(f"{words[0]}: {said[:400]}")
    return done.stdout


def read(cli, folder, sizes):
    words = ["--size", ",".join(f"{symbol}={size}" for symbol, size in sizes.items())] if sizes else []
    for file in folder.glob("m.[hs]*"):  # of another import
        file.unlink()
    return json.loads(call(cli, "import", folder / "m.onnx", "-o", folder / "m.halfwire", "--json", *words))


def run(cli, folder, inputs, outputs):
    nodes = json.loads((folder / "m.halfwire").read_text())["nodes"]
    ids = {(n["type"], n.get("name", n["id"])): n["id"] for n in nodes if n["type"] in ("input", "output")}
    words = []
    for name, array in inputs.items():
        if ("input", name) in ids:  # else nothing depends on it
            np.save(folder / f"{name}.npy", array)
            words += ["--input", f"{ids['input', name]}={folder / name}.npy"]
    for i, name in enumerate(outputs):
        words += ["--output", f"{ids['output', name]}.x={folder}/out{i}.npy"]
    call(cli, "run", folder / "m.halfwire", *words)
    return [np.load(folder / f"out{i}.npy") for i in range(len(outputs))]


def apart(got, want):
    """Relative to the largest value; inf: another shape, or another whole number."""
    if got.shape != want.shape or (want.dtype.kind != "f" and not np.array_equal(got, want)):
        return np.inf
    off, finite = np.abs(got - want), np.isfinite(want)
    same = (got == want) | finite  # where ONNX Runtime has an Inf
    return float(off[finite].max(initial=0) / max(np.abs(want[finite]).max(initial=0), 1e-12)) if same.all() else np.inf


def verdict(cli, row, folder):
    """right or fixed, and a few words; raises Refused, Left or what is wrong."""
    model = onnx.load(folder / "m.onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = onnxruntime.InferenceSession(str(folder / "m.onnx"), options, providers=["CPUExecutionProvider"])
    outputs = [o.name for o in session.get_outputs()]
    cases = []
    for at in range(len(row.sizes)):
        given = list(arrays_of(row, at))
        inputs = {i.name: given[int(i.name.removeprefix("in"))] for i in model.graph.input}
        symbols = {d.dim_param: size for i in model.graph.input for d, size in zip(i.type.tensor_type.shape.dim, inputs[i.name].shape) if d.dim_param}
        try:
            cases.append((row.sizes[at], inputs, symbols, session.run(None, inputs)))
        except Exception as error:
            raise Left(f"ONNX Runtime, {row.sizes[at]}: " + " ".join(str(error).split())[:160]) from None
    try:
        report = read(cli, folder, {})
    except Refused:  # of the sizes that it takes by itself
        report = None
    asked = report is None or bool(report["missing"])
    if asked:
        report = read(cli, folder, cases[0][2])
    alone = bool(report["fixed"])
    worst = 0.0
    for sizes, inputs, symbols, want in cases:
        if alone:
            report = read(cli, folder, symbols)
        if report["missing"]:
            raise Refused("import: {op} {node}: {reason}".format(**report["missing"][0]))
        try:
            got = run(cli, folder, inputs, outputs)
        except Refused as error:
            if any(symbols[symbol] % multiple for symbol, multiple in report["multiples"].items()):
                raise Refused(f"{sizes}: {report['multiples']}: {report['fixed_because']} {error}") from None
            raise RuntimeError(f"{sizes}: {error} (import: {report['multiples']} {report['fixed_because']})") from None
        for name, a, b in zip(outputs, got, want):
            off = apart(a, b)
            worst = max(worst, off)
            if not off <= CLOSE:  # NaN is not close
                raise RuntimeError(f"{sizes}: {name} {list(a.shape)} is {off:.1e} off ONNX Runtime's {list(b.shape)}")
    limits = f"; {report['fixed'] or report['multiples']}: {report['fixed_because']}" if report["fixed"] or report["multiples"] else ""
    return "fixed" if alone else "right", f"{worst:.1e} off at {', '.join(row.sizes)}{limits}{'; imported with --size' if asked else ''}"


def check(cli, name, folder, exporter):
    try:
        if not (folder / "m.onnx").exists():
            export(MODELS[name], exporter == "new", folder / "m.onnx")
        kind, why = verdict(cli, MODELS[name], folder)
    except Left as error:
        kind, why = "left out", str(error)
    except Refused as error:
        kind, why = "refused", str(error)
    except Exception as error:
        kind, why = "WRONG", f"{type(error).__name__} {error}"
    counts[exporter][kind] += 1
    print(f"{kind:9}{name:14}{exporter}  {why[:700]}", flush=True)
    return kind != "WRONG"


def old(cli, name, folder):
    return check(cli, name, folder, "old")


def new(cli, name, folder):
    return check(cli, name, folder, "new")


if __name__ == "__main__":
    try:
        each_model.main(__doc__, ((old, MODELS), (new, MODELS)))
    except SystemExit as ended:
        for exporter, of in counts.items():
            if not ended.code and of.total() == len(MODELS) and not of["right"]:
                sys.exit(f"WRONG no model of the {exporter} exporter is right")
        raise
    finally:
        for exporter, of in counts.items():
            report = ", ".join(f"{of[kind]} {kind}" for kind in ("right", "fixed", "refused", "WRONG", "left out"))
            print(f"{exporter} exporter, {of.total()} models: {report}")
