"""A node's name with a slip gives "no such node" and nothing to go on with."""

from support import says, write_graph


def check(cli, folder):
    inner = {"nodes": [{"id": "x", "type": "input"}, {"id": "conv_in", "type": "relu"}, {"id": "y", "type": "output"}],
             "links": [["x.y", "conv_in.x"], ["conv_in.y", "y.x"]]}
    write_graph(folder / "g.halfwire",
                [{"id": "data", "type": "random", "params": {"shape": [4, 3]}},
                 {"id": "hash_layer", "type": "linear", "params": {"out_features": 3}},
                 {"id": "block", "type": "group:inner"}, {"id": "mse", "type": "mse"}, {"id": "train", "type": "train"}],
                [("data.y", "hash_layer.x"), ("hash_layer.y", "block.x"), ("block.y", "mse.prediction"),
                 ("data.y", "mse.target"), ("mse.loss", "train.loss")], subgraphs={"inner": inner})
    graph = "g.halfwire"
    looked_up = {"inspect --node": ["inspect", graph, "--node", "{}"], "gradcheck --node": ["gradcheck", graph, "--node", "{}"],
                 "jacobian --node": ["jacobian", graph, "--node", "{}"], "run --output": ["run", graph, "--output", "{}.y"],
                 "--input": ["run", graph, "--input", "{}.y=x.npy", "--output", "hash_layer.y"],
                 "--set": ["validate", graph, "--set", "{}.out_features=3"], "--pin": ["run", graph, "--pin", "{}=cpu", "--output", "data.y"],
                 "what-if --nodes": ["what-if", graph, "--nodes", "{}", "--dtype", "f16"]}
    for what, args in looked_up.items():
        said = cli(*[arg.format("hash_lyer") for arg in args], expect=2)
        says(said, "HW-G003", "hash_lyer", "no such node", "hash_layer")
        said = cli(*[arg.format("conv") for arg in args], expect=2)
        says(said, "block/conv_in")
    said = cli("inspect", graph, "--node", "block", expect=2)
    says(said, "this is a group", "block/conv_in")
    says(cli("inspect", graph, "--node", "zzz", expect=2), "Its nodes: ", "data", "hash_layer")
    return f"{len(looked_up)} ways to name a node say which are near; a group says what is in it"
