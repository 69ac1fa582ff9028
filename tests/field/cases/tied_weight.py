"""A weight that two layers share and the file has once could be loaded to neither."""

import json

import numpy as np

from support import close, says, write_graph


def check(cli, folder):
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    parameter = {"type": "parameter", "params": {"shape": [4, 3]}}
    write_graph(folder / "g.halfwire", [{"id": "embedding", **parameter}, {"id": "head", **parameter}, {"id": "sum", "type": "add"}],
                [("embedding.y", "sum.a"), ("head.y", "sum.b")])
    header = json.dumps({"tied": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}}).encode()
    (folder / "w.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + table.tobytes())
    said = cli("run", "g.halfwire", "--weights", "w.safetensors", "--map", "embedding.value=tied", "--map", "head.value=tied",
               "--output", "sum.y=y.npy")
    says(said, "tied")
    close(np.load(folder / "y.npy"), 2 * table)
    return "loaded to both, with a note"
