"""Two graphs on one canvas, by hand: with the saved version, with a file, with an open document; stepped through, in a group too, and left.
Keeps its screenshots in the output folder."""

import json
import os
import tempfile

from desktop import Editor, called_with, end_with, expect, living_in

UNIT = {"nodes": [{"id": "x", "type": "input", "at": [0, 0]}, {"id": "act", "type": "relu", "at": [300, 0]},
                  {"id": "drop", "type": "dropout", "at": [600, 0]}, {"id": "y", "type": "output", "at": [900, 0]}],
        "links": [["x.y", "act.x"], ["act.y", "drop.x"], ["drop.y", "y.x"]]}
GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "a", "type": "constant", "at": [0, 0], "params": {"shape": [4, 8]}},
        {"id": "m", "type": "mlp", "at": [300, 0]},
        {"id": "r", "type": "relu", "at": [600, 0]},
        {"id": "u", "type": "group:unit", "at": [900, 0]},
        {"id": "v", "type": "tensor_view", "at": [1200, 0]},
    ],
    "links": [["a.y", "m.x"], ["m.y", "r.x"], ["r.y", "u.x"], ["u.y", "v.x"]],
    "subgraphs": {"unit": UNIT},
}


def other():
    graph = json.loads(json.dumps(GRAPH))
    graph["nodes"][1]["params"] = {"width": 64}
    graph["nodes"] = [n for n in graph["nodes"] if n["id"] != "r"] + [{"id": "s", "type": "sin", "at": [600, 160]}]
    graph["links"] = [["a.y", "m.x"], ["m.y", "s.x"], ["s.y", "u.x"], ["u.y", "v.x"]]
    graph["subgraphs"]["unit"]["nodes"][2]["params"] = {"p": 0.25}
    graph["nodes"][0]["at"] = [0, 40]
    return graph


def summary(app):
    return app.wait_item("compare:summary")["text"]


def differences(app):
    return sorted(item["text"] for name, item in app.items().items() if name.startswith("difference:"))


def has_colour(picture, wanted, least=20):
    """Whether some pixels of a picture are about this colour."""
    near = sum(1 for pixel in picture.convert("RGB").getdata() if all(abs(p - w) < 24 for p, w in zip(pixel, wanted)))
    return near >= least


def begin_with_saved(app):
    app.click("menu:File")
    app.click("menu:Compare With")
    app.click("menu:compareSaved")
    app.wait_item("compare:summary")


def with_saved(app):
    before = app.saved()
    app.choose("m")
    app.click("param:width")
    app.key("Return")
    begin_with_saved(app)
    app.key("Escape")
    app.wait_for("Esc leaves from the inspector, too", lambda i: "compare:summary" not in i)
    begin_with_saved(app)
    app.wait_for("nothing differs", lambda i: i.get("compare:summary", {}).get("text", "").endswith("No difference"))
    app.choose("m")
    app.click("param:width")
    app.type("48")
    app.key("Return")
    app.wait_for("it follows edits", lambda i: i["compare:summary"]["text"].endswith("1 changed"))
    expect("width: 32 → 48" in differences(app)[0], differences(app))
    app.choose("r")
    app.key("Delete")
    app.wait_for("a ghost is in its place", lambda i: "ghost:r" in i and "3 removed" in i["compare:summary"]["text"])
    app.key("ctrl+z", "ctrl+z")
    app.wait_for("undone", lambda i: i["compare:summary"]["text"].endswith("No difference"))
    app.key("Escape", "Escape")
    app.wait_for("Esc leaves", lambda i: "compare:summary" not in i)
    expect(app.saved() == before, "nothing was edited")
    print("compared with the saved version: follows edits and undo, left by Esc")


def with_file(app, file, theme):
    app.click("menu:File")
    app.click("menu:Compare With")
    app.click("menu:compareWith")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(file)
    app.key("Return")
    text = summary(app)
    expect(text.startswith("Compared with other:") and "3 added, 3 removed, 3 changed" in text, text)
    said = differences(app)
    expect(any("MLP (m): width: 64 → 32" in line for line in said), said)
    expect(any(line.startswith("Wire m.y → r.x") for line in said), said)
    ghost = app.wait_item("ghost:s")
    expect(ghost["text"] == "Sin", ghost)
    app.key("Home")
    app.shot(f"file-{theme}")
    added, removed, changed = {"dark": ((85, 194, 138), (224, 138, 192), (242, 181, 68)),
                               "light": ((25, 112, 63), (163, 44, 120), (138, 90, 0))}[theme]
    picture = app.grab(app.find("canvas:surface"))
    for name, colour in (("added", added), ("removed", removed), ("changed", changed)):
        expect(has_colour(picture, colour), f"what is {name} is marked")
    card = app.at_rest("node:m")
    app.move(card["x"] + card["width"] / 2, card["y"] + 10)
    app.wait_for("the tip says what changed", lambda i: "width: 64 → 32" in i.get("canvas:tip", {}).get("text", ""), 10)


def steps(app):
    app.key("F7")
    first = app.wait_for("the first", lambda i: i.get("compare:place", {}).get("text", "").startswith("1 of "))
    total = int(first["text"].split()[-1]) if isinstance(first, dict) else int(app.text("compare:place").split()[-1])
    inside, said = False, set()
    for _ in range(total):
        said.update(differences(app))  # the list follows
        if "breadcrumb:u" in app.items():
            inside = True
            expect("node:drop" in app.items(), "the group of the difference is shown")
            app.shot("in-group")
        app.key("F7")
    app.wait_for("round and round", lambda i: i["compare:place"]["text"].startswith("1 of "))
    expect(inside, "differences in groups are stepped to")
    for words in ("p: 0.25 → 0.5", "what is in the group differs"):
        expect(any(words in line for line in said), f"{words}: {said}")
    app.key("shift+F7")
    app.wait_for("and back", lambda i: i["compare:place"]["text"].startswith(f"{total} of "))
    app.click("compare:list")
    app.wait_for("the list is folded away", lambda i: not any(name.startswith("difference:") for name in i))
    app.click("compare:list")
    app.click(f"difference:{total - 2}")
    app.wait_for("a click shows it", lambda i: i["compare:place"]["text"].startswith(f"{total - 1} of "))
    app.click("compare:leave")
    app.wait_for("left by the button", lambda i: "compare:summary" not in i and i["canvas:surface"]["focus"])


def with_open(app, file):
    app.key("ctrl+o")
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(file)
    app.key("Return")
    app.wait_for("opened in a tab", lambda i: i["documentTitle"]["text"] == "other")
    app.click("menu:File")
    app.click("menu:Compare With")
    app.click("menu:compare:compare")
    app.wait_for("the other way round", lambda i: i.get("compare:summary", {}).get("text", "").startswith("Compared with compare:"))
    expect("ghost:r" in app.items(), "what is only there is a ghost here")
    app.click("compare:leave")
    app.key("ctrl+w")
    app.wait_for("closed", lambda i: "tab:other" not in i)


def main():
    options = called_with(description=__doc__)
    with tempfile.TemporaryDirectory() as folder:
        path, file = os.path.join(folder, "compare.halfwire"), os.path.join(folder, "other.halfwire")
        for name, graph in ((path, GRAPH), (file, other())):
            with open(name, "w", encoding="utf-8") as text:
                json.dump(graph, text)
        for theme in ("dark", "light"):
            with Editor(options.binary, options.out, path, name=theme, environment=living_in(folder, theme, look={"theme": theme})) as app:
                app.wait_item("node:m", 30)
                if theme == "dark":
                    with_saved(app)
                before = app.saved()
                with_file(app, file, theme)
                if theme == "dark":
                    steps(app)
                    with_open(app, file)
                expect(app.saved() == before, "nothing was edited")
        print("compared with a file and an open document: marked, stepped through, in a group too, left")
    return 0


if __name__ == "__main__":
    end_with(main)
