"""Half-metre steps in a mesh with map coordinates (CloudCompare #232, Open3D #5753 #6525, obj2gltf #267)."""

import json
import struct

import numpy as np

from gltf_file import SQUARE, Glb, square
from mesh_graph import points
from support import close, says, says_not, write_graph

ROWS = 6280752.8 + 0.1 * np.arange(21)


def strip():
    """Positions in f64 and triangles of a strip of 21 rows, 0.1 apart."""
    positions = np.array([[500000.25 + x, y, 12] for y in ROWS for x in (0, 1)])
    triangles = [t for i in range(0, 40, 2) for t in ((i, i + 1, i + 3), (i, i + 3, i + 2))]
    return positions, np.array(triangles)


def rows_of(cli, model):
    """What mesh-info says of where the model lies, in f64."""
    info = json.loads(cli("mesh-info", model, "--json"))
    origin = np.array(info["origin"])
    return info, np.array(info["bounds"]["min"]) + origin, np.array(info["bounds"]["max"]) + origin


def check(cli, folder):
    positions, triangles = strip()
    lines = ["v %.10g %.10g %.10g" % tuple(p) for p in positions] + ["f %d %d %d" % tuple(t + 1) for t in triangles]
    (folder / "far.obj").write_text("\n".join(lines) + "\n")
    head = "ply\nformat binary_little_endian 1.0\nelement vertex 42\nproperty double x\nproperty double y\nproperty double z\n"
    head += "element face 40\nproperty list uchar int vertex_indices\nend_header\n"
    faces = b"".join(struct.pack("<B3i", 3, *t) for t in triangles)
    (folder / "far.ply").write_bytes(head.encode() + positions.astype("<f8").tobytes() + faces)
    for model in ("far.obj", "far.ply"):
        info, low, high = rows_of(cli, model)
        close(low, [500000.25, ROWS[0], 12], rtol=0, atol=1e-6)
        close(high, [500001.25, ROWS[-1], 12], rtol=0, atol=1e-6)
        assert info["origin"] == [500001, 6280754, 12], info["origin"]
        says(cli("mesh-info", model), "origin     (500001, 6280754, 12)", "note: ", "taken off")
        said, (position, _, _) = points(cli, folder, model)
        assert np.abs(position).max() < 3, "points are about the origin"
        assert len(np.unique(np.floor((position[:, 1].astype(np.float64) + 6280754 - ROWS[0]) / 0.1 + 1e-3))) == 20

    # Nodes: -6280752.8 and back, of which f32 makes half-metres.
    glb = square(np.full((1, 1, 3), 255, np.uint8))
    glb.json["nodes"] = [{"translation": [0, 6280752.8, 0], "children": [1]}, {"mesh": 0, "translation": [0.3, 0.1, 0]}]
    glb.write(folder / "nodes.glb")
    _, low, high = rows_of(cli, "nodes.glb")
    close(low, [0.3, 6280752.9, 0], rtol=0, atol=1e-6)
    close(high, [1.3, 6280753.9, 0], rtol=0, atol=1e-6)
    says_not(cli("mesh-info", "nodes.glb"), "in steps of")
    square(np.full((1, 1, 3), 255, np.uint8), positions=(SQUARE + [0, 6280752.8, 0]).astype("f4")).write(folder / "f32.glb")
    says(cli("mesh-info", "f32.glb"), "warning", "in steps of 0.5 (f32)", ".obj")

    glb.json["nodes"] = [{"children": [1, 2]}, {"mesh": 0}, {"mesh": 0, "translation": [0, 6280752.8, 0]}]
    glb.write(folder / "apart.glb")
    says(cli("mesh-info", "apart.glb"), "warning", "steps of 0.5 (f32)", "models of their own")

    # What is exported lies where the file had it.
    write_graph(folder / "bake.halfwire",
                [{"id": "mesh", "type": "mesh_source", "params": {"path": "far.obj"}},
                 {"id": "at", "type": "normalise_aabb"}, {"id": "field", "type": "sigmoid"}, {"id": "view", "type": "viewport"},
                 {"id": "points", "type": "surface_sampler"}],
                [("mesh.mesh", "points.mesh"), ("points.position", "at.position"), ("mesh.mesh", "at.mesh"), ("at.y", "field.x"),
                 ("mesh.mesh", "view.mesh"), ("field.y", "view.field")])
    cli("bake", "bake.halfwire", "-o", "baked.obj", "--size", "64")
    found = [list(map(float, line.split()[1:4])) for line in (folder / "baked.obj").read_text().splitlines() if line.startswith("v ")]
    distance = np.abs(np.array(found)[:, None] - positions[None]).max(2).min(1)
    assert distance.max() < 1e-6, distance.max()
    assert len({round(p[1], 4) for p in found}) == 21
    cli("bake", "bake.halfwire", "-o", "baked.glb", "--size", "64")
    _, low, high = rows_of(cli, "baked.glb")
    close(low, [500000.25, ROWS[0], 12], rtol=0, atol=1e-6)
    close(high, [500001.25, ROWS[-1], 12], rtol=0, atol=1e-6)
    return "21 of 21 rows from .obj and .ply, nodes in f64, the step is said where f32 lost it, .obj and .glb lie where they were"
