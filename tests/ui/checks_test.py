"""Checks of a graph that has weights and no Train node: gradients and devices are checked with a loss that stands in, nothing offers to
train on; its wires beside a dump of another program, a folder and an archive: the first wire that is off is named, shown and marked on the
canvas. In both themes. Keeps its screenshots in the output folder."""

import json
import math
import os
import struct
import tempfile
import zipfile

from desktop import Desktop, called_with, end_with, expect, settled


def npy(values, shape):
    """An array of f32 as NumPy writes it."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    head = head.ljust(117) + "\n"  # with the ten bytes before it two times 64
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}f", *values)


def write_graph(file):
    """x [8, 8] → blocks_2 (x → layer → act → y) → out, with weights beside it."""
    nodes = [{"id": "x", "type": "input", "at": [40, 80], "params": {"shape": [8, 8], "example": "ones"}},
             {"id": "blocks_2", "type": "group:block", "at": [320, 80]}, {"id": "out", "type": "sigmoid", "at": [600, 80]}]
    block = {"title": "Block", "links": [["x.y", "layer.x"], ["layer.y", "act.x"], ["act.y", "y.x"]],
             "nodes": [{"id": "x", "type": "input", "at": [0, 0]}, {"id": "layer", "type": "linear", "at": [240, 0], "params": {"out_features": 8}},
                       {"id": "act", "type": "relu", "at": [480, 0]}, {"id": "y", "type": "output", "at": [720, 0]}]}
    with open(file, "w", encoding="utf-8") as text:
        json.dump({"halfwire": 1, "subgraphs": {"block": block}, "nodes": nodes, "links": [["x.y", "blocks_2.x"], ["blocks_2.y", "out.x"]]}, text)
    weight = [1.0 if i % 9 == 0 else 0.0 for i in range(64)]  # the identity
    header = {"blocks_2/layer.weight": {"dtype": "F32", "shape": [8, 8], "data_offsets": [0, 256]},
              "blocks_2/layer.bias": {"dtype": "F32", "shape": [8], "data_offsets": [256, 288]}}
    head = json.dumps(header).encode()
    with open(os.path.splitext(file)[0] + ".safetensors", "wb") as out:
        out.write(struct.pack("<Q", len(head)) + head + struct.pack("<72f", *weight, *[0.0] * 8))


def tensors():
    x = [i / 8 - 4 for i in range(64)]
    act = [max(value, 0) for value in x]
    return {"x": x, "blocks.2": act, "out": [1 / (1 + math.exp(-value)) for value in act]}


def write_folder(folder, made):
    os.makedirs(folder)
    for name, values in made.items():
        with open(os.path.join(folder, name + ".npy"), "wb") as file:
            file.write(npy(values, [len(values)] if name == "elsewhere" else [8, 8]))


def against(app, path):
    """A folder is opened first; Enter without a name takes it."""
    app.click("parity:against")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(path)
    app.key("Return")
    if os.path.isdir(path):
        app.wait_for("the folder is shown", lambda i: i["file:folder"]["text"].rstrip("/") == path)
        app.shot("folder")
        app.key("Return")
    app.wait_for("the sheet is gone", lambda i: "file:name" not in i)


def without_training(app):
    app.wait_for("its weights", lambda i: "with weights" in i["runNumbers"]["text"])
    shown = " ".join(str(item.get("text", "")) for item in app.items().values())
    expect(app.text("run:start") == "Run" and "Train on" not in shown, "nothing offers to train on")
    app.shot("opened")
    app.key("ctrl+shift+g")
    app.wait_for("gradients are checked", lambda i: i.get("gradients:start", {}).get("text") == "Check Again")
    expect("mean square of the outputs" in app.text("gradients:caption"), app.text("gradients:caption"))
    app.shot("gradients")
    app.click("menu:Run")
    app.click("menu:parity")
    app.wait_for("devices are compared", lambda i: i.get("parity:start", {}).get("text") == "Compare Again")
    expect("ref and cpu agree, the mean square of the outputs" in app.text("parity:caption"), app.text("parity:caption"))
    expect("stand_in" not in str(app.items()), "what stands in is not listed")
    app.shot("devices")


def beside_dump(app, folder):
    made = tensors()
    with zipfile.ZipFile(os.path.join(folder, "right.npz"), "w") as archive:
        for name, values in made.items():
            archive.writestr(name + ".npy", npy(values, [8, 8]))
    against(app, os.path.join(folder, "right.npz"))
    app.wait_for("it agrees", lambda i: i["parity:caption"]["text"].startswith("right.npz and cpu agree"))
    app.shot("agrees")

    made["blocks.2"] = [value + (3 if i == 20 else 0) for i, value in enumerate(made["blocks.2"])]
    made["out"] = [1 / (1 + math.exp(-value)) for value in made["blocks.2"]]
    made["elsewhere"] = [1.0] * 5
    write_folder(os.path.join(folder, "wrong"), made)
    against(app, os.path.join(folder, "wrong"))
    app.wait_for("the first is named", lambda i: i["parity:caption"]["text"].startswith("blocks_2/y diverges first from wrong"))
    expect("diverges" in app.text("parity:row:0") and "inherited" in app.text("parity:row:1"), "it, then what is made of it")
    expect("no wire" in app.text("parity:row:2"), "a tensor without a wire is not left out")
    app.wait_for("both are pictures", lambda i: "parity:picture:apart" in i)
    app.shot("diverges")
    app.click("parity:row:0")
    app.wait_for("the canvas shows it, in its group", lambda i: "node:y" in i)
    app.shot("revealed")
    app.click("problems:tabs:Problems (1)")
    app.wait_for("it is a problem", lambda i: any("has other values than “blocks.2” of wrong" in str(item.get("text", "")) for item in i.values()))
    app.shot("problem")
    app.click("problems:tabs:Parity")

    del made["x"]
    write_folder(os.path.join(folder, "lacking"), made)
    against(app, os.path.join(folder, "lacking"))
    app.wait_for("the input is missed", lambda i: "x with its own example values" in i["parity:caption"]["text"])
    app.move(*app.centre("parity:row:1"))
    app.shot("lacking")
    against(app, os.path.join(folder, "lacking", "elsewhere.npy"))
    app.wait_for("nothing is compared", lambda i: any("nothing was compared" in str(item.get("text", "")) for item in i.values()))
    app.shot("nothing")

    made = tensors()
    made["blocks.2.layer"] = made["blocks.2"]
    write_folder(os.path.join(folder, "in_place"), made)
    with open(os.path.join(folder, "in_place", "words.npy"), "wb") as file:
        file.write(b"no array")
    against(app, os.path.join(folder, "in_place"))
    app.wait_for("the others are compared", lambda i: i["parity:caption"]["text"].startswith("blocks_2/layer diverges first from in_place"))
    expect("1 not read" in app.text("parity:caption"), app.text("parity:caption"))
    expect("not read" in app.text("parity:row:1"), "an array that cannot be read is not left out")
    app.move(*app.centre("parity:row:0"))
    app.shot("in-place")


def main():
    options = called_with(description=__doc__, themes="dark,light")
    for theme in options.themes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            graph = os.path.join(folder, "graph.halfwire")
            write_graph(graph)
            environment = settled(tempfile.mkdtemp(dir=folder), look={"theme": theme}, panels={"bottomHeight": 300})
            with Desktop(options.binary, options.out, [graph], name=f"checks-{theme}", environment=environment) as app:
                without_training(app)
                beside_dump(app, folder)
    return 0


if __name__ == "__main__":
    end_with(main)
