"""Every kind of edit through every control, undone and redone with the focus in every place: the saved bytes are those before it, and
those after it. What is typed and not committed belongs to its field; a save, and a press elsewhere, commit it first."""

import json
import os
import sys
import tempfile
import time

from desktop import Desktop, called_with, end_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}},
        {"id": "m", "type": "mlp", "at": [300, 0]},
        {"id": "s", "type": "mlp", "at": [300, 240]},
        {"id": "r", "type": "relu", "at": [600, -100]},
        {"id": "v", "type": "tensor_view", "at": [900, 0]},
        {"id": "e", "type": "expression", "at": [0, 240]},
        {"id": "i", "type": "image_source", "at": [900, 260]},
        {"id": "c", "type": "cast", "at": [600, 260], "params": {"to": "f16"}},
        {"id": "d", "type": "constant", "at": [300, 480], "params": {"shape": [4, 8], "dtype": "f64"}},
        {"id": "t", "type": "add", "at": [600, 560]},
    ],
    "links": [["a.y", "m.x"], ["m.y", "v.x"], ["a.y", "s.x"], ["d.y", "c.x"], ["d.y", "t.b"], ["s.y", "t.a"]],
}


class Editor(Desktop):
    def choose(self, node):
        self.click(header(self.find(f"node:{node}")))
        last, since = None, 0

        def whole(items):
            """Its editors are made over several frames: they are all there when no more come."""
            nonlocal last, since
            now = sorted(name for name in items if name.startswith("param:"))
            if now != last:
                last, since = now, time.monotonic()
            return "nodeLabel" in items and time.monotonic() - since > 0.3

        self.wait_for(f"the inspector shows {node}", whole)

    def empty(self):
        """A place of the canvas with nothing on it: the remedy of the wrong wire stands below the middle."""
        canvas = self.find("canvas:surface")
        return canvas["x"] + canvas["width"] / 4, canvas["y"] + canvas["height"] - 24

    def open_field(self, name):
        self.click(name)
        self.key("ctrl+a")

    def type_into(self, name, text, end="Return"):
        self.open_field(name)
        self.type(text)
        self.key(end)

    def menu(self, title, *entries):
        self.click(f"menu:{title}")
        for entry in entries:
            self.click(entry)

    def pull(self, name, dx, dy=0):
        x, y = self.centre(name)
        self.drag((x, y), (x + dx, y + dy))

    def bytes(self):
        """What Save writes now. The focus stays where it is."""
        self.key("ctrl+s")
        self.wait_for("saved", lambda i: "•" not in i["documentTitle"]["text"], 20)
        with open(self.path, "rb") as file:
            return file.read()

    def changed(self, what):
        self.wait_for(what, lambda i: "•" in i["documentTitle"]["text"], 20)


def in_inspector(node, act):
    def does(app):
        app.choose(node)
        act(app)

    return does


def moved(app):
    x, y = header(app.find("node:r"))
    app.drag((x, y), (x + 80, y + 48))


def detached(app):
    x, y = app.centre("socket:v:in:x")
    app.drag((x, y), (x, y + 180))


def inserted(app):
    start, wire = header(app.find("node:r")), [app.centre("socket:m:out:y"), app.centre("socket:v:in:x")]
    card = app.find("node:r")
    middle = (wire[0][0] + wire[1][0]) / 2, (wire[0][1] + wire[1][1]) / 2
    app.drag(start, (middle[0] - card["width"] / 2 + (start[0] - card["x"]), middle[1] - card["height"] / 2 + (start[1] - card["y"])))


def cut(app):
    (x, y), (x2, y2) = app.centre("socket:a:out:y"), app.centre("socket:m:in:x")
    app.move((x + x2) / 2, (y + y2) / 2 - 60)
    app.xdotool("keydown", "ctrl", "mousedown", 3)
    for dy in range(-60, 200, 12):
        app.move((x + x2) / 2, (y + y2) / 2 + dy)
    app.xdotool("mouseup", 3, "keyup", "ctrl")


def searched(app):
    app.move(*app.empty())
    app.click(app.empty())
    app.key("Tab")
    app.wait_item("search:field")
    app.type("gelu")
    app.key("Return")


def from_palette(app):
    app.type_into("paletteSearch", "softmax", "Return")


def dragged_in(app):
    app.open_field("paletteSearch")
    app.type("tanh")
    app.drag("palette:tanh", app.empty())


def in_list(app):
    """Chosen in the search that the first problem opens."""
    app.click("problem:0:remedy:0")
    app.wait_item("search:field")
    app.type("constant")
    app.key("Return")


def node_menu(*entries):
    def does(app):
        app.click(header(app.find("node:r")), button=3)
        for entry in entries:
            app.click(entry)

    return does


def keys_on(node, *keys):
    def does(app):
        app.choose(node)
        app.key(*keys)

    return does


EDITS = {
    "card: a number typed": lambda app: app.type_into("param:m:width", "48"),
    "card: a number scrubbed": lambda app: app.pull("param:m:hidden_layers", 60),
    "card: a number by leaving": lambda app: (app.open_field("param:m:out_features"), app.type("5"), app.click(app.empty())),
    "card: a choice": lambda app: (app.click("param:c:to"), app.click("param:c:to:bf16")),
    "card: a switch": lambda app: app.click("param:c:saturate"),
    "inspector: a number typed": in_inspector("m", lambda app: app.type_into("param:width", "40")),
    "inspector: a number scrubbed": in_inspector("m", lambda app: app.pull("param:hidden_layers", 40)),
    "inspector: a number by key": in_inspector("m", lambda app: (app.open_field("param:width"), app.key("Escape", "Up"))),
    "inspector: a number by leaving": in_inspector("m", lambda app: (app.open_field("param:width"), app.type("24"), app.click("nodeLabel"))),
    "inspector: a switch": in_inspector("m", lambda app: app.click("param:bias")),
    "inspector: a choice": in_inspector("m", lambda app: (app.click("param:activation"), app.key("Down", "Return"))),
    "inspector: a vector": in_inspector("a", lambda app: app.type_into("param:shape", "2 8")),
    "inspector: a path": in_inspector("i", lambda app: app.type_into("param:path:text", "nowhere.png")),
    "inspector: a source": in_inspector("e", lambda app: app.type_into("param:source", "y = x * 2", "ctrl+Return")),
    "inspector: back to the default": in_inspector("c", lambda app: app.click("param:to:reset")),
    "inspector: the name": in_inspector("m", lambda app: app.type_into("nodeLabel", "Decoder")),
    "inspector: frozen": in_inspector("m", lambda app: app.click("weights:frozen")),
    "inspector: tied": in_inspector("s", lambda app: (app.wheel(5, 8, app.centre("parameters")), app.click("weights:tie"), app.key("Down", "Return"))),
    "inspector: the device": in_inspector("m", lambda app: (app.click("node:device"), app.key("Down", "Return"))),
    "gesture: moved": moved,
    "gesture: wired": lambda app: app.drag("socket:a:out:y", "socket:r:in:x"),
    "gesture: detached": detached,
    "gesture: inserted on a wire": inserted,
    "gesture: cut": cut,
    "gesture: dragged in": dragged_in,
    "search": searched,
    "palette": from_palette,
    "shortcut: duplicate": keys_on("m", "ctrl+d"),
    "shortcut: copy and paste": keys_on("m", "ctrl+c", "ctrl+v"),
    "shortcut: paste with wires": keys_on("m", "ctrl+c", "ctrl+shift+v"),
    "shortcut: cut": keys_on("r", "ctrl+x"),
    "shortcut: delete": keys_on("m", "Delete"),
    "shortcut: bypass": keys_on("r", "m"),
    "shortcut: collapse": keys_on("m", "h"),
    "shortcut: nudge": keys_on("r", "shift+Right"),
    "node menu: bypass": node_menu("menu:bypass"),
    "node menu: delete": node_menu("menu:delete"),
    "menu: policy": lambda app: (app.menu("Edit"), app.click("menu:Precision Policy"), app.click("menu:policy:negotiate")),
    "menu: group": lambda app: (app.choose("t"), app.menu("Edit", "menu:edit:group")),
    "menu: frame": lambda app: (app.choose("s"), app.menu("Edit", "menu:edit:frame")),
    "menu: delete": lambda app: (app.choose("s"), app.menu("Edit", "menu:delete")),
    "remedy on a wire": lambda app: app.click("remedy:t:b:0"),
    "remedy in the list": in_list,
}

# Where the keys go when Undo is pressed.
FOCUS = {
    "as the edit left it": lambda app: None,
    "canvas": lambda app: app.click(app.empty()),
    "a field of a card": lambda app: app.open_field("param:s:width"),
    "the palette's search": lambda app: app.type_into("paletteSearch", "relu", "Down"),
    "the name in the inspector": lambda app: (app.choose("a"), app.open_field("nodeLabel")),
    "a number in the inspector": lambda app: (app.choose("a"), app.open_field("param:value")),
    "a vector in the inspector": lambda app: (app.choose("a"), app.open_field("param:shape")),
    "a source in the inspector": lambda app: (app.choose("e"), app.open_field("param:source")),
    "a menu, left": lambda app: (app.menu("Edit"), app.key("Escape")),
    "a button of the bar": lambda app: app.click("tool:save"),
}


def edits(app):
    places = list(FOCUS.items())
    for number, (what, act) in enumerate(EDITS.items()):
        place, focus = places[number % len(places)]
        case = f"{what}, focus: {place}"
        before = app.bytes()
        act(app)
        app.changed(f"{what} is an edit")
        after = app.bytes()
        expect(after != before, f"{what} changes the file")
        focus(app)
        app.key("ctrl+z")
        app.changed(f"undo of {case}")
        expect(app.bytes() == before, f"undo of {case}: the bytes before it")
        app.key("ctrl+shift+z")
        app.changed(f"redo of {case}")
        expect(app.bytes() == after, f"redo of {case}: the bytes after it")
        app.click("tool:undo")
        app.changed(f"undo by the button of {case}")
        expect(app.bytes() == before, f"undo by the button of {case}: the bytes before it")
        app.key("Escape")


def pending_text(app):
    """Undo of text that is not committed is the field's own; then a save, a run, a press elsewhere take what is typed."""
    before = app.bytes()
    app.open_field("param:m:width")
    app.type("77")
    app.key("ctrl+z")
    app.wait_for("the text is what it was", lambda i: i["param:m:width:field"]["text"] == "32", 5)
    expect("•" not in app.text("documentTitle"), "and the graph is")
    app.key("Escape")
    for name, field, typed in (("card", "param:m:width", "78"), ("inspector's number", "param:width", "79"), ("name", "nodeLabel", "Mine")):
        if name != "card":
            app.choose("m")
        app.open_field(field)
        app.type(typed)
        saved = app.bytes().decode()
        expect(typed in saved, f"{name}: a save commits what is typed")
        app.key("ctrl+z")
        app.changed(f"{name}: undo after a save while typing")
        expect(app.bytes() == before, f"{name}: undo takes it back")
        app.key("Escape")


def main():
    options = called_with()
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    path = os.path.join(home, "graph.halfwire")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(GRAPH, file)
    with Editor(options.binary, options.out, [path], environment=living_in(home), folder=home) as app:
        app.path = path
        app.wait_item("node:m")
        pending_text(app)
        edits(app)
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")
    return 0


if __name__ == "__main__":
    end_with(main)
