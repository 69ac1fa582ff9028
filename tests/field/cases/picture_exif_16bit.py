"""16-bit pictures cut to 8 bits, and pictures of a camera that was held turned, read unturned and without a word."""

import io
import struct
import zlib

import numpy as np
from PIL import Image, ImageOps

from support import close, says, says_not, write_graph


def tensor(cli, folder, picture, width, height):
    write_graph(folder / "g.halfwire", [
        {"id": "i", "type": "image_source", "params": {"path": picture}},
        {"id": "t", "type": "image_tensor", "params": {"width": width, "height": height}}], [("i.image", "t.image")])
    said = cli("run", "g.halfwire", "--output", "t.y=o.npy")
    return np.load(folder / "o.npy")[0], said


def png16(pixels):
    """RGB of 16 bits, which Pillow does not write."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels)
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def check(cli, folder):
    rng = np.random.default_rng(3)
    grey = rng.integers(0, 65536, (6, 9)).astype(np.uint16)
    Image.fromarray(grey).save(folder / "grey16.png")
    close(tensor(cli, folder, "grey16.png", 9, 6)[0], np.broadcast_to(grey / 65535, (3, 6, 9)), rtol=1e-6, atol=1e-7)
    colour = rng.integers(0, 65536, (6, 9, 3)).astype(np.uint16)
    (folder / "colour16.png").write_bytes(png16(colour))
    close(tensor(cli, folder, "colour16.png", 9, 6)[0], np.moveaxis(colour / 65535, 2, 0), rtol=1e-6, atol=1e-7)

    photo = Image.fromarray(rng.integers(0, 256, (6, 9, 3)).astype(np.uint8)).resize((45, 30))
    for orientation in range(1, 9):
        for kind, options in (("jpg", {"quality": 95, "subsampling": 0}), ("png", {})):
            exif = Image.Exif()
            exif[0x0112] = orientation
            photo.save(folder / f"p.{kind}", exif=exif, **options)
            seen = np.asarray(ImageOps.exif_transpose(Image.open(folder / f"p.{kind}"))) / 255
            ours, _ = tensor(cli, folder, f"p.{kind}", seen.shape[1], seen.shape[0])
            # Decoders of JPEG differ by the rounding of their inverse cosine transforms.
            close(ours, np.moveaxis(seen, 2, 0), rtol=0, atol=3 / 255 if kind == "jpg" else 1e-6)

    # CMYK as Adobe writes it, inverted; what Pillow makes of it without a profile.
    Image.fromarray(np.full((16, 16, 3), (200, 80, 40), np.uint8)).convert("CMYK").save(folder / "cmyk.jpg", quality=98)
    wanted = np.asarray(Image.open(folder / "cmyk.jpg").convert("RGB")) / 255
    ours, said = tensor(cli, folder, "cmyk.jpg", 16, 16)
    close(ours, np.moveaxis(wanted, 2, 0), rtol=0, atol=3 / 255)
    for output in (said, cli("validate", "g.halfwire"), cli("xray", "g.halfwire")):
        says(output, "CMYK")

    frames = [Image.fromarray(np.full((4, 4, 3), level, np.uint8)) for level in (30, 90)]
    frames[0].save(folder / "two.png", save_all=True, append_images=frames[1:])
    ours, said = tensor(cli, folder, "two.png", 4, 4)
    close(ours, np.full((3, 4, 4), 30 / 255), rtol=1e-6)
    for output in (said, cli("validate", "g.halfwire"), cli("first-bad", "g.halfwire")):
        says(output, "animation of 2 frames")

    small = photo.resize((4, 4))
    clear = Image.merge("RGBA", (*small.split(), Image.new("L", (4, 4), 9)))
    for picture in (small.convert("L"), small.convert("LA"), small.quantize(8), clear, small.convert("1")):
        picture.save(folder / "m.png")
        wanted = np.moveaxis(np.asarray(Image.open(folder / "m.png").convert("RGB")) / 255, 2, 0)
        ours, said = tensor(cli, folder, "m.png", 4, 4)
        close(ours, wanted, rtol=1e-6)
        says_not(cli("validate", "g.halfwire") + said, "warning")
    return "16 bits to 1e-7, eight orientations of JPEG and PNG, CMYK and an animation named, five other modes as Pillow's"
