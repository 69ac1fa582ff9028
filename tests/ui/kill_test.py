"""Killed (SIGKILL) in twelve moments, the program brings back what was made and learnt up to the last moment it had to keep it: the graph,
its weights to the bit, the step. What a moment kept is compared with halfwire-cli, which trains the same steps to the same bits. Keeps its
screenshots in the output folder."""

import json
import os
import random
import shutil
import struct
import subprocess
import tempfile
import time

from desktop import PATIENCE, Desktop, called_with, end_with, expect, header, living_in

MODEL = "/usr/share/libonnx-testdata/data/pytorch-converted/test_Conv2d/model.onnx"
MANY = 100_000_000  # steps that nobody waits for


def training(steps):
    return {
        "halfwire": 1,
        "nodes": [
            {"id": "x", "type": "random", "at": [0, 0], "params": {"shape": [32, 4]}},
            {"id": "fc", "type": "linear", "at": [280, 0], "params": {"out_features": 8}},
            {"id": "drop", "type": "dropout", "at": [560, 0], "params": {"p": 0.0}},
            {"id": "target", "type": "constant", "at": [280, 260], "params": {"shape": [32, 8], "value": 0.5}},
            {"id": "loss", "type": "mse", "at": [840, 0]},
            {"id": "train", "type": "train", "at": [1120, 0], "params": {"steps": steps, "schedule": "constant"}},
        ],
        "links": [["x.y", "fc.x"], ["fc.y", "drop.x"], ["drop.y", "loss.prediction"], ["target.y", "loss.target"], ["loss.loss", "train.loss"]],
    }


def tensors(path):
    """Names to (dtype, shape, bytes) of a safetensors file, and its metadata."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        head = json.loads(file.read(size))
        data = file.read()
    meta = head.pop("__metadata__", {})
    return {name: (t["dtype"], t["shape"], data[slice(*t["data_offsets"])]) for name, t in head.items()}, meta


class Moments:
    def __init__(self, options):
        self.options = options
        self.count = 0

    def home(self, name, graph=None):
        """The user's folder, with a graph file in it."""
        self.name, self.runs = name, 0
        self.folder = tempfile.mkdtemp(prefix="halfwire-ui-")
        self.path = os.path.join(self.folder, "graph.halfwire")
        if graph:
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(graph, file)
        return self.path

    def start(self, *arguments, **environment):
        self.runs += 1
        return Desktop(self.options.binary, self.options.out, arguments, name=f"{self.name}-{self.runs}",
                       environment={**living_in(self.folder), **environment}, folder=self.folder, recovers=True)

    def kill(self, app):
        app.process.kill()
        app.process.wait(PATIENCE)

    def recovery(self):
        return os.path.join(self.folder, "data", "Halfwire", "Halfwire", "recovery")

    def kept(self):
        """The graphs that are kept, as the program would find them: (record, graph, weights or None)."""
        place = self.recovery()
        names = sorted(os.listdir(place)) if os.path.isdir(place) else []
        return [one for one in (self.kept_as(os.path.join(place, n)) for n in names if n.endswith(".unsaved.json")) if one]

    @staticmethod
    def kept_as(path):
        """One of them; None where a program that runs took it away. One that it replaced meanwhile is read anew."""
        text = None
        while True:
            before = text
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
            except FileNotFoundError:
                return None
            record = json.loads(text)
            weights = record.get("weights")
            try:
                return record, json.loads(record["graph"]), tensors(os.path.join(os.path.dirname(path), weights))[0] if weights else None
            except FileNotFoundError:
                if text == before:
                    raise

    def wait_kept(self, app, condition, what):
        app.wait_for(what, lambda _: any(condition(*k) for k in self.kept()))

    def comes_back(self, app, *said):
        """The message says so; then the weights are read."""
        app.wait_for("the message", lambda i: all(s in i.get("toast:reason", {}).get("text", "") for s in ("are back", *said)))
        if said:
            app.wait_for("its weights are read", lambda i: i["runNumbers"]["text"].startswith("Ready, "))

    def save(self, app, path=None):
        """Saves, and returns the weights that lie beside then."""
        path = path or self.path
        app.key("ctrl+s")
        if not os.path.exists(path):
            app.wait_item("file:name")
            app.key("ctrl+a")
            app.type(path)
            app.key("Return")
        app.wait_for("nothing is kept once all is saved", lambda _: not self.kept())
        weights = path.replace(".halfwire", ".safetensors")
        return tensors(weights)[0] if os.path.exists(weights) else None

    def train(self, graph):
        """The file of weights that the command line makes of a graph."""
        out = tempfile.mkdtemp(dir=self.folder)
        path = os.path.join(out, "graph.halfwire")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(graph, file)
        done = subprocess.run([self.options.cli, "train", path, "--out", out], capture_output=True, text=True, timeout=2 * PATIENCE)
        expect(done.returncode == 0, done.stdout + done.stderr)
        return os.path.join(out, "weights.safetensors")

    def trained(self, steps):
        """What the command line learns in as many steps."""
        return tensors(self.train(training(steps)))[0]

    def passed(self):
        self.count += 1
        print(f"{self.count}. {self.name}: nothing is missing", flush=True)


def while_training(m):
    path = m.home("while it trains", training(MANY))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        m.wait_kept(app, lambda record, graph, weights: weights and record["step"] > 0, "what it learns is kept")
        first = m.kept()[0][0]["step"]
        m.wait_kept(app, lambda record, graph, weights: record["step"] > first, "and kept again")
        m.kill(app)
    record, _, weights = m.kept()[0]
    with m.start() as app:
        m.comes_back(app, f"step {record['step']}")
        app.shot("toast")
        saved = m.save(app)
    expect(saved == weights, "the weights are those that were kept")
    expect(saved == m.trained(record["step"]), f"the weights are those of step {record['step']}, to the bit")
    m.passed()


def trained_and_not_edited(m):
    path = m.home("trained to its end, not edited", training(300))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        m.wait_kept(app, lambda record, graph, weights: weights and record["step"] == 300, "its end is kept")
        m.kill(app)
    with m.start() as app:
        m.comes_back(app, "step 300")
        saved = m.save(app)
    expect(saved == m.trained(300), "the weights are those of its end, to the bit")
    m.passed()


def saved_moved_trained_on(m):
    path = m.home("saved while it trains, a node moved, trained on", training(MANY))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        app.wait_for("it trains", lambda i: "step" in i["runNumbers"]["text"].lower())
        app.key("ctrl+s")
        app.wait_for("it is saved", lambda _: os.path.exists(path.replace(".halfwire", ".safetensors")))
        before = json.load(open(path, encoding="utf-8"))
        app.drag(header(app.wait_item("node:fc")), [v + 40 for v in header(app.find("node:fc"))])
        moved = lambda graph: graph["nodes"] != before["nodes"]  # noqa: E731
        m.wait_kept(app, lambda record, graph, weights: moved(graph) and weights, "the move is kept, with weights")
        first = m.kept()[0][0]["step"]
        m.wait_kept(app, lambda record, graph, weights: moved(graph) and record["step"] > first, "and trains on")
        m.kill(app)
    record, graph, weights = m.kept()[0]
    with m.start() as app:
        m.comes_back(app, f"step {record['step']}")
        saved = m.save(app)
    expect(json.load(open(path, encoding="utf-8"))["nodes"] == graph["nodes"], "the move is there")
    expect(saved == weights and saved == m.trained(record["step"]), "and the newest weights, to the bit")
    m.passed()


def imported(m):
    if not os.path.exists(MODEL):
        print("skipped: libonnx-testdata is not installed")
        return
    m.home("imported")
    model = os.path.join(m.folder, "conv.onnx")
    shutil.copy(MODEL, model)
    with m.start(model) as app:
        app.wait_for("its weights", lambda i: "with weights" in i["runNumbers"]["text"])
        m.wait_kept(app, lambda record, graph, weights: weights, "its weights are kept")
        m.kill(app)
    weights = m.kept()[0][2]
    with m.start() as app:
        m.comes_back(app, "with its weights")
        saved = m.save(app)
    expect(saved == weights, "the model's weights, to the bit")
    m.passed()


def while_importing(m):
    if not os.path.exists(MODEL):
        return
    m.home("in the middle of importing")
    model = os.path.join(m.folder, "conv.onnx")
    shutil.copy(MODEL, model)
    with m.start(model) as app:
        time.sleep(random.random() * 1.5)
        m.kill(app)
    for record, graph, weights in m.kept():
        expect(not graph["nodes"] or weights, "a graph of a model is not kept without its weights")
    m.passed()


def load(app, file):
    app.click("menu:Run")
    app.click("menu:loadWeights")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(file)
    app.key("Return")
    app.wait_item("weightMapSheet")
    app.wait_for("they fit", lambda i: "weightMap:load" in i)
    app.click("weightMap:load")
    app.wait_for("they are loaded", lambda i: "with weights" in i["runNumbers"]["text"])


def loaded_and_undone(m):
    path = m.home("weights loaded, and taken back", training(MANY))
    m.trained(20)
    out = [os.path.join(m.folder, name) for name in os.listdir(m.folder) if os.path.exists(os.path.join(m.folder, name, "weights.safetensors"))][0]
    file = os.path.join(out, "weights.safetensors")
    with m.start(path) as app:
        app.wait_item("node:fc")
        load(app, file)
        m.wait_kept(app, lambda record, graph, weights: weights, "they are kept")
        m.kill(app)
    with m.start() as app:
        m.comes_back(app, "with its weights")
        saved = m.save(app)
        expect(saved == tensors(file)[0], "the loaded weights, to the bit")
        m.passed()
        m.name = "a load over saved weights is taken back"
        other = m.trained(40)
        newer = max((os.path.join(m.folder, n, "weights.safetensors") for n in os.listdir(m.folder)
                     if os.path.exists(os.path.join(m.folder, n, "weights.safetensors"))), key=os.path.getmtime)
        load(app, newer)
        m.wait_kept(app, lambda record, graph, weights: weights == other, "the other weights are kept")
        app.key("ctrl+z")
        app.wait_for("nothing is kept: the file has what there was before", lambda _: not m.kept())
        m.kill(app)
    expect(tensors(path.replace(".halfwire", ".safetensors"))[0] == saved, "the weights from before the load, to the bit")
    m.passed()


def while_saving(m):
    path = m.home("in the moment of saving", training(300))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        m.wait_kept(app, lambda record, graph, weights: weights and record["step"] == 300, "its end is kept")
        app.xdotool("key", "ctrl+s")
        time.sleep(random.random() * 0.2)
        m.kill(app)
    weights = path.replace(".halfwire", ".safetensors")
    end = m.trained(300)
    in_file = os.path.exists(weights) and tensors(weights)[0] == end
    in_recovery = any(w == end for _, _, w in m.kept())
    expect(in_file or in_recovery, "what was learnt is in the file or kept")
    m.passed()


def while_saving_elsewhere(m):
    path = m.home("in the moment of Save As", training(300))
    elsewhere = os.path.join(m.folder, "other", "copy.halfwire")
    os.makedirs(os.path.dirname(elsewhere))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        m.wait_kept(app, lambda record, graph, weights: weights and record["step"] == 300, "its end is kept")
        app.key("ctrl+shift+s")
        app.wait_item("file:name")
        app.key("ctrl+a")
        app.type(elsewhere)
        app.xdotool("key", "Return")
        time.sleep(random.random() * 0.3)
        m.kill(app)
    weights = elsewhere.replace(".halfwire", ".safetensors")
    end = m.trained(300)
    expect((os.path.exists(weights) and tensors(weights)[0] == end) or any(w == end for _, _, w in m.kept()), "it is in the file or kept")
    m.passed()


def while_recovering(m):
    path = m.home("while it recovers, twice", training(300))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        m.wait_kept(app, lambda record, graph, weights: weights and record["step"] == 300, "its end is kept")
        m.kill(app)
    for _ in range(2):
        with m.start() as app:
            time.sleep(0.3 + random.random() * 1.5)
            m.kill(app)
    with m.start() as app:
        m.comes_back(app, "step 300")
        saved = m.save(app)
    expect(saved == m.trained(300), "what the first program had learnt, to the bit")
    m.passed()


def while_keeping(m):
    path = m.home("in the middle of keeping", training(MANY))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        m.wait_kept(app, lambda record, graph, weights: weights, "it is kept")
        first = m.kept()[0][0]["step"]
        place = m.recovery()
        deadline = time.monotonic() + 5 * PATIENCE  # of a busy machine, too
        while not any(".tmp" in name for name in os.listdir(place)) and not any(record["step"] > first for record, _, _ in m.kept()):
            expect(time.monotonic() < deadline, "it is kept again")
        m.kill(app)
    kept = m.kept()
    expect(len(kept) == 1 and kept[0][2] == m.trained(kept[0][0]["step"]), "graph, weights and step are of one moment")
    m.passed()


def while_closing(m):
    path = m.home("while closing after saving", training(300))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        m.wait_kept(app, lambda record, graph, weights: weights and record["step"] == 300, "its end is kept")
        app.key("ctrl+q")
        app.wait_item("unsaved:save")
        app.click("unsaved:save")
        m.kill(app)
    weights = path.replace(".halfwire", ".safetensors")
    end = m.trained(300)
    expect((os.path.exists(weights) and tensors(weights)[0] == end) or any(w == end for _, _, w in m.kept()), "it is in the file or kept")
    m.passed()


def main():
    m = Moments(called_with("cli"))
    random.seed()
    for moment in (while_training, trained_and_not_edited, saved_moved_trained_on, imported, while_importing, loaded_and_undone, while_saving,
                   while_saving_elsewhere, while_recovering, while_keeping, while_closing):
        moment(m)
    return 0


if __name__ == "__main__":
    end_with(main)
