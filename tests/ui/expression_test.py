"""An expression by hand: open the rotation, mistype its source and read where and why while typing, mend it, give the node more outputs,
see the Jacobian of a sample. Keeps its screenshots in the output folder."""

import os
import shutil
import sys
import tempfile

from desktop import Desktop, called_with, expect, living_in


def main():
    options = called_with("examples")
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    path = os.path.join(home, "rotation.halfwire")
    shutil.copyfile(os.path.join(options.examples, "rotation.halfwire"), path)
    environment = living_in(home)

    with Desktop(options.binary, options.out, [path], environment=environment, folder=home) as app:
        app.wait_for("nothing is wrong", lambda i: i.get("status:problems", {}).get("text") == "No problems", 60)
        card = app.wait_item("node:turn")
        app.click((card["x"] + card["width"] / 2, card["y"] + 12))
        box = app.wait_item("param:source")
        expect(box["height"] > 60, f"the editor has several lines: {box['height']}")
        expect("param:source:mark" not in app.items(), "nothing is underlined")
        app.shot("source")

        app.click("param:source")
        app.key("ctrl+End")
        app.type(";")
        app.key("Return")
        app.type("z = normalise(y)")
        app.wait_for("the mistake is named while it is typed",
                     lambda i: "Line 5, column 5: there is no function" in i.get("param:source:error", {}).get("text", ""), 5)
        expect("normalize" in app.text("param:source:error"), "and what was meant")
        app.wait_item("param:source:mark", 5)
        expect(app.text("status:problems") == "No problems", "nothing is committed yet")
        app.shot("mistake")
        for _ in range(len("se(y)")):
            app.key("BackSpace")
        app.type("ze(y); w = y.x")
        app.wait_for("it is right again", lambda i: "param:source:error" not in i, 5)
        app.key("ctrl+Return")
        app.wait_for("the card has the new outputs", lambda i: i["node:turn"]["height"] > card["height"] + 10, 5)
        expect(app.text("status:problems") == "No problems", "and nothing is wrong")
        app.shot("output")

        app.click("jacobian:start")
        app.wait_for("tables of derivatives", lambda i: "jacobian:block:1" in i, 20)
        app.shot("jacobian")
        app.click((card["x"] + card["width"] / 2, card["y"] + 12))
        app.key("ctrl+z")
        app.wait_for("undone", lambda i: i["node:turn"]["height"] < card["height"] + 5, 5)
        expect("jacobian:block:0" not in app.items(), "a table of another graph is gone")
        expect("qml" not in app.output().lower(), f"QML is content: {app.output()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
