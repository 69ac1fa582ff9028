"""Options of map_Kd in a .mtl lose the texture, or are lost (raylib #5535, meshlab #688, assimp #3228, kiss3d #228)."""

import numpy as np

from gltf_file import png
from mesh_graph import looked_up, points
from support import close, says

PIXELS = np.random.default_rng(7).integers(0, 256, (4, 4, 3)).astype(np.uint8)


def check(cli, folder):
    (folder / "my picture.png").write_bytes(png(PIXELS))
    (folder / "m.obj").write_text("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                                  "usemtl painted\nf 1/1 2/2 3/3 4/4\n")
    cases = [("-s 2 3 1", (2, 3), (0, 0), "repeat"), ("-s 2 2 -o 0.25 -0.5", (2, 2), (0.25, -0.5), "repeat"),
             ("-o -1 -1 0 -s 3 3 1 -clamp on", (3, 3), (-1, -1), "clamp"), ("-o 0.0 -7.0 0.0 -s 1.0 10.0 1.0 -clamp on", (1, 10), (0, -7), "clamp"), ("-s -15.0 -15.0 -3.7", (-15, -15), (0, 0), "repeat"),
             ("-blendu off", (1, 1), (0, 0), "repeat")]
    for options, scale, offset, mode in cases:
        (folder / "m.mtl").write_text(f"newmtl painted\nKd 1 1 1\nmap_Kd {options} my picture.png\n")
        _, (position, uv, colour) = points(cli, folder, "m.obj")
        u = position[:, 0].astype(np.float64) * scale[0] + offset[0]
        v = position[:, 1].astype(np.float64) * scale[1] + offset[1]
        close(uv, np.stack([u, v], 1), rtol=1e-6, atol=3e-6)
        close(colour, looked_up(PIXELS, u, 1 - v, (mode, mode)), rtol=0, atol=1e-4)
    (folder / "m.mtl").write_text("newmtl painted\nmap_Kd -mm 0.2 0.5 my picture.png\n")
    says(cli("mesh-info", "m.obj"), "warning", "painted", "-mm", "my picture.png")
    return f"{len(cases)} sets of options lie as said; -mm is named"
