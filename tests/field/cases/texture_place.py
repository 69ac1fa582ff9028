"""A texture moved by KHR_texture_transform, on a second UV set, clamped or mirrored (assimp #2119, #6035; godot #80858)."""

import math

import numpy as np

from gltf_file import SQUARE, SQUARE_UV, square
from mesh_graph import looked_up, picture, points, wrapped
from support import close, says, says_not

PIXELS = np.random.default_rng(6).integers(0, 256, (8, 4, 3)).astype(np.uint8)
MODES = {"repeat": 10497, "mirror": 33648, "clamp": 33071}
OTHER_UV = (SQUARE_UV * [0.5, -0.25] + [0.125, 0.75]).astype("f4")


def moved(u, v, offset=(0, 0), rotation=0, scale=(1, 1)):
    """T · R · S of the extension, v down."""
    c, s = math.cos(rotation), math.sin(rotation)
    u, v = u * scale[0], v * scale[1]
    return c * u + s * v + offset[0], -s * u + c * v + offset[1]


def expect(cli, folder, glb, place, modes=("repeat", "repeat")):
    """Points and pixels have the colours that the picture has where `place` puts them."""
    glb.write(folder / "model.glb")
    said, (position, uv, colour) = points(cli, folder, "model.glb")
    u, v = place(position[:, 0].astype(np.float64), 1 - position[:, 1].astype(np.float64))
    close(uv, np.stack([u, 1 - v], 1), rtol=1e-6, atol=3e-6)
    close(colour, looked_up(PIXELS, u, v, modes), rtol=0, atol=1e-4)
    return said


def same_picture(cli, folder, model, uv, pixels):
    """`model` looks as a square on which `pixels` are shown once, at `uv`, with nothing moved."""
    square(pixels, [uv]).write(folder / "plain.glb")
    got, want = picture(cli, folder, model), picture(cli, folder, "plain.glb")
    differs = np.abs(got - want).max(2)
    inside = (want != want[0, 0]).any(2)
    assert inside.mean() > 0.2, "the square is not in the picture"
    assert (differs > 3).mean() < 0.01, f"{(differs > 3).sum()} pixels differ by up to {differs.max()}"


def check(cli, folder):
    turns = [{"offset": [0.5, 0.5], "scale": [0.5, 0.5]}, {"rotation": 0.4}, {"offset": [0, 1], "rotation": math.pi / 2, "scale": [0.5, 0.5]},
             {"offset": [-0.3, 2.25], "rotation": -2.2, "scale": [1.5, 0.4]}]
    for turn in turns:
        glb = square(PIXELS, texture={"extensions": {"KHR_texture_transform": turn}})
        said = expect(cli, folder, glb, lambda u, v: moved(u, v, **turn))
        says_not(said, "warning")
    wide = np.stack(moved(SQUARE_UV[:, 0], SQUARE_UV[:, 1], **turns[-1]), 1).astype("f4")
    same_picture(cli, folder, "model.glb", wide, PIXELS)

    def second(u, v):
        return u * 0.5 + 0.125, v * -0.25 + 0.75

    expect(cli, folder, square(PIXELS, [SQUARE_UV, OTHER_UV], {"texCoord": 1}), second)
    turn = {"texCoord": 1, "rotation": 0.3}
    glb = square(PIXELS, [SQUARE_UV, OTHER_UV], {"texCoord": 0, "extensions": {"KHR_texture_transform": turn}})
    expect(cli, folder, glb, lambda u, v: moved(*second(u, v), rotation=0.3))

    spread = (SQUARE_UV * 3 - 1).astype("f4")
    for along_u, along_v in (("mirror", "clamp"), ("clamp", "repeat"), ("repeat", "mirror")):
        sampler = {"wrapS": MODES[along_u], "wrapT": MODES[along_v]}
        glb = square(PIXELS, [spread], sampler=sampler)
        expect(cli, folder, glb, lambda u, v: (u * 3 - 1, v * 3 - 1), (along_u, along_v))
        rows = wrapped(np.arange(-12, 20), 8, along_v)  # v from -1.5 to 2.5: more than is shown, so that no border of it is
        columns = wrapped(np.arange(-6, 10), 4, along_u)
        same_picture(cli, folder, "model.glb", ((spread + 1.5) / 4).astype("f4"), PIXELS[rows][:, columns])

    for kind in ("u1", "u2"):
        whole = (SQUARE_UV * np.iinfo(kind).max).astype(kind)
        expect(cli, folder, square(PIXELS, [whole], normalized=True), lambda u, v: (u, v))
    packed = (SQUARE * 32767).astype("i2")
    glb = square(PIXELS, [(SQUARE_UV * 255).astype("u1")], positions=packed, normalized=True)
    glb.json["accessors"][0]["normalized"] = True
    glb.json["extensionsUsed"] = glb.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    expect(cli, folder, glb, lambda u, v: (u, v))

    square(PIXELS, [SQUARE_UV], {"texCoord": 3}, {"magFilter": 9728}).write(folder / "lacks.glb")
    says(cli("mesh-info", "lacks.glb"), "warning", "UV")
    square(PIXELS, sampler={"magFilter": 9728}).write(folder / "nearest.glb")
    says(cli("mesh-info", "nearest.glb"), "warning", "nearest", "painted")
    return f"{len(turns)} transforms, 2 ways to a second UV set, 3 pairs of wraps, 3 of whole numbers: points and pictures agree with NumPy"
