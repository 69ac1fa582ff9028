"""Skins, morph targets, faces without vertices, Kd and far meshes go lost without a word (assimp #3465 #3329 #6746, glTFast #531, UniVRM #229, three.js #13923, CloudCompare #232)."""

import numpy as np

from gltf_file import SQUARE, png, square
from mesh_graph import points
from support import close, says, says_not, write_graph

PIXELS = np.full((2, 2, 3), 128, np.uint8)


def skinned(matrices):
    glb = square(PIXELS)
    primitive = glb.json["meshes"][0]["primitives"][0]
    primitive["attributes"]["JOINTS_0"] = glb.accessor(np.zeros((4, 4), "u1"))
    primitive["attributes"]["WEIGHTS_0"] = glb.accessor(np.tile(np.array([[1, 0, 0, 0]], "f4"), (4, 1)))
    glb.json["nodes"] = [{"mesh": 0, "skin": 0}, {"name": "joint"}]
    glb.json["scenes"][0]["nodes"] = [0, 1]
    glb.json["skins"] = [{"joints": [1]}]
    if matrices:
        at = glb.accessor(np.eye(4, dtype="f4").reshape(16, 1))
        glb.json["accessors"][at] = {"bufferView": glb.json["accessors"][at]["bufferView"], "componentType": 5126, "count": 1,
                                     "type": "MAT4"}
        glb.json["skins"][0]["inverseBindMatrices"] = at
    return glb


def check(cli, folder):
    def info(glb, expect=0):
        glb.json["meshes"][0]["name"] = "body"
        glb.write(folder / "m.glb")
        return cli("mesh-info", "m.glb", expect=expect)

    for matrices in (True, False):
        says(info(skinned(matrices)), "warning: Skins", '"body" is shown undeformed')
    glb = square(PIXELS)
    glb.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": glb.accessor(SQUARE)}]
    says_not(info(glb), "Morph")
    glb.json["nodes"][0]["weights"] = [0.5]
    says(info(glb), "warning: Morph targets", '"body"')

    glb = square(PIXELS)
    glb.json["meshes"][0]["primitives"][0]["indices"] = glb.accessor(np.array([0, 1, 2, 0, 2, 9], "u2"))
    says(info(glb), "triangles  1", "1 of 2 faces", '"body"', "face 1 names vertex 9")
    glb.json["meshes"][0]["primitives"][0].update(mode=5, indices=glb.accessor(np.array([0], "u2")))
    says(info(glb, 3), "1 index, which makes no triangle")
    glb = square(PIXELS, texture={"extensions": {"KHR_texture_transform": {"offset": [1]}}})
    says(info(glb, 3), "KHR_texture_transform", '"painted"', "offset that is not 2 numbers")

    # Factors: Kd of what is shown, baseColorFactor in linear light.
    (folder / "grey.png").write_bytes(png(PIXELS))
    (folder / "m.obj").write_text("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n")
    for kd, factor in (("Kd 0.5 0.25 1\n", (0.5, 0.25, 1)), ("", (1, 1, 1))):
        (folder / "m.mtl").write_text(f"newmtl a\n{kd}map_Kd grey.png\n")
        _, (_, _, colour) = points(cli, folder, "m.obj", 64)
        close(colour, np.tile(np.array(factor) * 128 / 255, (64, 1)), rtol=0, atol=1e-6)
    (folder / "m.mtl").write_text("newmtl a\nKd 0 0 0\nmap_Kd grey.png\n")
    says(cli("mesh-info", "m.obj"), "warning", '"a" is shown as it is: the material\'s colour beside it (Kd) is black')
    glb = square(PIXELS)
    glb.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = [0.5, 0.1, 1, 1]
    info(glb)
    _, (_, _, colour) = points(cli, folder, "m.glb", 64)
    close(colour, np.tile(np.array([92.37, 40.39, 128]) / 255, (64, 1)), rtol=0, atol=0.5 / 255)

    # A far mesh and a near one.
    (folder / "far.obj").write_text("v 0 6280752.8 0\nv 1 6280752.8 0\nv 0 6280753.8 0\nf 1 2 3\n")
    (folder / "near.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    meshes = [{"id": name, "type": "mesh_source", "params": {"path": name + ".obj"}} for name in ("near", "far")]
    rest = [{"id": "join", "type": "join_meshes"}, {"id": "sampler", "type": "surface_sampler", "params": {"points": 64}}]
    ends = [("near.mesh", "join.a"), ("join.mesh", "sampler.mesh")]
    write_graph(folder / "apart.halfwire", meshes + rest, [*ends, ("far.mesh", "join.b")])
    says(cli("run", "apart.halfwire", "--output=sampler.position=p.npy", expect=None), "so far from each other", "Transform Mesh")
    move = {"id": "move", "type": "transform_mesh", "params": {"move": [2, -6280752.8, 0]}}
    write_graph(folder / "beside.halfwire", [*meshes, move, *rest], [*ends, ("far.mesh", "move.mesh"), ("move.mesh", "join.b")])
    cli("run", "beside.halfwire", "--output=sampler.position=p.npy")
    position = np.load(folder / "p.npy").astype(np.float64)
    right = position[position[:, 0] > 1.5] - [2, 0, 0]
    assert 0 < len(right) < 64 and right.min() >= -1e-5 and (right[:, 0] + right[:, 1]).max() <= 1 + 1e-5, right
    return "2 skins, morph weights of a node, lost faces, wrong numbers, factors and far meshes: each said, refused or as computed"
