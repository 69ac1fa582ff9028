#!/usr/bin/env python3
"""Writes the node cases of the installed onnx as folders for `halfwire-cli onnx-test`.

    python -m venv venv && venv/bin/pip install onnx
    venv/bin/python tests/interop/onnx_node_cases.py cases
    halfwire-cli onnx-test cases

Inputs and outputs that are no tensors (sequences, optional values) get no file. The cases of DFT are computed in f64, as NumPy did
before 2.0: it now computes them in f32, and where terms cancel its rounding is more than the cases allow.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def tensor_of(value):
    if hasattr(value, "SerializeToString"):
        return value
    if isinstance(value, np.ndarray) or np.isscalar(value):
        return numpy_helper.from_array(np.asarray(value))
    return None


def write(case, folder):
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(case.model, str(folder / "model.onnx"))
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir(exist_ok=True)
        for kind, values in (("input", inputs), ("output", outputs)):
            for i, value in enumerate(values):
                tensor = tensor_of(value)
                if tensor is not None:
                    (data / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString())


def in_double(function):
    return lambda x, *args, **kwargs: function(np.asarray(x, np.result_type(x, np.float64)), *args, **kwargs)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    for name in ("fft", "ifft", "rfft", "irfft"):
        setattr(np.fft, name, in_double(getattr(np.fft, name)))
    cases = [case for case in collect_testcases(None) if case.kind == "node"]
    for case in cases:
        write(case, Path(sys.argv[1]) / case.name)
    print(f"{len(cases)} cases of onnx {onnx.__version__}")


if __name__ == "__main__":
    main()
