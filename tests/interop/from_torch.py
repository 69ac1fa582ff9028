#!/usr/bin/env python3
"""Makes graphs of PyTorch modules with scripts/from-torch and holds what they compute against the modules.

    tests/interop/from_torch.py [--cli build/release/halfwire-cli] [MODEL ...]

A model is right where `validate` finds no error, no operator is missing, and each output is within 1e-5 of PyTorch's in evaluation mode
(relative to its largest value; f16 1e-3, bf16 1.6e-2), with weights under PyTorch's names; a dynamic one at another size, too. Some are trained: ten
steps of SGD beside PyTorch, as train_beside_pytorch.py judges them. What must be refused, or become a placeholder, is tried as well. Needs
torch, torchvision, transformers and safetensors."""

import logging
import subprocess
import sys
import warnings
from importlib.machinery import SourceFileLoader
from pathlib import Path

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import ml_dtypes  # noqa: F401  numpy's bfloat16
import numpy as np
import torch
from safetensors.numpy import load_file

sys.dont_write_bytecode = True
import each_model
import from_torch_models
import train_beside_pytorch as beside

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/from-torch"
script = SourceFileLoader("from_torch_script", str(SCRIPT)).load_module()


def tensors_in(made):
    return [leaf for leaf in torch.utils._pytree.tree_leaves(made) if isinstance(leaf, torch.Tensor)]


def run(cli, file, made, given, expected):
    """The largest difference of an output, relative to its largest value. Tensors are in the order of Inputs and of Outputs."""
    inputs, outputs = ([node.id for node in made.nodes if node.type == type] for type in ("input", "output"))
    if (len(inputs), len(outputs)) != (len(given), len(expected)):
        raise RuntimeError(f"{len(inputs)} Inputs and {len(outputs)} Outputs, PyTorch has {len(given)} and {len(expected)}")
    words = []
    for name, value in zip(inputs, given):
        np.save(file.parent / f"{name}.npy", (value.float() if value.dtype == torch.bfloat16 else value).numpy())
        words += ["--input", f"{name}={file.parent / name}.npy"]
    for name in outputs:
        words += ["--output", f"{name}={file.parent / name}_out.npy"]
    beside.call(cli, "run", file, *words)
    worst = 0.0
    for name, wanted in zip(outputs, expected):
        got, want = np.load(file.parent / f"{name}_out.npy").astype(np.float64), wanted.detach().double().numpy()
        if got.shape != want.shape:
            raise RuntimeError(f"{name} is {list(got.shape)}, PyTorch's {list(want.shape)}")
        off = float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-12))
        worst = max(worst, off if np.isfinite(off) else np.inf)
    return worst


def one(cli, name, folder):
    module, args, kwargs, dynamic, others = from_torch_models.make(name)
    file = folder / "m.halfwire"
    made = script.convert(module, args, file, kwargs, dynamic)
    if made.missing:
        raise RuntimeError(f"missing: {made.missing}")
    beside.call(cli, "validate", file)
    kept, parameters = load_file(folder / "m.safetensors"), [key for key, _ in module.named_parameters()]
    wrong_names = [key for key in kept if key not in {*parameters, *dict(module.named_buffers())} and not key.startswith("constant_")]
    wrong_names += [key for key in parameters if key not in kept and key not in " ".join(made.notes)]
    worst = 0.0
    module.eval()
    for given in [(args, kwargs), *others]:
        with torch.no_grad():
            expected = tensors_in(module(*given[0], **given[1]))
        worst = max(worst, run(cli, file, made, tensors_in(given), expected))
    dtypes = {node.params.get("dtype", node.params.get("to")) for node in made.nodes}
    close = 1.6e-2 if "bf16" in dtypes else 1e-3 if "f16" in dtypes else 1e-5
    right = worst <= close and not wrong_names
    print(f"{'right' if right else 'WRONG':6}{name:12} {made.summary()}; off by {worst:.1e} of {close:.1e}" + (f"; wrong names: {wrong_names[:3]}" if wrong_names else ""),
          flush=True)
    return right


def train(cli, name, folder):
    module, (x,), *_ = from_torch_models.make(name)
    with torch.no_grad():
        target = torch.randn(module(x).shape, generator=torch.Generator().manual_seed(7))
    file = folder / "m.halfwire"
    made = script.convert(module, (x,), file)
    np.save(folder / "x.npy", x.numpy())
    np.save(folder / "target.npy", target.numpy())
    beside.with_training(file, target)
    given = ["--input", f"{next(node.id for node in made.nodes if node.type == 'input')}={folder / 'x.npy'}", "--input", f"target={folder / 'target.npy'}"]
    beside.call(cli, "train", file, *given, "--out", folder / "out")
    ours = beside.losses_of(folder / "out")
    exact, exact_parameters = beside.train_pytorch(module, x, target, torch.float64)
    theirs, their_parameters = beside.train_pytorch(module, x, target, torch.float32)
    learnt = load_file(folder / "out/weights.safetensors")
    kept = load_file(folder / "m.safetensors")
    missing = [key for key in exact_parameters if key not in learnt]
    unread = [key for key in missing if key not in kept]
    worst = max(beside.apart(learnt[key], exact_parameters[key]) for key in exact_parameters if key in learnt)
    worst_of_theirs = max(beside.apart(their_parameters[key], exact_parameters[key]) for key in exact_parameters)
    off = [abs(losses[-1] - exact[-1]) / abs(exact[-1]) for losses in (ours, theirs)]
    first = abs(ours[0] - exact[0]) / abs(exact[0])
    right = first <= beside.CLOSE and off[0] <= max(beside.CLOSE, 2 * off[1]) and worst <= max(beside.CLOSE, 2 * worst_of_theirs) and missing == unread
    print(f"{'right' if right else 'WRONG':6}{name:12} trained: loss {ours[0]:.6f} to {ours[-1]:.6f}; off f64: first loss {first:.1e}, last {off[0]:.1e} (PyTorch {off[1]:.1e}), "
          f"{len(learnt)} tensors {worst:.1e} ({worst_of_theirs:.1e})" + (f"; absent: {missing}" if missing else ""), flush=True)
    return right


def refused(cli, name, folder):
    """A module that cannot be made as a whole: an error, or a placeholder, that says the words."""
    module, args, words, kind = from_torch_models.REFUSED[name]()
    try:
        made = script.convert(module, args, folder / "m.halfwire")
        said, found = " ".join(made.missing + made.notes), "placeholder" if made.missing else "graph"
    except script.program.ExportError as error:
        said, found = str(error), "error"
    absent = [word for word in words if word not in said]
    right = not absent and found == kind
    if found == "placeholder":
        done = subprocess.run([cli, "validate", str(folder / "m.halfwire")], capture_output=True, text=True)
        right = right and done.returncode == 1 and "stands for the PyTorch operator" in done.stdout + done.stderr
    print(f"{'right' if right else 'WRONG':6}{name:12} {found}: {said[:160]}" + (f"; not said: {absent}" if absent else ""), flush=True)
    return right


if __name__ == "__main__":
    each_model.main(__doc__, ((one, from_torch_models.MODELS), (train, from_torch_models.TRAINED), (refused, from_torch_models.REFUSED)))
