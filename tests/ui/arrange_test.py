"""A graph put in order and found one's way in, by mouse and keys: arranged, aligned and distributed; nodes put into wires; found by what
they are, in a group too; zoomed from 1 % to 800 % with wires that say what they carry; the minimap. All of it undone at the end. Keeps
its screenshots in the output folder."""

import json
import os
import tempfile

from desktop import Editor, called_with, end_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [600, 200], "params": {"shape": [4, 8]}},
        {"id": "m", "type": "mlp", "at": [0, 0]},
        {"id": "r", "type": "relu", "at": [304, 344]},
        {"id": "g", "type": "group:block", "at": [0, 336]},
        {"id": "v", "type": "tensor_view", "at": [304, 0]},
        {"id": "s", "type": "sigmoid", "at": [600, 0]},
    ],
    "links": [["a.y", "m.x"], ["m.y", "r.x"], ["r.y", "g.x"], ["g.out", "v.x"]],
    "subgraphs": {
        "block": {
            "title": "Block",
            "nodes": [
                {"id": "x", "type": "input", "at": [0, 0]},
                {"id": "inner", "type": "relu", "at": [280, 0]},
                {"id": "out", "type": "output", "at": [560, 0]},
            ],
            "links": [["x.y", "inner.x"], ["inner.y", "out.x"]],
        }
    },
}
CHAIN = ["a", "m", "r", "g", "v"]


class Arranger(Editor):
    def surface(self):
        return self.find("canvas:surface")

    def let_go(self):
        self.click(self.empty())
        self.key("Escape")

    def card(self, node):
        return self.at_rest(f"node:{node}")

    def zoom(self):
        return int(self.text("canvas:zoom").split()[0])

    def places(self):
        return {node["id"]: tuple(node["at"]) for node in self.saved()["nodes"]}


def aligns(app):
    app.choose("a", "m", "r")
    app.click(header(app.find("node:r")), button=3)
    app.click("menu:Align")
    app.click("menu:align:top")
    now = app.places()
    expect(now["a"][1] == now["m"][1] == now["r"][1] == 0, f"tops in line: {now}")
    app.click("menu:Edit")
    app.click("menu:Align")
    app.shot("align menu")
    app.click("menu:edit:align:distribute_x")
    now = app.places()
    gaps = [now["r"][0] - now["m"][0], now["a"][0] - now["r"][0]]
    expect(abs(gaps[0] - gaps[1]) <= 1, f"equal gaps: {now}")
    app.key("ctrl+z", "ctrl+z")
    expect(app.places()["r"] == (304, 344), "align and distribute are one step each")


def arranges(app):
    app.let_go()
    app.key("l")
    now = app.places()
    columns = [now[node][0] for node in CHAIN]
    expect(columns == sorted(columns) and len(set(columns)) == len(columns), f"wires lead right: {now}")
    plane = app.surface()
    for node in CHAIN:
        card = app.card(node)
        expect(plane["x"] <= card["x"] and card["x"] + card["width"] <= plane["x"] + plane["width"], f"{node} is in view: {card}")
    app.shot("arranged")
    app.key("ctrl+z")
    expect(app.places()["a"] == (600, 200), "one step back")
    app.choose("a", "m")
    app.click(header(app.find("node:m")), button=3)
    app.click("menu:arrange")
    two = app.places()
    expect(two["a"][0] < two["m"][0] and two["r"] == (304, 344), f"the two that are selected: {two}")
    app.key("ctrl+z")
    app.let_go()
    app.key("l")  # for what follows
    app.key("Home")


def inserts(app):
    before = app.places()
    # The loose node is dropped on the wire from m to r.
    m, r = app.card("m"), app.card("r")
    scale = m["width"] / 216
    wire = ((m["x"] + m["width"] + r["x"]) / 2, r["y"] + 52 * scale)
    s = header(app.card("s"))
    app.drag(s, wire)
    app.wait_for("nothing is wrong", lambda i: i["status:problems"]["text"] == "No problems")
    graph = app.saved()
    now = {node["id"]: node["at"] for node in graph["nodes"]}
    expect(["m.y", "s.x"] in graph["links"] and ["s.y", "r.x"] in graph["links"], f"it is in the wire: {graph['links']}")
    expect(now["s"][0] >= now["m"][0] + 216 and now["r"][0] >= now["s"][0] + 216 + 40, f"there is room: {now}")
    moved = {node: now[node][0] - before[node][0] for node in ("r", "g", "v")}
    expect(len(set(moved.values())) == 1 and moved["r"] > 0, f"what is behind moves together: {moved}")
    app.shot("inserted")
    app.key("ctrl+z")
    expect(app.places() == before, "the drop and the push are one step")
    # A node added by a search on the wire.
    app.click(wire, button=3)
    app.wait_item("search:field")
    app.type("sigmoid")
    app.shot("search on a wire")
    app.key("Return")
    graph = app.saved()
    expect(["sigmoid.y", "r.x"] in graph["links"], f"the added one is in the wire: {graph['links']}")
    app.key("ctrl+z")
    expect(app.places() == before, "one step, too")


def finds(app):
    app.let_go()
    app.key("ctrl+f")
    app.wait_for("the field has the keys", lambda i: i.get("find:field", {}).get("focus"))
    app.type("type:relu")
    app.wait_for("two are found", lambda i: i["find:count"].get("text") == "2 found")
    app.key("Return")
    first = app.wait_for("a step", lambda i: i["find:count"]["text"] == "1 of 2" and i)
    app.key("Return")
    app.wait_for("the next", lambda i: i["find:count"]["text"] == "2 of 2" and i.get("breadcrumb:g") and i.get("node:inner"))
    expect(first.get("node:r") and not first.get("breadcrumb:g"), "the first is in the document")
    surface, inner = app.surface(), app.card("inner")
    off = [inner[a] + inner[b] / 2 - surface[a] - surface[b] / 2 for a, b in (("x", "width"), ("y", "height"))]
    expect(abs(off[0]) < 3 and abs(off[1]) < 3, f"it is in the middle: {off}")
    app.shot("found inside")
    app.key("shift+Return")
    app.wait_for("back, and out of the group", lambda i: i["find:count"]["text"] == "1 of 2" and not i.get("breadcrumb:g"))
    for text, said in (("value:shape=[4,8]", "1 found"), ("dtype:f32", "8 found"), ("has:problem", "1 found"), ("type:none", "None"), ("/^[ms]$/", "2 found")):
        app.key("ctrl+a")
        app.type(text)
        app.wait_for(f"{text}: {said}", lambda i: i["find:count"].get("text") == said)
    app.key("ctrl+a")
    app.type("/(m/")
    app.wait_for("what is wrong with it", lambda i: "missing )" in i.get("find:problem", {}).get("text", ""))
    app.shot("wrong expression")
    app.key("Escape")
    app.wait_for("closed, keys go to the canvas", lambda i: not i.get("find") and i["canvas:surface"]["focus"])


def zooms(app):
    surface = app.surface()
    middle = (surface["x"] + surface["width"] / 2, surface["y"] + surface["height"] / 2)
    app.choose("r")
    app.key("f")
    app.key("ctrl+0")
    expect(app.zoom() == 100, "100 %")
    expect(not any(name.startswith("wireLabel:") for name in app.items()), "no words on wires at 100 %")
    app.wheel(4, 3, middle)
    expect(app.zoom() == 173, f"three notches: {app.zoom()}")
    labels = app.wait_for("words on wires", lambda i: [v["text"] for n, v in i.items() if n.startswith("wireLabel:")])
    expect(any(text.startswith("f32") for text in labels), f"dtypes: {labels}")
    app.shot("labels")
    app.wheel(4, 12, middle)
    expect(app.zoom() == 800, f"the nearest: {app.zoom()}")
    app.shot("800")
    app.wheel(5, 60, middle)
    expect(app.zoom() == 1, f"the farthest: {app.zoom()}")
    app.shot("1")
    app.key("ctrl+0")
    expect(app.zoom() == 100, "back to 100 %")


def looks_at_the_map(app):
    app.key("Home")
    app.wait_for("no map while all is in view", lambda i: not i.get("canvas:minimap"))
    app.key("ctrl+0")
    pane = app.wait_item("canvas:minimap")
    badge = app.find("canvas:zoom")
    expect(pane["y"] + pane["height"] < badge["y"], "the badge is free")
    app.shot("minimap")
    app.click((pane["x"] + 16, pane["y"] + pane["height"] / 2))
    left = app.at_rest("canvas:minimap:seen")
    app.drag((pane["x"] + 20, pane["y"] + pane["height"] / 2), (pane["x"] + pane["width"] - 20, pane["y"] + pane["height"] / 2))
    right = app.at_rest("canvas:minimap:seen")
    expect(right["x"] > left["x"] + 40, f"a drag moves what is seen: {left['x']} → {right['x']}")
    app.click("menu:View")
    app.click("menu:minimap")
    app.wait_for("switched off", lambda i: not i.get("canvas:minimap"))
    app.click("menu:View")
    app.click("menu:minimap")
    app.wait_item("canvas:minimap")
    app.key("Home")


def main():
    options = called_with()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "arrange.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(GRAPH, text)
    with Arranger(options.binary, options.out, path, name="arrange", environment=living_in(folder)) as app:
        app.wait_for("the loose node alone is wrong", lambda i: i.get("node:v") and i["status:problems"]["text"] == "1 error", 60)
        app.click(app.empty())
        app.key("l", "ctrl+z")  # what is saved is as this version writes it
        first = app.saved()
        with open(path, "rb") as file:
            first_bytes = file.read()
        aligns(app)
        arranges(app)
        inserts(app)
        finds(app)
        zooms(app)
        looks_at_the_map(app)
        app.let_go()
        for _ in range(8):
            app.key("ctrl+z")
        expect(app.saved() == first, "undo brings back the first graph")
        with open(path, "rb") as file:
            expect(file.read() == first_bytes, "and its bytes")
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")
    print("arrange: arranged, aligned, inserted, found, zoomed, mapped and undone")
    return 0


end_with(main)
