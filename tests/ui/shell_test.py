"""The window by hand: files and the question about unsaved changes, parameters by mouse and keys, panels, a storm of resizes while training
(under Vulkan validation, with the heartbeat of the GUI thread), and starts that cannot succeed."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import zipfile

from PIL import Image

from desktop import PATIENCE, Desktop, called_with, end_with, expect, fresh, settled, validation_messages

# The figures are printed; scripts/bench-ui measures them on a quiet machine. A GUI thread that waits for the engine is far above this.
STALLED_GAP_MS_P99 = 1000
# The X server may resize the window between Qt's look at the surface and its new swapchain. Nobody can prevent that from inside; Qt makes
# another one at once.
RESIZED_MEANWHILE = "VUID-VkSwapchainCreateInfoKHR-imageExtent-01274"


def in_palette(app, type_id):
    """Types into the palette's search field; returns the row's name, which is then on the screen."""
    app.wait_item("paletteSearch", 60)
    app.click("paletteSearch")
    app.key("ctrl+a")
    app.type(type_id)
    app.wait_item(f"palette:{type_id}")
    return f"palette:{type_id}"


def parameters(app):
    app.click(in_palette(app, "mlp"), repeat=2)
    app.wait_item("param:width")
    start = app.text("param:width")

    app.click("param:width")
    app.type("abc")
    app.key("Return")
    app.wait_for("the reason is shown", lambda i: "abc" in i.get("param:width:error", {}).get("text", ""))
    expect(app.text("param:width") == start, "a wrong value changes nothing")

    app.click("param:width")
    app.type("64")
    app.key("Return")
    app.wait_for("typed", lambda i: i["param:width"]["text"] == "64")
    app.key("Up")
    app.wait_for("an arrow key adds one", lambda i: i["param:width"]["text"] == "65")
    app.key("ctrl+z", "ctrl+z")
    app.wait_for("undone from the field itself", lambda i: i["param:width"]["text"] == start)
    app.key("ctrl+shift+z")
    app.wait_for("redone", lambda i: i["param:width"]["text"] == "64")
    app.click("param:width")
    app.type("9")
    app.key("Escape")
    expect(app.text("param:width") == "64", "Esc gives back what was there")

    x, y = app.centre("param:hidden_layers")
    layers = app.text("param:hidden_layers")
    app.drag((x, y), (x + 48, y))
    app.wait_for("a drag changes the number", lambda i: i["param:hidden_layers"]["text"] != layers)
    app.key("ctrl+z")
    app.wait_for("a drag is one step", lambda i: i["param:hidden_layers"]["text"] == layers)

    app.click("param:dtype")
    app.click("param:dtype:f16")
    app.wait_for("chosen", lambda i: i["param:dtype"].get("currentText") == "f16")
    app.click("param:dtype:reset")
    app.wait_for("back to the default", lambda i: i["param:dtype"].get("currentText") == "f32")


def panels(app):
    seen = []
    for _ in range(5):
        app.key("F6")
        items = app.items()
        seen.append(next(n for n in ("palette", "canvas", "viewportPanel", "inspector", "problems") if items[n]["focus"]))
    expect(sorted(seen) == sorted(set(seen)), f"F6 reaches every panel once: {seen}")
    app.click("close:losses")
    app.wait_for("the panel is closed", lambda i: "losses" not in i)
    app.click("menu:View")
    app.click("menu:panel:losses")
    app.wait_for("the panel is open again", lambda i: "losses" in i)


def panel_sizes(binary, out, folder):
    """A panel has the size that it was dragged to, and no other, in later sessions."""
    home = settled(tempfile.mkdtemp(dir=folder), panels={"bottomHeight": 300})

    def height_in(app):
        return app.at_rest("problems")["height"]

    with Desktop(binary, out, name="sizes", environment=home) as app:
        expect(height_in(app) == 300, "what the settings say")
    with Desktop(binary, out, name="sizes-kept", environment=home) as app:
        expect(height_in(app) == 300, "nobody dragged it")
        panel = app.at_rest("problems")
        handle = panel["x"] + panel["width"] / 2, panel["y"] - 2
        app.drag(handle, (handle[0], handle[1] - 60))
        app.wait_for("it follows the handle", lambda i: abs(i["problems"]["height"] - 360) <= 2)
        dragged = height_in(app)
    with Desktop(binary, out, name="sizes-dragged", environment=home) as app:
        expect(height_in(app) == dragged, f"as it was dragged: {height_in(app)}, {dragged}")


def look(binary, out, folder):
    """The themes and the font: chosen in the menu, seen at once, remembered."""
    home = fresh(folder)

    def brightness(app, name):
        picture = app.grab(app.wait_item(name)).convert("L")
        return sum(picture.getdata()) / (picture.width * picture.height)

    def inks(app, name):
        return app.grab(app.wait_item(name)).convert("L").tobytes()

    with Desktop(binary, out, name="look", environment=home) as app:
        in_palette(app, "mlp")
        expect(brightness(app, "inspector") < 60, "dark at first")
        app.click("menu:View")
        app.click("menu:Theme")
        app.shot("dark")
        app.click("menu:theme:light")
        app.wait_for("the panels are light", lambda _: brightness(app, "inspector") > 200)
        expect(brightness(app, "canvas") > 200, "so is the canvas")
        halfwires = inks(app, "palette:mlp")
        app.click("menu:View")
        app.click("menu:systemFont")
        app.wait_for("the text has changed", lambda _: inks(app, "palette:mlp") != halfwires)
        systems = inks(app, "palette:mlp")
        app.shot("light")
    with Desktop(binary, out, name="look-again", environment=home) as app:
        in_palette(app, "mlp")
        app.wait_for("the theme is remembered", lambda _: brightness(app, "inspector") > 200)
        app.wait_for("the font is remembered", lambda _: inks(app, "palette:mlp") == systems)


def files(binary, out, folder):
    saved = os.path.join(folder, "net.halfwire")
    with Desktop(binary, out, name="files", environment=fresh(folder), folder=folder) as app:
        in_palette(app, "mlp")
        parameters(app)
        panels(app)
        app.shot("parameters")
        app.key("ctrl+s")
        app.wait_item("file:name")
        app.key("ctrl+a")
        app.type(os.path.join(folder, "nowhere", "x"))
        app.key("Return")
        app.wait_for("a folder that is not there is refused", lambda i: i.get("file:problem", {}).get("text"))
        app.key("ctrl+a")
        app.type(saved.replace(".halfwire", ""))
        app.key("Return")
        app.wait_for("the title is the file's", lambda i: i["documentTitle"]["text"] == "net")
        expect(os.path.exists(saved), "the graph is saved")

        app.click(in_palette(app, "relu"), repeat=2)
        app.wait_for("unsaved", lambda i: i["documentTitle"]["text"] == "net •")
        app.key("ctrl+q")
        app.wait_item("unsaved:save")
        app.key("Escape")
        app.wait_for("Esc goes back", lambda i: "unsaved:save" not in i)
        app.key("ctrl+q")
        app.wait_item("unsaved:save")
        app.key("Return")
        expect(app.process.wait(PATIENCE) == 0, "Enter saves and quits")
    with open(saved, encoding="utf-8") as text:
        expect({n["type"] for n in json.load(text)["nodes"]} == {"mlp", "relu"}, "the file holds both nodes")

    with open(os.path.join(folder, "bad.halfwire"), "w", encoding="utf-8") as bad:
        bad.write('{"halfwire": 1, "nodes": [')
    with open(os.path.join(folder, "future.halfwire"), "w", encoding="utf-8") as future:
        future.write('{"halfwire": 99, "nodes": []}')
    broken = [os.path.join(folder, name) for name in ("bad.halfwire", "future.halfwire")]
    with Desktop(binary, out, broken, name="bad", environment=fresh(folder)) as app:
        app.wait_for("a bad file is refused in words", lambda i: i.get("toast:code", {}).get("text") == "HW-F003", 60)
        app.click("toast:close")
        app.wait_for("and so is the other", lambda i: i.get("toast:code", {}).get("text") == "HW-F004")
        app.click("toast:close")
        app.wait_for("the words can be put away", lambda i: "toast" not in i)
        app.click(in_palette(app, "relu"), repeat=2)
        app.wait_item("problem:0:remedy:0")
        app.click("problem:0:remedy:0")
        app.wait_item("search:field")
        app.type("constant")
        app.key("Return")
        app.wait_for("what feeds it is added and wired", lambda i: "node:constant" in i and "problem:0" not in i)


def first_start(binary, out, folder, example):
    """The smallest example opens at the very first start, once; the empty canvas shows the examples with pictures."""
    home = {"XDG_CONFIG_HOME": tempfile.mkdtemp(dir=folder), "QML_DISABLE_DISK_CACHE": "1"}
    sine = os.path.exists(os.path.join(os.path.dirname(example), "sine.halfwire"))
    with Desktop(binary, out, name="first", environment=home) as app:
        in_palette(app, "mlp")
        app.wait_for("the first example, or the empty canvas", lambda i: i["documentTitle"]["text"] == "sine" if sine else "canvas:empty" in i)
    with Desktop(binary, out, name="second", environment=home) as app:
        card = app.wait_item("example:Neural texture", 60)
        app.wait_for("its graph is drawn", lambda _: len(set(app.grab(card).convert("RGB").getdata())) > 12)
        app.shot("gallery")
        app.click("example:Neural texture")
        app.wait_item("node:encoder")


def pictures(binary, out, folder, graph):
    """A tensor as a picture: its pixels, the value under the cursor, the range, a slice of other axes."""
    with Desktop(binary, out, [graph], name="pictures", environment=fresh(folder)) as app:
        start_training(app)
        node = app.wait_item("node:mlp")
        app.click((node["x"] + node["width"] / 2, node["y"] + 6))
        app.click("inspectorTabs:Tensor")
        app.wait_item("view:image")
        app.key("ctrl+alt+Return")
        app.wait_for("stopped", lambda i: i["runNumbers"]["text"].startswith("Stopped"), 60)
        app.click("tensor:layer_1")
        app.click("view:image")
        picture = app.wait_item("tensorImage")
        app.wait_for("it is drawn", lambda _: len(set(app.grab(picture).convert("RGB").getdata())) > 16)
        app.move(picture["x"] + 3, picture["y"] + 3)
        app.wait_for("the value under the cursor", lambda i: i["image:value"]["text"].startswith("[0, 0]"))
        before = app.grab(picture).tobytes()
        app.shot("heat")
        app.click("image:low")
        app.key("ctrl+a")
        app.type("0.2")
        app.key("Return")
        app.wait_for("another range, other colours", lambda _: app.grab(picture).tobytes() != before)
        app.wait_for("it is fixed now", lambda i: not i["image:auto"]["checked"])
        app.click("image:auto")
        app.wait_for("automatic again", lambda i: i["image:auto"]["checked"] and i["image:low"]["text"] != "0.2")
        app.shot("auto")


def assets(binary, out, folder, example):
    """A missing mesh is found again, undoably; what it lacks is said and marked; a texture that changes alone reaches the run."""
    place = tempfile.mkdtemp(dir=folder)
    graph = os.path.join(place, "moved.halfwire")
    with open(example, encoding="utf-8") as text:
        described = json.load(text)
    small = {"mesh_source": {"path": "gone.obj"}, "surface_sampler": {"points": 1024}, "train": {"steps": 1000000},
             "hash_grid": {"levels": 4, "log2_table": 10}}
    for node in described["nodes"]:
        node.setdefault("params", {}).update(small.get(node["type"], {}))
    mesh = next(n["id"] for n in described["nodes"] if n["type"] == "mesh_source")
    with open(graph, "w", encoding="utf-8") as text:
        json.dump(described, text)
    box = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nf 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 1/1 4/1 3/1\nf 2/1 3/1 4/1\n"

    def write(name, content):
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write(content)

    def paint(colour):
        Image.new("RGB", (4, 4), colour).save(os.path.join(place, "new.png"))
        os.replace(os.path.join(place, "new.png"), os.path.join(place, "skin.png"))

    def field(app):
        """The mean colour of the mesh as the network paints it: right of the split, off the background's grey."""
        view = app.grab(app.find("viewport")).convert("RGB")
        right = view.crop((view.width // 2 + 4, 40, view.width, view.height))
        seen = [p for p in right.getdata() if max(p) - min(p) > 60]
        return [sum(c) / len(seen) for c in zip(*seen)] if len(seen) > 200 else None

    write("box.obj", box)
    with Desktop(binary, out, [graph], name="assets", environment=fresh(folder)) as app:
        app.wait_for("the missing file is a problem", lambda i: "error" in i.get("status:problems", {}).get("text", ""), 60)
        app.wait_item(f"status:{mesh}")
        app.shot("missing")
        app.click("problem:0:remedy:0")
        app.wait_item("file:name")
        app.key("ctrl+a")
        app.type(os.path.join(place, "box.obj"))
        app.key("Return")
        app.wait_for("found", lambda i: i["status:problems"]["text"] == "1 warning" and i["documentTitle"]["text"].endswith("•"))
        app.wait_for("what it lacks is said", lambda i: "names no texture" in i["problem:0"]["text"] and f"status:{mesh}" in i)
        app.shot("lacks")
        app.click("canvas")
        app.key("ctrl+z")
        app.wait_for("undone", lambda i: "error" in i["status:problems"]["text"])
        app.key("ctrl+shift+z")
        app.wait_for("redone", lambda i: i["status:problems"]["text"] == "1 warning")
        time.sleep(1)
        paint((230, 20, 20))
        write("box.mtl", "newmtl skin\nmap_Kd skin.png\n")
        write("box.obj", "mtllib box.mtl\nusemtl skin\n" + box)
        app.wait_for("read again", lambda i: "box.obj" in i.get("toast:reason", {}).get("text", ""))
        app.wait_for("nothing is lacking", lambda i: i["status:problems"]["text"] == "No problems" and f"status:{mesh}" not in i)
        app.click("toast:close")

        app.key("ctrl+Return")
        app.wait_for("the network has learnt red", lambda _: (c := field(app)) and c[0] > c[2] + 60, 60)
        step = app.wait_for("steps", lambda i: i["runNumbers"]["text"].startswith("Training") and number(i["runNumbers"]["text"], "step"))
        app.shot("red")
        paint((20, 20, 230))
        app.wait_for("the texture is read again", lambda i: "skin.png" in i.get("toast:reason", {}).get("text", ""))
        app.wait_for("the run goes on with it, to blue", lambda _: (c := field(app)) and c[2] > c[0] + 60, 60)
        app.shot("blue")
        numbers = app.text("runNumbers")
        expect(numbers.startswith("Training") and number(numbers, "step") > step, f"it is the same run: {numbers}, after {step}")


def number(text, word):
    """The whole number behind a word."""
    found = re.search(word + r" (\d+)", text)
    return int(found.group(1)) if found else 0


def help_and_command(binary, cli, out, folder, graph):
    """The shortcuts sheet, About, the report; and that the copied command does what Run does."""
    small = os.path.join(folder, "small one.halfwire")
    shutil.copy(graph, small)
    with Desktop(binary, out, [small], name="help", environment=fresh(folder, XDG_DOCUMENTS_DIR=folder)) as app:
        app.wait_item("node:train", 60)
        app.key("F1")
        app.wait_for("the keys", lambda i: i.get("shortcut:canvas.duplicate", {}).get("value") == "Ctrl+D" and i["shortcut:file.save"]["value"] == "Ctrl+S")
        app.shot("shortcuts")
        app.key("Escape")
        app.key("question")
        app.wait_item("shortcut:canvas.duplicate")
        app.key("Escape")
        app.click("menu:Help")
        app.click("menu:dtypes")
        app.wait_for("the kernels of this machine", lambda i: "sums in f32" in str(i.get("dtype:bf16", {}).get("value", "")), 30)
        app.shot("number-formats")
        app.key("Escape")
        app.click("menu:Help")
        app.click("menu:about")
        qt = app.wait_item("about:Qt")
        expect("LGPL-3.0" in qt["value"] and qt["value"][0] == "6", f"Qt's version and licence: {qt['value']}")
        app.shot("about")
        app.key("Escape")

        for node, param, value in (("train", "steps", "12"), ("mlp", "width", "16")):
            card = app.wait_item(f"node:{node}")
            app.click((card["x"] + card["width"] / 2, card["y"] + 6))
            app.click(f"param:{param}")
            app.type(value)
            app.key("Return")
            app.wait_for("typed", lambda i: i[f"param:{param}"]["text"] == value)
        app.click("menu:Run")
        app.click("menu:copyCommand")
        command = app.wait_item("toast:remedy")["text"]
        expect("'" in command and "mlp.width=16" in command and "--steps 12" in command, command)
        app.shot("command")
        app.click("paletteSearch")
        app.key("ctrl+v")
        app.wait_for("it is on the clipboard", lambda i: i["paletteSearch"]["text"] == command)
        app.key("Escape")
        app.click("run:start")
        app.wait_for("done", lambda i: i["runNumbers"]["text"].startswith("Finished"), 120)
        loss = float(app.text("runNumbers").split("loss")[1])

        app.click("menu:Help")
        app.click("menu:report")
        app.wait_item("report:weights")
        expect(not app.find("report:weights")["checked"], "weights only when ticked")
        app.shot("report")
        app.click("report:write")
        written = app.wait_for("written", lambda i: i.get("toast:remedy", {}).get("text", "") if "report:write" not in i else "")
        with zipfile.ZipFile(written) as report:
            expect(report.testzip() is None, "the zip is whole")
            found = {os.path.basename(name): report.read(name).decode() for name in report.namelist()}
        expect(sorted(found) == ["devices.txt", "graph.halfwire", "log.txt"], str(sorted(found)))
        expect(json.loads(found["graph.halfwire"])["nodes"], "the graph is inside")
        devices = found["devices.txt"]
        expect("cpu: " in devices and "vulkan: " in devices, devices)
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    os.symlink(os.path.abspath(cli), os.path.join(folder, "bin", "halfwire-cli"))
    place = os.path.join(folder, "run-here")
    os.makedirs(place)
    subprocess.run(command, shell=True, check=True, cwd=place, capture_output=True,
                   env=dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"]))
    found = []
    for where, _, names in os.walk(place):
        found += [os.path.join(where, n) for n in names if n == "report.json"]
    with open(found[0], encoding="utf-8") as text:
        report = json.load(text)
    expect(report["steps"] == 12 and abs(report["final_loss"] / loss - 1) < 1e-3, f"the command: {report['final_loss']}, the window: {loss}")


def documents(binary, out, folder, graph):
    """Tabs: each document has its own graph, undo, camera and run; the question on closing; recent files."""
    other = os.path.join(folder, "other.halfwire")
    shutil.copy(graph, other)
    home = fresh(folder)
    with Desktop(binary, out, [graph], name="documents", environment=home, folder=folder) as app:
        start_training(app)
        app.key("ctrl+n")
        app.wait_for("two tabs", lambda i: "tab:Untitled" in i and "tab:texture" in i)
        app.wait_for("the new one is empty and at rest", lambda i: "canvas:empty" in i and i["runNumbers"]["text"].startswith("Ready"))
        app.click(in_palette(app, "mlp"), repeat=2)
        app.wait_item("node:mlp")
        app.click(in_palette(app, "relu"), repeat=2)
        app.wait_item("node:relu")
        zoom = app.text("canvas:zoom")
        app.shot("tabs")
        app.key("ctrl+Tab")
        before = app.wait_for("the other graph", lambda i: "node:encoder" in i and "loss" in i["runNumbers"]["text"] and i["runNumbers"]["text"])
        expect("node:mlp_2" not in app.items(), "each has its own nodes")
        app.wait_for("its training went on and goes on", lambda i: i["runNumbers"]["text"] != before, 60)
        app.key("ctrl+shift+Tab")
        app.wait_for("back", lambda i: "node:relu" in i)
        expect(app.text("canvas:zoom") == zoom, "looked at as before")
        app.key("ctrl+z")
        app.wait_for("undone here", lambda i: "node:relu" not in i and "node:mlp" in i)

        app.key("ctrl+a", "ctrl+c")  # between documents
        app.key("ctrl+n")
        app.wait_item("canvas:empty")
        app.key("ctrl+v")
        app.wait_item("node:mlp")
        app.key("ctrl+w")
        app.wait_item("unsaved:save")
        app.key("Escape")
        app.wait_for("Esc goes back", lambda i: "unsaved:save" not in i)
        app.key("ctrl+w")
        app.click("unsaved:discard")
        app.wait_for("closed", lambda i: i.get("tab:Untitled", {}).get("checked") is not None and "unsaved:save" not in i)

        app.key("ctrl+o")
        app.wait_item("file:name")
        app.key("ctrl+a")
        app.type(other)
        app.key("Return")
        app.wait_for("opened in a tab", lambda i: i["documentTitle"]["text"] == "other" and "tab:texture" in i)
        app.shot("three")
        app.key("ctrl+w")
        app.wait_for("an unchanged one closes at once", lambda i: "tab:other" not in i)
        app.key("ctrl+q")
        for _ in range(2):  # the one that trains and the one with a node
            app.wait_item("unsaved:discard")
            app.click("unsaved:discard")
        expect(app.process.wait(PATIENCE) == 0, "asked for each, then quits")
    with Desktop(binary, out, name="recent", environment=home, folder=folder) as app:
        in_palette(app, "mlp")
        app.click("menu:File")
        app.click("menu:Open Recent")
        app.wait_for("both are remembered", lambda i: "menu:recent:other" in i and "menu:recent:texture" in i)
        app.shot("recent")
        app.click("menu:recent:other")
        app.wait_for("opened, in place of the empty one", lambda i: i["documentTitle"]["text"] == "other" and "documentTabs" not in i)


def start_training(app):
    app.wait_for("the graph is loaded", lambda i: i["documentTitle"]["text"].startswith("texture"), 60)
    app.wait_for("nothing is wrong with it", lambda i: i["status:problems"]["text"] == "No problems")
    app.key("ctrl+Return")
    app.wait_for("training", lambda i: "loss" in i["runNumbers"]["text"], 120)


def resize(app, width, height):
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Halfwire"], capture_output=True, text=True, check=True)
    app.xdotool("windowsize", found.stdout.split()[-1], width, height)


def end_in_order(app):
    app.process.terminate()
    status = app.process.wait(PATIENCE)
    expect(status == 0, f"a request to end is served in order, not with {status}: {app.output()[-2000:]}")


def storm(binary, out, folder, graph):
    """Resizes, tabs and a closed viewport while training."""
    log = os.path.join(out, "storm.vulkan.log")
    if os.path.exists(log):
        os.remove(log)
    with Desktop(binary, out, [graph], name="storm", environment=fresh(folder, HALFWIRE_VULKAN_LOG=log)) as app:
        start_training(app)
        for i in list(range(0, 30)) + list(range(30, 0, -1)):
            resize(app, 1000 + i * 16, 640 + i * 10)
            time.sleep(0.05)
        app.wait_for("the window has its last size", lambda i: i["window"]["width"] == 1016)
        app.click("close:viewportPanel")
        app.wait_for("the viewport is closed", lambda i: "viewport" not in i)
        app.click("menu:View")
        app.click("menu:panel:viewport")
        app.wait_item("viewport")
        app.key("ctrl+alt+Return")
        app.wait_for("stopped", lambda i: i["runNumbers"]["text"].startswith("Stopped"), 60)
        end_in_order(app)
    found = [m for m in validation_messages(log) if RESIZED_MEANWHILE not in m and any(kind in m for kind in ("VUID", "UNASSIGNED", "SYNC-"))]
    expect(not found, f"Vulkan validation: {found[:4]}")


def calm(binary, out, folder, graph):
    """How evenly the GUI thread runs while the graph trains and the inspector shows its tensors."""
    beat = os.path.join(out, "calm.heartbeat.json")
    if os.path.exists(beat):
        os.remove(beat)
    with Desktop(binary, out, [graph], name="calm", environment=fresh(folder, HALFWIRE_HEARTBEAT=beat, HALFWIRE_HEARTBEAT_AFTER="4")) as app:
        app.wait_item("canvas:surface", 60)
        resize(app, 1280, 800)
        start_training(app)
        node = app.wait_item("node:encoder")
        app.click((node["x"] + 8, node["y"] + 4))
        for tab, shown in (("Tensor", "stat:max"), ("Gradient", "stat:max"), ("Docs", "docs"), ("Parameters", "param:levels")):
            app.click(f"inspectorTabs:{tab}")
            app.wait_item(shown)
            time.sleep(2)
            app.shot(tab.lower())
        end_in_order(app)
    with open(beat, encoding="utf-8") as text:
        report = json.load(text)
    print(f"GUI thread while training: gaps p50 {report['gap_ms_p50']:.1f} ms, p99 {report['gap_ms_p99']:.1f} ms, "
          f"max {report['gap_ms_max']:.1f} ms; longest synchronisation {report['longest_sync_ms']:.1f} ms")
    expect(report["gap_ms_p99"] <= STALLED_GAP_MS_P99, f"the GUI thread stalls: {report}")


def refused_starts(binary, folder):
    plain = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    nowhere = os.path.join(folder, "nothing.json")
    for name, environment in (("no display", plain), ("no Vulkan", dict(os.environ, VK_DRIVER_FILES=nowhere, VK_ICD_FILENAMES=nowhere))):
        done = subprocess.run([binary], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
        expect(done.returncode == 1, f"{name}: exit status {done.returncode}")
        expect("HW-V001" in done.stderr, f"{name}: {done.stderr}")
    version = subprocess.run([binary, "--version"], env=plain, capture_output=True, text=True, timeout=PATIENCE, check=False)
    expect(version.returncode == 0 and version.stdout.startswith("halfwire "), "--version needs no display")


def main():
    options = called_with("cli", "example", description=__doc__)
    with tempfile.TemporaryDirectory() as folder:
        refused_starts(options.binary, folder)
        panel_sizes(options.binary, options.out, folder)
        look(options.binary, options.out, folder)
        files(options.binary, options.out, folder)
        graph = os.path.join(folder, "texture.halfwire")
        shutil.copy(options.example, graph)
        first_start(options.binary, options.out, folder, options.example)
        assets(options.binary, options.out, folder, options.example)
        pictures(options.binary, options.out, folder, graph)
        help_and_command(options.binary, options.cli, options.out, folder, graph)
        documents(options.binary, options.out, folder, graph)
        storm(options.binary, options.out, folder, graph)
        calm(options.binary, options.out, folder, graph)
    print("shell: done by hand, nothing in Vulkan's validation log")
    return 0


if __name__ == "__main__":
    end_with(main)
