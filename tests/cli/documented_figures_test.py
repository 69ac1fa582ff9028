"""Every figure that README and guide give as measured or as a limit comes from here: each is found in its sentence and held against
the program, by a run, by its examples or by the constant that sets it. Those that depend on the machine, or on data that does not come
with the program, are listed as such. A figure that is in neither list fails. --mnist FOLDER also measures what is said of MNIST."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
README, GUIDE = "README.md", "resources/guide/"
UNITS = (r"times|s|ms|MB|GB|MiB|dB|steps?|seconds?|minutes?|hours?|elements?|entries|characters?|pixels?|texels?|points|samples?|digits|"
         r"looks?|deep|threads|m|blocks")
NUMBER = r"(?<![\w.,/−-])[0-9][0-9.,]*(?: × [0-9]+)?"
SPELLED = (r"\b(?:half an hour|a minute and a half|a third|a tenth|twice|not half|half of what|a percent or two|within a second|half-metre|"
           r"two decades|(?:two|three|four|five|six) \w+ blocks)\b")
FIGURE = re.compile(rf"{NUMBER}[  -]?(?:(?:{UNITS})\b|%)|{SPELLED}")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as text:
        return text.read()


def prose(path):
    """The text of a document with code blanked out, of the same length."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r"```.*?```", blank, read(path), flags=re.S)
    if path != README:  # there a list goes on with four spaces
        text = re.sub(r"^    .*$", blank, text, flags=re.M)
    return re.sub(r"`[^`]*`", blank, text)


class Program:
    """The command line, its examples and its source: what a figure is held against. Each method returns texts of figures."""

    def __init__(self, options, folder):
        self.cli, self.folder, self.mnist = os.path.abspath(options.cli), folder, options.mnist

    def example(self, name):
        return os.path.join(ROOT, "resources", "examples", name + ".halfwire")

    def says(self, pattern, *words):
        """What a pattern finds in the output of a command."""
        done = subprocess.run([self.cli, *words], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        found = re.search(pattern, done.stdout)
        assert done.returncode == 0 and found, f"{words}: {done.stdout}"
        return found.groups()

    def constant(self, path, pattern):
        """What a pattern finds in a source file."""
        found = re.search(pattern, read(path))
        assert found, f"{path}: no {pattern}"
        return found.groups()

    def nodes(self, name, kind):
        """How many nodes of a type an example has, groups inside."""
        graph = json.loads(read(f"resources/examples/{name}.halfwire"))
        lists = [graph["nodes"]] + [group["nodes"] for group in graph.get("subgraphs", {}).values()]
        return sum(node["type"] == kind for nodes in lists for node in nodes)

    def shortcuts(self, *words):
        """`mistakes/shortcuts` on MNIST: (output of train, gradients by name)."""
        out = os.path.join(self.folder, "shortcuts")
        said = self.says(r"(?s)(.*)", "train", self.example("mistakes/shortcuts"), "--set", f"data.path={os.path.abspath(self.mnist)}",
                         "--out", out, *words)
        return said[0], out


SMALL = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def grouped(digits):
    """A number of C++ as the guide writes it."""
    return digits.replace("'", ",")


def mean_of_20(program):
    return program.says(r"mean of the last ([0-9]+) training steps", "train", program.example("sine"), "--steps", "25")


def accuracies(program):
    found = {"with": [], "without": []}
    for seed in (1, 2, 3):
        text, _ = program.shortcuts("--set", f"train.seed={seed}")
        for network, values in found.items():
            values.append(100 * float(re.search(rf"accuracy_{network} ([0-9.]+)", text).group(1)))
    return found


def growth(program):
    """Norms of the first block's gradients over the last one's, at the first step: without, with."""
    _, out = program.shortcuts("--steps", "1", "--instruments")
    with open(os.path.join(out, "gradients.csv"), encoding="utf-8") as table:
        cells = [line.split(",") for line in table]
    norms = {row[1]: float(row[4]) for row in cells if row[0] == "1" and row[2] == "weight"}
    return tuple(f"{norms[n + '/block_1_1/conv_1'] / norms[n + '/block_5_4/conv_1']:.2g}" if n == "with" else
                 f"{norms[n + '/block_1_1/conv_1'] / norms[n + '/block_5_4/conv_1']:.0f}" for n in ("without", "with"))


def measured_on_mnist(program):
    without_growth, with_growth = growth(program)
    found = accuracies(program)
    ends = [f"{round(f(found[n]))}" for n in ("without", "with") for f in (min, max)]
    return (without_growth, with_growth, *ends)


# (document, sentence, what its figures must be: a function of the program that returns the texts of the sentence's groups).
CLAIMS = [
    (README, r"from ([0-9]+) % zoom on", lambda p: (f"{float(p.constant('qml/canvas/NodeCanvas.qml', r'readable: camera.zoom >= ([0-9.]+)')[0]) * 100:.0f}",)),
    (README, r"Unsaved edits are kept within (a second)",
     lambda p: ({1000: "a second"}[int(p.constant("app/document/autosave.h", r"kKeepMs = ([0-9]+)")[0])],)),
    (README, r"\((\w+) transformer blocks, the vectors", lambda p: (next(w for w, n in SMALL.items() if n == p.nodes("language_model", "group:transformer_block")),)),
    (README, r"Dropout, (\w+) transformer blocks\)", lambda p: (next(w for w, n in SMALL.items() if n == p.nodes("image_to_3d", "group:transformer_block")),)),
    (README, r"at most ([0-9]+) different characters",
     lambda p: (str(next(n["params"]["classes"] for n in json.loads(read("resources/examples/language_model.halfwire"))["nodes"] if n["id"] == "data")),)),
    (GUIDE + "figures.md", r"textured mesh of up to ([0-9,]+) texels, and no cuts it",
     lambda p: (grouped(p.constant("app/workspace/compare_texture.h", r"kMostTexels = ([0-9']+)")[0]),)),
    (GUIDE + "figures.md", r"or at ([0-9,]+) points of the surface",
     lambda p: (grouped(p.constant("app/workspace/compare_texture.cpp", r"kSurfacePoints = ([0-9']+)")[0]),)),
    (GUIDE + "figures.md", r"mean of the training losses of the last ([0-9]+) steps", mean_of_20),
    (GUIDE + "figures.md", r"loss: the mean of the last ([0-9]+) steps; held out",
     lambda p: p.constant("engine/precision/precision_trial.cpp", r"kAveraged = ([0-9]+)")),
    (GUIDE + "terminal.md", r"mean training loss is over its last ([0-9]+) steps", mean_of_20),
    (GUIDE + "figures.md", r"at most ([0-9]+) % of the processor time of the steps, by their own",
     lambda p: (f"{float(p.constant('engine/instrument/instrument_pace.h', r'budget = ([0-9.]+)')[0]) * 100:.0f}",)),
    (GUIDE + "figures.md", r"Below ([0-9.]+) % the count itself is shown",
     lambda p: (f"{float(p.constant('engine/instrument/instrument_report.cpp', r'share < ([0-9e.-]+)[)] return .< 0.01 %')[0]) * 100:g}",)),
    (GUIDE + "figures.md", r"(?:exact|sampled [|] of) up to ([0-9,]+) (?:elements|weights)", lambda p: (f"{int(p.constant('engine/backend/value_probe.h', r'kSamples = ([0-9]+)')[0]):,}",)),
    (GUIDE + "figures.md", r"the last ([0-9]+) looks", lambda p: p.constant("engine/instrument/gradient_paths.h", r"kLooks = ([0-9]+)")),
    (GUIDE + "figures.md", r"of a picture at most ([0-9]+) pixels a side", lambda p: p.constant("app/models/previews/preview.cpp", r"kSide = ([0-9]+)")),
    (GUIDE + "figures.md", r"a field its values at ([0-9]+) × ([0-9]+) points", lambda p: 2 * p.constant("app/models/previews/node_previews.cpp", r"kFieldSide = ([0-9]+)")),
    (GUIDE + "figures.md", r"From ([0-9]+) % on the line below", lambda p: (f"{float(p.constant('qml/canvas/NodeCanvas.qml', r'readable: camera.zoom >= ([0-9.]+)')[0]) * 100:.0f}",)),
    (GUIDE + "figures.md", r"tensors of up to ([0-9]+) elements one by one", lambda p: p.constant("engine/gradient/grad_check.h", r"all_up_to = ([0-9]+)")),
    (GUIDE + "figures.md", r"for each op at ([0-9]+), ([0-9]+), ([0-9]+) and ([0-9]+) threads",
     lambda p: tuple(p.constant("engine/compare/determinism.h", r"threads = [{]([0-9, ]+)[}]")[0].split(", "))),
    (GUIDE + "files.md", r"up to ([0-9]+) deep", lambda p: p.constant("engine/graph/check_groups.h", r"kMostGroupDepth = ([0-9]+)")),
    (GUIDE + "files.md", r"lies more than ([0-9]+) times its size", lambda p: p.constant("engine/core/mesh_origin.cpp", r"kFar = ([0-9]+)")),
    (GUIDE + "files.md", r"In f32 a point ([0-9,.]+) m off would have (half-metre) steps",
     lambda p: ("6,280,752.8", {0.5: "half-metre"}[float(np.spacing(np.float32(6280752.8)))])),
]
ON_MNIST = (README, r"grow ([0-9]+) times towards the input, of the other ([0-9.]+) times; after 300 steps they read ([0-9]+) to ([0-9]+) % and ([0-9]+) to\s+([0-9]+) %",
            measured_on_mnist)
# What no run here can show, and why.
ELSEWHERE = [
    (README, r"first build\s+takes half an hour on two cores", "the machine"),
    (README, r"about a minute and a half on two cores", "the machine"),
    (README, r"On MNIST \(10,000 digits to learn from\).*?10,000 test digits", "MNIST: --mnist"),
    (GUIDE + "figures.md", r"with it about 3 % are measured", "the machine: scripts/bench instruments"),
    (GUIDE + "figures.md", r"112 of 197 steps looked at; looking took 1\.9 %", "an example of a line"),
    (GUIDE + "figures.md", r"“looking took 1\.9 % of the processor time of the steps”", "an example of a line"),
    (GUIDE + "figures.md", r"a tenth of the time at most", "the machine: live_latency"),
    (GUIDE + "figures.md", r"half the width of about 95 % of", "a definition"),
    (GUIDE + "figures.md", r"100 %: a card as large as the program draws it", "a definition"),
    (GUIDE + "figures.md", r"allowed: twice that before", "a definition"),
    (GUIDE + "terminal.md", r"within twice the graph's own rounding error", "a definition"),
    (GUIDE + "terminal.md", r"used twice has its weights once", "no figure"),
    (GUIDE + "terminal.md", r"a percent or two of a small loss", "the seed"),
    (GUIDE + "terminal.md", r"costs about 1 % of a step", "the machine: scripts/bench strict"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--mnist", help="a folder with the four IDX files, of which train-* has 10,000 digits")
    options = parser.parse_args()
    texts = {path: prose(path) for path in [README] + [GUIDE + f for f in os.listdir(os.path.join(ROOT, GUIDE)) if f.endswith(".md")]}
    wrong, covered, checked = [], {path: [] for path in texts}, 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options, folder)
        for path, sentence, figures in CLAIMS + ([ON_MNIST] if options.mnist else []):
            found = list(re.finditer(sentence.replace(" ", r"\s+"), texts[path], re.S))
            covered[path] += [match.span() for match in found]
            if not found:
                wrong.append(f"{path}: says nothing like “{sentence}” any more")
                continue
            want = tuple(figures(program))
            for match in found:
                checked += 1
                if match.groups() != want:
                    wrong.append(f"{path}: “{match.group()}” – it is {want}")
    for path, sentence, _ in ELSEWHERE:
        found = list(re.finditer(sentence.replace(" ", r"\s+"), texts[path], re.S))
        covered[path] += [match.span() for match in found]
        if not found:
            wrong.append(f"{path}: says nothing like “{sentence}” any more")
    for path, text in texts.items():
        for match in FIGURE.finditer(text):
            if not any(begin < match.end() and match.start() < end for begin, end in covered[path]):
                about = " ".join(text[max(0, match.start() - 50):match.end() + 30].split())
                wrong.append(f"{path}: “{match.group()}” is held against nothing: …{about}…")
    print("\n".join(wrong) or f"{checked} figures are as documented; {len(ELSEWHERE)} depend on machine or data")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
