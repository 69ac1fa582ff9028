"""The library of groups, by mouse and keys: blocks found, dragged and wired; a group described, saved, placed in another file, deleted;
nodes replaced; sockets and parameters of a group made by dragging, put in order, named. Keeps its screenshots in the output folder."""

import json
import os
import tempfile

from desktop import Editor, called_with, end_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [2, 6, 8, 8]}},
        {"id": "r", "type": "relu", "at": [300, 0]},
        {"id": "t", "type": "tanh", "at": [600, 0]},
        {"id": "v", "type": "tensor_view", "at": [900, 0]},
    ],
    "links": [["a.y", "r.x"], ["r.y", "t.x"], ["t.y", "v.x"]],
}


class Palette(Editor):
    def right(self):
        """The problems are none."""
        self.wait_for("nothing is wrong", lambda i: i["status:problems"]["text"] == "No problems", 20)

    def search_palette(self, text):
        self.click("paletteSearch")
        self.key("ctrl+a")
        self.type(text)

    def undo_to(self, first, path):
        self.click(self.empty())
        for _ in range(30):
            self.key("ctrl+z")
        expect(self.saved() == first, "undo brings back the first graph")


def blocks(app, path):
    """Found, dragged from the palette, wired from a wire in the hand, replaced by."""
    first = app.saved()
    app.search_palette("residual")
    app.wait_item("palette:block:residual_basic")
    app.shot("palette")
    canvas = app.find("canvas:surface")
    app.drag("palette:block:residual_basic", (canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] * 0.7))
    app.shows("a", "r", "residual_basic", "t", "v")
    graph = app.saved()
    expect(list(graph["subgraphs"]) == ["residual_basic"], f"its definition is in the file: {list(graph['subgraphs'])}")
    app.key("Delete")
    app.shows("a", "r", "t", "v")

    # After a node: what follows it, wired.
    app.choose("t")
    app.key("Tab")
    app.wait_item("search:field")
    app.type("residual block")
    app.wait_item("search:item:block:residual_basic")
    app.shot("search")
    app.key("Return")
    app.key("Home")
    app.shows("a", "r", "residual_basic", "t", "v")
    links = app.saved()["links"]
    expect(["t.y", "residual_basic.x"] in links, f"it follows the node: {links}")
    app.click("param:channels")
    app.key("ctrl+a")
    app.type("6")
    app.key("Return")
    app.right()
    app.shot("block")

    # Replaced, wires kept; by a node, and by a block.
    app.choose("residual_basic")
    app.key("shift+s")
    app.wait_item("search:field")
    app.type("sigmoid")
    app.wait_item("search:item:sigmoid")
    app.shot("replace")
    app.key("Return")
    app.shows("a", "r", "sigmoid", "t", "v")
    expect(["t.y", "sigmoid.x"] in app.saved()["links"], "the wire is kept")
    app.click(header(app.wait_item("node:r")), button=3)
    app.click("menu:replace")
    app.wait_item("search:field")
    app.type("squeeze and excite")
    app.wait_item("search:item:block:squeeze_excite")
    app.key("Return")
    app.shows("a", "sigmoid", "squeeze_excite", "t", "v")
    links = app.saved()["links"]
    expect(["a.y", "squeeze_excite.x"] in links and ["squeeze_excite.y", "t.x"] in links, f"both wires are kept: {links}")
    app.undo_to(first, path)


def own_block(app, path, folder):
    """A group is described and saved, found, placed; its file deleted again."""
    first = app.saved()
    app.choose("r", "t")
    app.key("ctrl+g")
    app.shows("a", "group", "v")
    app.click(header(app.find("node:group")), button=3)
    app.shot("group menu")
    app.click("menu:describeGroup")
    app.wait_item("block:title")
    app.type("Squash")
    app.key("Tab")
    app.type("Mine")
    app.key("Tab")
    app.type("ReLU, then Tanh. Nothing else.")
    app.shot("describe")
    app.click("block:save")
    app.wait_for("it is closed", lambda i: "block:title" not in i)
    file = os.path.join(folder, "data", "Halfwire", "Halfwire", "blocks", "squash.halfwire")
    expect(os.path.exists(file), "the block has a file")
    app.search_palette("squash")
    app.wait_item("palette:block:own/squash")
    app.shot("own")
    app.click("palette:block:own/squash", repeat=2)
    app.shows("a", "group", "group_2", "v")
    expect(len(app.saved()["subgraphs"]) == 1, "the definition is there once")

    # Both are dissolved in one step.
    app.choose("group", "group_2")
    app.key("ctrl+alt+g")
    app.shows("a", "r", "relu", "t", "tanh", "v")
    app.key("ctrl+z")
    app.shows("a", "group", "group_2", "v")

    app.search_palette("squash")
    app.click("palette:block:own/squash", button=3)
    app.click("menu:palette:delete")
    app.wait_for("it is gone from the library", lambda i: "palette:block:own/squash" not in i, 10)
    expect(not os.path.exists(file), "its file is deleted")
    app.wait_item("palette:group:group")  # that of this file is there still
    app.undo_to(first, path)


def border(app, path):
    """Inside a group: a wire to the border is a socket, a parameter dragged there is one of the group; their order and names."""
    first = app.saved()
    app.choose("r", "t")
    app.key("ctrl+g")
    app.shows("a", "group", "v")
    app.key("Tab")
    app.shows("r", "t", "x", "y")
    app.key("Home")
    canvas = app.find("canvas:surface")
    side = canvas["x"] + canvas["width"] - 30, canvas["y"] + canvas["height"] * 0.75
    start = app.centre("socket:r:out:y")
    app.move(*start)
    app.xdotool("mousedown", 1)
    app.move(start[0] + 40, start[1] + 60)
    app.move(*side)
    app.move(side[0] + 2, side[1])
    app.wait_item("border:output")
    app.shot("wire to the border")
    app.xdotool("mouseup", 1)
    app.shows("r", "t", "x", "y", "y_2")
    graph = app.saved()["subgraphs"]["group"]
    expect(["r.y", "y_2.x"] in graph["links"], f"an output of the group: {graph['links']}")

    # Another node with a parameter, dragged from the inspector to the canvas's left side.
    app.choose("t")
    app.key("shift+s")
    app.wait_item("search:field")
    app.type("leaky")
    app.wait_item("search:item:leaky_relu")
    app.key("Return")
    app.shows("leaky_relu", "r", "x", "y", "y_2")
    label = app.at_rest("param:negative_slope")
    inspector = app.find("inspector")
    start = inspector["x"] + 40, label["y"] + label["height"] / 2
    side = canvas["x"] + 40, canvas["y"] + canvas["height"] / 2
    app.move(*start)
    app.xdotool("mousedown", 1)
    app.move(start[0] - 10, start[1])
    app.move(start[0] - 60, start[1])
    app.move(*side)
    app.move(side[0] + 2, side[1])
    app.wait_item("border:input")
    app.shot("parameter to the border")
    app.xdotool("mouseup", 1)
    app.wait_for("it is the group's", lambda i: i.get("param:negative_slope:promote", {}).get("tip", "").startswith("A parameter of the group"), 10)

    # Its interface, while nothing is selected: names, order, defaults.
    app.click(app.empty())
    app.wait_item("interface:y_2")
    app.shot("interface")
    app.click("interface:y_2")
    app.key("ctrl+a")
    app.type("Early")
    app.key("Return")
    first_row, last_row = app.at_rest("interface:y:handle"), app.at_rest("interface:y_2:handle")
    app.drag("interface:y_2:handle", (last_row["x"] + 12, first_row["y"] + 6))
    app.wait_for("the order", lambda i: i["interface:y_2"]["y"] < i["interface:y"]["y"], 10)
    app.click("interface:negative_slope:default")
    app.key("ctrl+a")
    app.type("0.25")
    app.key("Return")
    app.shot("interface edited")
    graph = app.saved()["subgraphs"]["group"]
    nodes = {node["id"]: node for node in graph["nodes"]}
    expect(nodes["y_2"]["label"] == "Early" and nodes["y_2"]["at"][1] < nodes["y"]["at"][1], f"names and places: {nodes}")
    expect(nodes["leaky_relu"]["params"] == {"negative_slope": 0.25}, "the default is the definition's")
    app.click(app.empty())
    app.key("shift+Tab")
    app.shows("a", "group", "v")
    app.shot("outside")
    app.undo_to(first, path)


def main():
    options = called_with()
    for theme in ("dark", "light"):
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "library.halfwire")
        with open(path, "w", encoding="utf-8") as text:
            json.dump(GRAPH, text)
        with Palette(options.binary, options.out, path, name=f"library-{theme}", environment=living_in(folder, look={"theme": theme})) as app:
            app.right()
            blocks(app, path)
            if theme == "dark":
                own_block(app, path, folder)
                border(app, path)
    print("library: blocks placed, wired, replaced; a group saved and deleted; sockets and parameters made by dragging")
    return 0


end_with(main)
