"""Graphs that show what became of a mesh: points on it with their colours, and its picture."""

import struct
import zlib

import numpy as np

from support import write_graph


def points(cli, folder, model, count=2000):
    """Position, uv and colour of random points on the surface of `model`, as a Surface Sampler draws them."""
    write_graph(folder / "points.halfwire",
                [{"id": "mesh", "type": "mesh_source", "params": {"path": str(model)}},
                 {"id": "sampler", "type": "surface_sampler", "params": {"points": count}}],
                [("mesh.mesh", "sampler.mesh")])
    names = ("position", "uv", "color")
    said = cli("run", "points.halfwire", *[f"--output=sampler.{name}={name}.npy" for name in names])
    return said, [np.load(folder / f"{name}.npy") for name in names]


def picture(cli, folder, model, *options):
    """The surface's own colours as the viewport draws them: [rows, columns, 3]."""
    write_graph(folder / "view.halfwire",
                [{"id": "mesh", "type": "mesh_source", "params": {"path": str(model)}}, {"id": "view", "type": "viewport"}],
                [("mesh.mesh", "view.mesh")])
    cli("render", "view.halfwire", "-o", "view.png", "--view", "texture", "--size", "160x160", "--camera", "0,0,1", *options)
    return read_png(folder / "view.png")


def read_png(path):
    """8-bit RGB or RGBA, not interlaced, as halfwire-cli writes them."""
    data = path.read_bytes()
    at, width, height, kind, packed = 8, 0, 0, 0, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if name == b"IHDR":
            width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, interlaced) == (8, 0) and kind in (2, 6)
        if name == b"IDAT":
            packed += body
        at += 12 + size
    channels = 3 if kind == 2 else 4
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    out = np.zeros((height, width * channels), np.int64)
    for y in range(height):
        row, up = raw[y, 1:].astype(np.int64), out[y - 1] if y else np.zeros(width * channels, np.int64)
        for x in range(width * channels):
            left = out[y, x - channels] if x >= channels else 0
            corner = up[x - channels] if x >= channels else 0
            guess = left + up[x] - corner
            near = sorted((left, up[x], corner), key=lambda v: abs(guess - v))[0]
            out[y, x] = (row[x] + (0, left, up[x], (left + up[x]) // 2, near)[raw[y, 0]]) % 256
    return out.reshape(height, width, channels)[..., :3]


def wrapped(index, size, mode):
    """Which of `size` texels is shown at whole coordinates: "repeat", "mirror" or "clamp"."""
    if mode == "clamp":
        return np.clip(index, 0, size - 1)
    turn = index % (2 * size)
    return np.where(turn < size, turn, 2 * size - 1 - turn) if mode == "mirror" else index % size


def looked_up(pixels, u, v, modes=("repeat", "repeat")):
    """Colours in [0, 1] of a picture at (u, v), v down, bilinear, texel centres at + 0.5, in f64."""
    height, width, _ = pixels.shape
    x, y = u * width - 0.5, v * height - 0.5
    x0, y0 = np.floor(x), np.floor(y)
    out = 0
    for dy in (0, 1):
        for dx in (0, 1):
            column = wrapped((x0 + dx).astype(np.int64), width, modes[0])
            row = wrapped((y0 + dy).astype(np.int64), height, modes[1])
            weight = (1 - abs(x - x0 - dx)) * (1 - abs(y - y0 - dy))
            out = out + weight[:, None] * pixels[row, column] / 255
    return out
