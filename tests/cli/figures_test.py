"""Every number that the commands print, and every name of a number in their JSON and CSV, is listed in resources/guide/figures.md; and
every number of that list is shown by a command or in the window."""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ui"))
from digits import write_digits  # noqa: E402
from figures import Figures, tables  # noqa: E402
import window_figures  # noqa: E402

DTYPE = r"(f64|f32|tf32|f16|bf16|f8e4m3|f8e5m2)"
NUMBER = r"[-−+]?[0-9][0-9.]*(?:e[-+]?[0-9]+)?"
TYPES = "problems, dtypes, shapes on wires"
LOOKS = ("zeros, subnormal, saturated", "underflow, overflow", "Inf, NaN", "magnitudes, headroom")
MODEL = "triangles without area, nodes, instances, materials, unit"
LOSSES, TIMES, BYTES = "loss, held-out loss of two precisions", "time of two precisions", "bytes of two precisions"
PRECISION = r"what-if|plan-precision"
CLAIMS = [
    (r".*", r"(warning|hint): .*(takes about|this machine has).*", "memory, before it runs"),
    (r".*", r"(warning|hint): .*texels on the surface.*", "detail: texels on the surface"),
    (r".*", r"((error|warning|hint): |HW-).*", TYPES),
    (r".*", r"note: .*"),
    (r"train|compare-runs", r"\S+: [^=]*\.(csv|png|safetensors|json)( \(.* [KM]?i?B\))?", "size of the optimiser's state"),
    (r"devices", r" +.* of memory, .* free", "memory of a GPU"),
    (r"devices", r"(cpu|ref|(cuda|vulkan)(:\d+)?) .*|  +products in .*"),
    (r"dtypes", r"(dtype|\w+ +[0-9]+) .*", "range and precision of a dtype"),
    (r"matrix", rf"{DTYPE} .*| +{DTYPE}.*|  {DTYPE} × .*", TYPES),
    (r"nodes", r"\w+ +[A-Z].*"),
    (r"validate", r".*: [0-9]+ nodes, [0-9]+ links, [0-9]+ errors?", "nodes, links, errors"),
    (r"validate", r"(group \S+: )?(at least )?[0-9]+ trainable parameters( and [0-9]+ frozen)?, .*", "trainable parameters, of the graph and of each group"),
    (r"validate", r"training takes about .* of memory: .*", "memory, before it runs"),
    (r"train", r"[0-9]+ steps? in .* s, .* samples/s over the run", "step", "seconds", "samples/s"),
    (r"train", r"mean training loss .*: mean of the last [0-9]+ training steps?", "mean training loss, mean loss"),
    (r"train", r"PSNR .* dB: of the training loss, .*, peak .*", "PSNR of the training loss"),
    (r"train", r"PSNR .* dB: the Image View's field against its picture, .*", "PSNR of a field"),
    (r"train", r"accuracy [0-9.]+: over all .*", "test metrics, such as accuracy"),
    (r"train", r"(validation|test) loss .*: over all .*", "loss on a split"),
    (r"train", r"best validation loss .*", "best step", "loss on a split"),
    (r"train", r"loss scale .*", "loss scale, steps left out"),
    (r"train", r"(between devices|  \S+): .* ms.*", "bytes between devices", "time between devices"),
    (r"train", r"instruments: [0-9]+ of [0-9]+ steps? looked at; (looking took|too few to tell what looking took).*", "steps looked at, time of looking"),
    (r"train", r"Gradient (is exactly 0|holds Inf or NaN) .*", "“is exactly 0”, “holds Inf or NaN”"),
    (r"train", r"Gradient (vanishes|explodes) .*|Weights of .* (barely move|change by).*", "“vanishes”, “explodes”, “change by”, “barely move”"),
    (r"train", r"Updates of .* are lost.*", "“updates are lost”"),
    (r"train", rf"(\S+ +{DTYPE} +[-0-9<]|Every element|Inf, NaN: |  \S+: ).*", *LOOKS),
    (r"train", r"first bad value: .*|  (from |magnitudes |  step ).*|  \w+\[.*\], made by .*", "first Inf or NaN"),
    (r"compare-runs", r"\S+ +[0-9]+ +.*", "steps, mean loss, PSNR, loss scale, skipped", "seconds, samples/s"),
    (r"compare-runs", r"\S+: mean loss: mean of the last [0-9]+ .*", "mean training loss, mean loss"),
    (PRECISION, r" *(\S+ computes in|cast\S* from|The optimiser keeps|plan: |no change: ).*", TYPES),
    (PRECISION, r"[0-9]+ steps? from seed .*", LOSSES),
    (PRECISION, r"(as it is|changed|full|plan|probe|final) .*|held-out loss .*|training bytes: .*", LOSSES, BYTES, TIMES),
    (r"run|inspect", rf" *{DTYPE} \[.*\]", TYPES),
    (r"run|inspect", r" *min .* max .* mean .* std .*", "min, max, mean, std"),
    (r"run|inspect", r" *zeros .*", "zero, subnormal, saturated, NaN, Inf, count"),
    (r"run|inspect", r" *\|x\| .*", "histogram of magnitudes"),
    (r"run|inspect", r"\w+\.\w+( \(parameter\))?"),
    (r"inspect", r"\w+ at step [0-9]+, before its update", "step"),
    (r"inspect", r" *.*: stored \S+, computed .*", "stored, computed, accumulated"),
    (r"inspect", r" *gradient, stored times .*", "“stored × 1024”"),
    (r"inspect", r" *[Dd]raws .*", "seed, stream, step"),
    (r"bench", r"(inference|training) .* samples/s|(\S+|outside nodes|[0-9]+ more nodes) +[0-9.]+ +[0-9.]+% .*|node .*", "samples a second, ms of a node", "of floor", "samples of a run"),
    (r"bench", r"memory of values .*; compiled in .*", "values between nodes", "samples a second, ms of a node"),
    (r"bench", r"a (step|run): .* barriers?; ops read and write .*", "dispatches, copies and clears, barriers", "bytes read and written, at least"),
    (r"bench", r"floor: .*|The floor is above .*", "of floor"),
    (r"xray", r"training mode on .*", "seed, stream, step"),
    (r"xray", r"\S+ +\S+ +(fwd|back) .*|worst introduced .*| +\[.*\] is .*|.*: norm .*", "error introduced, inherited, bits left"),
    (r"first-bad", r"no Inf or NaN in .*|first bad value: .*", "first Inf or NaN"),
    (r"parity", r"ref beside cpu, seed .*", "seed, stream, step", "step"),
    (r"parity", r"\S+ +\S+ +(forward|backward|update) .*", "error ÷ allowed"),
    (r"parity", r"No divergence: .*", "values with the same bits, within tolerance"),
    (r"determinism", r"\w+ at .* threads, seed .*|\w+ +[0-9]+ +same|Deterministic: .*", "values, bits"),
    (r"gradcheck", r"loss .*, seed .*", "adjoint, difference", "seed, stream, step"),
    (r"gradcheck", r"\S+ +(parameter|wire) .*", "adjoint, difference", "checks, kinks, wrong", "largest, error/tol"),
    (r"jacobian", rf"Jacobian of .*|  \S+ = .*|\S+ +{NUMBER}", "Jacobian"),
    (r"render", r"\S+: [0-9]+ × [0-9]+ pixels", "width × height"),
    (r"render", r"PSNR .*", "PSNR of a file's weights"),
    (r"bake", r"\S+: [0-9]+ textures? of .*", "texels on the surface, seconds", "width × height"),
    (r"bake", r"new texture coordinates: .*", "texels on the surface, seconds"),
    (r"rewrite", r"(rewrite +places|\w+ +[0-9]+  .*| +Source: .*|\w+: \w+ into \w+)\s*", "distance from the f64 result, allowed"),
    (r"rewrite", r"[0-9]+ outputs? over .*|  (largest value|before|after)\W.*", "distance from the f64 result, allowed"),
    (r"export", r"\S+: [0-9]+ operators, opset [0-9]+", "operators, opset"),
    (r"export", r"\S+: the function field of .* \[[0-9]+\], [0-9]+ channels?", "channels, bytes of weights"),
    (r"export", r"\S+: [0-9]+ bytes of weights", "channels, bytes of weights"),
    (r"export", r"a texture of .*|PSNR .*", "bits per texel, PNG, BC7, PSNR of a field"),
    (r"mesh-info", r"\S+: .* Importer"),
    (r"mesh-info", r" +(triangles|vertices|bounds|origin) .*", "triangles, vertices, bounds"),
    (r"mesh-info", r" +(scene|unit|materials|textures) .*|    \".*\"(: .*)?", MODEL, "width × height of a texture"),
    (r"mesh-info", r" +detail .*", "detail: texels on the surface"),
    (r"mesh-info", r" +reading .*", "time and memory of reading"),
]
# What neither a command on a CPU nor the window's tests print as a line of its own.
IN_FILES = {"learning rate of a step"}
BY_ID = {"metrics"}  # of JSON: the names in it are ids of nodes


def names_of_numbers(value, name=""):
    """The names under which numbers stand in a JSON value; those of a list's numbers are the list's."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from names_of_numbers(inner, name if name in BY_ID else key)
    elif isinstance(value, list):
        for inner in value:
            yield from names_of_numbers(inner, name)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield name


class Terminal:
    """Runs commands in a folder and holds what they print against the list."""

    def __init__(self, options, folder):
        self.cli = os.path.abspath(options.cli)
        self.examples = os.path.abspath(options.examples)
        self.folder = folder
        self.figures = Figures(CLAIMS)
        self.names = [(number, place, re.findall(r"`([^`]+)`", names)) for number, place, names in tables()[1]]
        self.figures.wrong |= {f"{number}: has names, but no row" for number, _, _ in self.names if number not in self.figures.kinds}
        self.environment = dict(os.environ, HALFWIRE_ASSETS=os.path.join(folder, "assets"))
        write_digits(os.path.join(folder, "assets", "mnist"))

    def example(self, name):
        return os.path.join(self.examples, name + ".halfwire")

    def named(self, where, names):
        """Every name of a number in the JSON or CSV of `where` must be listed for it."""
        known = {name for _, place, listed in self.names if f"`{where}`" in place for name in listed}
        self.figures.wrong.update(f"a name that the guide does not list for {where}: `{name}`" for name in set(names) - known)

    def call(self, command, *words, exit_code=0):
        environment = self.environment if "digits" in " ".join(words) else None
        ended = subprocess.run([self.cli, command, *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        if ended.returncode != exit_code:
            self.figures.wrong.add(f"{command} {words} ended with {ended.returncode}: {ended.stderr}")
        elif "--json" in words:
            self.named(command, names_of_numbers(json.loads(ended.stdout)))
        else:
            self.figures.see(command, ended.stdout.replace(self.folder, "") + "\n" + ended.stderr.replace(self.folder, ""))

    def both(self, command, *words):
        self.call(command, *words)
        self.call(command, *words, "--json")

    def train(self, graph, *words, exit_code=0):
        out = os.path.join(self.folder, f"out{len(os.listdir(self.folder))}")
        self.call("train", graph, *words, "--out", out, exit_code=exit_code)
        with open(os.path.join(out, "report.json"), encoding="utf-8") as text:
            report = json.load(text)
        self.named("report.json", names_of_numbers({**report, "nodes": list(report["nodes"].values())}))
        for file in ("loss.csv", "gradients.csv"):
            path = os.path.join(out, file)
            if os.path.exists(path):
                with open(path, encoding="utf-8", newline="") as table:
                    rows = list(csv.DictReader(table))
                self.named(file, {name for row in rows for name, cell in row.items() if re.fullmatch(NUMBER, cell)} - set(report.get("metrics", [])))

    def grouped(self):
        """A graph whose one layer is in a group."""
        inside = {"nodes": [{"id": "x", "type": "input"}, {"id": "linear", "type": "linear"}, {"id": "y", "type": "output"}]}
        inside["links"] = [["x.y", "linear.x"], ["linear.y", "y.x"]]
        graph = {"halfwire": 1, "subgraphs": {"layer": inside}}
        graph["nodes"] = [{"id": "data", "type": "input"}, {"id": "one", "type": "group:layer"}, {"id": "result", "type": "output"}]
        graph["links"] = [["data.y", "one.x"], ["one.y", "result.x"]]
        path = os.path.join(self.folder, "grouped.halfwire")
        with open(path, "w", encoding="utf-8") as text:
            json.dump(graph, text)
        return path

    def see_all(self):
        small = ["--set", "sampler.points=256", "--set", "encoder.log2_table=8"]
        sine, texture = self.example("sine"), self.example("neural_texture")
        broken = os.path.join(self.folder, "broken.halfwire")  # a derivative that is infinite at 0
        with open(broken, "w", encoding="utf-8") as text:
            zeros = {"id": "p", "type": "parameter", "params": {"shape": [4], "init": "constant", "scale": 0.0}}
            nodes = [zeros, {"id": "root", "type": "sqrt"}, {"id": "mean", "type": "mean"}, {"id": "train", "type": "train"}]
            json.dump({"halfwire": 1, "nodes": nodes, "links": [["p.y", "root.x"], ["root.y", "mean.x"], ["mean.y", "train.loss"]]}, text)
        for command in ("nodes", "devices", "dtypes"):
            self.both(command)
        self.both("matrix", "linear")
        self.both("validate", sine)
        self.both("validate", texture)
        self.call("validate", self.example("precision/dtype_clash"), exit_code=1)
        self.both("validate", self.grouped())
        self.train(sine, "--steps", "12", "--instruments", "--checkpoint-every", "4", "--keep-optimiser", "--pin", "sin=ref")
        self.train(texture, *small, "--steps", "3", "--instruments")
        self.train(self.example("precision/all_f16_scaled"), *small, "--steps", "3")
        self.train(self.example("photograph"), "--steps", "2", "--set", "encoder.log2_table=8")
        self.train(self.example("digits"), "--steps", "2", "--set", "batch.batch_size=4")
        self.train(broken, "--halt-on-nonfinite", exit_code=1)
        self.both("compare-runs", sine, self.example("rotation"), "--steps", "3", "--out", "runs")
        self.both("what-if", sine, "--nodes", "mlp", "--dtype", "f16", "--steps", "3")
        self.both("plan-precision", sine, "--budget", "loss=50%", "--steps", "3", "--probe-steps", "1")
        self.both("run", sine, "--output", "mlp.y")
        self.both("inspect", sine, "--node", "mlp", "--steps", "2", "--grad")
        self.both("inspect", sine, "--node", "x", "--steps", "2")
        self.both("bench", sine, "--runs", "2")
        self.both("bench", sine, "--runs", "2", "--train", "--nodes", "1")
        self.both("xray", sine)
        self.both("first-bad", sine, "--steps", "1")
        self.both("parity", sine, "--steps", "1", "--samples", "16")
        self.both("determinism", sine, "--steps", "1", "--samples", "16", "--threads", "1,2")
        self.both("gradcheck", sine, "--samples", "4")
        self.both("jacobian", sine, "--node", "mlp")
        self.both("render", texture, *small, "--size", "64x64", "--compare", "-o", "mesh.png")
        self.both("bake", texture, *small, "--size", "64", "-o", "mesh.glb")
        self.both("rewrite", self.example("networks/ResNet-20-CIFAR"))
        self.both("rewrite", self.example("networks/ResNet-20-CIFAR"), "fold_batch_norm", "--batches", "1")
        self.call("export", self.grouped(), "-o", "grouped.onnx")
        self.call("export", self.grouped(), "-o", "again.onnx", "--json")
        self.call("export", texture, *small[:2], "--field", "sigmoid.y", "-o", "mesh.glsl")
        self.call("export", texture, *small[:2], "--field", "sigmoid.y", "-o", "again.slang", "--json")
        self.both("mesh-info", os.path.join(self.folder, "mesh.glb"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--examples", required=True)
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(parser.parse_args(), folder)
        terminal.see_all()
    figures = terminal.figures
    shown = {number for _, _, *numbers in CLAIMS + window_figures.CLAIMS for number in numbers}
    named = {number for number, _, _ in terminal.names}
    figures.wrong |= {f"listed, but shown nowhere: {number}" for number in set(figures.kinds) - shown - (named | IN_FILES)}
    print("\n".join(sorted(figures.wrong)) or f"{len(figures.known)} outputs: all their figures are listed")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
