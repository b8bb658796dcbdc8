"""Differences between two source texts, line by line: computed here, or parsed from a unified diff."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from evaluator.wording import counted

CONTEXT = 3  # unchanged lines around a change
LONGEST = 3000  # lines; longer texts are not compared
MOST_PAIRS = 50_000  # of equal lines, which set the cost of a comparison: 225 000 took 3.8 s, 50 000 took 1.1 s
MOST_LINES = 3000  # of one source on a page; the whole source can be downloaded
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line with its numbers on both sides, None where a side does not have it. A gap stands for omitted lines."""

    kind: Literal["same", "added", "removed", "gap"]
    old: int | None
    new: int | None
    text: str

    @property
    def sign(self) -> str:
        return {"added": "+", "removed": "−"}.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class Diff:
    lines: tuple[DiffLine, ...]
    added: int
    removed: int

    @property
    def is_empty(self) -> bool:
        return not self.added and not self.removed


def is_comparable(old: str, new: str) -> bool:
    """Tell whether `diff` of these two texts is fast, so that no submitted source can make a page slow."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > LONGEST:
        return False
    here = Counter(after)
    return before == after or sum(count * here[line] for line, count in Counter(before).items()) <= MOST_PAIRS


def diff(old: str, new: str) -> Diff:
    """Compare two texts. Unchanged lines far from any change become gaps."""
    before, after = old.splitlines(), new.splitlines()
    lines: list[DiffLine] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        if (skipped := group[0][1] - (lines[-1].old or 0 if lines else 0)) > 0:
            lines.append(DiffLine("gap", None, None, counted(skipped, "unchanged line")))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [DiffLine("same", i + 1, j1 + i - i1 + 1, before[i]) for i in range(i1, i2)]
                continue
            lines += [DiffLine("removed", i + 1, None, before[i]) for i in range(i1, i2)]
            lines += [DiffLine("added", None, j + 1, after[j]) for j in range(j1, j2)]
    added, removed = (sum(line.kind == kind for line in lines) for kind in ("added", "removed"))
    return Diff(tuple(lines[:MOST_LINES]), added, removed)


def parsed(text: str) -> Diff:
    """Parse a unified diff of one or more files; each hunk starts with a gap that names its file and line."""
    lines, old, new, names = list[DiffLine](), 0, 0, list[str]()
    for line in text.splitlines():
        if found := _HUNK.match(line):
            old, new = int(found[1]), int(found[2])
            lines.append(DiffLine("gap", None, None, " ".join([*names, f"from line {new}"])))
            names = []
        elif line.startswith(("--- a/", "+++ b/")):
            names = [line[6:]]
        elif line.startswith("+"):
            lines.append(DiffLine("added", None, new, line[1:]))
            new += 1
        elif line.startswith("-"):
            lines.append(DiffLine("removed", old, None, line[1:]))
            old += 1
        elif line.startswith(" "):
            lines.append(DiffLine("same", old, new, line[1:]))
            old, new = old + 1, new + 1
        else:  # the note in a diff that was truncated
            lines.append(DiffLine("gap", None, None, line))
    added, removed = (sum(line.kind == kind for line in lines) for kind in ("added", "removed"))
    return Diff(tuple(lines[:MOST_LINES]), added, removed)


def sides(shown: Diff) -> tuple[str, str]:
    """Return the texts of the old and the new side, as far as the diff shows them."""
    old = [line.text for line in shown.lines if line.kind in ("same", "removed")]
    new = [line.text for line in shown.lines if line.kind in ("same", "added")]
    return "\n".join(old), "\n".join(new)


def numbered(text: str) -> tuple[DiffLine, ...]:
    """Return the first lines of a text with their numbers."""
    return tuple(DiffLine("same", None, number, line) for number, line in enumerate(text.splitlines()[:MOST_LINES], 1))
