"""Sizes of ONNX models, asked for in the real program: what has to be known is typed, refused beside its field, taken with Enter or the
mouse, and given up with Esc, with nothing lost; what can stay symbolic opens without a question. Keeps its screenshots in the output
folder."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from desktop import Desktop, called_with, end_with, expect, fresh, header, settled

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "field"))
import onnx_file as onnx  # noqa: E402

IMAGE = onnx.value("image", "float32", ("batch", 3, "height", "width"))
GRAPH = {"halfwire": 1, "nodes": [{"id": "mine", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}}], "links": []}


def numbers(name, values):
    return onnx.tensor(name, np.array(values, np.int64))


def write_models(folder):
    """Paths by name. Heights are taken in steps from below, or halved and doubled, or are numbers of one picture alone; or nothing wants to know."""
    paths = {name: os.path.join(folder, name + ".onnx") for name in ("steps", "unet", "traced", "free")}
    y = [onnx.value("y", "float32", ("a", "b", "c", "d"))]
    cut = [onnx.node("Slice", ["image", "begin", "end", "axis", "step"], ["y"], name="cut")]
    onnx.write_model(paths["steps"], cut, [IMAGE], y, [numbers(*n) for n in (("begin", [-1]), ("end", [-(1 << 40)]), ("axis", [2]), ("step", [-2]))])
    halved = [
        onnx.node("MaxPool", ["image"], ["small"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        onnx.node("ConvTranspose", ["small", "w"], ["large"], name="up", strides=[2, 2]),
        onnx.node("Concat", ["image", "large"], ["y"], name="skip", axis=1),
    ]
    onnx.write_model(paths["unet"], halved, [IMAGE], y, [onnx.tensor("w", np.ones((3, 3, 2, 2), np.float32))])
    flat = [onnx.node("Reshape", ["image", "sizes"], ["y"], name="flat")]
    onnx.write_model(paths["traced"], flat, [IMAGE], y, [numbers("sizes", [1, 6, 6, 5])])
    onnx.write_model(paths["free"], [onnx.node("Relu", ["image"], ["y"])], [IMAGE], y)
    return paths


def field(app, row):
    return app.wait_for(f"field {row} has the keys", lambda i: i.get(f"sizes:field:{row}", {}).get("focus") and i[f"sizes:field:{row}"])


def replace(app, text):
    app.key("ctrl+a")
    app.type(text)


def gone(app):
    app.wait_for("the sheet is closed", lambda i: "sizesSheet" not in i)


def asked(app, title):
    app.wait_item("sizesSheet")
    app.wait_for(f"{title} is asked about", lambda i: any(title in str(item.get("text", "")) for item in i.values()))


def open_by_keys(app, path):
    app.key("ctrl+o")
    app.wait_item("file:name")
    replace(app, path)
    app.key("Return")


def saved(app, folder, name):
    """The graph that is shown, saved under this name."""
    file = os.path.join(folder, name)
    app.key("ctrl+shift+s")
    app.wait_item("file:name")
    replace(app, file)
    app.key("Return")
    app.wait_for("saved", lambda _: os.path.exists(file))
    with open(file, encoding="utf-8") as text:
        return json.load(text)


def shape_of(graph):
    return next(n for n in graph["nodes"] if n["type"] == "input")["params"]


def refused_beside_the_field(app, folder):
    first = field(app, 0)
    expect(first["text"] == "224", f"the proposal: {first}")
    expect(app.text("sizes:name:0") == "height" and "axis 2" in app.text("sizes:uses:0"), "what it is, and where")
    expect("by its name" in app.text("sizes:from:0"), "where the proposal comes from")
    expect("Slice cut" in app.text("sizes:because"), app.text("sizes:because"))
    for row, name in ((1, "batch"), (2, "width")):
        expect(app.text(f"sizes:name:{row}") == name and "stays symbolic" in app.text(f"sizes:becomes:{row}"), f"{name} stays symbolic")
        expect(f"sizes:field:{row}" not in app.items(), "and has no field")
    app.shot("asked")
    for wrong, reason in (("0", "at least 1"), ("-4", "at least 1"), ("abc", "whole number"), ("2.5", "whole number"), ("99999999999", "at most"), ("", "whole number")):
        app.key("ctrl+a", "Delete")
        app.type(wrong)
        app.wait_for(f"“{wrong}” is refused", lambda i: reason in i.get("sizes:error:0", {}).get("text", ""))
        app.key("Return")
        expect("sizesSheet" in app.items(), "nothing is imported with it")
    app.shot("refused")
    replace(app, "2*32")
    app.wait_for("a calculation is a size", lambda i: "sizes:error:0" not in i)
    app.key("Down", "Up", "Up")
    app.wait_for("the arrows count", lambda i: i["sizes:field:0"]["text"] == "65")
    app.key("Return")
    gone(app)
    app.wait_for("the model", lambda i: any(name.startswith(("node:gather", "node:slice", "node:cut")) for name in i))
    params = shape_of(saved(app, folder, "steps.halfwire"))
    expect(params["shape"] == [1, 3, 65, 224] and params["fixed"][2] == 65, f"what was typed: {params}")
    expect(params["symbolic"] == "batch width", f"the others are symbolic: {params}")


def given_up(app, paths):
    """Beside a document with an edit that was not saved."""
    app.wait_item("node:mine")
    app.click(header(app.at_rest("node:mine")))
    app.key("ctrl+d")
    app.wait_for("edited", lambda i: i["documentTitle"]["text"].endswith("•"))
    cards = sum(name.startswith("node:") for name in app.items())
    for leave in ("Escape", "sizes:cancel", "sheet:close"):
        open_by_keys(app, paths["steps"])
        field(app, 0)
        replace(app, "64")
        if leave == "Escape":
            app.key(leave)
        else:
            app.click(leave)
        gone(app)
        app.wait_for(f"the document is back ({leave})", lambda i: "node:mine" in i and i["documentTitle"]["text"].startswith("graph"))
        items = app.items()
        expect("tab:steps" not in items and sum(name.startswith("node:") for name in items) == cards, "no other is left, nothing is lost")
    app.wait_for("the keys are the canvas's", lambda i: i["canvas:surface"]["focus"])
    app.key("ctrl+z")
    app.wait_for("its history, too", lambda i: not i["documentTitle"]["text"].endswith("•"))


def multiples(app, paths, folder):
    open_by_keys(app, paths["unet"])
    field(app, 0)
    expect("multiples of 2" in app.text("sizes:becomes:0"), app.text("sizes:becomes:0"))
    replace(app, "97")
    app.wait_for("an odd one is refused with its neighbours", lambda i: "96 or 98" in i.get("sizes:error:0", {}).get("text", ""))
    app.key("Up", "Tab")
    field(app, 1)
    app.key("shift+Tab")
    field(app, 0)
    app.click("sizes:field:1")
    replace(app, "64")
    app.shot("multiples")
    app.click("sizes:import")
    gone(app)
    app.wait_for("the model, in a tab of its own", lambda i: "tab:unet" in i and "node:mine" not in i)
    params = shape_of(saved(app, folder, "unet.halfwire"))
    expect(params["shape"] == [1, 3, 98, 64] and params["multiples"] == [1, 1, 2, 2], f"as typed, and in multiples: {params}")


def other_sizes_fit(app, paths, folder):
    open_by_keys(app, paths["traced"])
    field(app, 0)
    app.wait_for("what is not read", lambda i: "Reshape flat" in i.get("sizes:problem", {}).get("text", ""))
    expect("as it is" in app.text("sizes:import").lower(), app.text("sizes:import"))
    app.shot("not-read")
    names = [app.text(f"sizes:name:{row}") for row in range(3)]
    for name, size in zip(names, ("1", "13", "5")):
        expect(field(app, names.index(name)), name)
        replace(app, size)
        app.key("Tab")
    app.key("shift+Tab", "Return")
    app.wait_for("another that does not fit is said, too", lambda i: "sizesSheet" in i and "Reshape flat" in i.get("sizes:problem", {}).get("text", ""))
    app.click("sizes:field:1")
    replace(app, "12")
    app.wait_for("it may fit", lambda i: "sizes:problem" not in i)
    app.key("Return")
    gone(app)
    params = shape_of(saved(app, folder, "traced.halfwire"))
    expect(params["shape"] == [1, 3, 12, 5], f"as typed: {params}")


def taken_as_it_is(app, paths):
    open_by_keys(app, paths["traced"])
    field(app, 0)
    app.key("Return")
    gone(app)
    app.wait_for("what is missing is said", lambda i: "Not all of the model is read" in i.get("toast:reason", {}).get("text", ""))


@contextlib.contextmanager
def dropped(app, source, paths):
    """Several files, dragged out of another window onto the canvas. That window stays: it hands the files over."""
    dragged = subprocess.Popen([os.path.abspath(source), *paths], stdout=subprocess.PIPE, text=True)
    try:
        expect(dragged.stdout.readline().strip() == "ready", "there is a window to drag from")
        canvas = app.find("canvas:surface")
        app.drag((20, 20), (canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2))
        expect("taken" in iter(lambda: dragged.stdout.readline().strip() or "refused", "refused"), "the drop is taken")
        yield
    finally:
        dragged.kill()
        dragged.wait()


def one_after_another(options, folder, graph, paths):
    """From the command line and by a drop; and one that nothing is asked about."""
    with Desktop(options.binary, options.out, [paths["steps"], paths["free"], paths["unet"]], name="sizes_many", environment=fresh(folder)) as app:
        field(app, 0)
        app.shot("first")
        names = {"a number from here on": "steps", "symbolic, multiples of 2": "unet"}  # asked about as they are read
        first = app.text("sizes:becomes:0")
        app.key("Return")
        app.wait_for("the next is asked about", lambda i: i.get("sizes:becomes:0", {}).get("text", first) != first)
        field(app, 0)
        left = names[app.text("sizes:becomes:0")]
        app.key("Escape")
        gone(app)
        app.wait_for("two are open", lambda i: {f"tab:{names[first]}", "tab:free"} <= set(i) and f"tab:{left}" not in i)
    with Desktop(options.binary, options.out, [graph], name="sizes_dropped", environment=fresh(folder)) as app:
        app.wait_item("node:mine")
        with dropped(app, options.source, [paths["steps"], paths["unet"]]):
            first = field(app, 0)["text"]
        app.shot("dropped")
        app.key("Return")
        app.wait_for("the other is asked about", lambda i: "tab:unet" in i and "sizesSheet" in i and i.get("sizes:field:0", {}).get("focus"))
        app.key("Return")
        gone(app)
        app.wait_for("all are open", lambda i: {"tab:graph", "tab:steps", "tab:unet"} <= set(i))
        expect(first == "224", first)
    with Desktop(options.binary, options.out, [paths["free"]], name="sizes_none", environment=fresh(folder)) as app:
        app.wait_for("what can stay symbolic opens without a question", lambda i: sum(name.startswith("node:") for name in i) >= 3)
        expect("sizesSheet" not in app.items(), "nothing is asked")


def main():
    options = called_with("source")
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    paths = write_models(folder)
    graph = os.path.join(folder, "graph.halfwire")
    with open(graph, "w", encoding="utf-8") as text:
        json.dump(GRAPH, text)
    with Desktop(options.binary, options.out, [paths["steps"]], name="sizes", environment=fresh(folder)) as app:
        refused_beside_the_field(app, folder)
    with Desktop(options.binary, options.out, [graph], name="sizes_open", environment=settled(tempfile.mkdtemp(dir=folder), look={"theme": "light"})) as app:
        given_up(app, paths)
        multiples(app, paths, folder)
        other_sizes_fit(app, paths, folder)
        taken_as_it_is(app, paths)
    one_after_another(options, folder, graph, paths)


if __name__ == "__main__":
    end_with(main)
