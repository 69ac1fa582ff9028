"""Checkpoints and dumps of PyTorch against graphs: a sharded float8 checkpoint of a gigabyte with names of its own, whose clashes are shown
before anything is loaded; a model whose dropout runs, named as the first that differs. Needs torch and safetensors: scripts/test-interop
makes an environment with them."""

import argparse
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy
import torch
from safetensors.torch import save_file, save_model

WIDTH, LAYERS, SHARDS = 4096, 64, 4  # 1.07 GB in float8
MAPPED_WITHIN = 0.5  # seconds, from the start of the program to its report
MEMORY_WITHIN = 1.2  # times the weights that were loaded


def scripts_module(name):
    path = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", name)
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def cli(options, *arguments):
    """Exit code, stdout, stderr, seconds."""
    begin = time.monotonic()
    done = subprocess.run([options.cli, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr, time.monotonic() - begin


def memory_of(options, *arguments):
    """Exit code and the most memory of one call, of a process of its own."""
    code = "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True, text=True); sys.stderr.write(done.stderr[-500:]); print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"
    exit_code, peak = subprocess.run([sys.executable, "-c", code, options.cli, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return int(exit_code), int(peak)


def chain(folder):
    nodes = [{"id": "x", "type": "random", "params": {"shape": [2, WIDTH], "dtype": "bf16"}}]
    links, before = [], "x.y"
    for i in range(LAYERS):
        nodes.append({"id": f"layer_{i}", "type": "linear", "params": {"out_features": WIDTH, "dtype": "bf16"}})
        links.append([before, f"layer_{i}.x"])
        before = f"layer_{i}.y"
    file = os.path.join(folder, "chain.halfwire")
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"halfwire": 1, "nodes": nodes, "links": links}, out)
    return file


def checkpoint(folder):
    """Weights and biases in float8 where the graph wants bf16: each clashes."""
    torch.manual_seed(0)
    weight = (torch.rand(WIDTH, WIDTH) - 0.5).to(torch.float8_e4m3fn)
    index, total = {}, 0
    for shard in range(SHARDS):
        tensors = {}
        for i in range(shard, LAYERS, SHARDS):
            tensors[f"module.blocks.layer.{i}.weight"] = weight.clone()
            tensors[f"module.blocks.layer.{i}.bias"] = torch.zeros(WIDTH).to(torch.float8_e4m3fn)
        name = f"model-{shard + 1:05d}-of-{SHARDS:05d}.safetensors"
        save_file(tensors, os.path.join(folder, name))
        index.update({tensor: name for tensor in tensors})
        total += sum(t.numel() * t.element_size() for t in tensors.values())
    file = os.path.join(folder, "model.safetensors.index.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"metadata": {"total_size": total}, "weight_map": index}, out)
    return file, total


def float8_checkpoint(options):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        graph, (weights, stored) = chain(folder), checkpoint(folder)
        exit_code, out, err, seconds = cli(options, "map-weights", graph, weights, "--map", "name", "--json")
        table = json.loads(out)
        clashes = [d for d in table["problems"] if d["code"] == "HW-D003"]
        assert exit_code == 1 and len(table["problems"]) == len(clashes) == 2 * LAYERS, err[-400:]
        assert all(d["expected"] == "bf16" and d["got"] == "f8e4m3" and d["remedies"] for d in clashes), clashes[0]
        assert all(row["found_by"] == "similar name" for row in table["parameters"])
        print(f"{stored / 1e9:.2f} GB in {SHARDS} files: {len(clashes)} clashes shown in {seconds:.2f} s", "ok" if seconds < MAPPED_WITHIN else "falls short", flush=True)
        written = os.path.join(folder, "converted.halfwire")
        exit_code, peak = memory_of(options, "map-weights", graph, weights, "--map", "name", "--convert-dtype", "-o", written)
        assert exit_code == 0
        loaded = os.path.getsize(os.path.join(folder, "converted.safetensors"))
        print(f"converted to {loaded / 1e9:.2f} GB of bf16 with {peak / 1e9:.2f} GB of memory, {peak / loaded:.2f} of it", "ok" if peak <= MEMORY_WITHIN * loaded else "falls short", flush=True)
        assert cli(options, "map-weights", written, weights, "--convert-dtype")[0] == 0  # the names are kept
        return seconds < MAPPED_WITHIN and peak <= MEMORY_WITHIN * loaded


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 32)
        self.drop = torch.nn.Dropout(0.3)
        self.second = torch.nn.Linear(32, 32)
        self.head = torch.nn.Linear(32, 4)

    def forward(self, x):
        return self.head(torch.relu(self.second(self.drop(torch.relu(self.first(x))))))


def dropout_dump(options):
    """The graph runs in evaluation mode; of PyTorch's model once, and once in training mode, where its dropout draws."""
    dump = scripts_module("dump-pytorch").dump
    torch.manual_seed(0)
    model, x = Model(), torch.randn(16, 8)
    nodes = [{"id": "x", "type": "input", "params": {"shape": [16, 8]}}, {"id": "first", "type": "linear", "params": {"out_features": 32}}, {"id": "act", "type": "relu"},
             {"id": "drop", "type": "dropout", "params": {"p": 0.3}}, {"id": "second", "type": "linear", "params": {"out_features": 32}}, {"id": "act_2", "type": "relu"},
             {"id": "head", "type": "linear", "params": {"out_features": 4}}, {"id": "out", "type": "output"}]
    chain_of = ["x", "first", "act", "drop", "second", "act_2", "head", "out"]
    links = [[f"{a}.y", f"{b}.x"] for a, b in zip(chain_of, chain_of[1:])]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        graph = os.path.join(folder, "model.halfwire")
        with open(graph, "w", encoding="utf-8") as out:
            json.dump({"halfwire": 1, "nodes": nodes, "links": links}, out)
        save_model(model, os.path.join(folder, "model.safetensors"))
        for training in (False, True):
            made = os.path.join(folder, f"dump-{training}")
            dump(model.train(training), {"x": x}, made)
            if not training:  # the same in one file
                numpy.savez_compressed(made + ".npz", **{name[: -len(".npy")]: numpy.load(os.path.join(made, name)) for name in os.listdir(made)})
                made += ".npz"
            exit_code, out, err, _ = cli(options, "parity", graph, "--against", made, "--json")
            report = json.loads(out)
            first = None if report["first"] is None else report["wires"][report["first"]]["node"]
            if training:
                assert exit_code == 1 and first == "drop", (exit_code, first, err)
                print("dropout that runs: it is named as the first node that differs  ok", flush=True)
            else:
                assert exit_code == 0 and first is None, (exit_code, first, err)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--folder", help="where the files are made that are deleted afterwards (default: the system's)")
    options = parser.parse_args()
    good = [float8_checkpoint(options), dropout_dump(options)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
