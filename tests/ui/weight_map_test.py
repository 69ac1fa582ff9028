"""Weights of another tool in the real program: names and dtypes of its own, in the sheet that shows which tensor is which parameter; then
loaded, and the names kept in the graph that is saved. Keeps its screenshots in the output folder."""

import json
import os
import struct
import tempfile

from desktop import Desktop, called_with, end_with, expect

LAYERS = [("embed", 16, 8), ("block", 16, 16), ("head", 4, 16)]


def write_graph(file):
    nodes = [{"id": "latent", "type": "random", "at": [40, 40], "params": {"dtype": "bf16", "shape": [32, 8]}}]
    links, before = [], "latent"
    for i, (layer, out, _) in enumerate(LAYERS):
        nodes.append({"id": layer, "type": "linear", "at": [320 + 280 * i, 40], "params": {"dtype": "bf16", "out_features": out}})
        links.append([before + ".y", layer + ".x"])
        before = layer
    with open(file, "w", encoding="utf-8") as text:
        json.dump({"halfwire": 1, "nodes": nodes, "links": links}, text)


def write_weights(file, dtype, size):
    """Tensors of zeros: weights in this dtype, biases in bf16; and one that is no parameter's."""
    header, at = {}, 0
    tensors = [("extra.scale", "F32", [3], 4)]
    for layer, out, inputs in LAYERS:
        tensors += [(f"module.net.{layer}.gamma", dtype, [out, inputs], size), (f"module.net.{layer}.beta", "BF16", [out], 2)]
    for name, of, shape, each in tensors:
        end = at + each * (shape[0] * shape[1] if len(shape) > 1 else shape[0])
        header[name] = {"dtype": of, "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    with open(file, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + bytes(at))


def load(app, file):
    app.click("menu:Run")
    app.click("menu:loadWeights")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(file)
    app.key("Return")
    app.wait_item("weightMapSheet")


def main():
    options = called_with()
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    graph, weights = os.path.join(folder, "graph.halfwire"), os.path.join(folder, "foreign.safetensors")
    write_graph(graph)
    write_weights(weights, "F8_E4M3", 1)
    with Desktop(options.binary, options.out, [graph], name="weight_map") as app:
        app.wait_item("node:head")
        load(app, weights)
        app.wait_for("every tensor is found", lambda i: "6 of 6" in i["weightMap:summary"]["text"])
        expect("3 of another dtype" in app.text("weightMap:summary"), "the clashes are counted before anything is loaded")
        app.shot("clashes")
        app.click("weightMap:tensor:0")
        app.shot("choices")
        app.key("Escape")
        app.click("weightMap:convert")
        app.wait_for("they are converted", lambda i: "of another dtype" not in i["weightMap:summary"]["text"])
        app.click("weightMap:partial")  # the tensor that is left over
        app.shot("converted")
        app.click("weightMap:load")
        app.wait_for("the weights are there", lambda i: "with weights" in i["runNumbers"]["text"])
        app.shot("loaded")
        app.key("ctrl+s")
        app.wait_for("the names are saved", lambda _: "module.net.embed.gamma" in open(graph, encoding="utf-8").read())
        app.key("ctrl+z")
        app.shot("undone")
    with Desktop(options.binary, options.out, [graph], name="weight_map_again") as app:
        app.wait_for("its weights are read by these names", lambda i: "with weights" in i["runNumbers"]["text"])


if __name__ == "__main__":
    end_with(main)
