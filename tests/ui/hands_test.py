"""Names, numbers and several nodes, edited by hand: in place on a card, by calculation, by dragging, all at once. Keeps its screenshots in
the output folder."""

import json
import os
import re
import subprocess
import tempfile

from desktop import Editor, called_with, end_with, expect, header, living_in

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


def names(app):
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
    expect(app.node("m").get("label") == "Second", f"leaving it commits: {app.node('m')}")

    app.choose("m")
    app.key("F2")
    app.type("Third")
    expect(app.node("m").get("label") == "Third", "what is typed is saved")
    app.wait_for("and it is over", lambda i: "name:m" not in i)
    app.key("F2")
    app.key("ctrl+a", "Delete", "Return")
    app.wait_for("an empty name is the type's", lambda i: i["nodeLabel"]["text"] == "MLP")
    expect("label" not in app.node("m"), "no label is kept")

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


def numbers(app):
    def calculate(field, *said):
        app.click(field)
        app.key("ctrl+a")
        app.type(said[0])
        app.key("Return")

    app.choose("m")
    calculate("param:width", "2*64")
    app.wait_for("it is calculated", lambda i: i["param:width"]["text"] == "128")
    calculate("param:width", "+=8")
    app.wait_for("it is added", lambda i: i["param:width"]["text"] == "136")
    calculate("param:m:width", "/=8")  # on the card
    app.wait_for("the card's, too", lambda i: i["param:width"]["text"] == "17")
    calculate("param:width", "/=2")
    refused = app.wait_item("param:width:error")
    expect("whole number" in refused["text"] and "got 8.5" in refused["text"], f"a whole number is wanted: {refused}")
    app.shot("refused")
    calculate("param:width", "2^6")
    app.wait_for("the refusal is gone", lambda i: i["param:width"]["text"] == "64" and "param:width:error" not in i)
    for _ in range(4):
        app.key("ctrl+z")
    app.wait_for("a step each", lambda i: i["param:width"]["text"] == "32")

    # Each number of a list, and an index along an axis.
    app.choose("a")
    calculate("param:shape", "2*4, 2^2, 8")
    app.wait_for("the list is calculated", lambda i: i["param:shape"]["text"] == "[8, 4, 8]")
    app.click("inspectorTabs:Tensor")
    app.click("view:table")
    table = app.find("view:table")
    app.wheel(5, 12, (table["x"] + table["width"] / 2, table["y"]))  # to the table
    for typed, index in (("2*3", "6"), ("-=4", "2"), ("99", "7")):
        calculate("slice:0", typed)
        app.wait_for("the index is calculated, and stays in the axis", lambda i, at=index: i["slice:0"]["text"] == at, 20)
    app.click("inspectorTabs:Parameters")
    app.key("ctrl+z")
    app.choose("m")
    app.wait_item("param:width")

    # Dragging: on the card and in the inspector; Shift is fine, Ctrl snaps, Esc takes it back.
    def drag(field, by, modifier=None, escape=False):
        x, y = app.centre(field)
        app.move(x, y)
        if modifier:
            app.xdotool("keydown", modifier)
        app.xdotool("mousedown", 1)
        for step in range(1, 11):
            app.move(x + by * step / 10, y)
        held = app.text("param:width")
        if escape:
            app.key("Escape")
        app.xdotool("mouseup", 1)
        if modifier:
            app.xdotool("keyup", modifier)
        return int(held), int(app.text("param:width"))

    for field in ("param:width", "param:m:width"):
        far = drag(field, 40)[1]
        app.key("ctrl+z")
        fine = drag(field, 40, "shift")[1]
        app.key("ctrl+z")
        round_ = drag(field, 40, "ctrl")[1]
        app.key("ctrl+z")
        expect(far > 32 + 4 and 32 < fine < 32 + (far - 32) / 2, f"{field}: Shift is finer: {far}, {fine}")
        expect(round_ in (64, 128), f"{field}: Ctrl gives a round value: {round_}")
        expect(app.text("param:width") == "32", f"{field}: one step each")
        before = app.find("tool:undo")["tip"]
        held, after = drag(field, 40, escape=True)
        expect(held > 36 and after == 32, f"{field}: Esc takes it back: {held}, {after}")
        expect(app.find("tool:undo")["tip"] == before, f"{field}: no step of it: {before}")
        expect("param:m:width:field" not in app.items(), "a drag that was given up opens no field")
    print("numbers: calculated, relative, in lists and indices, refused, dragged finely and by round values, taken back")


def several(app):
    app.choose("m")
    app.click("param:width")
    app.key("ctrl+a")
    app.type("16")
    app.key("Return")
    app.click(app.empty())
    app.choose("m", "m2")
    app.wait_for("two nodes", lambda i: i["nodeLabel"]["text"] == "2 nodes")
    expect(app.text("param:width") == "", f"mixed: {app.find('param:width')}")
    app.shot("several")
    app.click("param:width")
    app.type("24")
    app.key("Return")
    app.wait_for("both have it", lambda i: i["param:width"]["text"] == "24")
    graph = {node["id"]: node for node in app.saved()["nodes"]}
    expect(graph["m"]["params"]["width"] == 24 == graph["m2"]["params"]["width"], f"both have it: {graph}")
    app.key("ctrl+z")
    graph = {node["id"]: node.get("params", {}) for node in app.saved()["nodes"]}
    expect(graph["m"].get("width") == 16 and "width" not in graph["m2"], f"one step takes it back: {graph}")

    for flag, key in (("several:bypassed", "bypassed"), ("several:collapsed", "collapsed"), ("several:frozen", "frozen")):
        app.click(flag)
        graph = {node["id"]: node for node in app.saved()["nodes"]}
        expect(graph["m"].get(key) and graph["m2"].get(key) and not graph["r"].get(key), f"both are {key}: {graph}")
        app.click(flag)
        graph = {node["id"]: node for node in app.saved()["nodes"]}
        expect(not graph["m"].get(key) and not graph["m2"].get(key), f"neither is {key}: {graph}")
    app.click(app.empty())
    app.key("ctrl+a")
    app.wait_for("five nodes", lambda i: i["nodeLabel"]["text"] == "5 nodes")
    app.shot("all")
    print("several: mixed values, set as one step, bypassed, collapsed, frozen")


def focus(app):
    """After a dialog, a sheet or a menu the keys are the canvas's."""
    app.choose("m")

    def back(what):
        app.wait_for(f"after {what} the keys are the canvas's", lambda i: i["canvas:surface"]["focus"] and not i.get("sheet:close"), 5)

    for menu, entry, shown in (
        ("Help", "menu:shortcuts", "sheet:close"),
        ("Help", "menu:dtypes", "sheet:close"),
        ("Help", "menu:report", "sheet:close"),
        ("Help", "menu:about", "sheet:close"),
        ("File", "menu:open", "file:name"),
        ("File", "menu:saveAs", "file:name"),
    ):
        app.click(f"menu:{menu}")
        app.click(entry)
        app.wait_item(shown)
        app.key("Escape")
        app.wait_for(f"{entry} is closed", lambda i: shown not in i, 5)
        back(entry)
    for menu in ("File", "Edit", "Run", "View", "Help"):
        app.click(f"menu:{menu}")
        app.key("Escape")
        back(menu)
    for _ in range(2):
        app.click("menu:Edit")
        app.wait_item("menu:undo")
        app.click("menu:Edit")
        app.wait_for("a second click closes the menu", lambda i: "menu:undo" not in i, 5)
        back("a menu, closed by the mouse")
    app.key("F2")
    app.wait_item("name:m")
    app.click("menu:Edit")
    app.wait_for("the name is finished", lambda i: "name:m" not in i, 5)
    app.click("menu:Edit")
    app.wait_for("a second click closes the menu", lambda i: "menu:undo" not in i, 5)
    back("a menu over a name, closed by the mouse")
    app.click("menu:Edit")
    app.wait_item("menu:edit:rename")
    has_keys = None
    while has_keys != "menu:edit:rename":
        before = has_keys
        app.key("Down")
        has_keys = app.wait_for("an entry further down has the keys", lambda i: next((n for n in i if n.startswith("menu:") and i[n].get("focus") and n != before), None), 5)
    app.key("space")
    app.wait_item("name:m")
    app.key("Escape")
    back("renaming by the keys of a menu")
    app.click("menu:View")
    app.key("Left")
    app.wait_item("menu:halt")
    app.key("Escape")
    back("a menu, come to by key")
    app.key("F1")
    app.click("sheet:close")
    back("the shortcuts, closed by the mouse")
    app.click(header(app.find("node:m")), button=3)
    app.wait_item("menu:rename")
    app.key("Escape")
    back("the node's menu")
    app.click(header(app.find("node:m")), button=3)
    app.click("menu:rename")
    app.wait_item("name:m")
    app.key("Escape")
    back("renaming by the menu")
    app.key("ctrl+alt+t")
    app.wait_item("precisionSheet")
    app.key("Escape")
    app.wait_for("it is closed", lambda i: "precisionSheet" not in i, 5)
    back("trying a precision")
    app.key("Tab")
    app.wait_item("search:field")
    app.key("Escape")
    back("the search")
    print("focus: back on the canvas after each dialog, sheet and menu")


def choices(app):
    """A choice on a card by keys."""
    app.key("ctrl+0")

    def dtype():
        return next(node for node in app.saved()["nodes"] if node["id"] == "m").get("params", {}).get("dtype", "f32")

    for keys, becomes in ((("Down", "Return"), "f16"), (("Up", "Return"), "f32"), (("Down", "Escape"), "f32"), (("b", "Return"), "bf16")):
        app.click("param:m:dtype")
        app.wait_item("param:m:dtype:f32")
        app.key(*keys)
        app.wait_for("the list is closed", lambda i: "param:m:dtype:f32" not in i, 5)
        expect(app.find("canvas:surface")["focus"], "the keys are the canvas's again")
        expect(dtype() == becomes, f"{keys}: {dtype()}, not {becomes}")
    for _ in range(3):
        app.key("ctrl+z")
    print("choices: by arrows, letters, Enter and Esc")


def toasts(app):
    """They name node and parameter, keep away from the cursor, and go with their document."""
    app.click("param:m:hidden_layers")
    app.type("5/2")
    app.key("Return")
    toast = app.wait_item("toast")
    reason = app.text("toast:reason")
    expect(reason.startswith("MLP › Hidden layers must be a whole number"), f"it names them: {reason}")
    app.shot("toast")
    app.key("ctrl+n")
    app.wait_for("another document", lambda i: "node:m" not in i)
    expect("toast" not in app.items(), "it stays with its document")
    app.key("ctrl+w")
    app.wait_item("node:m")
    # A field under where they come: it comes beside.
    x, y = app.centre("param:m:hidden_layers")
    app.xdotool("keydown", "alt")
    app.drag((x, y + 120), (toast["x"] + 40, y + 120 + toast["y"] + 20 - y))
    app.xdotool("keyup", "alt")
    app.click("param:m:hidden_layers")
    app.type("5/2")
    app.key("Return")
    x, y = app.centre("param:m:hidden_layers")
    beside = app.wait_item("toast")
    app.shot("beside")
    expect(not (beside["x"] <= x <= beside["x"] + beside["width"] and beside["y"] <= y <= beside["y"] + beside["height"]), "it covers the field")
    print("toasts: name node and parameter, belong to their document")


def remedies(app):
    """A bypass that is the cause is said so; an inserted Cast lands in view."""
    app.choose("m")
    app.click("param:dtype")
    app.click("param:dtype:f16")
    pill = app.wait_for("a Cast is offered", lambda i: next((n for n in i if n.startswith("problem:") and "Insert Lossy Cast f32" in i[n].get("text", "")), None))
    app.choose("v")
    for _ in range(5):
        app.key("plus")
    app.key("f")  # the wire is out of view
    app.click(pill)
    card = app.at_rest("node:cast")
    canvas = app.find("canvas:surface")
    app.shot("cast")
    expect(canvas["x"] <= card["x"] and card["x"] + card["width"] <= canvas["x"] + canvas["width"] and card["width"] > 100, f"the Cast is in view: {card}")
    # Bypassed, the Cast hands f32 on.
    app.choose("cast")
    app.key("m")
    stop = app.wait_for("the bypass is the cause", lambda i: next((n for n in i if n.startswith("problem:") and i[n].get("text") == "Stop bypassing Cast"), None))
    app.click(stop)
    app.wait_for("it was", lambda i: not any(n.startswith("problem:") and "bypassing" in i[n].get("text", "") for n in i))
    print("remedies: a Cast lands in view, a bypass is named as the cause")


def panels(app):
    """In a small window the lower panels keep five rows."""
    window = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Halfwire"], capture_output=True, text=True, check=True).stdout.split()[-1]
    app.xdotool("windowsize", window, 1280, 800)
    app.wait_for("the window is small", lambda i: i["window"]["height"] == 800 and i["window"]["width"] == 1280, 10)
    app.key("ctrl+shift+x")
    rows = app.wait_for("the X-ray's rows", lambda i: [i[n] for n in i if re.fullmatch(r"xray:row:\w+", n)], 60)
    app.shot("small")
    room = app.find("xray:list")
    expect(room["height"] >= 5 * rows[0]["height"], f"room for five rows: {room['height']} of {rows[0]['height']}")
    print("panels: five rows at 1280 × 800")


TESTS = [names, numbers, several, focus, choices, toasts, remedies, panels]


def hands(options, folder):
    for test in TESTS:
        path = os.path.join(folder, f"{test.__name__}.halfwire")
        with open(path, "w", encoding="utf-8") as text:
            json.dump(GRAPH, text)
        with Editor(options.binary, options.out, path, name=test.__name__, environment=living_in(folder)) as app:
            app.wait_for("nothing is wrong", lambda i: i.get("node:v") and i["status:problems"]["text"] == "No problems", 60)
            test(app)


def main():
    options = called_with(description=__doc__)
    with tempfile.TemporaryDirectory() as folder:
        hands(options, folder)
    return 0


if __name__ == "__main__":
    end_with(main)
