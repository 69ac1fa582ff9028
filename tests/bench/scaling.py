"""How the time of a network grows with its work: batch, picture size and threads. Prints milliseconds, time a unit of work beside that of
the smallest, and what 16 threads would take by Amdahl's law from the share that two threads leave serial; --svg FILE draws it."""

import argparse
import json
import os
import subprocess

BATCHES = (1, 2, 4, 8, 16, 32, 64)
SIZES = (64, 96, 128, 192, 256)


def bench(options, *words):
    ended = subprocess.run([options.cli, "bench", options.graph, "--runs", str(options.runs), "--json", *words], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)["median_ms"]


def picture_of(graph):
    with open(graph, encoding="utf-8") as text:
        return next(node for node in json.load(text)["nodes"] if node["type"] == "input")


def print_row(what, ms, work, least):
    print(f"{what:28} {ms:9.2f} ms  {ms / work:9.3f} ms a unit of work  {ms / work / least:5.2f} of the smallest", flush=True)


def series(options, name, points):
    """points: (label, work, words of bench)."""
    made, least = [], None
    for label, work, words in points:
        ms = bench(options, *words)
        least = least or ms / work
        print_row(f"{name} {label}", ms, work, least)
        made.append((work, ms))
    return made


def svg(lines):
    """Time over work, both on logarithmic axes: a line of slope 1 is cost that grows as the work does."""
    from math import log10  # pylint: disable=import-outside-toplevel

    points = [point for line in lines.values() for point in line]
    low, high = ([log10(pick(p[k] for p in points)) for k in (0, 1)] for pick in (min, max))

    def place(point):
        x, y = ((log10(point[k]) - low[k]) / max(high[k] - low[k], 1e-9) for k in (0, 1))
        return f"{60 + 480 * x:.1f},{350 - 300 * y:.1f}"

    colours = ("#4c78a8", "#f58518", "#54a24b", "#e45756")
    text = ['<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400" font-family="sans-serif" font-size="12">', '<rect width="600" height="400" fill="white"/>']
    for k, (name, line) in enumerate(lines.items()):
        colour = colours[k % len(colours)]
        text.append(f'<polyline points="{" ".join(place(p) for p in line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        text.append(f'<text x="70" y="{60 + 16 * k}" fill="{colour}">{name}</text>')
    text.append('<text x="250" y="385">work (logarithmic)</text><text x="10" y="40">ms (logarithmic)</text></svg>')
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--graph", required=True, help="with one Input, N C H W")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--svg", default="")
    options = parser.parse_args()
    picture = picture_of(options.graph)
    channels = int(picture["params"]["shape"][1])
    threads = len(os.sched_getaffinity(0))
    lines = {}
    for count in sorted({1, min(2, threads), threads}):
        name = f"{count} threads, batch"
        lines[name] = series(options, name, [(str(b), b, ("--batch", str(b), "--threads", str(count))) for b in BATCHES])
    shape = picture["id"] + ".shape="
    lines["picture size, batch 8"] = series(options, "picture size", [(str(s), (s / SIZES[0]) ** 2, ("--set", f"{shape}[8,{channels},{s},{s}]")) for s in SIZES])
    if threads > 1:
        for batch, (_, alone), (_, two) in zip(BATCHES, lines["1 threads, batch"], lines["2 threads, batch"]):
            if 1 < batch < 16:
                continue  # fewer pictures than threads
            serial = min(max(2 * two / alone - 1, 0), 1)
            print(f"batch {batch}: {serial:.2f} of the time is serial; 16 threads would take {alone * (serial + (1 - serial) / 16):.2f} ms")
    if options.svg:
        with open(options.svg, "w", encoding="utf-8") as text:
            text.write(svg(lines))


main()
