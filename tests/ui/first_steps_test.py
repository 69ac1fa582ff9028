"""The first graph of somebody new, by hand: a network that learns a picture, from an empty canvas, in a few actions. It trains, and the
loss falls. Keeps its screenshots in the output folder."""

import os
import re
import tempfile

from PIL import Image

from desktop import Desktop, called_with, end_with, expect, living_in

MOST = 14
LOSS = re.compile(r"loss\s+([0-9.]+(?:e[-+]?[0-9]+)?)")


class Hands(Desktop):
    """Counts: an action is a gesture of the mouse, a typed text with its Enter, or a shortcut."""

    def act(self, what, *hands):
        self.done = getattr(self, "done", []) + [what]
        for hand in hands:
            hand()
        print(f"{len(self.done):3}. {what}")

    def enter(self, text, key="Return"):
        self.type(text)
        self.key(key)

    def add(self, text, goes_on=False):
        self.wait_item("search:field")
        self.act(f"type “{text}”, {'Shift+' if goes_on else ''}Enter", lambda: self.enter(text, "shift+Return" if goes_on else "Return"))

    def offers(self):
        """What the search lists, from above."""
        items = [i for n, i in self.items().items() if n.startswith("search:item:")]
        return [i["name"][12:] for i in sorted(items, key=lambda i: i["y"])]


def picture(folder):
    path = os.path.join(folder, "picture.png")
    Image.radial_gradient("L").convert("RGB").resize((64, 64)).save(path)
    return path


def first_steps(app, path):
    canvas = app.wait_item("canvas:surface")
    app.move(canvas["x"] + 60, canvas["y"] + 60)
    app.act("Tab", lambda: app.key("Tab"))
    app.add("image", True)
    app.wait_item("node:image_source")
    app.add("image sampler", True)
    app.add("hash grid")
    app.wait_item("node:hash_grid")
    app.shot("a chain")
    graph = app.items()
    socket, card = graph["socket:hash_grid:out:features"], graph["node:hash_grid"]
    x, y = socket["x"] + socket["width"] / 2, socket["y"] + socket["height"] / 2
    app.act("pull a wire from Features to the empty canvas", lambda: app.drag((x, y), (x + card["width"] / 2, y + card["height"] / 2)))
    app.wait_item("search:field")
    app.type("mlp")
    first = app.wait_for("an MLP through a Cast is offered", lambda i: i.get("search:item:mlp"))
    expect(app.offers()[0] == "mlp" and "via Cast to f32" in str(first), f"it is the first: {app.offers()}, {first}")
    app.shot("via cast")
    app.act("Shift+Enter takes “MLP via Cast to f32”", lambda: app.key("shift+Return"))
    app.wait_for("both are placed", lambda i: i.get("node:cast") and i.get("node:mlp"))
    app.wait_item("search:field")
    app.type("loss")
    app.wait_item("search:item:mse")
    expect(app.offers()[0] == "mse", f"“loss” offers MSE first: {app.offers()}")
    app.shot("loss")
    app.act("Shift+Enter takes “MSE”", lambda: app.key("shift+Return"))
    app.add("train")
    app.wait_item("node:train")
    app.shot("chained")

    def remedy(items, words):
        return next((n for n, i in items.items() if n.startswith("problem:") and ":remedy:" in n and words in i.get("text", "")), None)

    name = app.wait_for("the target wants a wire", lambda i: remedy(i, "Wire an output"))
    app.act("click “Wire an output into it”", lambda: app.click(name))
    app.wait_item("search:field")
    expect(app.offers()[0] == "image_sampler:color", f"the sampler's colour is offered first: {app.offers()}")
    app.shot("outputs")
    app.act("Enter takes “Image Sampler › Colour”", lambda: app.key("Return"))

    name = app.wait_for("the picture wants a file", lambda i: remedy(i, "Choose a File"))
    app.act("click “Choose a File…”", lambda: app.click(name))
    app.wait_item("file:name")
    app.act("type the path, Enter", lambda: app.enter(path))
    app.wait_for("nothing is wrong", lambda i: i["status:problems"]["text"] == "No problems", 20)
    app.act("Ctrl+Enter", lambda: app.key("ctrl+Return"))
    app.shot("running")

    def loss(items):
        found = LOSS.search(str(items.get("runNumbers", {}).get("text", "")))
        return float(found.group(1)) if found else None

    first = app.wait_for("it trains", loss, 60)
    app.wait_for(f"the loss falls, from {first}", lambda i: loss(i) is not None and loss(i) < first / 2, 120)
    app.shot("learned")
    print(f"first steps: {len(app.done)} actions, at most {MOST}; the loss fell from {first} to {loss(app.items())}")
    expect(len(app.done) <= MOST, f"{len(app.done)} actions")


def main():
    options = called_with(description=__doc__)
    with tempfile.TemporaryDirectory() as folder:
        with Hands(options.binary, options.out, name="first_steps", environment=living_in(folder)) as app:
            first_steps(app, picture(folder))
    return 0


if __name__ == "__main__":
    end_with(main)
