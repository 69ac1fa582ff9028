#!/usr/bin/env python3
"""Trains small models in PyTorch and, imported from ONNX, in Halfwire: ten steps of SGD on one batch, from the same weights.

    tests/interop/train_beside_pytorch.py [--cli build/release/halfwire-cli] [MODEL ...]

Each is exported as it is (optimize=False: no parameter is folded into another), gets a mean squared error and a Train, and trains
all its parameters on both sides; batch norms take the statistics of the batch. A model is right where the first and the last
loss and all parameters after the steps are within 1e-5 of PyTorch's in f64, or twice as far as PyTorch's own in f32, and none is
without a counterpart. The optimisers each train one perceptron in f64, for fifty steps: parameters within 1e-12. Needs torch, torchvision,
timm (Lion), transformers, onnx, onnxscript and safetensors."""

import copy
import csv
import io
import json
import logging
import subprocess
import warnings
from contextlib import redirect_stderr, redirect_stdout

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import numpy as np
import each_model
import small_models
import timm.optim
import torch
from safetensors.numpy import load_file

STEPS, RATE, CLOSE = 10, 0.01, 1e-5
SGD = {"optimiser": "sgd", "learning_rate": RATE, "momentum": 0.0, "steps": STEPS}, lambda p: torch.optim.SGD(p, lr=RATE)
MANY_STEPS, EXACT, WRITTEN = 50, 1e-12, 1e-7  # loss.csv has the digits of f32
DECAY = {"weight_decay": 0.01}
OPTIMISERS = {  # what the Train node says beside the rate, and PyTorch's
    "sgd": ({"momentum": 0.9, **DECAY}, lambda p, **s: torch.optim.SGD(p, momentum=0.9, **s)),
    "adam": (DECAY, torch.optim.Adam),
    "adamw": (DECAY, torch.optim.AdamW),
    "nadam": (DECAY, torch.optim.NAdam),
    "radam": (DECAY, torch.optim.RAdam),
    "lion": ({"beta2": 0.99, **DECAY}, timm.optim.Lion),
}


def call(cli, *words):
    done = subprocess.run([cli, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {(done.stdout + done.stderr).strip()[:300]}")
    return done.stdout + done.stderr


def export(model, x, file):
    """With the new exporter where it can, else with the old one; says which."""
    for new in (True, False):
        how = dict(optimize=False, external_data=False) if new else dict(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                torch.onnx.export(model, (x,), file, input_names=["x"], output_names=["y"], dynamo=new, verbose=False, **how)
            return "new" if new else "old"
        except Exception as error:
            said = error
    raise RuntimeError(f"export: {said}")


def with_training(file, target, train=SGD[0]):
    """The graph with an Input for the target, a loss and a Train."""
    graph = json.loads(file.read_text())
    made = next(wire for wire, to in graph["links"] if to == "y.x")
    dtype = "f64" if target.dtype == torch.float64 else "f32"
    inputs = {"axes": "", "dtype": dtype, "shape": [float(size) for size in target.shape], "symbolic": ""}
    graph["nodes"] += [
        {"id": "target", "type": "input", "params": inputs},
        {"id": "mse", "type": "mse"},
        {"id": "train", "type": "train", "params": train},
    ]
    graph["links"] += [[made, "mse.prediction"], ["target.y", "mse.target"], ["mse.loss", "train.loss"]]
    file.write_text(json.dumps(graph))


def train_pytorch(model, x, target, dtype, make_optimiser=SGD[1], steps=STEPS):
    model = copy.deepcopy(model).to(dtype)
    x, target = x.to(dtype) if x.is_floating_point() else x, target.to(dtype)
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.train()
    optimiser = make_optimiser(model.parameters())
    losses = []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), target)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses, {key: p.detach().double().numpy() for key, p in model.named_parameters()}


def losses_of(folder):
    with open(folder / "loss.csv", encoding="utf8") as table:
        return [float(row["loss"]) for row in csv.DictReader(table)]


def apart(a, b):
    """Relative to the largest value; an error where a value is NaN or Inf, which max() would pass over."""
    off = float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-12))
    if not np.isfinite(off):
        raise RuntimeError("a parameter is not finite")
    return off


def counterpart(start, parameter):
    """The tensor that began as a parameter, or as its transpose; None: there is none."""
    for name, tensor in start.items():
        for turned in (False, True):
            value = tensor.T if turned and tensor.ndim == 2 else tensor
            if value.size == parameter.size and np.allclose(value.ravel(), parameter.ravel(), rtol=1e-6, atol=1e-8):
                return name, turned
    return None


def train(cli, model, x, target, folder, settings):
    """Exports, imports and trains. The exporter, the weights at the begin, the losses, the weights at the end."""
    exporter = export(model, x, str(folder / "m.onnx"))
    np.save(folder / "x.npy", x.numpy())
    np.save(folder / "target.npy", target.numpy())
    call(cli, "import", folder / "m.onnx", "-o", folder / "m.halfwire")
    with_training(folder / "m.halfwire", target, settings)
    start = load_file(folder / "m.safetensors")
    given = ["--input", f"x={folder / 'x.npy'}", "--input", f"target={folder / 'target.npy'}"]
    call(cli, "train", folder / "m.halfwire", *given, "--out", folder / "out")
    return exporter, start, losses_of(folder / "out"), load_file(folder / "out/weights.safetensors")


def furthest(start, learnt, begin, end):
    """How far the learnt parameters are from `end` at most, and those that have no counterpart."""
    worst, missing = 0.0, []
    for key, parameter in end.items():
        found = counterpart(start, begin[key])
        if not found:
            missing.append(key)
            continue
        tensor = learnt[found[0]].T if found[1] else learnt[found[0]]
        worst = max(worst, apart(tensor.ravel(), parameter.ravel()))
    return worst, missing


def parameters_of(model):
    return {key: p.detach().clone().numpy() for key, p in model.named_parameters()}


def one(cli, name, folder):
    model, x = small_models.make(name)
    with torch.no_grad():
        target = torch.randn(model(x).shape, generator=torch.Generator().manual_seed(7))
    begin = parameters_of(model)
    exporter, start, ours, learnt = train(cli, model, x, target, folder, SGD[0])
    exact, exact_parameters = train_pytorch(model, x, target, torch.float64, SGD[1], STEPS)
    theirs, their_parameters = train_pytorch(model, x, target, torch.float32, SGD[1], STEPS)
    worst, missing = furthest(start, learnt, begin, exact_parameters)
    worst_of_theirs = max(apart(their_parameters[key], p) for key, p in exact_parameters.items() if key not in missing)
    off = [abs(losses[-1] - exact[-1]) / abs(exact[-1]) for losses in (ours, theirs)]
    first = abs(ours[0] - exact[0]) / abs(exact[0])
    right = first <= CLOSE and off[0] <= max(CLOSE, 2 * off[1]) and worst <= max(CLOSE, 2 * worst_of_theirs) and not missing
    print(
        f"{'right' if right else 'WRONG':6}{name:9} {exporter} exporter, {len(begin)} parameters; loss {ours[0]:.6f} to {ours[-1]:.6f}; off f64: first loss "
        f"{first:.1e}, last {off[0]:.1e} (PyTorch {off[1]:.1e}), parameters {worst:.1e} ({worst_of_theirs:.1e})"
        + (f"; without a counterpart: {', '.join(missing)}" if missing else ""),
        flush=True,
    )
    return right


def one_optimiser(cli, name, folder):
    more, make = OPTIMISERS[name]
    rate = 1e-3 if name == "lion" else RATE
    same = {"lr": rate, "weight_decay": DECAY["weight_decay"]}
    torch.set_default_dtype(torch.float64)  # NAdam keeps a product in it
    try:
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
        x, target = torch.randn(32, 8), torch.randn(32, 4)
        begin = parameters_of(model)
        settings = {"optimiser": name, "learning_rate": rate, "steps": MANY_STEPS, **more}
        _, start, ours, learnt = train(cli, model, x, target, folder, settings)
        losses, end = train_pytorch(model, x, target, torch.float64, lambda p: make(p, **same), MANY_STEPS)
    finally:
        torch.set_default_dtype(torch.float32)
    worst, missing = furthest(start, learnt, begin, end)
    off = abs(ours[-1] - losses[-1]) / abs(losses[-1])
    right = off <= WRITTEN and worst <= EXACT and not missing and losses[-1] < losses[0]
    print(
        f"{'right' if right else 'WRONG':6}{name:9} {MANY_STEPS} steps in f64; loss {ours[0]:.6f} to {ours[-1]:.6f}; off: last loss {off:.1e}, "
        f"parameters {worst:.1e}" + (f"; without a counterpart: {', '.join(missing)}" if missing else ""),
        flush=True,
    )
    return right


if __name__ == "__main__":
    each_model.main(__doc__, ((one, small_models.MODELS), (one_optimiser, list(OPTIMISERS))))
