"""torchvision's models through ONNX: each is exported by PyTorch with random weights, imported, run beside ONNX Runtime, trained ten steps,
exported again, checked by onnx.checker with shape inference, and run by ONNX Runtime once more. The product's own networks are exported
and run by ONNX Runtime. Needs torch, torchvision, onnx, onnxscript and onnxruntime: scripts/test-interop makes an environment with them."""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
import torch
import torchvision

MODELS = ["resnet18", "resnet50", "vgg16_bn", "inception_v3", "googlenet", "mobilenet_v2", "mobilenet_v3_large", "efficientnet_b0", "squeezenet1_0", "vit_b_16"]
WITHIN = 1e-4  # relative to the largest score


def cli(options, *arguments):
    done = subprocess.run([options.cli, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments[:2])}: {done.stderr.strip()[-400:]}")
    return done.stdout


def by_runtime(file, x):
    session = onnxruntime.InferenceSession(file)
    return session.run(None, {session.get_inputs()[0].name: x})[0]


def apart(a, b):
    return float(np.abs(a - b).max() / np.abs(b).max())


def ends_of(graph):
    """The ids of the Input and of the Output, and the wire that leads to it."""
    nodes = graph["nodes"]
    source = next(n["id"] for n in nodes if n["type"] == "input")
    output = next(n["id"] for n in nodes if n["type"] == "output")
    return source, output, next(link[0] for link in graph["links"] if link[1] == output + ".x")


def run(options, file, x, folder, *more):
    with open(file, encoding="utf-8") as text:
        source, _, wire = ends_of(json.load(text))
    given, made = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    np.save(given, x)
    cli(options, "run", file, "--input", f"{source}.y={given}", "--output", f"{wire}={made}", *more)
    return np.load(made)


def trained(options, file, weights, folder):
    """First and last loss of ten steps on one example."""
    with open(file, encoding="utf-8") as text:
        graph = json.load(text)
    _, _, wire = ends_of(graph)
    graph["nodes"] += [
        {"id": "labels", "type": "tensor_constant", "at": [0, -400], "params": {"values": [3], "shape": [1], "dtype": "i64"}},
        {"id": "loss", "type": "cross_entropy", "at": [256, -400]},
        {"id": "train", "type": "train", "at": [512, -400], "params": {"steps": 10, "learning_rate": 1e-4}},
    ]
    graph["links"] += [[wire, "loss.logits"], ["labels.y", "loss.labels"], ["loss.loss", "train.loss"]]
    file = os.path.join(folder, "train.halfwire")
    with open(file, "w", encoding="utf-8") as text:
        json.dump(graph, text)
    out = os.path.join(folder, "trained")
    cli(options, "train", file, "--weights", weights, "--out", out)
    with open(os.path.join(out, "loss.csv"), encoding="utf-8") as text:
        losses = [float(line.split(",")[1]) for line in text.read().splitlines()[1:]]
    return losses, os.path.join(out, "weights.safetensors")


def round_trip(options, name, folder):
    torch.manual_seed(0)
    special = {"init_weights": False, "aux_logits": False} if name in ("inception_v3", "googlenet") else {}
    model = getattr(torchvision.models, name)(weights=None, **special).eval()
    if name.startswith("vit"):  # whose classifier begins with zeros
        torch.nn.init.normal_(model.heads.head.weight, std=0.05)
    for parameter in (p for key, p in model.named_parameters() if key.endswith("bias")):  # else zeros, which the exporter takes away
        torch.nn.init.normal_(parameter, std=0.1)
    size = 299 if name == "inception_v3" else 224
    x = torch.randn(1, 3, size, size)
    file = os.path.join(folder, name + ".onnx")
    torch.onnx.export(model, (x,), file, dynamo=True, verbose=False, external_data=False)
    x = x.numpy()
    wanted = by_runtime(file, x)
    graph = os.path.join(folder, name + ".halfwire")
    begin = time.time()
    said = cli(options, "import", file, "-o", graph)
    took = time.time() - begin
    if ", 0 operators missing" not in said:
        raise RuntimeError(said)
    weights = graph.replace(".halfwire", ".safetensors")
    far = apart(run(options, graph, x, folder), wanted)
    losses, learnt = trained(options, graph, weights, folder)
    again = os.path.join(folder, "again.onnx")
    cli(options, "export", graph, "-o", again, "--weights", learnt)
    onnx.checker.check_model(onnx.load(again), full_check=True)
    far_again = apart(by_runtime(again, x), run(options, graph, x, folder, "--weights", learnt))
    good = far <= WITHIN and far_again <= WITHIN and all(np.isfinite(losses)) and losses[-1] < losses[0]
    print(f"{'ok' if good else 'WRONG'} {name}: import {took:.2f} s, {far:.1e} off ONNX Runtime; ten steps {losses[0]:.4f} to {losses[-1]:.4f}; exported again {far_again:.1e}", flush=True)
    return good


def own_network(options, file, folder):
    made = os.path.join(folder, "own.onnx")
    cli(options, "export", file, "-o", made)
    onnx.checker.check_model(onnx.load(made), full_check=True)
    with open(file, encoding="utf-8") as text:
        source = next(n for n in json.load(text)["nodes"] if n["type"] == "input")
    x = np.random.default_rng(0).standard_normal([int(size) for size in source["params"]["shape"]]).astype("f4")
    far = apart(by_runtime(made, x), run(options, file, x, folder))
    print(f"{'ok' if far <= WITHIN else 'WRONG'} {os.path.basename(file)}: exported, {far:.1e} off ONNX Runtime", flush=True)
    return far <= WITHIN


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--networks", required=True, help="the folder of the product's networks")
    parser.add_argument("models", nargs="*", default=MODELS)
    options = parser.parse_args()
    good = True
    for name in options.models:
        with tempfile.TemporaryDirectory(prefix="halfwire-interop-") as folder:
            good &= round_trip(options, name, folder)
    for file in sorted(glob.glob(os.path.join(options.networks, "*.halfwire"))):
        with tempfile.TemporaryDirectory(prefix="halfwire-interop-") as folder:
            good &= own_network(options, file, folder)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
