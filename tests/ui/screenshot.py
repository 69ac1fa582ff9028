"""The picture of the README: the example after some training, one node's tensor in the inspector. Taken of the real window."""

import argparse
import os
import re
import tempfile
import time

from desktop import Desktop


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--graph", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    environment = {"HOME": home, "XDG_CONFIG_HOME": home}
    with Desktop(options.binary, home, [os.path.abspath(options.graph)], name="picture", environment=environment) as app:
        app.wait_item("node:encoder", 60)
        app.key("Home")
        app.click("run:start")
        node = app.wait_item("node:encoder")
        app.click((node["x"] + node["width"] / 2, node["y"] + 6))
        app.click("inspectorTabs:Gradient")

        def steps(items):
            found = re.search(r"step (\d+)", str(items.get("runNumbers", {}).get("text", "")))
            return int(found.group(1)) if found else 0

        app.wait_for("enough steps", lambda items: steps(items) >= options.steps, 300)
        app.move(2, 2)
        time.sleep(1.5)
        app.grab().save(options.out, optimize=True)


if __name__ == "__main__":
    main()
