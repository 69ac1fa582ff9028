"""Writes .glb files of one textured mesh, and pictures, without any library but NumPy."""

import copy
import json
import pathlib
import struct
import zlib

import numpy as np

COMPONENTS = {np.dtype("f4"): 5126, np.dtype("u1"): 5121, np.dtype("u2"): 5123, np.dtype("i1"): 5120, np.dtype("i2"): 5122,
              np.dtype("u4"): 5125}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}


def png(pixels):
    """The bytes of a PNG: [rows, columns, 3] of u8, rows from the top."""
    height, width, _ = pixels.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels, dtype=np.uint8))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Glb:
    """A glTF file in the making: `json` is its JSON, to be changed at will before it is written."""

    def __init__(self):
        self.json = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                     "accessors": [], "bufferViews": []}
        self.bytes = b""

    def view(self, data, **more):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data), **more})
        self.bytes += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, array, normalized=False):
        """An accessor for [count, components]; whole numbers are padded to 4 bytes a vertex, as glTF asks."""
        array = np.asarray(array)
        array = array.reshape(len(array), -1)
        count, components = array.shape
        stride = -(-array.itemsize * components // 4) * 4
        data, more = array.tobytes(), {}
        if components > 1 and stride != array.itemsize * components:
            data = b"".join(row.tobytes().ljust(stride, b"\0") for row in array)
            more["byteStride"] = stride
        entry = {"bufferView": self.view(data, **more), "componentType": COMPONENTS[array.dtype], "count": count,
                 "type": TYPES[components], "min": array.min(0).tolist(), "max": array.max(0).tolist()}
        if normalized:
            entry["normalized"] = True
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def write(self, path):
        body = self.bytes + b"\0" * (-len(self.bytes) % 4)
        text = json.dumps({**self.json, "buffers": [{"byteLength": len(body)}]}).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(body))
        pathlib.Path(path).write_bytes(head + struct.pack("<I4s", len(text), b"JSON") + text +
                                       struct.pack("<I4s", len(body), b"BIN\0") + body)


SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "f4")
SQUARE_UV = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], "f4")  # v down


def square(pixels, uvs=(SQUARE_UV,), texture=None, sampler=None, positions=SQUARE, normalized=False):
    """A unit square with `pixels` as its base colour. `uvs`: TEXCOORD_0 and on; `texture`: more of its textureInfo."""
    glb = Glb()
    attributes = {"POSITION": glb.accessor(positions)}
    for i, uv in enumerate(uvs):
        attributes[f"TEXCOORD_{i}"] = glb.accessor(uv, normalized and uv.dtype != np.dtype("f4"))
    indices = glb.accessor(np.array([0, 1, 2, 0, 2, 3], "u2"))
    glb.json["meshes"] = [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}]
    glb.json["images"] = [{"bufferView": glb.view(png(pixels)), "mimeType": "image/png"}]
    glb.json["textures"] = [{"source": 0}]
    if sampler:
        glb.json["samplers"], glb.json["textures"][0]["sampler"] = [copy.deepcopy(sampler)], 0
    info = {"index": 0, **(texture or {})}
    if "extensions" in info:
        glb.json["extensionsUsed"] = list(info["extensions"])
    glb.json["materials"] = [{"name": "painted", "pbrMetallicRoughness": {"baseColorTexture": info, "metallicFactor": 0}}]
    return glb
