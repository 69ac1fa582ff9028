"""Frames, notes and reroutes on the canvas, by mouse and keys: made, named, coloured, resized, moved with what is in them, copied, put
into groups, removed; one undo stack for all. Keeps its screenshots in the output folder."""

import json
import os
import tempfile

from desktop import Editor, called_with, end_with, expect, living_in

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}},
        {"id": "m", "type": "mlp", "at": [320, 0]},
        {"id": "r", "type": "relu", "at": [600, 0]},
        {"id": "v", "type": "tensor_view", "at": [960, 0]},
        {"id": "w", "type": "tensor_view", "at": [960, 120]},
    ],
    "links": [["a.y", "m.x"], ["m.y", "r.x"], ["r.y", "v.x"], ["r.y", "w.x"]],
}


class FrameEditor(Editor):
    def choose(self, *nodes):
        self.click(self.empty())
        super().choose(*nodes)

    def frames(self):
        return {frame["id"]: frame for frame in self.saved().get("frames", [])}

    def places(self):
        return {node["id"]: node["at"] for node in self.saved()["nodes"]}

    def title(self, frame):
        """A place on the title bar, beside the words."""
        box = self.at_rest(f"frame:{frame}")
        return box["x"] + box["width"] - 24, box["y"] + 18

    def select(self, frame):
        self.click(self.title(frame))

    def menu(self, frame, *entries):
        self.click(self.title(frame), button=3)
        for entry in entries:
            self.click(f"menu:frame:{entry}" if entry != "Colour" else "menu:Colour")

    def steps_back(self, steps):
        for _ in range(steps):
            self.key("ctrl+z")

    def drag_with(self, button, held, start, end):
        self.xdotool("keydown", held)
        self.move(*start)
        self.xdotool("mousedown", button)
        for i in range(1, 9):
            self.move(start[0] + (end[0] - start[0]) * i / 8, start[1] + (end[1] - start[1]) * i / 8)
        self.xdotool("mouseup", button)
        self.xdotool("keyup", held)


def moved(before, after):
    return sorted(node for node in before if before[node] != after[node])


def frames_by_hand(app):
    app.choose("m", "r")
    app.key("ctrl+j")
    app.wait_item("frame:frame")
    app.shot("framed")

    # F2, a double click on the title, and the menu rename it; Esc does not.
    app.key("F2")
    app.wait_item("frame:frame:titleField")
    app.type("Network")
    app.key("Return")
    app.wait_for("it is renamed", lambda i: i["frame:frame:title"]["text"] == "Network")
    app.click(app.title("frame"), repeat=2)
    app.wait_item("frame:frame:titleField")
    app.type("Never")
    app.key("Escape")
    app.wait_for("it is as it was", lambda i: i["frame:frame:title"]["text"] == "Network")
    app.menu("frame", "rename")
    app.wait_item("frame:frame:titleField")
    app.type("The network")
    app.click(app.empty())  # leaving it commits
    app.wait_for("it is renamed", lambda i: i["frame:frame:title"]["text"] == "The network")
    app.menu("frame", "Colour", "colour:green")
    app.shot("named")
    expect(app.frames()["frame"] == dict(app.frames()["frame"], title="The network", colour="green"), f"{app.frames()}")

    # Its title moves it with what is in it, as one step; Esc while dragging puts all back.
    places, frame = app.places(), app.frames()["frame"]
    start = app.title("frame")
    app.drag(start, (start[0] + 40, start[1] + 90))
    now = app.places()
    expect(moved(places, now) == ["m", "r"], f"what is in it moves with it: {moved(places, now)}")
    expect(app.frames()["frame"]["at"] != frame["at"], "the frame moves")
    app.key("ctrl+z")
    expect(app.places() == places and app.frames()["frame"] == frame, "one step")
    app.move(*start)
    app.xdotool("mousedown", 1)
    app.move(start[0] + 30, start[1] + 30)
    app.move(start[0] + 60, start[1] + 60)
    app.key("Escape")
    app.xdotool("mouseup", 1)
    expect(app.places() == places and app.frames()["frame"] == frame, "Esc puts all back")
    app.key("ctrl+z")  # the step that went there and back
    app.key("ctrl+shift+z")

    # A corner, then a side resizes it; what it no longer holds stays where it is.
    box = app.at_rest("frame:frame")
    app.drag((box["x"] + box["width"], box["y"] + box["height"]), (box["x"] + box["width"] + 60, box["y"] + box["height"] + 50))
    wide = app.frames()["frame"]
    expect(wide["at"] == frame["at"] and wide["size"][0] > frame["size"][0] and wide["size"][1] > frame["size"][1], f"a corner: {wide}")
    box = app.at_rest("frame:frame")
    app.drag((box["x"], box["y"] + box["height"] / 2), (app.find("node:r")["x"] - 8, box["y"] + box["height"] / 2))
    narrow = app.frames()["frame"]
    expect(narrow["at"][0] > wide["at"][0] and narrow["at"][1] == wide["at"][1] and app.places() == places, f"a side: {narrow}")
    app.shot("resized")
    app.select("frame")
    app.key("shift+Right")
    expect(moved(places, app.places()) == ["r"], "arrows move what is in it now")
    app.steps_back(1)

    # Shrunk around what it holds, then removed by Del: what is in it stays.
    app.menu("frame", "shrink")
    small = app.frames()["frame"]
    expect(small["size"][0] < narrow["size"][0], f"shrunk: {small}")
    app.select("frame")
    app.key("Delete")
    expect(app.frames() == {} and app.places() == places, "the frame alone goes")
    app.steps_back(4)
    expect(app.frames() == {"frame": frame}, f"four steps: {app.frames()}")


def copies_and_groups(app):
    app.choose("m", "r")
    app.key("ctrl+d")
    app.wait_for("the frame is copied with its nodes", lambda i: i.get("frame:frame_2"))
    app.key("ctrl+z")
    app.choose("m", "r")
    app.key("ctrl+x")
    app.wait_for("it is cut with them", lambda i: not i.get("frame:frame") and not i.get("node:m"))
    app.key("ctrl+z")
    app.select("frame")
    app.key("ctrl+c")
    app.move(*app.empty())
    app.key("ctrl+v")
    app.wait_for("a selected frame is copied alone", lambda i: i.get("frame:frame_2") and not i.get("node:mlp"))
    app.key("ctrl+z")

    # It goes into a group with its nodes, works there, and comes back.
    before = app.saved()
    app.choose("m", "r")
    app.key("ctrl+g")
    app.wait_for("it went with its nodes", lambda i: i.get("node:group") and not i.get("frame:frame"))
    app.key("Tab")
    app.wait_item("frame:frame")
    app.shot("in a group")
    places = {n["id"]: n["at"] for n in app.saved()["subgraphs"]["group"]["nodes"]}
    start = app.title("frame")
    app.drag(start, (start[0] + 30, start[1] + 40))
    now = {n["id"]: n["at"] for n in app.saved()["subgraphs"]["group"]["nodes"]}
    expect(moved(places, now) == ["m", "r"], f"it moves its nodes inside: {moved(places, now)}")
    app.key("ctrl+z")
    app.key("shift+Tab")
    app.wait_item("node:group")
    app.key("ctrl+alt+g")
    app.wait_item("frame:frame")
    expect(app.saved() == before, "ungrouped, all is as it was")
    app.steps_back(2)
    expect(app.saved() == before, "both steps undone")


def notes(app):
    app.click(app.empty())
    canvas = app.find("canvas:surface")
    app.move(canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] - 150)
    app.key("shift+a")
    app.wait_item("search:field")
    app.type("note")
    app.click("search:item:note")
    app.wait_item("frame:note:textField")
    app.type("First")
    app.key("Return")
    app.type("Second")
    app.key("ctrl+Return")
    app.wait_for("the text stands", lambda i: i["frame:note:text"]["text"] == "First\nSecond")
    app.click("frame:note:text", repeat=2)
    app.wait_item("frame:note:textField")
    app.type("Never")
    app.key("Escape")
    app.wait_for("Esc gives back the text", lambda i: i["frame:note:text"]["text"] == "First\nSecond")
    app.shot("note")
    app.click("frame:note:text", repeat=2)
    app.wait_item("frame:note:textField")
    app.key("End")
    app.type("!")
    app.click(app.empty())
    text = app.frames()["note"]["text"]
    expect(text.endswith("!"), f"leaving it commits: {text!r}")
    note = app.frames()["note"]
    middle = app.centre("frame:note:text")
    app.drag(middle, (middle[0] - 60, middle[1] - 20))
    expect(app.frames()["note"]["at"] != note["at"], "its body moves it")
    app.steps_back(4)
    expect(set(app.frames()) == {"frame"}, "four steps: made, written, written, moved")


def reroutes(app):
    before = app.saved()
    r, v, w = (app.at_rest(f"node:{n}") for n in "rvw")
    x = (r["x"] + r["width"] + v["x"]) / 2 + 20
    app.drag_with(3, "shift", (x, v["y"] - 30), (x, w["y"] + w["height"]))
    app.wait_for("one reroute for one output", lambda i: i.get("node:reroute") and not i.get("node:reroute_2"))
    links = sorted(map(tuple, app.saved()["links"]))
    expect(("r.y", "reroute.x") in links and ("reroute.y", "v.x") in links and ("reroute.y", "w.x") in links, f"wires through it: {links}")
    app.wait_for("nothing is wrong", lambda i: i["status:problems"]["text"] == "No problems")
    app.shot("reroute")
    dot = app.centre("node:reroute")
    at = app.places()["reroute"]
    app.drag(dot, (dot[0] + 10, dot[1] + 60))
    expect(app.places()["reroute"] != at, "a drag of its middle moves it")
    app.steps_back(1)
    a, m = app.at_rest("node:a"), app.at_rest("node:m")
    x = (a["x"] + a["width"] + m["x"]) / 2
    app.drag_with(3, "shift", (x - 10, m["y"]), (x - 10, m["y"] + m["height"]))
    app.wait_item("node:reroute_2")
    app.steps_back(2)
    expect(app.saved() == before, "two steps")


def main():
    options = called_with()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "frames.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump(GRAPH, text)
    with FrameEditor(options.binary, options.out, path, name="frames", environment=living_in(folder)) as app:
        app.wait_for("nothing is wrong", lambda i: i.get("node:v") and i["status:problems"]["text"] == "No problems", 60)
        app.saved()
        with open(path, "rb") as first:
            first = first.read()
        frames_by_hand(app)
        copies_and_groups(app)
        notes(app)
        reroutes(app)
        app.click(app.empty())
        for _ in range(5):
            app.key("ctrl+z")
        app.wait_for("all is undone", lambda i: not i.get("frame:frame"))
        app.saved()
        with open(path, "rb") as last:
            expect(last.read() == first, "undo brings back the first bytes")
        for _ in range(6):
            app.key("minus")
        print("frames: made, named, coloured, moved, resized, copied, grouped, removed; notes; reroutes; all undone")
    return 0


end_with(main)
