"""Training samples are bytes (value / 255), test samples the same numbers as f4: measured at 255 times the scale."""

import numpy as np

from support import says, write_graph


def check(cli, folder):
    data = folder / "data"
    data.mkdir()
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 256, (60, 4)).astype(np.uint8), rng.integers(0, 3, 60)
    np.save(data / "x_train.npy", x[:40])
    np.save(data / "y_train.npy", y[:40])
    np.save(data / "y_test.npy", y[40:])
    write_graph(folder / "g.halfwire", [
        {"id": "data", "type": "dataset_source", "params": {"path": "data", "sample": [4], "classes": 3}},
        {"id": "b", "type": "batch"}, {"id": "l", "type": "linear", "params": {"out_features": 3}},
        {"id": "loss", "type": "cross_entropy"}, {"id": "acc", "type": "accuracy"},
        {"id": "train", "type": "train", "params": {"steps": 3}}],
        [("data.data", "b.data"), ("b.x", "l.x"), ("l.y", "loss.logits"), ("b.labels", "loss.labels"),
         ("loss.loss", "train.loss"), ("l.y", "acc.logits"), ("b.labels", "acc.labels")])
    for test in (x[40:].astype("<f4"), x[40:].astype("<f8"), x[40:].astype("<i4"), x[40:].astype("<f4") / 127.5 - 1):
        np.save(data / "x_test.npy", test)
        said = cli("train", "g.halfwire", "--out", "out", expect=None)
        says(said, "x_test.npy", "x_train.npy", "u8", "255", "Save both with one dtype")
        assert not list((folder / "out").glob("*.safetensors")), said
    np.save(data / "x_test.npy", x[40:].astype("<f4") / np.float32(255))
    cli("train", "g.halfwire", "--out", "out")
    np.save(data / "x_test.npy", x[40:])
    np.save(data / "y_test.npy", np.where(np.arange(20) == 7, np.nan, y[40:]))
    says(cli("train", "g.halfwire", "--out", "out2", expect=None), "y_test.npy", "label 7 is nan")
    np.save(data / "y_test.npy", y[40:])
    np.save(data / "y_train.npy", y[:40] + 0.25 * (np.arange(40) == 3))
    says(cli("train", "g.halfwire", "--out", "out3", expect=None), "y_train.npy", "label 3 is ", ".25")
    return "four splits on another scale refused before training, one on the same taken; NaN and a fraction named by row"
