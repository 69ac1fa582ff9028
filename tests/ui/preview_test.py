"""Previews on cards and what nodes are evaluated with, by mouse and keys: pictures, lines, fields and histograms; shown and hidden, undone
and saved; the line below a card; a batch, a drawing and a file; results that survive an undo. Keeps its screenshots in the output folder."""

import json
import os
import re
import tempfile

from PIL import Image

from desktop import Desktop, called_with, end_with, expect, fresh, header
from digits import write_digits


def write(folder, name, nodes, links):
    path = os.path.join(folder, f"{name}.halfwire")
    with open(path, "w", encoding="utf-8") as text:
        json.dump({"halfwire": 1, "nodes": nodes, "links": links}, text)
    return path


def node(name, kind, x, y=0, **more):
    return {"id": name, "type": kind, "at": [x, y], **more}


def shows(name, kind):
    return lambda items: items.get(f"preview:{name}", {}).get("value") == kind


def saved(app, path):
    app.key("ctrl+s")
    app.wait_for("saved", lambda i: not i["documentTitle"]["text"].endswith("•"), 10)
    with open(path, encoding="utf-8") as text:
        return {entry["id"]: entry for entry in json.load(text)["nodes"]}


def colours(app, name):
    """How many colours a preview has on the screen."""
    return len(app.grab(app.find(f"preview:{name}")).getcolors(1 << 20))


def cards(options, folder):
    Image.radial_gradient("L").convert("RGB").resize((48, 32)).save(os.path.join(folder, "made.png"))
    path = write(folder, "cards", [
        node("photo", "image_source", 0, params={"path": "made.png"}),
        node("sampler", "image_sampler", 280, params={"points": 4096}),
        node("half", "remap", 560, 280, params={"to_max": 0.5}),
        node("colour", "linear", 560, params={"out_features": 3}),
        node("view", "image_view", 840),
        node("line", "constant", 0, 320, params={"shape": [16]}),
        node("plot", "plot_view", 280, 320),
    ], [["photo.image", "sampler.image"], ["sampler.position", "colour.x"], ["photo.image", "view.image"], ["colour.y", "view.field"],
        ["sampler.color", "half.x"], ["line.y", "plot.a"]])
    with Desktop(options.binary, options.out, [path], name="cards", environment=fresh(folder), folder=folder) as app:
        app.wait_item("node:photo", 60)
        for name, kind in {"photo": "picture", "sampler": "picture", "view": "picture", "plot": "lines"}.items():
            app.wait_for(f"{name} shows a {kind}", shows(name, kind), 30)
        expect(colours(app, "photo") > 20 and colours(app, "sampler") > 20, "pictures are drawn")
        expect("preview:colour" not in app.items() and "preview:half" not in app.items(), "others show none by themselves")

        def toggled(name, on):
            app.click(header(app.find(f"node:{name}")))
            before = app.find(f"node:{name}")["height"]
            app.key("p")
            app.wait_for("the card has grown" if on else "shrunk", lambda i: (i[f"node:{name}"]["height"] > before) == on and (f"preview:{name}" in i) == on)

        toggled("half", True)
        app.wait_for("a histogram of any tensor", shows("half", "histogram"), 30)
        toggled("colour", True)
        app.wait_for("the field over the picture", lambda i: shows("colour", "picture")(i) and "field" in i["preview:colour"]["text"], 30)
        toggled("photo", False)
        app.shot("cards")
        nodes = saved(app, path)
        expect(nodes["half"]["preview"] is True and nodes["photo"]["preview"] is False and "preview" not in nodes["sampler"], f"kept in the file: {nodes}")
        for _ in range(3):
            app.key("ctrl+z")
        app.wait_for("undone", lambda i: "preview:half" not in i and "preview:colour" not in i and shows("photo", "picture")(i))
        app.key("ctrl+shift+z")
        app.wait_for("done again", shows("half", "histogram"))
        app.key("ctrl+0")
        facts = lambda i: i.get("facts:half", {}).get("text", "")
        app.wait_for("what it ran in, how long, with how much", lambda i: re.fullmatch(r"f32 · f32 · f32   [0-9.]+ [µm]s   [0-9.]+ [KM]?i?B", facts(i)), 30)
        expect("facts:photo" not in app.items(), "nothing is said of what has no kernel")
        app.shot("facts")
        for _ in range(4):
            app.key("minus")
        app.wait_for("too small to be read", lambda i: not facts(i))
        app.key("Home")
        app.click(header(app.at_rest("node:half")), button=3)
        app.click("menu:preview")
        app.wait_for("hidden by the menu", lambda i: "preview:half" not in i)
    print("cards: pictures, lines, histogram, field; shown, hidden, saved, undone; the line below")


def batch(options, folder):
    assets = os.path.join(folder, "assets")
    write_digits(os.path.join(assets, "mnist"))
    path = write(folder, "batch", [
        node("data", "dataset_source", 0, params={"path": "asset:mnist"}),
        node("batch", "batch", 280, params={"batch_size": 16}),
    ], [["data.data", "batch.data"]])
    with Desktop(options.binary, options.out, [path], name="batch", environment=fresh(folder, HALFWIRE_ASSETS=assets), folder=folder) as app:
        app.wait_item("node:batch", 60)
        app.wait_for("digits", shows("batch", "picture"), 30)
        where = lambda text: lambda i: i.get("batch:batch:where", {}).get("text") == text
        app.wait_for("the first batch of the test split", where("batch 1 of 13"))

        def picture():
            app.move(5, 995)
            return app.grab(app.at_rest("preview:batch")).crop((0, 0, 120, 60)).tobytes()

        def differs(before):
            app.wait_for("other digits", lambda _: picture() != before, 10)

        first = picture()
        app.click("batch:batch:next")
        app.wait_for("the next", where("batch 2 of 13"))
        differs(first)
        app.shot("second")
        second = picture()
        app.click(header(app.find("node:batch")))
        app.key("bracketright")
        app.wait_for("the next by a key", where("batch 3 of 13"))
        differs(second)
        app.key("bracketleft", "bracketleft")
        app.wait_for("back", where("batch 1 of 13"))
        app.wait_for("the first again", lambda _: picture() == first, 10)
        app.click("batch:batch:previous")
        app.wait_for("the last comes before the first", where("batch 13 of 13"))
        app.click("inspectorTabs:Tensor")
        app.wait_for("the tensors are of that batch", lambda i: i.get("batch:where", {}).get("text") == "batch 13 of 13", 30)
    print("batch: next and previous by mouse and keys, around the end")


def drawing(options, folder):
    path = write(folder, "drawing", [
        node("digit", "input", 0, preview=True, params={"shape": [1, 1, 28, 28], "axes": "N C H W", "example": "zeros"}),
        node("most", "max_pool", 280, preview=True, params={"kernel_size": [2]}),
    ], [["digit.y", "most.x"]])
    Image.new("L", (28, 28), 255).save(os.path.join(folder, "white.png"))
    with Desktop(options.binary, options.out, [path], name="drawing", environment=fresh(folder), folder=folder) as app:
        app.click(header(app.wait_item("node:digit", 60)))
        pad = app.at_rest("input:pad")
        app.wait_for("an empty picture", shows("most", "picture"), 30)
        expect("batch:digit:where" not in app.items(), "zeros have no batch")
        app.move(5, 995)
        plain = colours(app, "most")
        at = lambda x, y: (pad["x"] + pad["width"] * x, pad["y"] + pad["height"] * y)
        app.drag(at(0.3, 0.2), at(0.7, 0.2))
        app.drag(at(0.7, 0.2), at(0.4, 0.8))
        app.wait_for("it is said", lambda i: "Drawing" in i["input:given"]["text"])
        app.move(5, 995)
        app.wait_for("a seven, seen by what follows", lambda _: colours(app, "most") > plain + 3, 10)
        app.shot("seven")
        expect(not app.find("documentTitle")["text"].endswith("•"), "the document has not changed")
        app.click("input:clear")
        app.wait_for("the example again", lambda i: "example" in i["input:given"]["text"])
        app.move(5, 995)
        app.wait_for("nothing is left", lambda _: colours(app, "most") == plain, 10)
        app.click("input:file")
        app.click("file:name")
        app.key("ctrl+a")
        app.type(os.path.join(folder, "white.png"))
        app.key("Return")
        app.wait_for("a picture from a file", lambda i: "white.png" in i["input:given"]["text"])
        app.click("inspectorTabs:Tensor")
        app.wait_for("all white", lambda i: i.get("stat:min", {}).get("text") == "1", 30)
    print("drawing: by hand, cleared, from a file")


def group(options, folder):
    """What a group's instance gives is in its Tensor tab and on its card."""
    path = write(folder, "group", [node("c", "constant", 0, params={"shape": [16]}), node("s", "neg", 280), node("t", "tensor_view", 560)],
                 [["c.y", "s.x"], ["s.y", "t.x"]])
    with Desktop(options.binary, options.out, [path], name="group", environment=fresh(folder), folder=folder) as app:
        app.click(header(app.wait_item("node:s", 60)))
        app.key("ctrl+g")
        instance = app.wait_for("grouped", lambda i: next((n for n in i if n.startswith("enter:") and i[n]), None)).removeprefix("enter:")
        app.click("inspectorTabs:Tensor")
        app.wait_for("its tensor", lambda i: i.get("stat:max", {}).get("text", "").replace("−", "-") == "-1", 30)
        app.click(header(app.find(f"node:{instance}")))
        app.key("p")
        app.wait_for("its preview", shows(instance, "lines"), 30)
        app.shot("instance")
    print("group: an instance shows what it gives")


def undo(options, folder):
    """Live is off, so that nothing is computed by itself: what an undo brings back was kept."""
    path = write(folder, "undo", [node("c", "constant", 0, params={"shape": [16]}), node("s", "neg", 280, preview=True)], [["c.y", "s.x"]])
    with Desktop(options.binary, options.out, [path], name="undo", environment=fresh(folder), folder=folder) as app:
        app.click(header(app.wait_item("node:s", 60)))
        app.click("inspectorTabs:Tensor")
        shown = lambda i: i.get("stat:max", {}).get("text", "").replace("−", "-")
        app.wait_for("evaluated", lambda i: shown(i) == "-1", 30)
        app.click("run:live")
        app.click("param:c:value")
        app.key("ctrl+a")
        app.type("5")
        app.key("Return")
        app.click(header(app.find("node:s")))
        app.wait_for("it waits", lambda i: "Live is off" in i.get("tensors:older", {}).get("text", "") and shown(i) == "-1")
        app.key("shift+ctrl+Return")
        app.wait_for("evaluated when asked", lambda i: shown(i) == "-5" and "tensors:older" not in i)
        app.key("ctrl+z")
        app.wait_for("undo brings the result back", lambda i: shown(i) == "-1" and "tensors:older" not in i)
        app.wait_for("on the card, too", lambda i: "-1" in i["preview:s"]["text"].replace("−", "-"))
        app.key("ctrl+shift+z")
        app.wait_for("and redo", lambda i: shown(i) == "-5" and "tensors:older" not in i)
        app.wait_for("on the card, too", lambda i: "-5" in i["preview:s"]["text"].replace("−", "-"))
        app.shot("redone")
    print("undo: results are kept")


def main():
    options = called_with(description=__doc__, only="cards,batch,drawing,group,undo")
    parts = {"cards": cards, "batch": batch, "drawing": drawing, "group": group, "undo": undo}
    for part in options.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            parts[part](options, folder)
    return 0


if __name__ == "__main__":
    end_with(main)
