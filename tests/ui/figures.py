"""The guide's list of figures, resources/guide/figures.md, held against what is shown.

Every shown line that has a number must match a claim. A claim names the guide's numbers that the line shows, or none where its digits are
no figures: a name, a code. A line must not use a word for a kind (exact, sampled, estimated, measured) that the guide does not give its
numbers; where all of them are sampled, or all estimated, it or its tip must say so."""

import os
import re

GUIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "guide", "figures.md")
# Not the 16 of f16, nor the 1 of layer_1.
FIGURE = re.compile(r"(?<![\w.])\d")
# How the program says of what kind a figure is.
SAID = {
    "exact": r"\bexact\b|\bcounted\b",
    "sampled": r"\bsampled\b",
    "estimated": r"\bestimate[ds]?\b|\btakes about\b|≈",
    "measured": r"[:,] measured\b(?! after)",
}


def tables():
    """The rows of the guide's tables, heads left out: [number, where, kind, meaning] of figures, [number, in, names] of names."""
    with open(GUIDE, encoding="utf-8") as text:
        lines = text.read().splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line, below in zip(lines, lines[1:] + [""])
        if line.startswith("|") and not line.startswith("|--") and not below.startswith("|--")
    ]
    return [row for row in rows if len(row) != 3], [row for row in rows if len(row) == 3]


class Figures:
    """`claims`: (place, line, numbers…): regular expressions that match all of a place and all of a line, and names of numbers of the
    guide. The first that matches counts. The place of a tip is that of its item and " tip"."""

    def __init__(self, claims):
        rows = tables()[0]
        self.kinds = {row[0]: row[2] for row in rows}
        self.claims = [(re.compile(place), re.compile(line), numbers) for place, line, *numbers in claims]
        self.wrong = {f"{number}: not in the guide" for _, _, numbers in self.claims for number in numbers if number not in self.kinds}
        self.wrong |= {f"a row of the guide that has not four cells: {row}" for row in rows if len(row) != 4}
        self.wrong |= {f"{row[0]}: twice in the guide" for row in rows if sum(other[0] == row[0] for other in rows) > 1}
        self.known = set()

    def see(self, place, text, tip=""):
        """Notes what is wrong with a text, and its tip, at a place: the name of an item or a command."""
        shape = tuple(re.sub(r"\d+", "9", words) for words in (place, text, tip))
        if shape not in self.known:
            self.known.add(shape)
            for line in text.splitlines():
                self.see_line(place, line, tip)
            for line in tip.splitlines():
                self.see_line(place + " tip", line)

    def see_line(self, place, line, tip=""):
        if not FIGURE.search(line):
            return
        numbers = next((n for where, what, n in self.claims if where.fullmatch(place) and what.fullmatch(line)), None)
        if numbers is None:
            self.wrong.add(f"a figure that the guide does not list, at {place}: {line!r}")
            return
        kinds = [self.kinds.get(number, "") for number in numbers]
        said = f"{line}\n{tip}"
        for kind, words in SAID.items():
            listed = kind in " ".join(kinds) or (kind == "sampled" and "estimated" in " ".join(kinds))  # “estimated, of 4,096 sampled”
            if numbers and not listed and re.search(words, said, re.IGNORECASE):
                self.wrong.add(f"{', '.join(numbers)}: {kind}, says {place}, but the guide: {', '.join(kinds)}. {said!r}")
            if numbers and set(kinds) == {kind} and kind in ("sampled", "estimated") and not re.search(words, said, re.IGNORECASE):
                self.wrong.add(f"{', '.join(numbers)}: nothing at {place} says that it is {kind}: {said!r}")
