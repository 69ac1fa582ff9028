"""Export to ONNX in the real program: an opset is chosen, what cannot be exported is listed and leads to its node, the file is chosen by
keys and by the mouse, and what was written is said. Keeps its screenshots in the output folder."""

import json
import os
import tempfile

from desktop import Editor, called_with, end_with, expect, settled


def graph(*between, groups=None):
    """x [4, 8] → these nodes, each "x" to "y" → Output."""
    nodes = [{"id": "x", "type": "input", "at": [0, 0], "params": {"shape": [4, 8], "axes": "N C", "symbolic": "N"}}]
    links, last = [], "x.y"
    for place, (own, kind, params) in enumerate(between):
        nodes.append({"id": own, "type": kind, "at": [280 * (place + 1), 0], "params": params})
        links.append([last, own + ".x"])
        last = own + (".features" if kind == "spherical_harmonics" else ".y")
    nodes.append({"id": "out", "type": "output", "at": [280 * (len(between) + 1), 0], "name": "result"})
    made = {"halfwire": 1, "nodes": nodes, "links": links + [[last, "out.x"]]}
    return {**made, "subgraphs": groups} if groups else made


SOFT = {
    "soft": {
        "title": "Soft",
        "params": [{"id": "slope", "node": "f", "param": "negative_slope"}],
        "nodes": [{"id": "f", "type": "leaky_relu"}, {"id": "x", "type": "input"}, {"id": "y", "type": "output"}],
        "links": [["x.y", "f.x"], ["f.y", "y.x"]],
    }
}
PLAIN = graph(("fc", "linear", {"out_features": 3}), ("a", "group:soft", {"slope": 0.5}), ("b", "group:soft", {}), groups=SOFT)
WRONG = graph(
    ("cut", "linear", {"out_features": 3}),
    ("narrow", "cast", {"to": "f8e4m3"}),
    ("wide", "cast", {"to": "f32"}),
    ("harmonics", "spherical_harmonics", {}),
    ("fc", "linear", {"out_features": 3, "compute": "bf16"}),
)


def written(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def opened_graph(app):
    """In a small window its cards are too small for items of their own."""
    app.wait_for("the graph", lambda i: i["documentTitle"]["text"] in ("plain", "wrong", "nothing"))


def opened(app):
    app.click("menu:File")
    app.click("menu:exportOnnx")
    app.at_rest("exportSheet")


def state(app, words):
    return app.wait_for(f"“{words}” is said", lambda i: words in i.get("export:state", {}).get("text", "") and i["export:state"]["text"])


def exports_by_keys(app, folder):
    """The whole way without the mouse."""
    app.key("ctrl+alt+e")
    app.at_rest("exportSheet")
    state(app, "Every node can be exported")
    expect(app.wait_item("export:opset")["focus"], "the opset has the keys")
    app.shot("ready")
    app.key("Down")
    app.wait_for("the next opset", lambda i: i["export:opset"]["text"] == "18")
    state(app, "Every node can be exported")
    app.key("Tab", "space")
    app.wait_for("groups become functions", lambda i: i["export:functions"].get("checked"))
    state(app, "Every node can be exported")
    app.key("Tab", "Tab")
    app.wait_for("the button has the keys", lambda i: i["export:choose"]["focus"])
    app.key("Return")
    app.wait_item("file:name")
    app.key("ctrl+a")
    file = os.path.join(folder, "by keys.onnx")
    app.type(file)
    app.key("Return")
    said = state(app, "Written: ")
    expect("by keys.onnx" in said and "opset 18" in said and "operators" in said, said)
    expect(os.path.getsize(file) > 100, "there is a model")
    notes = " ".join(i["text"] for name, i in app.items().items() if name.startswith("export:note:"))
    expect("initial" in notes, f"that nothing was learnt is said: {notes}")
    expect("Soft differ in its attributes: f_alpha" in notes, f"where instances differ is said: {notes}")
    app.shot("written")
    app.key("Escape")
    app.wait_for("closed, and the keys are the canvas's", lambda i: "exportSheet" not in i and i["canvas:surface"]["focus"])


def replaces_only_when_confirmed(app, folder):
    """By the mouse, over the file that is there."""
    file = os.path.join(folder, "by keys.onnx")
    before = os.stat(file).st_mtime_ns
    opened(app)
    state(app, "Every node can be exported")
    app.click("export:choose")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(file)
    app.click("file:accept")
    app.wait_for("it asks before it replaces", lambda i: "exists" in i.get("file:problem", {}).get("text", ""))
    expect(os.stat(file).st_mtime_ns == before, "nothing is written yet")
    app.click("file:accept")
    state(app, "Written: ")
    expect(os.stat(file).st_mtime_ns != before, "it is another")
    app.click("export:choose")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(os.path.join(folder, 260 * "n" + ".onnx"))
    app.key("Return")
    state(app, "too long")
    expect(app.find("export:choose")["enabled"], "another file can be chosen")
    app.shot("not-written")
    app.click("export:choose")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(file)
    app.click("file:accept")
    app.wait_for("it asks before it replaces", lambda i: "exists" in i.get("file:problem", {}).get("text", ""))
    app.click("file:accept")
    state(app, "Written: ")
    app.click("export:choose")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(os.path.join(folder, "nowhere", "m.onnx"))
    app.key("Return")
    app.wait_for("there is no such folder", lambda i: "There is no" in i.get("file:problem", {}).get("text", ""))
    app.key("Escape")
    app.wait_for("the sheet is still there", lambda i: "file:name" not in i and "exportSheet" in i)
    app.click("export:close")
    app.wait_for("closed", lambda i: "exportSheet" not in i)


def said_of(app):
    """The first two nodes in the way: a small window shows no more at once."""
    return [[app.text(f"export:{what}:{row}") for row in (0, 1)] for what in ("reason", "remedy")]


def lists_what_is_in_the_way(app):
    opened(app)
    state(app, "4 nodes cannot be exported to opset 17")
    reasons, remedies = said_of(app)
    expect(reasons[0].startswith("Opset 17 has no dtype f8e4m3; opset 19 has"), reasons)
    expect("Opset 17 has no Cast of f8e4m3; opset 19 has" in reasons[1], "what reads a refused node is listed, too: " + reasons[1])
    expect(all("opset 19 or newer" in remedy and "--" not in remedy for remedy in remedies), remedies)
    expect(not app.find("export:choose")["enabled"], "no file is asked for")
    app.shot("in-the-way")
    app.click("export:opset")
    app.click("export:opset:19")
    state(app, "2 nodes cannot be exported to opset 19")
    reasons, remedies = said_of(app)
    expect("This version does not export it" in reasons[0], reasons)
    expect("It computes in bf16" in reasons[1], reasons)
    expect("compute to storage" in remedies[1] and all(remedies), remedies)
    app.click("export:row:0")
    app.wait_for("the node is shown", lambda i: "exportSheet" not in i and "param:degree" in i)
    app.key("ctrl+alt+e")
    state(app, "2 nodes")
    app.key("Tab", "Tab")  # the switch has nothing to do: the first row, the second
    app.wait_for("a row has the keys", lambda i: any(i.get(f"export:row:{row}", {}).get("focus") for row in (0, 1)))
    app.key("Return")
    app.wait_for("Enter goes to a node, too", lambda i: "exportSheet" not in i)


def main():
    options = called_with()
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    plain, wrong = written(folder, "plain.halfwire", PLAIN), written(folder, "wrong.halfwire", WRONG)
    nothing = written(folder, "nothing.halfwire", {**PLAIN, "nodes": PLAIN["nodes"][:-1], "links": PLAIN["links"][:-1]})
    for look, width, height in (("dark", 1440, 900), ("light", 960, 600)):
        def home():
            return settled(tempfile.mkdtemp(dir=folder), look={"theme": look}, panels={"windowWidth": width, "windowHeight": height})

        with Editor(options.binary, options.out, plain, name=f"export-{look}", environment=home()) as app:
            opened_graph(app)
            exports_by_keys(app, folder)
            replaces_only_when_confirmed(app, folder)
            os.remove(os.path.join(folder, "by keys.onnx"))
        with Editor(options.binary, options.out, wrong, name=f"in-the-way-{look}", environment=home()) as app:
            opened_graph(app)
            lists_what_is_in_the_way(app)
    with Editor(options.binary, options.out, nothing, name="no-output", environment=settled(tempfile.mkdtemp(dir=folder))) as app:
        opened_graph(app)
        opened(app)
        state(app, "no Output node")
        expect(not app.find("export:choose")["enabled"], "no file is asked for")
        app.shot("no-output")
    print("export: by keys and by the mouse, what is in the way is listed and leads to its node")
    return 0


if __name__ == "__main__":
    end_with(main)
