"""Elements that became Inf where f64 is finite were left out of bits left and ranking."""

import json

from support import says, write_graph


def check(cli, folder):
    write_graph(
        folder / "g.halfwire",
        [
            {"id": "x", "type": "tensor_constant", "at": [0, 0], "params": {"values": [90, 1.1, 2.2, 3.3]}},
            {"id": "w", "type": "parameter", "at": [0, 200], "params": {"shape": [4], "init": "constant", "scale": 1.0}},
            {"id": "m", "type": "mul", "at": [256, 0]},
            {"id": "e", "type": "exp", "at": [512, 0]},
            {"id": "l", "type": "log", "at": [768, 0]},
            {"id": "y", "type": "mul", "at": [1024, 0]},
            {"id": "loss", "type": "mean", "at": [1280, 0]},
            {"id": "train", "type": "train", "at": [1536, 0]},
        ],
        [("x.y", "m.a"), ("w.y", "m.b"), ("m.y", "e.x"), ("e.y", "l.x"), ("l.y", "y.a"), ("m.y", "y.b"),
         ("y.y", "loss.x"), ("loss.y", "train.loss")],
    )
    says(cli("xray", "g.halfwire"), "first Inf or NaN: 1 of 4 elements of e.y of e")
    report = json.loads(cli("xray", "g.halfwire", "--json"))
    worst = report["values"][report["worst"]]
    if worst["name"] != "e.y" or worst["introduced"]["bits_left"] != 0:
        raise AssertionError(worst)
    return "exp is the worst, with no bit left"
