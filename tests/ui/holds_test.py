"""What a hand holds goes away while the button is down: a wire, a node, a number, a row of the palette, a parameter, a row of a group's
interface; by Del, undo, cut, another document, a dialog. The gesture ends, the release does nothing. Keeps its screenshots in the output
folder."""

import json
import os
import tempfile
import time

from desktop import Editor, called_with, end_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}},
        {"id": "m", "type": "mlp", "at": [300, 0]},
        {"id": "r", "type": "relu", "at": [600, 0]},
        {"id": "t", "type": "tanh", "at": [600, 240]},
    ],
    "links": [["a.y", "m.x"], ["m.y", "r.x"]],
}


class Hand:
    """Takes something with the left button and drags it half of the way to a place."""

    def __init__(self, app, start, end):
        self.app = app
        point = lambda where: app.centre(where) if isinstance(where, str) else where
        self.start, self.end = point(start), point(end)
        app.move(*self.start)
        app.xdotool("mousedown", 1)
        self.go(1, 6)

    def go(self, first, last):
        (x, y), (to_x, to_y) = self.start, self.end
        for step in range(first, last + 1):
            self.app.move(x + (to_x - x) * step / 12, y + (to_y - y) * step / 12)

    def release(self):
        self.go(7, 12)
        time.sleep(0.1)
        self.app.xdotool("mouseup", 1)
        time.sleep(0.2)


def graph_of(app):
    graph = app.saved()
    graph["nodes"].sort(key=lambda node: node["id"])
    return graph


def held(app, what, start, end, act, keys, before, after=None):
    """Takes it, presses the keys, releases: the document is what the keys alone make of it. Then all is undone."""
    hand = Hand(app, start(), end())
    app.shot(f"{what}-held".replace(" ", "-"))
    app.key(*keys)
    app.shot(f"{what}-{act}".replace(" ", "-"))
    hand.release()
    items = app.items()
    expect("search:field" not in items and "toast" not in items and "draggedNode" not in items, f"{what}, {act}: nothing comes of it")
    now = graph_of(app)
    if after:
        after(now, f"{what}, {act}")
    else:
        expect(now == before, f"{what}, {act}: {now}")
    nodes = {node["id"] for node in now["nodes"]}
    expect(all(end.split(".")[0] in nodes for link in now["links"] for end in link), f"{what}, {act}: a wire with an end in nothing")


def gestures(app):
    app.wait_item("node:t")
    app.key("Home")
    before = graph_of(app)

    def undone(what):
        for _ in range(6):
            if "Undo" not in app.find("tool:undo")["tip"] or not app.find("tool:undo").get("enabled", True):
                break
            app.key("ctrl+z")
        expect(graph_of(app) == before, f"{what}: undo brings back what was")

    def without(node):
        def check(now, what):
            expect(node not in {n["id"] for n in now["nodes"]}, f"{what}: the keys have acted")
        return check

    wire = lambda: app.centre("socket:m:out:y"), lambda: app.centre("socket:t:in:x")
    taken = lambda: app.centre("socket:r:in:x"), lambda: app.centre("socket:t:in:x")
    card = lambda: header(app.at_rest("node:m")), lambda: app.empty()
    number = lambda: app.centre("param:m:width"), lambda: (app.centre("param:m:width")[0] + 80, app.centre("param:m:width")[1])
    for what, (start, end) in (("wire", wire), ("taken wire", taken), ("card", card), ("number", number)):
        for act, keys in (("delete", ("Delete",)), ("cut", ("ctrl+x",))):
            app.choose("m")
            held(app, what, start, end, act, keys, before, without("m"))
            undone(f"{what}, {act}")
        # Undo: of a node's adding, and of the wire to it.
        app.choose("m")
        app.key("ctrl+d")
        app.wait_item("node:mlp")
        app.key("ctrl+z")
        app.wait_for("gone again", lambda i: "node:mlp" not in i)
        app.choose("m")
        app.key("m")  # bypassed: a step to undo
        own = what in ("card", "number")  # what the hand has done so far is the first that undo takes back
        held(app, what, start, end, "undo", ("ctrl+z",) * (2 if own else 1), before)
        app.choose("m")
        held(app, what, start, end, "another document", ("ctrl+n", "ctrl+w"), before)

    # The node itself is what undo takes away.
    app.choose("m")
    app.key("ctrl+d")
    copy = app.at_rest("node:mlp")
    app.drag(header(copy), (header(copy)[0], header(copy)[1] + 150))
    held(app, "wire of a new node", lambda: app.centre("socket:mlp:out:y"), lambda: app.centre("socket:t:in:x"), "undo twice", ("ctrl+z", "ctrl+z"), before)

    # A row of the palette, while a step is undone.
    app.choose("m")
    app.key("m")
    row = next(name for name in app.items() if name.startswith("palette:"))
    held(app, "palette", lambda: app.centre(row), app.empty, "undo", ("ctrl+z",), before)
    app.drag(row, app.empty())
    app.wait_for("the palette drags on", lambda i: len([n for n in i if n.startswith("node:")]) > 4)
    app.key("ctrl+z")
    expect(graph_of(app) == before, "and that is undone")
    print("held: wires, cards, numbers and palette rows are let go of by Del, cut, undo, other documents")


DIALOGS = {"open": ("ctrl+o", "file:name"), "save as": ("ctrl+shift+s", "file:name"), "shortcuts": ("F1", "sheet:close"),
           "question": ("ctrl+w", "unsaved:cancel"), "precision": ("ctrl+alt+t", "precision:close"), "search": ("shift+a", "search:field")}


def under_dialogs(app):
    """A dialog opens and closes while the button is down."""
    before = graph_of(app)
    holds = {
        "wire": lambda: (app.centre("socket:m:out:y"), app.centre("socket:t:in:x")),
        "card": lambda: (header(app.at_rest("node:m")), app.empty()),
        "number": lambda: (app.centre("param:m:width"), (app.centre("param:m:width")[0] + 80, app.centre("param:m:width")[1])),
    }
    for act, (key, shown) in DIALOGS.items():
        for what, places in holds.items():
            app.choose("m")
            if act == "question":
                app.key("m")  # else there is nothing to ask
            hand = Hand(app, *places())
            app.key(key)
            app.wait_item(shown)
            app.shot(f"{what}-under-{act}".replace(" ", "-"))
            app.key("Escape")
            app.wait_for(f"{act} is closed", lambda i: shown not in i)
            hand.go(7, 10)
            app.shot(f"{what}-after-{act}".replace(" ", "-"))
            hand.release()
            items = app.items()
            expect("search:field" not in items and "toast" not in items, f"{what}, {act}: nothing comes of it")
            if act == "question":
                app.key("ctrl+z")
            expect(graph_of(app) == before, f"{what}, {act}: the document is as it was")
    print("held: dialogs end what the hand does")


def in_groups(app):
    """A parameter on its way to the border of the group, and a row of its interface."""
    app.choose("m", "r")
    app.key("ctrl+g")
    app.wait_item("node:group")
    app.choose("group")
    app.key("Tab")
    app.wait_item("node:m")
    app.choose("m")
    app.key("m")
    before = graph_of(app)
    canvas = app.find("canvas:surface")
    label = app.at_rest("param:width")
    y = label["y"] + label["height"] / 2
    hand = Hand(app, (label["x"] - 60, y), (canvas["x"] + 40, y))  # sideways: upwards the list would scroll
    app.wait_item("border:input")
    app.shot("parameter-held")
    app.key("ctrl+z")
    app.shot("parameter-undo")
    expect("border:input" not in app.items(), "the border waits for nothing")
    hand.release()
    app.key("ctrl+y")
    expect(graph_of(app) == before, "nothing is promoted")
    print("held in groups: a parameter on its way to the border")


def main():
    options = called_with()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "g.halfwire")
        with open(path, "w", encoding="utf-8") as text:
            json.dump(GRAPH, text)
        with Editor(options.binary, options.out, path, name="holds", environment=living_in(folder)) as app:
            gestures(app)
            under_dialogs(app)
            in_groups(app)
    return 0


if __name__ == "__main__":
    end_with(main)
