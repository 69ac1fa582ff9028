"""Names, numbers and several nodes, edited by hand: in place on a card, by calculation, by dragging, all at once. Keeps its screenshots in
the output folder."""

import json
import os
import tempfile

from desktop import Desktop, called_with, end_with, expect, header, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}},
        {"id": "m", "type": "mlp", "at": [300, 0]},
        {"id": "r", "type": "relu", "at": [600, 0]},
        {"id": "m2", "type": "mlp", "at": [900, 0]},
        {"id": "v", "type": "tensor_view", "at": [1200, 0]},
    ],
    "links": [["a.y", "m.x"], ["m.y", "r.x"], ["r.y", "m2.x"], ["m2.y", "v.x"]],
}


class Editor(Desktop):
    def choose(self, *nodes):
        for count, node in enumerate(nodes):
            if count:
                self.xdotool("keydown", "shift")
            self.click(header(self.wait_item(f"node:{node}")))
            if count:
                self.xdotool("keyup", "shift")

    def empty(self):
        canvas = self.find("canvas:surface")
        return canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] - 24

    def saved(self, path):
        self.key("ctrl+s")
        self.wait_for("saved", lambda i: not i["documentTitle"]["text"].endswith("•"), 10)
        with open(path, encoding="utf-8") as text:
            return json.load(text)

    def node(self, path, name):
        return next(node for node in self.saved(path)["nodes"] if node["id"] == name)


def names(app, path):
    app.choose("m")
    app.key("F2")
    app.wait_item("name:m")
    app.shot("rename")
    app.type("Decoder")
    app.key("Return")
    app.wait_for("it has its name", lambda i: "name:m" not in i and i["nodeLabel"]["text"] == "Decoder")
    app.key("ctrl+z")  # the keys are the canvas's again; one step takes it back
    app.wait_for("the type's title again", lambda i: i["nodeLabel"]["text"] == "MLP")
    app.key("ctrl+y")
    app.wait_for("named again", lambda i: i["nodeLabel"]["text"] == "Decoder")

    app.click("title:m", repeat=2)
    app.wait_item("name:m")
    app.type("Nothing")
    app.key("Escape")
    app.wait_for("given up", lambda i: "name:m" not in i)
    expect(app.text("nodeLabel") == "Decoder", "Esc gives up")

    app.key("F2")
    app.type("Second")
    app.click(app.empty())
    app.wait_for("leaving it commits", lambda i: "name:m" not in i)
    expect(app.node(path, "m").get("label") == "Second", f"leaving it commits: {app.node(path, 'm')}")

    app.choose("m")
    app.key("F2")
    app.type("Third")
    expect(app.node(path, "m").get("label") == "Third", "what is typed is saved")
    app.wait_for("and it is over", lambda i: "name:m" not in i)
    app.key("F2")
    app.key("ctrl+a", "Delete", "Return")
    app.wait_for("an empty name is the type's", lambda i: i["nodeLabel"]["text"] == "MLP")
    expect("label" not in app.node(path, "m"), "no label is kept")

    # A group's card opens by a double click, but for its words.
    app.choose("r")
    app.key("ctrl+g")
    app.wait_item("node:group")
    card = app.at_rest("node:group")
    app.click("title:group", repeat=2)
    app.wait_item("name:group")
    app.type("Activation")
    app.key("Tab")
    app.wait_for("it has its name", lambda i: i["nodeLabel"]["text"] == "Activation")
    app.click((card["x"] + card["width"] * 0.75, app.centre("title:group")[1]), repeat=2)
    app.wait_item("breadcrumb:group")
    app.choose("r")
    app.key("F2")
    app.type("Inner")
    app.click("breadcrumb:")
    app.wait_item("node:group")
    app.key("ctrl+z")
    app.wait_for("undo goes to where the name was given", lambda i: i.get("breadcrumb:group") and i.get("node:r"))
    app.key("shift+Tab")
    app.wait_item("node:group")
    for _ in range(2):
        app.key("ctrl+z")
    app.wait_item("node:r")
    print("names: by F2, by a double click, committed, given up, undone")


TESTS = [names]


def hands(options, folder):
    for test in TESTS:
        path = os.path.join(folder, f"{test.__name__}.halfwire")
        with open(path, "w", encoding="utf-8") as text:
            json.dump(GRAPH, text)
        with Editor(options.binary, options.out, [path], name=test.__name__, environment=living_in(folder)) as app:
            app.wait_for("nothing is wrong", lambda i: i.get("node:v") and i["status:problems"]["text"] == "No problems", 60)
            test(app, path)


def main():
    options = called_with(description=__doc__)
    with tempfile.TemporaryDirectory() as folder:
        hands(options, folder)
    return 0


if __name__ == "__main__":
    end_with(main)
