"""An epsilon of 1e-8 is 0 in f16, and 100000 is Inf: what compares with f64 has to see the numbers as asked for
(pytorch #41527, DeepSpeed #581)."""

from support import says, write_graph


def check(cli, folder):
    write_graph(
        folder / "g.halfwire",
        [
            {"id": "x", "type": "constant", "at": [0, 0], "params": {"value": 0.0, "shape": [4], "dtype": "f16"}},
            {"id": "n", "type": "expression", "at": [256, 0],
             "params": {"source": "in x; y = x + 0.00000001; z = 1 / (x + 0.00000001)"}},
            {"id": "k", "type": "constant", "at": [0, 200], "params": {"value": 100000.0, "dtype": "f16"}},
            {"id": "k2", "type": "constant", "at": [0, 400], "params": {"value": 1e-8, "dtype": "f16"}},
            {"id": "m", "type": "mul", "at": [256, 200]},
            {"id": "y", "type": "output", "at": [512, 0]},
            {"id": "z", "type": "output", "at": [512, 100]},
            {"id": "w", "type": "output", "at": [512, 200]},
        ],
        [("x.y", "n.x"), ("n.y", "y.x"), ("n.z", "z.x"), ("k.y", "m.a"), ("k2.y", "m.b"), ("m.y", "w.x")],
    )
    seen = cli("xray", "g.halfwire")
    says(seen, "lost number in n: 1e-08 is 0 in f16", "100000 is Inf in f16", "first Inf or NaN: ",
         "f64 on the same inputs 100000000")
    return "the epsilon and the constant are named, and the error is the node's own"
