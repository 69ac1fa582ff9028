"""Pictures that are cut short or damaged are read as if whole (stb #757 #1456 #1542 #1716 #1929)."""

import struct
import zlib

import numpy as np

from gltf_file import png, square
from support import says, says_not, write_graph

PIXELS = np.random.default_rng(5).integers(0, 256, (8, 8, 3)).astype(np.uint8)


def bmp(rows, depth=24, palette=b"", colours=0, gap=b""):
    head = struct.pack("<iiHHIIiiII", 8, 8, 1, depth, 0, 0, 0, 0, colours, 0)
    begin = 54 + len(palette) + len(gap)
    return b"BM" + struct.pack("<IIII", begin + len(rows), 0, begin, 40) + head + palette + gap + rows


def tga(pixels):
    return struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 8, 8, 24, 0x20) + pixels


def with_wrong_crc(data, kind):
    at = data.index(kind)
    end = at + 4 + struct.unpack(">I", data[at - 4:at])[0]
    return data[:end] + bytes([data[end] ^ 1]) + data[end + 1:]


def check(cli, folder):
    raw, whole = PIXELS.tobytes(), png(PIXELS)
    note = struct.pack(">I", 2) + b"tEXthi" + struct.pack(">I", zlib.crc32(b"tEXthi"))
    noted = whole[:33] + note + whole[33:]
    grey = b"".join(struct.pack("BBBB", i, i, i, 0) for i in range(4))
    refused = {"cut.bmp": (bmp(raw)[:-20], "cut short"), "head.bmp": (bmp(b""), "cut short"),
               "gap.bmp": (bmp(raw, gap=b"gap!"), "lies between"),
               "colour.bmp": (bmp(b"\7" * 64, 8, grey, 4), "names colour 7"),
               "cut.tga": (tga(raw)[:-20], "cut short"), "head.tga": (tga(b""), "cut short"),
               "crc.png": (with_wrong_crc(whole, b"IDAT"), "checksum (CRC) of its chunk IDAT"),
               "head.png": (with_wrong_crc(whole, b"IHDR"), "checksum (CRC) of its chunk IHDR"),
               "cut.png": (whole[:-12], "cut short"),
               "apple.png": (whole[:8] + struct.pack(">I", 0) + b"CgBI" + struct.pack(">I", zlib.crc32(b"CgBI")) + whole[8:], "CgBI")}
    sound = {"whole.bmp": bmp(raw), "whole.tga": tga(raw), "whole.png": whole, "noted.png": noted}
    said_of = {"note.png": (with_wrong_crc(noted, b"tEXt"), "its chunk tEXt")}

    def read(name, data, expect=0):
        (folder / name).write_bytes(data)
        write_graph(folder / "g.halfwire", [{"id": "image", "type": "image_source", "params": {"path": name}},
                                            {"id": "tensor", "type": "image_tensor"}], [("image.image", "tensor.image")])
        return cli("validate", "g.halfwire", expect=expect)

    for name, data in sound.items():
        says_not(read(name, data), "damaged", "cut short")
    for name, (data, why) in said_of.items():
        says(read(name, data), "warning", why)
    for name, (data, why) in refused.items():
        says(read(name, data, None), name, why)
    glb = square(PIXELS)
    at = glb.bytes.index(b"IDAT") + 8
    glb.bytes = glb.bytes[:at] + bytes([glb.bytes[at] ^ 1]) + glb.bytes[at + 1:]
    glb.write(folder / "model.glb")
    says(cli("mesh-info", "model.glb"), "warning: The texture", "checksum (CRC) of its chunk IDAT")
    return f"{len(refused)} refused with the reason, {len(sound)} whole ones read, a chunk that no pixel needs and a texture in a model named"
