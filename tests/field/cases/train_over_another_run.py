"""A second training in the same folder destroys the first one's weights (checkpoint folders that are reused)."""

from support import read_safetensors, says, says_not, write_graph


def check(cli, folder):
    nodes = [{"id": "x", "type": "random", "params": {"shape": [8, 3]}},
             {"id": "a", "type": "linear", "params": {"out_features": 3}},
             {"id": "mse", "type": "mse"}, {"id": "train", "type": "train", "params": {"steps": 4}}]
    links = [("x.y", "a.x"), ("a.y", "mse.prediction"), ("x.y", "mse.target"), ("mse.loss", "train.loss")]
    write_graph(folder / "g.halfwire", nodes, links)
    out = folder / "out"

    def bytes_of(name):
        return (out / name).read_bytes()

    cli("train", "g.halfwire", "--seed", 1)
    first, report = bytes_of("weights.safetensors"), bytes_of("report.json")
    says(cli("train", "g.halfwire", "--seed", 2), "another run", "weights.previous.safetensors", "--overwrite")
    assert bytes_of("weights.previous.safetensors") == first and bytes_of("report.previous.json") == report
    second = bytes_of("weights.safetensors")
    assert second != first
    says(cli("train", "g.halfwire", "--seed", 3), "weights.previous-2.safetensors")
    assert bytes_of("weights.previous.safetensors") == first, "the third run does not touch the first"
    assert bytes_of("weights.previous-2.safetensors") == second
    says_not(cli("train", "g.halfwire", "--seed", 4, "--overwrite"), "another run")
    assert not (out / "weights.previous-3.safetensors").exists()

    # A run that goes on in its own folder is the same run.
    cli("train", "g.halfwire", "--out", "long", "--checkpoint-every", 2)
    says_not(cli("train", "g.halfwire", "--resume", "long", "--steps", 8), "another run")
    names = sorted(path.name for path in (folder / "long").glob("weights*"))
    assert names == ["weights.safetensors"], names
    read_safetensors(folder / "long" / "weights.safetensors")
    return "three runs in one folder, each kept; --overwrite replaces; a resumed run goes on in its own results"
