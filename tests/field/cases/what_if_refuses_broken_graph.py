"""What-if of a graph that fails as it is: whether the change mends it is just what one asks."""

from support import says, write_graph


def check(cli, folder):
    write_graph(
        folder / "g.halfwire",
        [
            {"id": "x", "type": "constant", "at": [0, 0], "params": {"value": 300.0, "shape": [2, 4]}},
            {"id": "c", "type": "cast", "at": [256, 0], "params": {"to": "f16"}},
            {"id": "square", "type": "mul", "at": [512, 0]},
            {"id": "back", "type": "cast", "at": [768, 0], "params": {"to": "f32"}},
            {"id": "lin", "type": "linear", "at": [1024, 0], "params": {"out_features": 1, "weight_init": "zeros"}},
            {"id": "t", "type": "constant", "at": [1024, 200], "params": {"value": 1.0, "shape": [2, 1]}},
            {"id": "loss", "type": "mse", "at": [1280, 0]},
            {"id": "train", "type": "train", "at": [1536, 0], "params": {"learning_rate": 1e-6}},
        ],
        [("x.y", "c.x"), ("c.y", "square.a"), ("c.y", "square.b"), ("square.y", "back.x"), ("back.y", "lin.x"),
         ("lin.y", "loss.prediction"), ("t.y", "loss.target"), ("loss.loss", "train.loss")],
    )
    said = cli("what-if", "g.halfwire", "--nodes", "square", "--dtype", "f32", "--steps", "4")
    says(said, "as it is: train: the loss is NaN at step 1", "changed:  loss")
    return "the graph as it is fails at step 1, the changed one goes on, and both are said"
