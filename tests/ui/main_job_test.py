"""The main job by hand, from an empty canvas: drag nodes, wire them, meet the wrong wire and mend it with one click, train, see the loss
fall, look at a gradient, save, open again, and find the same picture. Keeps its screenshots in the output folder."""

import os
import re
import tempfile

from PIL import ImageChops, ImageStat

from desktop import Desktop, called_with, end_with, expect, living_in, validation_messages

STEPS = 60
POINTS = 16384


def add_from_palette(app, type_id, search, position):
    """Types into the palette's search field and drags the row onto the canvas; returns the new node's item."""
    app.click("paletteSearch")
    app.key("ctrl+a")
    app.type(search)
    app.wait_item(f"palette:{type_id}")
    app.drag(f"palette:{type_id}", position)
    return app.wait_item(f"node:{type_id}")


def add_by_search(app, type_id, search, position):
    """Tab on the canvas, type, Enter: the node lands at the cursor."""
    app.click(position)
    app.move(*position)
    app.key("Tab")
    app.wait_item("search:field")
    app.type(search)
    app.wait_item(f"search:item:{type_id}")
    app.key("Return")
    return app.wait_item(f"node:{type_id}")


def wire(app, source, target):
    app.drag(f"socket:{source[0]}:out:{source[1]}", f"socket:{target[0]}:in:{target[1]}")


def select(app, node):
    """Clicks the card's header."""
    item = app.wait_item(f"node:{node}")
    app.click((item["x"] + item["width"] / 2, item["y"] + 6))


def set_parameter(app, node, parameter, value):
    select(app, node)
    app.click("inspectorTabs:Parameters")
    app.click(f"param:{parameter}")
    app.key("ctrl+a")
    app.type(str(value))
    app.key("Return")


def loss_value(items):
    """The loss in the run's read-out, or None."""
    found = re.search(r"loss\s+([0-9.]+(?:e[-+]?[0-9]+)?)", str(items.get("runNumbers", {}).get("text", "")))
    return float(found.group(1)) if found else None


def build_graph(app):
    canvas = app.wait_item("canvas:surface")
    x0, y0 = canvas["x"], canvas["y"]

    def at(column, row):
        return x0 + 30 + column * 215, y0 + 30 + row * 210

    # Zoomed out first, so that everything has room; by key, as the wheel scrolls the examples.
    app.click((x0 + 8, y0 + canvas["height"] - 8))
    for _ in range(4):
        app.key("minus")
    add_from_palette(app, "mesh_source", "mesh", at(0, 0))
    add_from_palette(app, "surface_sampler", "surface", at(1, 0))
    add_from_palette(app, "normalise_aabb", "normalise", at(2, 0))
    add_from_palette(app, "hash_grid", "hash", at(3, 0))
    add_from_palette(app, "mlp", "mlp", at(0, 1.2))
    add_by_search(app, "sigmoid", "sigmoid", at(1, 1.4))
    add_by_search(app, "mse", "mse", at(2, 1.4))
    add_by_search(app, "train", "train", at(3, 1.4))
    add_by_search(app, "viewport", "viewport", at(1, 2.3))
    app.shot("nodes")

    wire(app, ("mesh_source", "mesh"), ("surface_sampler", "mesh"))
    wire(app, ("surface_sampler", "position"), ("normalise_aabb", "position"))
    wire(app, ("mesh_source", "mesh"), ("normalise_aabb", "mesh"))
    wire(app, ("normalise_aabb", "y"), ("hash_grid", "x"))
    wire(app, ("hash_grid", "features"), ("mlp", "x"))
    wire(app, ("mlp", "y"), ("sigmoid", "x"))
    wire(app, ("sigmoid", "y"), ("mse", "prediction"))
    wire(app, ("surface_sampler", "color"), ("mse", "target"))
    wire(app, ("mse", "loss"), ("train", "loss"))
    wire(app, ("mesh_source", "mesh"), ("viewport", "mesh"))
    wire(app, ("sigmoid", "y"), ("viewport", "field"))
    app.shot("wired")


def main():
    options = called_with()
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    environment = living_in(home)
    saved = os.path.join(home, "texture.halfwire")
    vulkan_logs = {name: os.path.join(os.path.abspath(options.out), f"{name}.vulkan.log") for name in ("wire", "open")}

    def with_log(name):
        return dict(environment, HALFWIRE_VULKAN_LOG=vulkan_logs[name])

    with Desktop(options.binary, options.out, name="wire", environment=with_log("wire"), folder=home) as app:
        app.wait_item("canvas:surface", 60)
        app.shot("empty")
        build_graph(app)

        # The f16 encoder straight into the f32 MLP: red, with the reason and the remedy.
        items = app.items()
        problems = " ".join(str(i.get("text", "")) for n, i in items.items() if n.startswith("problem:"))
        expect("f16" in problems and "f32" in problems, f"the wrong wire's reason names both dtypes: {problems!r}")
        expect("remedy:mlp:x:0" in items, "the wrong wire offers its remedy on the canvas")
        remedies = [str(i.get("text", "")) for n, i in items.items() if n.startswith("problem:") and ":remedy:0" in n]
        expect(any("Insert Cast f16" in text for text in remedies), f"the first remedy inserts a Cast: {remedies}")
        app.shot("wrong-wire")
        app.click("remedy:mlp:x:0")
        app.wait_item("node:cast")
        app.wait_for("the wrong wire is mended", lambda i: "remedy:mlp:x:0" not in i)
        app.shot("mended")

        # The remedy is one step of undo.
        app.click((app.find("canvas:surface")["x"] + 8, app.find("canvas:surface")["y"] + 8))
        app.key("ctrl+z")
        app.wait_for("undo takes the Cast away again", lambda i: "node:cast" not in i and "remedy:mlp:x:0" in i)
        app.key("ctrl+shift+z")
        app.wait_for("redo brings it back", lambda i: "node:cast" in i and "remedy:mlp:x:0" not in i)
        app.key("Home")  # the view had gone to the Cast

        set_parameter(app, "mesh_source", "path:text", "asset:Collada/duck.dae")
        set_parameter(app, "surface_sampler", "points", POINTS)
        set_parameter(app, "train", "steps", STEPS)
        app.wait_for("no problems are left", lambda i: "No problems" in str(i.get("status:problems", {}).get("text", "")))

        app.key("ctrl+Return")
        first = app.wait_for("a loss is shown", loss_value, 90)
        app.shot("running")
        app.wait_for("the run is finished", lambda i: "inished" in str(i.get("runState", i.get("runNumbers", {})).get("text", "")), 240)
        last = loss_value(app.items())
        app.shot("trained")
        print(f"loss {first} -> {last} after {STEPS} steps of {POINTS} points")
        expect(last is not None and last < first / 10, f"the loss falls tenfold: {first} -> {last}")

        # A gradient.
        select(app, "mlp")
        app.click("inspectorTabs:Gradient")
        stats = app.wait_for("the gradient's statistics", lambda i: [v for n, v in i.items() if n.startswith("stat:")], 30)
        app.shot("gradient")
        print("gradient statistics:", {v["name"]: v.get("text") for v in stats})
        largest = next((str(v.get("text", "")) for v in stats if v["name"] == "stat:max"), "0")
        expect(re.search(r"[1-9]", largest), f"the gradient is not zero: {largest}")

        # Save under a name.
        app.key("ctrl+s")
        app.click("file:name")
        app.key("ctrl+a")
        app.type(saved)
        app.shot("save")
        app.key("Return")
        app.wait_for("the title is the file's", lambda i: "texture" in str(i.get("documentTitle", {}).get("text", "")))
        expect(os.path.exists(saved), "the graph is saved")
        app.wait_for("the weights are saved beside it", lambda i: os.path.exists(saved.replace(".halfwire", ".safetensors")))
        app.move(5, 995)
        app.wait_for("the viewport is at rest", lambda i: i.get("viewport", {}).get("coarse") is False)
        before = app.grab(app.find("viewport"))
        app.shot("saved")

    with Desktop(options.binary, options.out, [saved], name="open", environment=with_log("open"), folder=home) as app:
        view = app.wait_item("viewport", 60)
        app.move(5, 995)

        def difference():
            after = app.grab(view)
            if after.size != before.size:
                return None
            return max(ImageStat.Stat(ImageChops.difference(before.convert("RGB"), after.convert("RGB"))).mean)

        app.wait_for("the same picture as before", lambda i: difference() is not None and difference() < 0.5, 60)
        app.shot("reopened")
        print(f"largest mean difference of a channel after opening again: {difference():.4f} of 255")
    for name, log in vulkan_logs.items():
        found = validation_messages(log)
        expect(not found, f"Vulkan validation ({name}): {found[:4]}")
    print("main job: done by hand, nothing in Vulkan's validation logs")
    return 0


if __name__ == "__main__":
    end_with(main)
