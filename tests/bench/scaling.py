"""How the time of a network grows with its work: batch, picture size, width and threads. Prints milliseconds, the time of a unit of work
beside that of the smallest, and what 16 threads would take by Amdahl's law from the share that two threads leave serial. Work is counted
in additions and multiplications of products. --svg FILE draws it."""

import argparse
import json
import os
import subprocess
from math import ceil, floor, log10

BATCHES = (1, 2, 4, 8, 16, 32, 64)
SIZES = (64, 96, 128, 192, 256)
WIDTHS = (0.25, 0.5, 1, 2)


def bench(options, *words):
    """Thousands of millions of operations, and milliseconds."""
    command = [options.cli, "bench", options.graph, "--runs", str(options.runs), "--nodes", "100000", "--json", *words]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True)  # its errors are on stderr
    if run.returncode != 0:
        raise SystemExit(run.returncode)
    report = json.loads(run.stdout)
    return sum(node["products"] for node in report["nodes"]) / 1e9, report["median_ms"]


def nodes_of(graph):
    with open(graph, encoding="utf-8") as text:
        return json.load(text)["nodes"]


def of_width(nodes, width):
    """What sets every layer's channels to so many times those that it has."""
    words = []
    for node in nodes:
        for param in ("channels", "out_channels"):
            channels = node.get("params", {}).get(param)
            if isinstance(channels, (int, float)):
                words += ["--set", f"{node['id']}.{param}={round(channels * width)}"]
    return words


def measure(options, line, name, label, words):
    """Adds a point to `line` and prints it."""
    work, ms = bench(options, *words)
    line.append((work, ms))
    least = line[0][1] / line[0][0]
    print(f"{name + ' ' + label:28} {work:8.2f} G {ms:9.2f} ms  {ms / work:7.3f} ms/G  {ms / work / least:5.2f} of the smallest", flush=True)


def svg(lines):
    """Time over work, both on logarithmic axes. Dashed lines have slope 1: cost that grows as the work does."""
    left, top, width, height = 70, 30, 500, 320
    points = [point for line in lines.values() for point in line]
    spans = [(floor(log10(min(p[k] for p in points))), ceil(log10(max(p[k] for p in points)))) for k in (0, 1)]

    def at(axis, value):
        low, high = spans[axis]
        share = (log10(value) - low) / max(high - low, 1)
        return left + width * share if axis == 0 else top + height * (1 - share)

    colours = ("#4c78a8", "#f58518", "#54a24b", "#e45756")
    text = ['<svg xmlns="http://www.w3.org/2000/svg" width="800" height="410" font-family="sans-serif" font-size="12">', '<rect width="800" height="410" fill="white"/>']
    text.append(f'<clipPath id="plot"><rect x="{left}" y="{top}" width="{width}" height="{height}"/></clipPath>')
    for axis in (0, 1):
        for power in range(spans[axis][0], spans[axis][1] + 1):
            place, label = at(axis, 10.0**power), f"{10.0**power:g}"
            ends = f'x1="{place:.1f}" x2="{place:.1f}" y1="{top}" y2="{top + height}"' if axis == 0 else f'y1="{place:.1f}" y2="{place:.1f}" x1="{left}" x2="{left + width}"'
            text.append(f'<line {ends} stroke="#ddd"/>')
            text.append(f'<text x="{place:.1f}" y="{top + height + 18}" text-anchor="middle">{label}</text>' if axis == 0 else f'<text x="{left - 8}" y="{place + 4:.1f}" text-anchor="end">{label}</text>')
    for power in range(spans[1][0] - spans[0][1], spans[1][1] - spans[0][0] + 1):  # ms of a unit of work
        ends = [(10.0**p, 10.0 ** (p + power)) for p in spans[0]]
        text.append(f'<line clip-path="url(#plot)" x1="{at(0, ends[0][0]):.1f}" y1="{at(1, ends[0][1]):.1f}" x2="{at(0, ends[1][0]):.1f}" y2="{at(1, ends[1][1]):.1f}" stroke="#bbb" stroke-dasharray="4 4"/>')
    for k, (name, line) in enumerate(lines.items()):
        colour = colours[k % len(colours)]
        text.append(f'<polyline points="{" ".join(f"{at(0, work):.1f},{at(1, ms):.1f}" for work, ms in line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        text += [f'<circle cx="{at(0, work):.1f}" cy="{at(1, ms):.1f}" r="3" fill="{colour}"/>' for work, ms in line]
        text.append(f'<text x="{left + width + 16}" y="{top + 12 + 18 * k}" fill="{colour}">{name}</text>')
    text.append(f'<text x="{left + width + 16}" y="{top + 12 + 18 * len(lines)}" fill="#777">dashed: time grows as work</text>')
    text.append(f'<text x="{left + width / 2}" y="{top + height + 40}" text-anchor="middle">work, G operations</text><text x="{left - 8}" y="{top - 12}" text-anchor="end">ms</text></svg>')
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--graph", required=True, help="with one Input, N C H W")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--svg", default="", metavar="FILE")
    options = parser.parse_args()
    if options.svg and not os.access(os.path.dirname(os.path.abspath(options.svg)), os.W_OK):
        parser.error(f"--svg {options.svg}: its folder cannot be written to")
    nodes = nodes_of(options.graph)
    picture = next(node for node in nodes if node["type"] == "input")
    channels = int(picture["params"]["shape"][1])
    threads = len(os.sched_getaffinity(0))
    counts = sorted({1, min(2, threads), threads})
    lines = {f"{count} thread{'s' if count > 1 else ''}, batch": [] for count in counts}
    for batch in BATCHES:  # counts in turns: a machine may be slow for a while
        for (name, line), count in zip(lines.items(), counts):
            measure(options, line, name, str(batch), ("--batch", str(batch), "--threads", str(count)))
    sizes, widths = lines["picture size, batch 8"], lines["width, batch 8"] = [], []
    for size in SIZES:
        measure(options, sizes, "picture size", str(size), ("--set", f"{picture['id']}.shape=[8,{channels},{size},{size}]"))
    for width in WIDTHS:
        measure(options, widths, "width", f"x {width:g}", ("--batch", "8", *of_width(nodes, width)))
    if threads > 1:
        for batch, (_, alone), (_, two) in zip(BATCHES, lines["1 thread, batch"], lines["2 threads, batch"]):
            if 1 < batch < 16:
                continue  # fewer pictures than threads
            serial = min(max(2 * two / alone - 1, 0), 1)
            print(f"batch {batch}: {serial:.2f} of the time is serial; 16 threads would take {alone * (serial + (1 - serial) / 16):.2f} ms")
    if options.svg:
        with open(options.svg, "w", encoding="utf-8") as text:
            text.write(svg(lines))


main()
