"""The viewport's views in the real program: keys and buttons choose them, the background follows, a picture is saved, the field is baked and
exported; the picture outlives the graphics device that a large graph's closing renews; Vulkan's validation log stays empty. Keeps
its screenshots in the output folder."""

import json
import os
import struct
import tempfile

from PIL import Image, ImageChops, ImageStat

from desktop import Desktop, called_with, end_with, expect, validation_messages
from scale import make_graph

VIEWS = ["field", "wireframe", "normals", "uv", "checker", "texture"]


def differ(a, b):
    return max(ImageStat.Stat(ImageChops.difference(a, b)).mean)


def at_rest(app):
    """The full picture, once it stands: a sheet that fades away would dim it."""
    app.wait_for("the full picture", lambda i: i.get("viewport", {}).get("coarse") is False, 60)
    return app.still(app.find("viewport")).convert("RGB")


def inner(picture):
    """Without the captions and the focus frame that lie over it."""
    return picture.crop((4, 40, picture.width - 4, picture.height - 40))


def choose_file(app, path):
    app.click("file:name")
    app.key("ctrl+a")
    app.type(path)
    app.key("Return")


def check_glb(path):
    with open(path, "rb") as file:
        magic, version, length = struct.unpack("<4sII", file.read(12))
        size, kind = struct.unpack("<I4s", file.read(8))
        header = json.loads(file.read(size))
    expect((magic, version, length) == (b"glTF", 2, os.path.getsize(path)), "the export is a whole GLB file")
    expect(kind == b"JSON" and len(header["images"]) == 1 and "bufferView" in header["images"][0], "its texture is inside")


def small_network(example, path):
    """The example with a network that a software driver compiles in a moment."""
    with open(example, encoding="utf-8") as file:
        graph = json.load(file)
    small = {"encoder": {"levels": 2, "log2_table": 8}, "mlp": {"width": 8, "hidden_layers": 1}}
    for node in graph["nodes"]:
        node.setdefault("params", {}).update(small.get(node["id"], {}))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(graph, file)


def check_gpu(options, environment, home):
    """The field by the graphics device: chosen among the settings, drawn alike, with new weights while it trains; chosen
    still after a start."""
    graph = os.path.join(home, "small.halfwire")
    small_network(options.example, graph)
    by = "The {} computes the field."
    with Desktop(options.binary, options.out, [graph], name="gpu", environment=environment, folder=home) as app:
        app.wait_for("the CPU computes it", lambda i: by.format("CPU") in i.get("viewport:frameTime", {}).get("tip", ""), 60)
        app.move(5, 995)
        by_cpu = at_rest(app)
        app.click("viewport:settings")
        app.click("viewport:fieldOn")
        app.click("viewport:fieldOn:Graphics device")
        app.key("Escape")
        app.move(5, 995)
        on_gpu = lambda i: by.format("graphics device") in i.get("viewport:frameTime", {}).get("tip", "")
        app.wait_for("the graphics device computes it", on_gpu, 120)
        expect(differ(inner(at_rest(app)), inner(by_cpu)) < 0.05, "the picture is the one by the CPU")
        app.shot("field")
        app.click("run:start")
        app.wait_for("new weights are drawn", lambda i: on_gpu(i) and differ(inner(at_rest(app)), inner(by_cpu)) > 0.5, 120)
    with Desktop(options.binary, options.out, [graph], name="gpu-again", environment=environment, folder=home) as app:
        app.wait_for("it computes it after a start, too", on_gpu, 120)


def main():
    options = called_with("example")
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    log = os.path.join(os.path.abspath(options.out), "vulkan.log")
    environment = {
        "HOME": home,
        "XDG_CONFIG_HOME": os.path.join(home, "config"),
        "XDG_DATA_HOME": os.path.join(home, "data"),
        "HALFWIRE_VULKAN_LOG": log,
        "QSG_INFO": "1",
    }
    large = os.path.join(home, "large.halfwire")
    with open(large, "w", encoding="utf-8") as file:
        json.dump(make_graph(1000)[0], file)
    with Desktop(options.binary, options.out, [large, options.example], name="views", environment=environment, folder=home) as app:
        app.wait_for("the mesh is shown", lambda i: i.get("viewport:view:field", {}).get("enabled", True) and "viewport" in i, 60)
        view = app.wait_item("viewport")
        centre = (view["x"] + view["width"] / 2, view["y"] + view["height"] / 2)
        at_rest(app)

        # By key, then by button: the same pictures, each unlike the one before.
        app.click(centre)
        app.move(5, 995)
        by_key = []
        for number, name in enumerate(VIEWS, 1):
            app.key(str(number))
            # A slow machine shows the view before for a moment, at rest.
            app.wait_for(f"the view {name} shows something else", lambda _: not by_key or differ(at_rest(app), by_key[-1]) > 0.5)
            by_key.append(at_rest(app))
            app.shot(f"dark-{name}")
        for number, name in enumerate(VIEWS):
            app.click(f"viewport:view:{name}")
            app.move(5, 995)
            app.wait_for(f"the button shows what the key shows: {name}", lambda _, wanted=by_key[number]: differ(at_rest(app), wanted) < 0.7)

        # Background and field of view.
        app.click("viewport:settings")
        app.click("background:white")
        app.shot("settings")
        app.key("Escape")
        app.move(5, 995)
        white = at_rest(app)
        expect(white.getpixel((3, white.height - 3)) == (255, 255, 255), "the background is white to the corner")
        for name in VIEWS:
            app.click(f"viewport:view:{name}")
            app.move(5, 995)
            at_rest(app)
            app.shot(f"light-{name}")

        # The picture is saved as it is seen.
        app.click("viewport:view:normals")
        app.click("viewport:screenshot")
        png = os.path.join(home, "shot.png")
        choose_file(app, png)
        app.wait_for("the picture is saved", lambda i: os.path.exists(png))
        with Image.open(png) as saved:
            app.move(5, 995)
            seen = at_rest(app)
            expect(saved.size == seen.size, f"one pixel a pixel: {saved.size} {seen.size}")
            app.wait_for("the file is what is seen", lambda _: differ(inner(saved.convert("RGB")), inner(at_rest(app))) < 0.5)

        # Bake and export.
        app.key("ctrl+shift+e")
        app.wait_item("bake:export")
        app.shot("bake")
        app.click("bake:export")
        glb = os.path.join(home, "duck.glb")
        choose_file(app, glb)
        app.wait_for("the export is said", lambda i: "duck.glb" in str(i.get("bake:result", {}).get("text", "")), 120)
        app.shot("baked")
        check_glb(glb)
        app.click("bake:close")
        app.wait_for("the sheet is gone", lambda i: "bake:close" not in i)

        # Closing a large graph renews the graphics device; what is shown stays.
        before = inner(at_rest(app))
        app.key("ctrl+Tab")
        app.wait_for("the large graph", lambda i: not any(name.startswith("node:") for name in i))
        app.key("ctrl+w")
        app.wait_for("a new device", lambda _: app.output().count("Creating new swapchain") == 2)
        app.wait_for("the viewport as before", lambda i: "viewport" in i and differ(inner(at_rest(app)), before) < 0.5)
    check_gpu(options, environment, home)
    found = validation_messages(log)
    expect(not found, f"Vulkan validation: {found[:4]}")
    print("views: chosen by key and button, saved, baked; nothing in Vulkan's validation log")
    return 0


if __name__ == "__main__":
    end_with(main)
