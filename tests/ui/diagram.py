"""The README's picture of frames and groups: the first view of an example, taken of the real window."""

import argparse
import os
import subprocess
import tempfile
import time

from desktop import Desktop, living_in


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--graph", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--size", type=int, nargs=2, default=[1600, 1000])
    options = parser.parse_args()
    home = tempfile.mkdtemp(prefix="halfwire-ui-")
    with Desktop(options.binary, home, [os.path.abspath(options.graph)], name="diagram", environment=living_in(home)) as app:
        app.wait_for("the graph is open", lambda items: any(name.startswith("frame:") for name in items), 60)
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(app.process.pid)], check=True, capture_output=True, text=True)
        window = found.stdout.split()[-1]
        app.xdotool("windowmove", window, 0, 0)
        app.xdotool("windowsize", window, *options.size)
        app.wait_for("the window is as large", lambda items: items["canvas:surface"]["width"] > options.size[0] / 2, 20)
        app.move(2, 2)
        time.sleep(2)
        app.grab().save(options.out, optimize=True)


if __name__ == "__main__":
    main()
