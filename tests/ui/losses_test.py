"""Moments in which what was made or learnt could get lost without a crash: a copy saved while its weights are still read, a model that is
imported into a document that is edited meanwhile, an edit while weights are read, undo and redo of a rewrite while a run
goes on, closing before weights were published, saving over other weights, undo of a training. Files are held back in the middle by
held_files. Keeps its screenshots in the output folder."""

import json
import os
import re
import shutil
import time

from desktop import called_with, end_with, expect
from kill_test import MANY, MODEL, Moments, load, tensors, training

CONV = {
    "halfwire": 1,
    "nodes": [
        {"id": "x", "type": "random", "at": [0, 0], "params": {"shape": [4, 3, 8, 8], "axes": "N C H W"}},
        {"id": "conv", "type": "conv2d", "at": [280, 0], "params": {"out_channels": 4}},
        {"id": "norm", "type": "batch_norm", "at": [560, 0]},
        {"id": "target", "type": "random", "at": [560, 260], "params": {"shape": [4, 4, 8, 8], "axes": "N C H W"}},
        {"id": "loss", "type": "mse", "at": [840, 0]},
        {"id": "train", "type": "train", "at": [1120, 0], "params": {"steps": MANY, "schedule": "constant"}},
    ],
    "links": [["x.y", "conv.x"], ["conv.y", "norm.x"], ["norm.y", "loss.prediction"], ["target.y", "loss.target"], ["loss.loss", "train.loss"]],
}


def beside(path):
    return path.replace(".halfwire", ".safetensors")


def learnt(path):
    """What lies beside a graph: its weights, and the step of its run."""
    run = json.loads(tensors(path.replace(".halfwire", ".optimiser.safetensors"))[1]["run"])
    return tensors(beside(path))[0], run["step"]


class Losses(Moments):
    def held(self, file):
        """This file is not opened until the function that is returned is called; and what preloads that."""
        gate = file + ".held"
        open(gate, "w").close()
        preload = ":".join(filter(None, (os.path.abspath(self.options.held), os.environ.get("LD_PRELOAD"))))
        return lambda: os.remove(gate), {"LD_PRELOAD": preload}

    def choose_file(self, app, keys, path, replaces=False):
        app.key(keys)
        app.wait_item("file:name")
        app.key("ctrl+a")
        app.type(path)
        app.key("Return")
        if replaces:
            app.wait_for("it asks before it replaces", lambda i: "Replace" in i["file:problem"]["text"])
            app.key("Return")
        app.wait_for("the dialog is closed", lambda i: "file:name" not in i)

    def written(self, app, wanted=None):
        """Saves, and waits until weights, these where they are known, lie beside the graph."""
        app.key("ctrl+s")
        return self.in_file(app, beside(self.path), wanted)

    def in_file(self, app, file, wanted=None):
        def read(_):
            found = os.path.exists(file) and tensors(file)[0]
            return found and (wanted is None or found == wanted) and found

        return app.wait_for(f"{self.name}: {os.path.basename(file)} holds the weights, to the bit", read)

    def of(self, graph, steps):
        """What the command line learns on a graph in as many steps."""
        graph = json.loads(json.dumps(graph))
        next(n for n in graph["nodes"] if n["type"] == "train")["params"]["steps"] = steps
        return tensors(self.train(graph))[0]


def says(app, text):
    app.wait_for(f"it says: {text}", lambda i: text in i.get("toast:reason", {}).get("text", "") + i.get("toast:remedy", {}).get("text", ""))


def runs(app, beyond=0):
    """The step of the run that goes on, once it is beyond this one."""
    def step(items):
        found = re.search(r"^Training +step (\d+)", items["runNumbers"]["text"])
        return found and int(found.group(1)) > beyond and int(found.group(1))

    return app.wait_for("it trains", step)


def saved_elsewhere_while_reading(m):
    path = m.home("saved as a copy while weights are read", training(20))
    shutil.copy(m.train(training(20)), beside(path))
    copy = os.path.join(m.folder, "other", "copy.halfwire")
    os.makedirs(os.path.dirname(copy))
    let_go, preloaded = m.held(beside(path))
    with m.start(path, **preloaded) as app:
        app.wait_item("node:fc")
        m.choose_file(app, "ctrl+shift+s", copy)
        app.wait_for("it is the copy", lambda i: i["documentTitle"]["text"].startswith("copy"))
        expect(not os.path.exists(beside(copy)), "they are still read")
        let_go()
        app.wait_for("the copy has its weights", lambda i: os.path.exists(beside(copy)) and i["runNumbers"]["text"].startswith("Ready, "))
    expect(tensors(beside(copy)) == tensors(beside(path)), "they are those of the graph")
    m.passed()


def imported_while_edited(m):
    if not os.path.exists(MODEL):
        print("skipped: libonnx-testdata is not installed")
        return
    m.home("edited while a model is imported into it")
    model = os.path.join(m.folder, "conv.onnx")
    shutil.copy(MODEL, model)
    let_go, preloaded = m.held(model)
    with m.start(**preloaded) as app:
        app.wait_item("canvas:surface")
        m.choose_file(app, "ctrl+o", model)
        app.wait_for("it is imported", lambda i: i["documentTitle"]["text"].startswith("conv"))
        app.wait_item("canvas:reading")
        app.shot("reading")
        canvas = app.find("canvas:surface")
        app.move(canvas["x"] + canvas["width"] / 2, canvas["y"] + 60)
        app.key("Tab")
        app.wait_item("search:field")
        app.type("sigmoid")
        app.key("Return")
        app.wait_item("node:sigmoid")
        let_go()
        app.wait_for("the model, with its weights", lambda i: "node:sigmoid" not in i and "with weights" in i["runNumbers"]["text"])
        app.shot("model")
        app.key("ctrl+Tab")
        app.wait_item("node:sigmoid")
        app.key("ctrl+z")
        app.wait_for("undone", lambda i: "node:sigmoid" not in i)
        app.key("ctrl+y")
        app.wait_item("node:sigmoid")
    m.passed()


def edited_while_reading(m):
    path = m.home("edited while weights are read", training(20))
    shutil.copy(m.train(training(20)), beside(path))
    before = tensors(beside(path))[0]
    let_go, preloaded = m.held(beside(path))
    with m.start(path, **preloaded) as app:
        app.wait_item("param:fc:out_features")
        app.click("param:fc:out_features")
        app.key("ctrl+a")
        app.type("5")
        app.key("Return")
        let_go()
        says(app, "fc.weight")
        app.shot("refused")
        expect("with weights" not in app.text("runNumbers"), "weights of another shape are not taken")
        app.key("ctrl+z")
        app.wait_for("they fit again, and are taken", lambda i: i["runNumbers"]["text"].startswith("Ready, "))
        m.written(app, before)
    m.passed()


def fold(app):
    app.click("menu:Edit")
    app.click("menu:rewrite")
    app.wait_item("rewrite:apply:0")
    app.click("rewrite:apply:0")
    app.wait_for("the norm is folded away", lambda i: "node:norm" not in i)
    app.key("Escape")
    app.wait_for("closed", lambda i: "rewriteSheet" not in i)


def trained_to(app):
    found = app.wait_for("what was trained is back", lambda i: re.search(r"trained to step (\d+)", i["runNumbers"]["text"]))
    return int(found.group(1))


def rewritten_while_training(m):
    path = m.home("a rewrite undone and redone while it trains", CONV)
    with m.start(path) as app:
        app.wait_item("node:conv")
        app.key("ctrl+Return")
        seen = runs(app)
        app.key("ctrl+alt+Return")  # a graph that runs is not rewritten
        app.wait_for("it is stopped", lambda i: not i["runNumbers"]["text"].startswith(("Training", "Stopping")))
        fold(app)
        app.wait_for("the run belonged to the other graph", lambda i: i["runNumbers"]["text"].startswith("Ready"))
        app.key("ctrl+z")
        step = trained_to(app)
        expect(step >= seen, f"the newest step comes back: {step} of {seen}")
        app.shot("undone")
        app.key("ctrl+Return")
        seen = runs(app, step)
        app.key("ctrl+y")
        app.wait_for("folded again, with the weights of then", lambda i: "node:norm" not in i and i["runNumbers"]["text"].startswith("Ready"))
        app.key("ctrl+z")
        step = trained_to(app)
        expect(step >= seen, f"and again: {step} of {seen}")
        m.written(app, m.of(CONV, step))
    expect(learnt(path)[1] == step, "with the optimiser's state of that step")
    m.passed()


def closed_before_published(m):
    path = m.home("saved and closed before weights were published", training(MANY))
    with m.start(path) as app:
        app.wait_item("node:fc")
        app.key("ctrl+Return")
        runs(app)
        app.key("ctrl+s")
        says(app, "with the weights of step")
        app.shot("saved")
        said = int(re.sub(r"[^0-9]", "", app.text("toast:reason").split("step")[1]))
        expect("•" not in app.text("documentTitle"), "the title says that it is saved")
        weights, step = learnt(path)
        expect(step == said, f"what is said is what is saved: {said}, {step}")
        expect(weights == m.of(training(MANY), step), f"the weights are those of step {step}, to the bit")
        app.key("ctrl+q")
        app.wait_item("unsaved:save")
        app.shot("question")
        app.click("unsaved:save")
        app.process.wait(60)
    weights, later = learnt(path)
    expect(later > step, "closing saves what was learnt since")
    expect(weights == m.of(training(MANY), later), f"the weights are those of step {later}, to the bit")
    m.passed()


def saved_over_others(m):
    path = m.home("saved over other weights, twice", training(20))
    second, target = os.path.join(m.folder, "second.halfwire"), os.path.join(m.folder, "t.halfwire")
    with open(second, "w", encoding="utf-8") as file:
        json.dump(training(30), file)
    shutil.copy(m.train(training(40)), beside(target))
    others = tensors(beside(target))[0]
    previous = os.path.join(m.folder, "t.previous.safetensors"), os.path.join(m.folder, "t.previous-2.safetensors")
    with m.start(path) as app:
        app.wait_item("node:fc")
        m.choose_file(app, "ctrl+shift+s", target)
        says(app, "kept as t.previous.safetensors")
        app.shot("set-aside")
        app.key("ctrl+Return")
        app.wait_for("trained", lambda i: "step 20 / 20" in i["runNumbers"]["text"])
        app.key("ctrl+s")
        first = m.in_file(app, beside(target))
        m.choose_file(app, "ctrl+o", second)
        app.wait_for("the other graph", lambda i: i["documentTitle"]["text"].startswith("second"))
        app.key("ctrl+Return")
        app.wait_for("trained", lambda i: "step 30 / 30" in i["runNumbers"]["text"])
        m.choose_file(app, "ctrl+shift+s", target, replaces=True)
        says(app, "kept as t.previous-2.safetensors")
        m.in_file(app, beside(target), m.trained(30))
    expect([tensors(file)[0] for file in previous] == [others, first], "what lay there before is kept, each in a file of its own")
    m.passed()


def saved_without_reach(m):
    path = m.home("saved as a copy without weights that may not be read", training(20))
    outside = os.path.join(m.folder, "elsewhere", "w.safetensors")
    inside = os.path.join(m.folder, "inside", "graph.halfwire")
    for file in (outside, inside):
        os.makedirs(os.path.dirname(file))
    shutil.move(path, inside)
    shutil.copy(m.train(training(20)), outside)
    os.symlink(outside, beside(inside))
    copy = os.path.join(m.folder, "inside", "copy.halfwire")
    with m.start(inside) as app:
        app.click("reading:cancel")  # it asks as it opens
        app.wait_for("not allowed", lambda i: "readingDialog" not in i and "problem:0:remedy:0" in i)
        m.choose_file(app, "ctrl+shift+s", copy)
        says(app, "the copy has no weights")
        app.shot("said")
        app.click("problem:0:remedy:0")
        app.wait_for("allowed, they are read", lambda i: i["runNumbers"]["text"].startswith("Ready, "))
        app.key("ctrl+s")
        m.in_file(app, beside(copy), tensors(outside)[0])
    m.passed()


def training_undone(m):
    path = m.home("a training on loaded weights, undone and redone", training(30))
    file = m.train(training(20))
    with m.start(path) as app:
        app.wait_item("node:fc")
        load(app, file)
        app.key("ctrl+Return")
        app.wait_for("trained", lambda i: "step 30 / 30" in i["runNumbers"]["text"])
        trained = m.written(app)
        expect("Train" in app.find("tool:undo")["tip"], "the training is a step of its own")
        app.key("ctrl+z")
        app.wait_for("what was loaded is back", lambda i: i["runNumbers"]["text"].startswith("Ready, with weights"))
        m.written(app, tensors(file)[0])
        app.key("ctrl+y")
        expect(trained_to(app) == 30, "redone, with its run")
        m.written(app, trained)
    m.passed()


def main():
    m = Losses(called_with("cli", "held"))
    began = time.monotonic()
    for moment in (saved_elsewhere_while_reading, imported_while_edited, edited_while_reading, rewritten_while_training, closed_before_published,
                   saved_over_others, saved_without_reach, training_undone):
        moment(m)
    print(f"in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    end_with(main)
