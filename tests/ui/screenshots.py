"""Pictures of every panel, tab, sheet and menu of the real window, in the look and at the size that it is called with; and all of them
on one contact sheet, to be looked at. Nothing is judged."""

import argparse
import math
import os
import re
import tempfile
import time

from PIL import Image, ImageDraw

from desktop import Desktop, header, living_in

THUMBNAIL = 640  # pixels wide on a contact sheet
NAME = 20  # pixels high
INSPECTOR = ["Parameters", "Tensor", "Gradient", "Docs"]
CHECKS = ("xray", "gradients", "parity")


class Album:
    """A program whose pictures are named by what they show."""

    def __init__(self, app, look):
        self.app = app
        self.look = look
        self.pictures = []

    def take(self, what, seconds=0.6):
        time.sleep(seconds)
        file = os.path.join(self.app.out, f"{self.look}-{len(self.pictures):02d}-{what}.png")
        self.app.grab().save(file)
        self.pictures.append(file)

    def sheets(self, columns=4, rows=3):
        """Contact sheets: the pictures, small, with their names. Returns their files."""
        files = []
        for first in range(0, len(self.pictures), columns * rows):
            some = [Image.open(picture).convert("RGB") for picture in self.pictures[first : first + columns * rows]]
            height = round(THUMBNAIL * some[0].height / some[0].width) + NAME
            sheet = Image.new("RGB", (columns * THUMBNAIL, math.ceil(len(some) / columns) * height), "white")
            for place, picture in enumerate(some):
                x, y = place % columns * THUMBNAIL, place // columns * height
                sheet.paste(picture.resize((THUMBNAIL, height - NAME), Image.Resampling.LANCZOS), (x, y + NAME))
                name = os.path.basename(self.pictures[first + place])
                ImageDraw.Draw(sheet).text((x + 4, y + 4), name.removesuffix(".png"), fill="black")
            files.append(os.path.join(self.app.out, f"{self.look}-sheet-{len(files) + 1}.png"))
            sheet.save(files[-1])
        return files


def choose(app, menu, *names):
    """Through a menu, to an entry of it or of a menu in it."""
    app.click(f"menu:{menu}")
    for name in names:
        app.click(name)


def open_file(app, file):
    """In the sheet that Ctrl+O has opened."""
    app.wait_item("file:name")
    app.key("ctrl+a")
    app.type(file)
    app.key("Return")
    title = os.path.basename(file).removesuffix(".halfwire")
    app.wait_for(f"{title} is open", lambda items: f"tab:{title}" in items or title in items.get("documentTitle", {}).get("text", ""))


def play(album, examples):
    app = album.app
    app.wait_item("canvas:surface")
    album.take("empty")
    app.key("Tab")
    app.type("norm")
    album.take("search")
    app.key("Escape", "Escape")
    for menu in ("File", "Edit", "View", "Run", "Help"):
        if not app.find(f"menu:{menu}"):
            continue
        app.click(f"menu:{menu}")
        album.take(f"menu-{menu}")
        app.key("Escape")
    for key in ("shortcuts", "dtypes", "about"):
        choose(app, "Help", f"menu:{key}")
        album.take(key)
        app.key("Escape")
    app.key("ctrl+o")
    album.take("open")
    open_file(app, os.path.join(examples, "neural_texture.halfwire"))
    canvas = app.find("canvas:surface")
    app.click((canvas["x"] + canvas["width"] - 40, canvas["y"] + 40), button=3)  # no wire is there
    album.take("canvas-menu")
    app.key("Escape")
    app.key("Home")
    album.take("graph")
    choose(app, "Edit", "menu:rewrite")
    app.wait_for("every rewrite was tried", lambda items: items.get("rewrite:verdict:5", {}).get("text", "").endswith("."), 240)
    album.take("rewrite")
    app.key("Escape")
    app.click("run:start")
    app.wait_for("it trains", lambda items: re.search(r"step \d{2}", str(items.get("runNumbers", {}).get("text", ""))), 240)
    album.take("training", 2)
    app.click("run:pause")
    nodes = {name: item for name, item in app.items().items() if name.startswith("node:")}
    chosen = next((name for name in sorted(nodes) if "mlp" in name), sorted(nodes)[0])
    app.click(header(nodes[chosen]))
    for tab in INSPECTOR:
        app.click(f"inspectorTabs:{tab}")
        album.take(f"inspector-{tab}")
    app.click("inspectorTabs:Parameters")
    app.click(header(app.find(chosen)), button=3)
    album.take("node-menu")
    app.key("Escape")
    for tab in [name for name in app.items() if name.startswith(("problems:tabs:", "losses:tabs:"))]:
        app.click(tab)
        started = next((name for name in app.items() if name in {f"{check}:start" for check in CHECKS}), None)
        if started and tab.startswith("problems"):
            app.click(started)
            time.sleep(1)
            app.wait_for(f"{tab} is done", lambda items: items[started]["text"] != "Cancel", 240)
        album.take("panel-" + re.sub(r"[^a-z]+", "-", tab.split(":")[-1].lower()))
    app.key("ctrl+o")
    open_file(app, os.path.join(examples, "image_to_3d.halfwire"))
    app.key("Home")
    album.take("large-graph")
    app.key("ctrl+0")
    album.take("large-graph-near")
    group = next((name for name in sorted(app.items()) if name.startswith("enter:")), None)
    if group:
        app.click(group)
        app.key("Home")
        album.take("in-a-group")
        app.key("shift+Tab")  # where it was entered
        app.click(header(app.wait_item(f"node:{group.removeprefix('enter:')}")), button=3)
        album.take("group-menu")
        app.click("menu:describeGroup")
        album.take("describe-group")
        app.key("Escape")


def play_graphs(album, examples):
    """Each example, network and mistake as it opens."""
    album.app.wait_item("canvas:surface")
    time.sleep(1)
    for folder in ("", "networks", "mistakes"):
        place = os.path.join(examples, folder)
        for name in sorted(name for name in os.listdir(place) if name.endswith(".halfwire")):
            album.app.key("ctrl+o")
            open_file(album.app, os.path.join(place, name))
            album.take(f"{folder or 'examples'}-{name.removesuffix('.halfwire')}", 1)
            album.app.key("ctrl+w")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--theme", choices=("dark", "light"), required=True)
    parser.add_argument("--size", required=True, help="of the window in logical pixels: 1280x800")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--graphs", action="store_true", help="the graphs that come with the program, instead of the window's parts")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    look = f"{width * options.scale}x{height * options.scale}-{options.theme}" + ("-graphs" if options.graphs else "")
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    panels = {"windowWidth": width, "windowHeight": height}
    environment = living_in(home, look={"theme": options.theme}, panels=panels)
    environment["QT_SCALE_FACTOR"] = str(options.scale)
    os.makedirs(options.out, exist_ok=True)
    with Desktop(options.binary, options.out, name=look, environment=environment) as app:
        album = Album(app, look)
        try:
            (play_graphs if options.graphs else play)(album, os.path.abspath(options.examples))
        finally:
            print("\n".join(album.sheets()))


if __name__ == "__main__":
    main()
