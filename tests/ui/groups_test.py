"""Groups on the canvas, by mouse and keys: made, entered, edited, shared, dissolved; parameters promoted; errors found inside; one undo
stack through all levels. Keeps its screenshots in the output folder."""

import json
import os
import tempfile

from desktop import PATIENCE, Editor, called_with, end_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}},
        {"id": "m", "type": "mlp", "at": [300, 0]},
        {"id": "r", "type": "relu", "at": [600, 0]},
        {"id": "v", "type": "tensor_view", "at": [900, 0]},
    ],
    "links": [["a.y", "m.x"], ["m.y", "r.x"], ["r.y", "v.x"]],
}


def type_on_card(app, node, text):
    """A width, in the field of a node's card."""
    app.click(f"param:{node}:width")
    app.wait_item(f"param:{node}:width:field")
    app.key("ctrl+a")
    app.type(text)
    app.key("Return")
    app.wait_for("the field is closed", lambda i: f"param:{node}:width:field" not in i)


def groups(options, folder):
    path = os.path.join(folder, "groups.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(GRAPH, text)
    with Editor(options.binary, options.out, path, name="groups", environment=living_in(folder)) as app:
        app.wait_for("nothing is wrong", lambda i: i.get("node:v") and i["status:problems"]["text"] == "No problems", 60)
        first = app.saved()
        app.choose("m", "r")
        app.key("ctrl+g")
        app.shows("a", "group", "v")
        app.wait_for("the wires lead through it", lambda i: i["status:problems"]["text"] == "No problems")
        app.shot("grouped")

        # The sign in its header goes in, and Tab with the group selected; breadcrumbs say where.
        app.click("enter:group")
        app.wait_item("breadcrumb:group")
        app.key("shift+Tab")
        app.wait_for("outside again", lambda i: "breadcrumb:group" not in i)
        app.key("Tab")
        app.shows("m", "r", "x", "y")
        app.wait_for("the way back", lambda i: i.get("breadcrumb:group", {}).get("text") == "Group")
        app.shot("inside")

        # Fields on cards edit what lies in a group, too.
        inside = app.saved()
        type_on_card(app, "m", "40")
        expect({n["id"]: n for n in next(iter(app.saved()["subgraphs"].values()))["nodes"]}["m"]["params"] == {"width": 40}, "the card's field counts inside")
        app.key("ctrl+z")
        expect(app.saved() == inside, "and is undone alone")

        # A parameter of a node becomes the group's.
        app.choose("m")
        app.click("param:width:promote")
        app.wait_for("it is the group's", lambda i: i["param:width:promote"]["tip"].startswith("A parameter of the group"))
        app.shot("promoted")
        app.key("Escape")
        app.click("breadcrumb:")
        app.shows("a", "group", "v")
        app.choose("group")
        app.click("param:width")
        app.key("ctrl+a")
        app.type("24")
        app.key("Return")
        app.shot("own-parameter")
        own = app.saved()
        type_on_card(app, "group", "20")
        expect({n["id"]: n for n in app.saved()["nodes"]}["group"]["params"] == {"width": 20}, "the field on the card of an instance counts")
        app.key("ctrl+z")
        expect(app.saved() == own, "and is undone alone")

        # A copy follows the definition, with its own value.
        app.click(app.empty())
        app.choose("group")
        app.key("ctrl+d")
        app.shows("a", "group", "group_2", "v")
        graph = app.saved()
        nodes = {node["id"]: node for node in graph["nodes"]}
        expect(nodes["group"]["params"] == {"width": 24} == nodes["group_2"]["params"], f"values of instances: {nodes}")
        expect(nodes["group"]["type"] == nodes["group_2"]["type"], "one definition")
        app.key("Tab")
        app.wait_for("others follow", lambda i: "1 other instance" in i.get("breadcrumbs:shared", {}).get("text", ""))
        app.key("shift+Tab")
        app.click(header(app.wait_item("node:group_2")), repeat=2)  # a double click goes in, too
        app.wait_item("breadcrumb:group_2")
        app.choose("r")
        app.key("Delete")
        app.shows("m", "x", "y")
        app.shot("an error inside")
        app.key("shift+Tab")
        app.shows("a", "group", "group_2", "v")
        app.wait_for("both cards say that something is wrong inside", lambda i: i.get("status:group") and i.get("status:group_2"))

        # F8 goes to where it is wrong, inside.
        app.click(app.empty())
        app.key("F8")
        app.wait_for("the place of the error", lambda i: i.get("breadcrumbs"))
        app.shot("revealed")

        # Undo goes to where the step was made.
        app.click("breadcrumb:")
        app.shows("a", "group", "group_2", "v")
        app.click(app.empty())
        app.key("ctrl+z")
        app.shows("m", "r", "x", "y")
        app.wait_for("nothing is wrong inside", lambda i: i["status:problems"]["text"] == "No problems")
        app.wait_for("it is the second", lambda i: i.get("breadcrumb:group_2"))

        # Unique, then dissolved.
        app.key("shift+Tab")
        app.shows("a", "group", "group_2", "v")
        app.click(header(app.find("node:group_2")), button=3)
        app.click("menu:makeUnique")
        graph = app.saved()
        expect(len(graph["subgraphs"]) == 2, f"two definitions: {list(graph['subgraphs'])}")
        app.choose("group_2")
        app.key("Delete")
        app.choose("group")
        app.key("ctrl+alt+g")
        app.shows("a", "m", "r", "v")
        app.wait_for("as it was", lambda i: i["status:problems"]["text"] == "No problems")
        app.shot("ungrouped")

        # All the way back, with the focus on the canvas: the bytes of the beginning.
        for _ in range(12):
            app.key("ctrl+z")
        app.shows("a", "m", "r", "v")
        last = app.saved()
        expect(last == first, "undo brings back the first graph")
        print("groups: made, entered, promoted, shared, made unique, dissolved and undone")


def copies(options, folder):
    """Values of copies, a paste after an edit inside, unique ones, another document with a group of that name, a kill."""
    path = os.path.join(folder, "copies.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(GRAPH, text)

    def start(name, **more):
        return Editor(options.binary, options.out, path, name=name, environment=living_in(folder), **more)

    def widths(graph):
        return {node["id"]: node.get("params", {}).get("width") for node in graph["nodes"] if node["type"].startswith("group:")}

    with start("copies") as app:
        app.wait_item("node:v")
        app.choose("m")
        app.key("ctrl+g", "Tab")
        app.wait_item("node:m")
        app.choose("m")
        app.click("param:width:promote")
        app.wait_for("it is the group's", lambda i: i["param:width:promote"]["tip"].startswith("A parameter of the group"))
        app.click("breadcrumb:")
        app.wait_item("node:group")
        app.choose("group")
        app.key("ctrl+c")
        app.key("ctrl+d")
        app.wait_item("node:group_2")
        app.key("Home")
        type_on_card(app, "group", "48")
        type_on_card(app, "group_2", "16")
        made = app.saved()
        expect(widths(made) == {"group": 48, "group_2": 16}, f"values of their own: {widths(made)}")

        # Edited inside, then the copy from before is pasted.
        app.choose("group")
        app.key("Tab")
        app.wait_item("node:m")
        app.choose("m")
        app.key("h")
        app.click("breadcrumb:")
        app.wait_item("node:group_2")
        edited = app.saved()
        expect(widths(edited) == widths(made), f"an edit inside touches no value: {widths(edited)}")
        app.move(*app.empty())
        app.key("ctrl+v")
        said = app.wait_item("toast:remedy")["text"]
        app.shot("pasted")
        expect("has changed since it was copied" in said, f"it says so: {said}")
        pasted = app.saved()
        expect(list(pasted["subgraphs"]) == list(edited["subgraphs"]), f"no other definition: {list(pasted['subgraphs'])}")
        expect(pasted["subgraphs"] == edited["subgraphs"], "it is as it is now")
        app.key("ctrl+z")
        expect(app.saved() == edited, "the paste is undone")

        # Unique, and the first edited: the unique one stays.
        app.key("Home")
        app.click(header(app.at_rest("node:group_2")), button=3)
        app.click("menu:makeUnique")
        unique = app.saved()
        expect(len(unique["subgraphs"]) == 2 and len({g.get("title") for g in unique["subgraphs"].values()}) == 2, "another title, too")

        # Another document has another group of that name.
        app.choose("group")
        app.key("ctrl+c", "ctrl+n")
        app.wait_for("an empty document", lambda i: "node:group" not in i)
        app.move(*app.empty())
        app.key("Tab")
        app.wait_item("search:field")
        app.type("tanh")
        app.key("Return")
        app.wait_item("node:tanh")
        app.key("ctrl+g")
        app.wait_item("node:group")
        canvas = app.find("canvas:surface")
        app.move(canvas["x"] + 160, canvas["y"] + 120)  # beside it
        app.key("ctrl+v")
        said = app.wait_item("toast:remedy")["text"]
        app.shot("another document")
        expect("stays as it is" in said, f"it says that it brings another: {said}")
        app.wait_item("node:group_2")
        app.key("Home")
        app.click(header(app.at_rest("node:group")), repeat=2)
        app.wait_item("node:tanh")
        app.key("ctrl+w")
        app.wait_item("unsaved:discard")
        app.click("unsaved:discard")
        app.wait_item("node:group_2")
        for _ in range(2):
            app.key("ctrl+z")
        app.key("ctrl+y", "ctrl+y")
        expect(app.saved() == unique, "undone and done again, all is as it was")

        # Killed with a change that was not saved.
        type_on_card(app, "group_2", "24")
        place = os.path.join(folder, "data", "Halfwire", "Halfwire", "recovery")
        app.wait_for("the change is kept for recovery", lambda _: any(
            'width\\": 24' in open(os.path.join(place, name), encoding="utf-8").read() for name in os.listdir(place) if name.endswith(".unsaved.json")))
        app.process.kill()
        app.process.wait(PATIENCE)
    with start("copies-recovered", recovers=True) as app:
        app.wait_item("node:group_2")
        back = app.saved()
        expect(widths(back) == {"group": 48, "group_2": 24}, f"values after a kill: {widths(back)}")
    print("copies: own values, pasted as the group is now, unique, beside another document's, through a kill")


def main():
    options = called_with()
    groups(options, tempfile.mkdtemp())
    copies(options, tempfile.mkdtemp())
    return 0


end_with(main)
