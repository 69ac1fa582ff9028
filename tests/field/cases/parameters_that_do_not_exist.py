"""A misspelt parameter is passed over without a word (lein-cljsbuild #183, mrdocs #992, superbank #45)."""

import json

import numpy as np

from support import says, write_graph


def graph(folder, params, **fields):
    write_graph(folder / "g.halfwire",
                [{"id": "x", "type": "input", "params": {"shape": [2, 4, 8, 8], "axes": "N C H W"}},
                 {"id": "conv", "type": "conv2d", "params": {"out_channels": 4}},
                 {"id": "pool", "type": "adaptive_avg_pool", "params": params, **fields}],
                [("x.y", "conv.x"), ("conv.y", "pool.x")])


def check(cli, folder):
    np.save(folder / "x.npy", np.zeros((2, 4, 8, 8), "f4"))
    values = [[3, 5], [3.0, 5.0], 3, "3", True, None, {"a": 1}]
    for value in values:
        graph(folder, {"size": value})
        for command in (("validate", "g.halfwire"), ("run", "g.halfwire", "--input", "x=x.npy", "--output", "pool.y")):
            says(cli(*command, expect=1), "HW-P002", "pool.size", "Nearest: output_size")
    graph(folder, {"output_size": None})
    says(cli("validate", "g.halfwire", expect=1), "HW-P001", "pool.output_size")
    graph(folder, {}, param={"output_size": [3, 5]})
    says(cli("validate", "g.halfwire", expect=1), "HW-P002", "pool.param", "Nearest: params")
    graph(folder, {"output_size": [3, 5]}, later={"a": [1]})
    cli("validate", "g.halfwire")
    # What is not understood is kept by whatever writes the file again.
    graph(folder, {"size": [3, 5], "foo": {"a": None}}, later=[1])
    cli("validate", "g.halfwire", "--fix", "unify=f32", "-o", "again.halfwire", expect=None)
    if (folder / "again.halfwire").exists():
        kept = next(n for n in json.loads((folder / "again.halfwire").read_text())["nodes"] if n["id"] == "pool")
        assert kept["params"] == {"size": [3, 5], "foo": {"a": None}} and kept["later"] == [1], kept
    return f"{len(values)} kinds of values, each an error with the nearest name"
