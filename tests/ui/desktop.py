"""Drives the real program through the X server: mouse and keys by xdotool (XTest), positions and texts from the program's own
accessibility dump (HALFWIRE_UI_DUMP), pictures of the screen by Pillow."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from PIL import ImageGrab

from window_figures import window_figures


PATIENCE = 120  # seconds until a wait gives up, at least: it ends as soon as it may, and a busy machine is no fault of the program


# What Qt does with its device and its swapchain, which layers newer than it complain of, as of a size that the window had a moment ago:
# nothing of ours makes either.
QT_ITSELF = ("VUID-vkCreateDevice-ppEnabledExtensionNames-01387", "vkCreateSwapchainKHR", "vkAcquireNextImageKHR", "vkQueuePresentKHR")


def validation_messages(log):
    """What the Vulkan validation layer wrote to this file, a text for each message, but for those of what Qt does itself."""
    expect(os.path.exists(log), f"the validation layer wrote its log: {log}")
    with open(log, encoding="utf-8", errors="replace") as text:
        messages = re.split(r"^(?=Validation |VUID-|UNASSIGNED|SYNC-)", text.read(), flags=re.M)
    return [m.strip() for m in messages if m.strip() and not any(words in m for words in QT_ITSELF)]


class GrantedTime:
    """Seconds that a process had: real time, less the share in which its threads were ready and waited for a processor. (Linux, schedstat.)"""

    def __init__(self, pid):
        self.tasks = f"/proc/{pid}/task"
        self.threads = {}
        self.read()
        self.granted = 0.0

    def read(self):
        """(Nanoseconds that its threads ran, that they waited), since the last call."""
        ran = waited = 0
        now = {}
        for thread in os.listdir(self.tasks) if os.path.isdir(self.tasks) else []:
            try:
                with open(os.path.join(self.tasks, thread, "schedstat"), encoding="ascii") as text:
                    now[thread] = [int(word) for word in text.read().split()[:2]]
            except OSError:
                continue  # it ended, or this system keeps no such account
            before = self.threads.get(thread, (0, 0))
            ran += now[thread][0] - before[0]
            waited += now[thread][1] - before[1]
        self.threads, self.at = now, time.monotonic()
        return ran, waited

    def seconds(self):
        """Since it was made. To be asked often: the share is that since the last call."""
        before = self.at
        ran, waited = self.read()
        self.granted += (self.at - before) * (ran / (ran + waited) if ran + waited > 0 else 1)
        return self.granted


class Failure(AssertionError):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


def settled(folder, **sections):
    """A settings folder of someone who has used the program: no example opens by itself. `sections`: more settings, as look={"theme":
    "light"}. Returns the environment that names it."""
    os.makedirs(os.path.join(folder, "Halfwire"), exist_ok=True)
    with open(os.path.join(folder, "Halfwire", "Halfwire.conf"), "w", encoding="utf-8") as settings:
        for section, values in {"start": {"seen": "true"}, **sections}.items():
            settings.write(f"[{section}]\n" + "".join(f"{key}={value}\n" for key, value in values.items()) + "\n")
    return {"XDG_CONFIG_HOME": folder}


def living_in(home, config="config", **sections):
    """The environment of someone who has used the program, at home in this folder, with the settings in `config` there."""
    return {"HOME": home, **settled(os.path.join(home, config), **sections), "XDG_DATA_HOME": os.path.join(home, "data")}


def fresh(folder, **more):
    """Settings of their own for each program, in this folder: panels begin where they are by default."""
    return dict(settled(tempfile.mkdtemp(dir=folder)), QML_DISABLE_DISK_CACHE="1", **more)


def called_with(*files, description=None, **defaults):
    """What a test is called with: --binary, --out and these, and options that have defaults. --out begins as an empty folder."""
    parser = argparse.ArgumentParser(description=description)
    for name in ("binary", "out", *files):
        parser.add_argument(f"--{name}", required=True)
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", default=default)
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(options.out, exist_ok=True)
    return options


def end_with(main):
    """Ends the program with what the test returns; a Failure is reported in one line."""
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)


def header(card):
    """Where a hand takes a card."""
    return card["x"] + card["width"] / 3, card["y"] + 12


class Desktop:
    """One running program on the display in $DISPLAY. Use as a context manager."""

    def __init__(self, binary, out, arguments=(), name="app", environment=None, folder=None, recovers=False):
        out = os.path.abspath(out)
        os.makedirs(out, exist_ok=True)
        self.out = out
        self.name = name
        self.dump_path = os.path.join(out, f"{name}.dump.json")
        self.shots = 0
        self.figures = window_figures()
        env = dict(os.environ, HALFWIRE_UI_DUMP=self.dump_path, **(environment or {}))
        for variable, place in (("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")):
            if not environment or not {"HOME", variable} & environment.keys():
                env[variable] = os.path.join(out, place)  # nothing of who runs the test
        data = env.get("XDG_DATA_HOME") or os.path.join(env["HOME"], ".local", "share")
        if not recovers:  # changes that an earlier program left would open too
            shutil.rmtree(os.path.join(data, "Halfwire", "Halfwire", "recovery"), ignore_errors=True)
        self.log = open(os.path.join(out, f"{name}.log"), "w+")
        self.process = subprocess.Popen([os.path.abspath(binary), *arguments], env=env, cwd=folder, stdout=self.log, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            try:
                self.shot("failed")
            except OSError:
                pass
        asked = self.process.poll() is None
        if asked:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        said = self.output()
        self.log.close()
        if kind is None:
            killed = not asked and self.process.returncode == -signal.SIGKILL
            expect(killed or self.process.returncode == 0, f"it ended with {self.process.returncode}: {said[-2000:]}")
            expect("Sanitizer:" not in said and "runtime error:" not in said, f"a sanitizer reports: {said[-8000:]}")
            expect(not self.figures.wrong, "figures: " + "; ".join(sorted(self.figures.wrong)))

    # ---- looking

    def items(self):
        """All visible named items, by name. A name that occurs twice keeps the first. The numbers of all texts, and of tips, must be
        those that the guide lists."""
        request = self.dump_path + ".request"
        before = os.stat(self.dump_path).st_mtime_ns if os.path.exists(self.dump_path) else 0
        open(request, "w").close()
        had = GrantedTime(self.process.pid)
        while had.seconds() < PATIENCE:
            if self.process.poll() is not None:
                raise Failure(f"the program ended with {self.process.returncode}: {self.output()}")
            if os.path.exists(self.dump_path) and os.stat(self.dump_path).st_mtime_ns != before:
                with open(self.dump_path, encoding="utf-8") as dump:
                    listed = json.load(dump)
                found = {}
                for item in listed:
                    self.figures.see(item["name"] or item["within"] + "/", str(item.get("text", "")), item.get("tip", ""))
                    if item["name"]:
                        found.setdefault(item["name"], item)
                return found
            time.sleep(0.03)
        raise Failure(f"the program wrote no dump within {PATIENCE} s")

    def find(self, name):
        return self.items().get(name)

    def text(self, name):
        item = self.find(name)
        return str(item.get("text") or item.get("value") or "") if item else ""

    def wait_for(self, what, condition, seconds=PATIENCE):
        """Polls until condition(items) is true; returns its value. An item that the condition asks for and that is not on the screen
        yet is waited for. Gives up after `seconds` that the program had, and not before PATIENCE."""
        seconds = max(seconds, PATIENCE)
        had = GrantedTime(self.process.pid)
        while True:
            missing = ""
            try:
                value = condition(self.items())
            except KeyError as absent:
                value, missing = None, f": {absent} is not on the screen"
            if value:
                return value
            if had.seconds() > seconds:
                raise Failure(f"not within {seconds} s: {what}{missing}")
            time.sleep(0.02)

    def wait_item(self, name, seconds=PATIENCE):
        return self.wait_for(f"{name} is on the screen", lambda items: items.get(name), seconds)

    def at_rest(self, name):
        """An item once it rests: where a sheet, a panel or the window still moves, the mouse would miss it."""
        last = None

        def rests(items):
            nonlocal last
            before, last = last, items.get(name)
            return last and before and all(before[key] == last[key] for key in ("x", "y", "width", "height")) and last

        return self.wait_for(f"{name} is on the screen, at rest", rests)

    def centre(self, name):
        item = self.at_rest(name)
        return item["x"] + item["width"] / 2, item["y"] + item["height"] / 2

    def grab(self, item=None):
        """The screen, or the rectangle of an item, as a Pillow image."""
        box = None
        if item:
            box = tuple(int(round(v)) for v in (item["x"], item["y"], item["x"] + item["width"], item["y"] + item["height"]))
        return ImageGrab.grab(bbox=box, xdisplay=os.environ["DISPLAY"])

    def still(self, item):
        """The rectangle of an item once it is painted: two pictures after each other are the same."""
        last = None

        def painted(_):
            nonlocal last
            before, last = last, self.grab(item)
            return before and before.tobytes() == last.tobytes() and last

        return self.wait_for("it is painted", painted)

    def shot(self, label):
        self.shots += 1
        self.grab().save(os.path.join(self.out, f"{self.name}-{self.shots:02d}-{label}.png"))

    def output(self):
        self.log.flush()
        with open(self.log.name, encoding="utf-8", errors="replace") as text:
            return text.read()

    # ---- hands

    @staticmethod
    def xdotool(*arguments):
        subprocess.run(["xdotool", *map(str, arguments)], check=True)

    def move(self, x, y):
        self.xdotool("mousemove", round(x), round(y))  # --sync waits 15 s where the mouse is there already
        time.sleep(0.03)

    def click(self, where, button=1, repeat=1):
        """`where`: an item's name or (x, y)."""
        x, y = self.centre(where) if isinstance(where, str) else where
        self.move(x, y)
        self.xdotool("click", "--repeat", repeat, "--delay", 60, button)
        time.sleep(0.15)

    def drag(self, start, end, steps=12):
        start = self.centre(start) if isinstance(start, str) else start
        end = self.centre(end) if isinstance(end, str) else end
        self.move(*start)
        self.xdotool("mousedown", 1)
        for i in range(1, steps + 1):
            self.move(start[0] + (end[0] - start[0]) * i / steps, start[1] + (end[1] - start[1]) * i / steps)
        time.sleep(0.1)
        self.xdotool("mouseup", 1)
        time.sleep(0.2)

    def wheel(self, button, times, where):
        """Turns the wheel: button 4 is up, 5 down. A list glides on for a moment, in which Qt takes a press as "stop": waits until nothing
        has moved for as long."""
        self.move(*where)
        self.xdotool("click", "--repeat", times, "--delay", 15, button)
        last, since = None, 0

        def rests(items):
            nonlocal last, since
            places = {name: (item["x"], item["y"]) for name, item in items.items()}
            if places != last:
                last, since = places, time.monotonic()
            return time.monotonic() - since > 0.7

        self.wait_for("nothing moves", rests)

    def key(self, *keys):
        for key in keys:
            self.xdotool("key", key)
            time.sleep(0.1)

    def type(self, text):
        self.xdotool("type", "--delay", 15, "--", text)
        time.sleep(0.1)


class Editor(Desktop):
    """One running program with one graph file open."""

    def __init__(self, binary, out, path, **more):
        super().__init__(binary, out, [path], **more)
        self.path = path

    def choose(self, *nodes):
        """Selects these nodes by their headers."""
        for count, node in enumerate(nodes):
            if count:
                self.xdotool("keydown", "shift")
            self.click(header(self.wait_item(f"node:{node}")))
            if count:
                self.xdotool("keyup", "shift")

    def shows(self, *nodes):
        """Waits until these cards, and no others, are on the canvas."""
        self.wait_for(f"{nodes} are on the canvas", lambda i: sorted(n[5:] for n in i if n.startswith("node:") and n != "node:device") == sorted(nodes), 10)

    def empty(self):
        """A place of the canvas where nothing is, at its bottom."""
        canvas = self.find("canvas:surface")
        return canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] - 24

    def saved(self):
        """The file, once it is what the canvas shows."""
        self.key("ctrl+s")
        self.wait_for("saved", lambda i: not i["documentTitle"]["text"].endswith("•"), 10)
        with open(self.path, encoding="utf-8") as text:
            return json.load(text)

    def node(self, name):
        return next(node for node in self.saved()["nodes"] if node["id"] == name)
