"""Keys, bound anew by hand: found, pressed, taken from others, shown in menus and tips, kept, and given back. Keeps its screenshots in the
output folder."""

import json
import os
import tempfile

from desktop import Desktop, Editor, called_with, end_with, expect, header, living_in, settled

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}},
        {"id": "m", "type": "mlp", "at": [300, 0]},
    ],
    "links": [["a.y", "m.x"]],
}


def keys_of(app, action):
    return app.wait_item(f"shortcut:{action}").get("value", "")


def sheet(app, query):
    """The sheet with what the query finds."""
    app.key("F1")
    app.wait_for("the search has the focus", lambda i: i.get("shortcuts:search", {}).get("focus"))
    app.type(query)


def closed(app):
    app.click("sheet:close")
    app.wait_for("the keys are the canvas's", lambda i: i["canvas:surface"]["focus"] and "sheet:close" not in i, 10)


def binds(app):
    sheet(app, "dupl")
    found = app.wait_for("the rest is hidden", lambda i: "shortcut:file.save" not in i and i.get("shortcut:canvas.duplicate"))
    expect(found["value"] == "Ctrl+D", f"the default: {found}")
    app.click("shortcut:canvas.duplicate:Ctrl+D")
    app.shot("waits")
    app.key("Escape")
    app.wait_for("Esc keeps it, and the sheet", lambda i: i.get("shortcut:canvas.duplicate:Ctrl+D", {}).get("text") == "Ctrl+D")
    app.click("shortcut:canvas.duplicate:Ctrl+D")
    app.key("F9")
    app.wait_for("replaced", lambda i: i["shortcut:canvas.duplicate"]["value"] == "F9")

    # Somebody else's key: named, left, then taken.
    app.click("shortcut:add:canvas.duplicate")
    app.wait_item("shortcut:new")
    app.key("ctrl+s")
    clash = app.wait_item("shortcuts:clash")["text"]
    expect("Ctrl+S" in clash and "Save" in clash, clash)
    app.shot("clash")
    app.click("shortcuts:leave")
    app.wait_for("left", lambda i: "shortcuts:clash" not in i and i["shortcut:canvas.duplicate"]["value"] == "F9")
    app.click("shortcut:add:canvas.duplicate")
    app.key("m")
    expect("Bypass" in app.wait_item("shortcuts:clash")["text"], "M is Bypass's")
    app.key("Return")  # the button that takes it has the focus
    app.wait_for("taken", lambda i: i["shortcut:canvas.duplicate"]["value"] == "F9, M")
    app.click("shortcuts:search")
    app.key("ctrl+a")
    app.type("bypass")
    app.wait_for("the other has lost it", lambda i: i.get("shortcut:canvas.bypass") and not i["shortcut:canvas.bypass"].get("value"))
    closed(app)

    app.choose("m")
    app.key("F9")
    app.wait_item("node:mlp")
    app.key("m")
    app.wait_item("node:mlp_2")
    app.key("ctrl+d")
    expect("node:mlp_3" not in app.items(), "the old key does nothing")
    app.click(header(app.wait_item("node:m")), button=3)
    app.wait_for("the menu knows it", lambda i: i.get("menu:duplicate:keys", {}).get("text") == "F9")
    app.shot("menu")
    app.key("Escape")
    print("keys: found, replaced, added, taken; the menu shows them")


def window_keys(app):
    """The window's own keys: with a tip, and a letter that text fields keep."""
    sheet(app, "save")
    app.click("shortcut:file.save:Ctrl+S")
    app.key("F12")
    app.wait_for("replaced", lambda i: i["shortcut:file.save"]["value"] == "F12")
    app.click("shortcuts:search")
    app.key("ctrl+a")
    app.type("find")
    app.click("shortcut:edit.find:Ctrl+F")
    app.key("s")
    app.wait_for("a letter alone", lambda i: i["shortcut:edit.find"]["value"] == "S")
    closed(app)
    app.move(*app.centre("tool:save"))
    app.wait_for("the tip knows it", lambda i: i.get("tip", {}).get("text", "").endswith("(F12)"), 10)
    app.click(app.empty())
    app.key("F12")
    app.wait_for("saved", lambda i: not i["documentTitle"]["text"].endswith("•"), 10)
    app.click("paletteSearch")
    app.type("sss")
    app.wait_for("the field keeps the letter", lambda i: i["paletteSearch"]["text"] == "sss" and "find:field" not in i)
    app.key("ctrl+a", "Delete")
    app.click(app.empty())
    app.key("s")
    app.wait_item("find:field")
    app.key("Escape")
    print("keys of the window: save by F12, find by S, but not in a text field")


def kept_and_given_back(app):
    expect("node:m" in app.items(), "it is open")
    sheet(app, "")
    expect(keys_of(app, "canvas.duplicate") == "F9, M", "kept")
    expect("shortcut:run.pause:" not in app.items() and not keys_of(app, "run.pause"), "what has no key shows none")
    app.shot("kept")
    app.click("shortcut:reset:canvas.duplicate")
    app.wait_for("one is the default again", lambda i: i["shortcut:canvas.duplicate"]["value"] == "Ctrl+D")
    app.click("shortcut:canvas.delete:Backspace")
    app.click("shortcut:remove")
    app.wait_for("one key less", lambda i: i["shortcut:canvas.delete"]["value"] == "Del")
    app.click("shortcuts:resetAll")
    app.wait_for("all are", lambda i: i["shortcut:file.save"]["value"] == "Ctrl+S" and i["shortcut:canvas.bypass"]["value"] == "M"
                 and i["shortcut:canvas.delete"]["value"] == "Del, Backspace")
    closed(app)
    app.choose("m")
    app.key("m")
    app.wait_for("bypassed", lambda i: i["documentTitle"]["text"].endswith("•"))
    app.key("ctrl+s")
    print("keys: kept, one reset, all reset")


def bad_settings(options, folder):
    environment = settled(os.path.join(folder, "bad"), keys={"file.save": "Ctrl+Nonsense", "canvas.bypass": "F9"})
    environment.update(HOME=folder, XDG_DATA_HOME=os.path.join(folder, "data"))
    with Desktop(options.binary, options.out, name="bad", environment=environment) as app:
        app.wait_for("it says what it could not read", lambda i: "Save" in i.get("toast:reason", {}).get("text", ""), 30)
        app.shot("refused")
        app.key("F1")
        app.wait_for("the default stays, what can be read counts",
                     lambda i: i.get("shortcut:file.save", {}).get("value") == "Ctrl+S" and i["shortcut:canvas.bypass"]["value"] == "F9")
        app.key("Escape")
    print("keys: what cannot be read is said, and is the default")


def main():
    options = called_with(description=__doc__)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "keys.halfwire")
        with open(path, "w", encoding="utf-8") as text:
            json.dump(GRAPH, text)
        home = living_in(folder)
        with Editor(options.binary, options.out, path, name="binds", environment=home) as app:
            app.wait_item("node:m", 30)
            binds(app)
            window_keys(app)
        with Editor(options.binary, options.out, path, name="kept", environment=home) as app:
            app.wait_item("node:m", 30)
            kept_and_given_back(app)
        bad_settings(options, folder)
    return 0


if __name__ == "__main__":
    end_with(main)
