"""Two tensors that are NaN throughout were "within the tolerance, no divergence" (pytorch #72194)."""

import numpy as np
from support import says, says_not, write_graph


def check(cli, folder):
    write_graph(
        folder / "g.halfwire",
        [
            {"id": "x", "type": "input", "at": [0, 0], "params": {"shape": [2, 3]}},
            {"id": "a", "type": "log", "at": [256, 0]},
            {"id": "b", "type": "exp", "at": [256, 200]},
            {"id": "y", "type": "output", "at": [512, 0]},
            {"id": "z", "type": "output", "at": [512, 200]},
        ],
        [("x.y", "a.x"), ("x.y", "b.x"), ("a.y", "y.x"), ("b.y", "z.x")],
    )
    x = -np.ones((2, 3), np.float32)
    np.savez(folder / "all.npz", **{"x": x, "a": np.full((2, 3), np.nan, np.float32), "b": np.exp(x)})
    said = cli("parity", "g.halfwire", "--against", "all.npz", expect=1)
    says(said, "not finite", "nothing finite was compared", "Of 1 of 2 wires")
    says_not(said, "No divergence")
    x[0, 0] = 1
    with np.errstate(invalid="ignore"):
        np.savez(folder / "some.npz", **{"x": x, "a": np.log(x), "b": np.exp(x)})
    says(cli("parity", "g.halfwire", "--against", "some.npz"), "5 of 6 elements are NaN or Inf on both sides")
    return "NaN throughout is not compared and fails; in part it is counted"
