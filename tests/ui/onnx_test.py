"""A model of ONNX opened in the real program: a document without a file, its cards with weights, saved as a graph with its weights beside
it; a damaged one is refused with a reason. Keeps its screenshots in the output folder."""

import os
import shutil
import sys
import tempfile

from desktop import Desktop, called_with, end_with, expect

MODEL = "/usr/share/libonnx-testdata/data/pytorch-converted/test_Conv2d/model.onnx"


def main():
    options = called_with()
    if not os.path.exists(MODEL):
        print("skipped: libonnx-testdata is not installed")
        sys.exit(0)
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    model = os.path.join(folder, "conv.onnx")
    shutil.copy(MODEL, model)
    with Desktop(options.binary, options.out, [model], name="onnx") as app:
        app.wait_for("its cards", lambda i: sum(name.startswith("node:") for name in i) >= 3)
        app.wait_for("its weights", lambda i: "with weights" in i["runNumbers"]["text"])
        app.shot("opened")
        app.key("ctrl+s")
        app.wait_item("file:name")
        app.key("ctrl+a")
        app.type(os.path.join(folder, "saved.halfwire"))
        app.key("Return")
        app.wait_for("it is saved", lambda _: os.path.exists(os.path.join(folder, "saved.safetensors")))
    damaged = os.path.join(folder, "damaged.onnx")
    with open(damaged, "w", encoding="utf-8") as file:
        file.write("no model")
    with Desktop(options.binary, options.out, [damaged], name="damaged") as app:
        app.wait_for("the reason", lambda i: "no ONNX file" in i.get("toast:reason", {}).get("text", ""))
        app.shot("refused")
    expect(not os.path.exists(os.path.join(folder, "damaged.halfwire")), "nothing is written")


if __name__ == "__main__":
    end_with(main)
