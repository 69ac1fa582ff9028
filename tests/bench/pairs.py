#!/usr/bin/env python3
"""Rows of halfwire_bench in two builds, measured in turns: `scripts/bench --pairs OLD_BINARY`.

Prints for each row the best of both and old / new, above 1 where the new build is faster: of the best, and of each
round. A round runs each build once; the old one is first in one round, the new one in the next. Marks rows that are
slower by both. Rows that only one of the builds prints are left out.
"""

import argparse
import os
import re
import statistics
import subprocess

# A title, then rows that begin with a name and hold one figure.
ROWS = (
    (re.compile(r"^(?P<row>engine):\s+(?P<value>[\d.]+) ms a step"), "ms"),
    (re.compile(r"^  (?P<row>(digits|resnet) .*?)\s+engine\s+(?P<value>[\d.]+)"), "ms"),
    (re.compile(r"^  (?P<row>f32 to \w+)\s+(?P<value>[\d.]+)\s+back"), "GB/s"),
    (re.compile(r"^  (?P<row>(?!f32 products)(f32|bf16|f16|f8)\S*( in \w+)?)\s+(?P<value>[\d.]+) ms\s+\d+ samples/s"), "ms"),
)
TITLE = re.compile(r"^(?P<title>[a-z][^:]*): \d+ points a step")


def rows(output):
    title, found = "", {}
    for line in output.splitlines():
        if new_title := TITLE.match(line):
            title = new_title["title"]
        for pattern, unit in ROWS:
            if row := pattern.match(line):
                name = title if row["row"] == "engine" else row["row"]
                found[name] = (float(row["value"]), unit)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--new", required=True, help="halfwire_bench of this commit")
    parser.add_argument("--old", required=True, help="halfwire_bench of another commit")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=8, help="steps a round")
    args = parser.parse_args()
    if not os.access(args.old, os.X_OK) or os.path.isdir(args.old):
        parser.error(f"{args.old} is no program: build halfwire_bench of the other commit, and give its path")
    binaries = (args.old, args.new)
    rounds = []
    for n in range(args.rounds):
        both = [{}, {}]
        for k in (n % 2, 1 - n % 2):
            made = subprocess.run([binaries[k], "1", str(args.steps)], capture_output=True, text=True, check=True)
            both[k] = rows(made.stdout)
        rounds.append(both)
    names = [name for name in rounds[0][1] if all(name in half for both in rounds for half in both)]
    print(f"{'':24}{'old':>10}{'new':>10}        old / new (median, least to most of {len(rounds)} rounds)")
    for name in names:
        unit = rounds[0][0][name][1]
        old, new = ([both[k][name][0] for both in rounds] for k in (0, 1))
        rate = unit == "GB/s"
        best_old, best_new = (max(old), max(new)) if rate else (min(old), min(new))
        faster = [(b / a if rate else a / b) for a, b in zip(old, new)]
        of_best = best_new / best_old if rate else best_old / best_new
        mark = "  slower" if max(of_best, statistics.median(faster)) < 0.97 else ""
        print(
            f"{name:24}{best_old:10.2f}{best_new:10.2f} {unit:5}{of_best:6.2f}"
            f" ({statistics.median(faster):.2f}, {min(faster):.2f} to {max(faster):.2f}){mark}"
        )


if __name__ == "__main__":
    main()
