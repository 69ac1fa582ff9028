"""The same networks in Halfwire, ONNX Runtime and PyTorch, on the CPU: ratios of speed beside those that are wanted. Each round measures
every engine once, in turns, so that a busy machine slows all of them; a ratio is the median over the rounds. Needs torch, torchvision,
onnxruntime and onnx: scripts/bench --peers."""

import argparse
import json
import os
import random
import statistics
import string
import subprocess
import tempfile
import time
from importlib.metadata import version

import numpy as np
import torch
import torchvision

BF16 = torch.bfloat16


def median_ms(run, times):
    run()
    run()
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken) * 1e3


class Halfwire:
    def __init__(self, options):
        self.options = options
        self.networks = os.path.join(options.examples, "networks")

    def call(self, *words):
        ended = subprocess.run([self.options.cli, *words], capture_output=True, text=True, env=dict(os.environ, HALFWIRE_ASSETS=self.options.assets), check=False)
        if ended.returncode:
            raise RuntimeError(f"{' '.join(words)}: {ended.stderr.strip()}")
        return ended.stdout

    def bench(self, graph, *words, times=1):
        """Milliseconds of a run, and how much of it the measured rate of products would take."""
        report = json.loads(self.call("bench", graph, "--runs", str(times * self.options.times), "--threads", str(self.options.threads), "--json", *words))
        return report["median_ms"], report["floor_ms"] / report["median_ms"]

    def network(self, name):
        return os.path.join(self.networks, name + ".halfwire")


def of_runtime(halfwire, options, name, batch, folder):
    """The network as Halfwire exports it, with the same weights."""
    import onnxruntime  # pylint: disable=import-outside-toplevel  # PyTorch is slow beside its threads

    model = os.path.join(folder, f"{name}_{batch}.onnx")
    with open(halfwire.network(name), encoding="utf-8") as text:
        picture = next(node for node in json.load(text)["nodes"] if node["type"] == "input")
    size = [batch, *picture["params"]["shape"][1:]]
    halfwire.call("export", halfwire.network(name), "-o", model, "--set", f"{picture['id']}.shape={json.dumps(size)}")
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(model, settings)
    source = session.get_inputs()[0]
    x = np.random.default_rng(0).standard_normal((batch, *source.shape[1:])).astype("f4")
    return lambda: median_ms(lambda: session.run(None, {source.name: x}), options.times)


def of_torch(options, make, batch, train=False, narrow=False, size=224):
    model = make().to(memory_format=torch.channels_last)
    x = torch.randn(batch, 3, size, size).to(memory_format=torch.channels_last)
    autocast = torch.autocast("cpu", BF16, enabled=narrow)
    if not train:
        model.eval()

        def run():
            with torch.no_grad(), autocast:
                model(x)

        return lambda: median_ms(run, options.times)
    optimiser = torch.optim.SGD(model.parameters(), 1e-6)

    def step():
        optimiser.zero_grad()
        with autocast:
            y = model(x)
        (y.float() ** 2).mean().backward()
        optimiser.step()

    return lambda: median_ms(step, options.times)


class Block(torch.nn.Module):
    """A block of the language model among the examples."""

    def __init__(self, hidden=128, heads=4):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(hidden), torch.nn.LayerNorm(hidden)])
        self.in_projection, self.out_projection = torch.nn.Linear(hidden, 3 * hidden), torch.nn.Linear(hidden, hidden)
        self.expand, self.reduce = torch.nn.Linear(hidden, 4 * hidden), torch.nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        shape = (*x.shape[:2], self.heads, x.shape[2] // self.heads)
        q, k, v = (part.reshape(shape).transpose(1, 2) for part in self.in_projection(self.norms[0](x)).chunk(3, -1))
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out_projection(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.reduce(torch.nn.functional.gelu(self.expand(self.norms[1](x))))


class LanguageModel(torch.nn.Module):
    def __init__(self, entries=65, hidden=128, sequence=64):
        super().__init__()
        self.table, self.places = torch.nn.Embedding(entries, hidden), torch.nn.Embedding(sequence, hidden)
        self.blocks, self.norm = torch.nn.Sequential(*[Block() for _ in range(4)]), torch.nn.LayerNorm(hidden)

    def forward(self, tokens):
        x = self.table(tokens) + self.places(torch.arange(tokens.shape[1]))
        return self.norm(self.blocks(x)) @ self.table.weight.T


def language_model(options):
    model = LanguageModel()
    optimiser = torch.optim.AdamW(model.parameters(), 1e-3, weight_decay=0.1)
    tokens, targets = torch.randint(0, 65, (12, 64)), torch.randint(0, 65, (12 * 64,))

    def step():
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return lambda: median_ms(step, 10 * options.times)


def rows(halfwire, options, folder):
    """What, of which engine, the wanted ratio, the wanted share of the floor (None: none), and what makes the two measurements. Those of
    PyTorch come first."""
    resnet = torchvision.models.resnet18

    def bench(name, *words, times=1):
        return lambda: halfwire.bench(halfwire.network(name), *words, times=times)

    def runtime(name, batch):
        return lambda: of_runtime(halfwire, options, name, batch, folder)

    def pytorch(make, batch, **how):
        return lambda: of_torch(options, make, batch, **how)

    yield "inference bf16, ResNet-18, batch 16", "PyTorch", 1.3, 0.75, bench("ResNet-18", "--batch", "16", "--dtype", "bf16"), pytorch(resnet, 16, narrow=True)
    yield "training f32, ResNet-18, batch 16", "PyTorch", 1.15, 0.7, bench("ResNet-18", "--batch", "16", "--train"), pytorch(resnet, 16, train=True)
    yield "training bf16, ResNet-18, batch 16", "PyTorch", 1.1, 0.6, bench("ResNet-18", "--batch", "16", "--train", "--dtype", "bf16"), pytorch(resnet, 16, train=True, narrow=True)
    yield "training f32, language model of 4 blocks", "PyTorch", 1.0, None, bench("../language_model", "--train", times=10), lambda: language_model(options)
    yield "inference f32, ResNet-18, batch 16", "ONNX Runtime", 1.0, 0.85, bench("ResNet-18", "--batch", "16"), runtime("ResNet-18", 16)
    yield "inference f32, ResNet-18, batch 1", "ONNX Runtime", 1.0, 0.85, bench("ResNet-18", "--batch", "1"), runtime("ResNet-18", 1)
    yield "inference f32, Darknet-53, batch 8", "ONNX Runtime", 0.95, 0.85, bench("Darknet-53", "--batch", "8"), runtime("Darknet-53", 8)
    yield "inference f32, MobileNetV2, batch 1", "ONNX Runtime", 0.95, None, bench("MobileNetV2", "--batch", "1", times=10), runtime("MobileNetV2", 1)


def write_text(folder):
    """Something with 65 letters for the language model to read."""
    os.makedirs(os.path.join(folder, "text"))
    letters = (string.ascii_letters + string.digits + " \n.")[:65]
    with open(os.path.join(folder, "text", "text.txt"), "w", encoding="utf-8") as text:
        text.write("".join(random.Random(0).choices(letters, k=200_000)) + letters)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--times", type=int, default=5, help="runs of each round, whose median counts")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="rows whose text holds this")
    options = parser.parse_args()
    options.cli = os.path.abspath(options.cli)
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    print(f"{options.threads} threads, PyTorch {torch.__version__}, ONNX Runtime {version('onnxruntime')}; medians of {options.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        options.assets = folder
        write_text(folder)
        halfwire = Halfwire(options)
        for what, engine, wanted, wanted_share, ours, make_theirs in rows(halfwire, options, folder):
            if options.only not in what:
                continue
            theirs = make_theirs()
            pairs = []
            for _ in range(options.rounds):
                time.sleep(0.5)  # the threads of the others go on spinning for a while
                pairs.append((ours(), theirs()))
            mine, share = (statistics.median(pair[0][k] for pair in pairs) for k in (0, 1))
            other = statistics.median(pair[1] for pair in pairs)
            ratio = statistics.median(pair[1] / pair[0][0] for pair in pairs)
            good = ratio >= wanted and (wanted_share is None or share >= wanted_share)
            floor = f", of floor {share:.2f}" + (f" (wanted {wanted_share})" if wanted_share else "")
            print(f"{what:42} {mine:8.2f} ms  {engine} {other:8.2f} ms  ratio {ratio:.2f} (wanted {wanted}){floor}  {'ok' if good else 'falls short'}", flush=True)


main()
