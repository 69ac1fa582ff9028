"""Writes ONNX models without the onnx package: the few messages of onnx.proto that the cases need."""

import pathlib
import struct

import numpy as np

DTYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11}
BFLOAT16 = 16


def _varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _int(field, value):
    return _varint(field << 3) + _varint(int(value))


def _bytes(field, value):
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def tensor(name, array):
    """A TensorProto of a NumPy array."""
    array = np.ascontiguousarray(array)
    dims = b"".join(_int(1, size) for size in array.shape)
    return dims + _int(2, DTYPES[array.dtype.name]) + _bytes(8, name) + _bytes(9, array.tobytes())


def external_tensor(name, array, location):
    """The same, its bytes in the file `location` beside the model."""
    dims = b"".join(_int(1, size) for size in array.shape)
    entry = _bytes(1, "location") + _bytes(2, location)
    return dims + _int(2, DTYPES[array.dtype.name]) + _bytes(8, name) + _bytes(13, entry) + _int(14, 1)


def value(name, dtype, shape):
    """A ValueInfoProto. `dtype`: a NumPy name; an entry of `shape` that is text is a symbolic size."""
    dims = b"".join(_bytes(1, _bytes(2, size) if isinstance(size, str) else _int(1, size)) for size in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _int(1, DTYPES.get(dtype, dtype)) + _bytes(2, dims)))


def _attribute(name, given):
    out = _bytes(1, name)
    if isinstance(given, float):
        return out + _varint(2 << 3 | 5) + struct.pack("<f", given) + _int(20, 1)
    if isinstance(given, int):
        return out + _int(3, given) + _int(20, 2)
    if isinstance(given, str):
        return out + _bytes(4, given) + _int(20, 3)
    if isinstance(given, np.ndarray):
        return out + _bytes(5, tensor("", given)) + _int(20, 4)
    return out + b"".join(_int(8, number) for number in given) + _int(20, 7)


def node(op, inputs, outputs, name="", domain="", **attributes):
    out = b"".join(_bytes(1, i) for i in inputs) + b"".join(_bytes(2, o) for o in outputs)
    out += _bytes(3, name or outputs[0]) + _bytes(4, op)
    out += b"".join(_bytes(5, _attribute(key, given)) for key, given in attributes.items())
    return out + (_bytes(7, domain) if domain else b"")


def write_model(path, nodes, inputs, outputs, constants=(), opset=17, ir=8):
    """`nodes`: of node(); `inputs`, `outputs`: of value(); `constants`: of tensor()."""
    graph = b"".join(_bytes(1, n) for n in nodes) + _bytes(2, "graph") + b"".join(_bytes(5, t) for t in constants)
    graph += b"".join(_bytes(11, v) for v in inputs) + b"".join(_bytes(12, v) for v in outputs)
    pathlib.Path(path).write_bytes(_int(1, ir) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _int(2, opset)))
