#!/usr/bin/env python3
"""Runs Halfwire's checks on small transformers imported from PyTorch, and says of each check whether it is right.

    tests/interop/checks_beside_pytorch.py [--cli build/release/halfwire-cli] [MODEL ...]

A model is right where gradcheck finds no gradient wrong, parity finds no divergence from what the modules of PyTorch make, every
rewrite that has a place is proven, and the graphs that mixed precision, plan-precision and what-if write are valid.
Needs what train_beside_pytorch.py needs."""

import re
from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np
import each_model
import small_models
import torch
from train_beside_pytorch import call, export, with_training

MODELS = ["gpt2", "bert", "llama", "whisper", "t5"]
dump = SourceFileLoader("dump", str(Path(__file__).parents[2] / "scripts/dump-pytorch")).load_module()


def rewrites(cli, folder):
    """The rewrites that have a place in the graph, mixed precision among them."""
    found = re.findall(r"^(\w+)\s+[1-9]\d*  ", call(cli, "rewrite", folder / "m.halfwire"), re.MULTILINE)
    if "mixed_precision" not in found:
        raise RuntimeError(f"mixed precision has no place, only {found}")
    return found


def checks(cli, folder, given):
    """By name: the words of each check, and the graph that it writes or none."""
    graph, out = folder / "m.halfwire", folder / "changed.halfwire"
    yield "gradcheck", ["gradcheck", graph], None
    yield "xray", ["xray", graph, *given], None
    yield "parity", ["parity", graph, "--against", folder / "modules"], None
    for rule in rewrites(cli, folder):
        yield rule, ["rewrite", graph, rule, "-o", out], out
    yield "plan-precision", ["plan-precision", graph, *given, "--budget", "loss=1%", "--steps", 5, "-o", out], out
    node = re.search(r"^(\S*linear\S*) ", call(cli, "xray", graph, *given), re.MULTILINE).group(1)
    yield "what-if", ["what-if", graph, *given, "--nodes", node, "--dtype", "bf16", "--steps", 5, "-o", out], out


def one(cli, name, folder):
    model, x = small_models.make(name)
    with torch.no_grad():
        target = torch.randn(model(x).shape, generator=torch.Generator().manual_seed(7))
    export(model, x, str(folder / "m.onnx"))
    np.save(folder / "x.npy", x.numpy())
    np.save(folder / "target.npy", target.numpy())
    dump.dump(model, {"x": x}, folder / "modules")
    call(cli, "import", folder / "m.onnx", "-o", folder / "m.halfwire")
    with_training(folder / "m.halfwire", target)
    given = ["--input", f"x={folder / 'x.npy'}", "--input", f"target={folder / 'target.npy'}"]
    passed, wrong = [], []
    for check, words, written in checks(cli, folder, given):
        try:
            call(cli, *words)
            if written:
                call(cli, "validate", written)
            passed.append(check)
        except RuntimeError as error:
            wrong.append(f"{check}: {error}")
    print(f"{'WRONG' if wrong else 'right':6}{name:9} {', '.join(passed)}" + "".join(f"\n      {line}" for line in wrong), flush=True)
    return not wrong


if __name__ == "__main__":
    each_model.main(__doc__, ((one, MODELS),))
