"""The state dicts of torchvision's and timm's models on the product's networks: `map-weights --map name`, then `run --weights` beside the
model in evaluation mode. Twice: in f32, as the networks are, and in f64, graph and weights and model alike, where rounding is too small to
hide a fault of the mapping or of a node. Random weights, with which the scores follow the picture; norms have statistics and affine
parameters that are no ones and zeros. Needs torch, torchvision, timm and safetensors."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torchvision
from safetensors.torch import save_file

WITHIN = 1e-5  # in f32, relative to the largest score
EXACT = 1e-12  # in f64, likewise: rounding is some 1e-14, a wrong epsilon 1e-6 and more
FOLLOWS = 1e-6  # of the largest score: how far another picture's scores are away at least; else a wrong layer at the front is not seen
NETWORKS = {  # the product's: torchvision's, timm's
    "ConvNeXt-T": ("convnext_tiny", "convnext_tiny"),
    "Darknet-53": (None, "darknet53"),
    "EfficientNet-B0": ("efficientnet_b0", "efficientnet_b0"),
    "GoogLeNet": ("googlenet", None),
    "Inception-v3": ("inception_v3", "inception_v3"),
    "MobileNetV2": ("mobilenet_v2", "mobilenetv2_100"),
    "MobileNetV3-Large": ("mobilenet_v3_large", "mobilenetv3_large_100"),
    "ResNet-18": ("resnet18", "resnet18"),
    "ResNet-20-CIFAR": ("cifar_resnet20", None),
    "ResNet-50": ("resnet50", "resnet50"),
    "VGG-16": ("vgg16", "vgg16"),
}
# What the published model computes otherwise: (network, source): what is set in it so that it computes the same.
SET = {
    ("MobileNetV3-Large", "timm"): "batch norm epsilon 1e-3 for 1e-5",
    ("Darknet-53", "timm"): "leaky ReLU of slope 0.1 for 0.01",
}
# With the weights that these start with, layer by layer less is left of the picture: others stand in.
LOSE = {"efficientnet_b0", "googlenet", "mobilenet_v2", "mobilenet_v3_large"}


def cifar_resnet20():
    """torchvision's blocks as CIFAR's network has them: three stages of three, no pool at the stem."""
    model = torchvision.models.ResNet(torchvision.models.resnet.BasicBlock, [3, 3, 3, 1], num_classes=10)
    model.inplanes = 16
    model.conv1, model.bn1, model.maxpool = torch.nn.Conv2d(3, 16, 3, 1, 1, bias=False), torch.nn.BatchNorm2d(16), torch.nn.Identity()
    model.layer1 = model._make_layer(torchvision.models.resnet.BasicBlock, 16, 3)
    model.layer2 = model._make_layer(torchvision.models.resnet.BasicBlock, 32, 3, 2)
    model.layer3 = model._make_layer(torchvision.models.resnet.BasicBlock, 64, 3, 2)
    model.layer4, model.fc = torch.nn.Identity(), torch.nn.Linear(64, 10)
    return model


def made(source, name):
    torch.manual_seed(0)
    if name == "cifar_resnet20":
        model = cifar_resnet20()
    elif source == "timm":
        import timm

        model = timm.create_model(name, pretrained=False)
    else:
        model = getattr(torchvision.models, name)(weights=None, **({"init_weights": True} if name in ("googlenet", "inception_v3") else {}))
    for module in model.modules():
        if name in LOSE and isinstance(module, (torch.nn.Conv2d, torch.nn.Linear)):
            torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.normal_(module.running_mean, std=0.1)
            torch.nn.init.uniform_(module.running_var, 0.5, 1.5)
        if isinstance(module, (torch.nn.BatchNorm2d, torch.nn.LayerNorm)):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            torch.nn.init.normal_(module.bias, std=0.1)
    for key, parameter in model.named_parameters():
        if key.endswith(("layer_scale", "gamma")):
            torch.nn.init.uniform_(parameter, 0.1, 0.5)
    return model.eval()


def alike(model, network, source):
    """Sets what the published model computes otherwise."""
    for module in model.modules():
        if (network, source) == ("MobileNetV3-Large", "timm") and isinstance(module, torch.nn.BatchNorm2d):
            module.eps = 1e-3
        if (network, source) == ("Darknet-53", "timm") and isinstance(module, torch.nn.LeakyReLU):
            module.negative_slope = 0.1
    return SET.get((network, source))


def types_with_f64(cli):
    """Node types whose parameter "dtype" can be f64."""
    listed = json.loads(subprocess.run([cli, "nodes", "--json"], capture_output=True, text=True, check=True).stdout)
    return {t["id"] for t in listed if any(p["id"] == "dtype" and "f64" in p["choices"] for p in t["params"] if "choices" in p)}


def in_f64(document, types):
    """The graph, and the groups in it, with every node in f64."""
    wide = json.loads(json.dumps(document))
    for graph in (wide, *wide.get("subgraphs", {}).values()):
        for node in graph["nodes"]:
            if node["type"] in types:
                node.setdefault("params", {})["dtype"] = "f64"
    return wide


def scores_of(options, graph, weights, given, wire, file):
    """What the product makes of it, and what it said where it made nothing."""
    np.save(file + ".x.npy", given)
    words = [options.cli, "run", graph, "--weights", weights, "--map", "name", "--input", f"{wire[0]}={file}.x.npy", "--output", f"{wire[1]}={file}"]
    run = subprocess.run(words, capture_output=True, text=True)
    return (None if run.returncode else np.load(file)), run.stderr.strip()[:600]


def save_state(model, file):
    save_file({key: value.contiguous() for key, value in model.state_dict().items()}, file)


def compare(options, network, source, name, folder):
    graph = os.path.join(options.networks, network + ".halfwire")
    with open(graph, encoding="utf-8") as text:
        document = json.load(text)
    picture = next(n for n in document["nodes"] if n["type"] == "input")
    output = next(n["id"] for n in document["nodes"] if n["type"] == "output")
    wires = (picture["id"] + ".y", next(link[0] for link in document["links"] if link[1] == output + ".x"))
    model = made(source, name)
    weights, wide_weights, wide_graph, scores = (os.path.join(folder, f) for f in ("w.safetensors", "w64.safetensors", "wide.halfwire", "y.npy"))
    save_state(model, weights)
    said = subprocess.run([options.cli, "map-weights", graph, weights, "--map", "name", "--json"], capture_output=True, text=True)
    table = json.loads(said.stdout)
    rows, problems = table["parameters"], table["problems"]
    mapped = sum(row["tensor"] is not None for row in rows)
    x = torch.randn(*(int(size) for size in picture["params"]["shape"]))
    with torch.no_grad():
        plain = model(x)
        note = alike(model, network, source)
        wanted = model(x) if note else plain
        exact = model.double()(x.double()).numpy()
        follows = float(np.abs(model(torch.randn(x.shape).double()).numpy() - exact).max() / np.abs(exact).max())
    save_state(model, wide_weights)
    with open(wide_graph, "w", encoding="utf-8") as text:
        json.dump(in_f64(document, options.wide_types), text)
    got, said = scores_of(options, graph, weights, x.numpy(), wires, scores)
    wide, said_wide = scores_of(options, wide_graph, wide_weights, x.double().numpy(), wires, scores)
    line = f"{network} {source}: mapped {mapped} of {len(rows)}, left over {len(table['unused'])} ({table['network']})"
    if problems or got is None or wide is None:
        print(f"WRONG {line}: {len(problems)} problems; {said} {said_wide}", flush=True)
        return False
    scale = float(np.abs(exact).max())
    far, far_wide, theirs = (float(np.abs(s.astype("f8") - exact).max()) / scale for s in (got, wide, wanted.numpy()))
    good = mapped == len(rows) and (table["network"] or "").startswith(network) and far <= WITHIN
    good = good and wide.dtype == np.float64 and far_wide <= EXACT and follows >= FOLLOWS
    if note and not table["differs"]:
        good = False
    more = f"; with {note} in the model, without {float(np.abs(got - plain.numpy()).max()) / scale:.1e}" if note else ""
    print(f"{'ok' if good else 'WRONG'} {line}, off the model in f64: in f64 {far_wide:.1e}, in f32 {far:.1e} (the model's own f32 {theirs:.1e}), another picture {follows:.1e}{more}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--networks", required=True, help="the folder of the product's networks")
    parser.add_argument("only", nargs="*", default=list(NETWORKS), help="networks")
    options = parser.parse_args()
    options.wide_types = types_with_f64(options.cli)
    try:
        import timm  # noqa: F401

        sources = ("torchvision", "timm")
    except ImportError:
        print("skipped: no timm, torchvision alone", flush=True)
        sources = ("torchvision",)
    good = True
    for network in options.only:
        for source, name in zip(("torchvision", "timm"), NETWORKS[network]):
            if name is None or source not in sources:
                continue
            with tempfile.TemporaryDirectory(prefix="halfwire-interop-") as folder:
                good &= compare(options, network, source, name, folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
