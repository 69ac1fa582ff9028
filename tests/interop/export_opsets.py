#!/usr/bin/env python3
"""The example networks in each opset that halfwire-cli writes, with and without functions, through ONNX Runtime.

    python -m venv venv && venv/bin/pip install numpy onnx onnxruntime
    venv/bin/python tests/interop/export_opsets.py --cli build/release/halfwire-cli --networks resources/examples/networks

Each model is checked and its shapes inferred by the onnx package; what ONNX Runtime gives must be that of opset 17 within the
roundings of other operators, and the same to the bit with functions as without. Of the models with functions one is read back. Exit
code 1: something differs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

OPSETS = range(17, 29)
SMALL = ("ResNet-20-CIFAR", "MobileNetV2", "EfficientNet-B0", "MobileNetV3-Large", "ConvNeXt-T")


def call(cli, *words):
    done = subprocess.run([cli, *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def results(file):
    """Outputs of random inputs, which are the same for the same names and shapes."""
    onnx.checker.check_model(str(file), full_check=True)
    model = onnx.load(file)
    onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    feeds = {}
    for value in session.get_inputs():
        shape = [size if isinstance(size, int) else 1 for size in value.shape]
        feeds[value.name] = np.random.default_rng(1).normal(0, 1, shape).astype(np.float32)
    return session.run(None, feeds), len(model.functions)


def check(cli, graph, folder, opsets):
    first = None
    for opset in opsets:
        plain, grouped = folder / f"{opset}.onnx", folder / f"{opset}_functions.onnx"
        call(cli, "export", graph, "-o", plain, "--opset", opset)
        report = call(cli, "export", graph, "-o", grouped, "--opset", opset, "--functions")
        values, _ = results(plain)
        of_groups, functions = results(grouped)
        assert functions == len(report["functions"]), f"{functions} functions"
        first = first or values
        assert all(np.isfinite(a).all() for a in first), "NaN or Inf, which agree with themselves"
        for a, b, c in zip(first, values, of_groups, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4 * np.abs(a).max(), err_msg=f"opset {opset}")
            np.testing.assert_array_equal(b, c, err_msg=f"opset {opset}, functions")
    back = call(cli, "import", grouped, "-o", folder / "back.halfwire")
    assert not back["missing"], back["missing"]
    return f"{functions} functions, {len(report['inlined'])} instances without"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default="build/release/halfwire-cli")
    parser.add_argument("--networks", default="resources/examples/networks")
    parser.add_argument("--opsets", type=int, nargs="*", default=list(OPSETS))
    parser.add_argument("names", nargs="*", default=SMALL)
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(4)
    wrong = 0
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                said = check(str(Path(options.cli).resolve()), Path(options.networks) / f"{name}.halfwire", Path(folder), options.opsets)
                print(f"{name}: opsets {options.opsets[0]} to {options.opsets[-1]} agree; {said}", flush=True)
            except Exception as error:
                wrong += 1
                print(f"{name}: {' '.join(str(error).split())[:600]}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
