"""A query that may see nothing took the mean of all values, and a NaN behind a mask leaked (pytorch #103963 #101967)."""

import numpy as np

from support import close, write_graph


def check(cli, folder):
    shapes = {"q": (1, 1, 2, 2), "k": (1, 1, 3, 2), "v": (1, 1, 3, 2)}
    nodes = [{"id": name, "type": "input", "params": {"shape": list(shape), "axes": "", "symbolic": ""}}
             for name, shape in shapes.items()]
    nodes += [{"id": "mask", "type": "tensor_constant",
               "params": {"values": [1, 1, 0, 0, 0, 0], "shape": [2, 3], "dtype": "bool"}},
              {"id": "att", "type": "scaled_dot_product_attention"}, {"id": "y", "type": "output"}]
    write_graph(folder / "g.halfwire", nodes, [("q.y", "att.query"), ("k.y", "att.key"), ("v.y", "att.value"),
                                               ("mask.y", "att.mask"), ("att.y", "y.x")])
    for name in "qk":
        np.save(folder / f"{name}.npy", np.ones(shapes[name], np.float32))
    for hidden in (1000, np.nan, np.inf):
        np.save(folder / "v.npy", np.array([1, 2, 3, 4, hidden, hidden], np.float32).reshape(shapes["v"]))
        for device in ("ref", "cpu"):
            cli("run", "g.halfwire", "--device", device, "--input", "q=q.npy", "--input", "k=k.npy", "--input", "v=v.npy",
                "--output", "y=y.npy")
            close(np.load(folder / "y.npy").reshape(2, 2), [[2, 3], [0, 0]])
            (folder / "y.npy").unlink()
    return "rows (2, 3) and (0, 0), also with NaN and Inf behind the mask"
