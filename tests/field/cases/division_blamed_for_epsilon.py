"""An anomaly detector names the op that made a NaN, not the cancellation before it (chainer PR #6738, optax #1754)."""

from support import says, write_graph


def check(cli, folder):
    write_graph(
        folder / "g.halfwire",
        [
            {"id": "x", "type": "tensor_constant", "at": [0, 0], "params": {"values": [0.0, 2.0]}},
            {"id": "w", "type": "parameter", "at": [0, 200], "params": {"shape": [2], "init": "constant", "scale": 1.0}},
            {"id": "m", "type": "mul", "at": [256, 0]},
            {"id": "h", "type": "cast", "at": [512, 0], "params": {"to": "f16"}},
            {"id": "eps", "type": "expression", "at": [768, 0], "params": {"source": "in v; y = v + 0.00000001"}},
            {"id": "d", "type": "div", "at": [1024, 0]},
            {"id": "f", "type": "cast", "at": [1280, 0], "params": {"to": "f32"}},
            {"id": "loss", "type": "mean", "at": [1536, 0]},
            {"id": "train", "type": "train", "at": [1792, 0]},
        ],
        [("x.y", "m.a"), ("w.y", "m.b"), ("m.y", "h.x"), ("h.y", "eps.v"), ("h.y", "d.a"), ("eps.y", "d.b"),
         ("d.y", "f.x"), ("f.y", "loss.x"), ("loss.y", "train.loss")],
    )
    said = cli("first-bad", "g.halfwire", expect=1)
    says(said, "first bad value: d.y of node d", "the cause lies before it, in eps: 1e-08 is 0 in f16")
    return "the division is named, and the epsilon that made its divisor 0"
