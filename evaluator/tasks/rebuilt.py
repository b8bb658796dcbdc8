"""The sources of the versions of an agent session, rebuilt from the task's own and from the diffs of its record.

A diff says neither whether a file ends with a line break nor what was cut or masked in it. So what is rebuilt counts
only if it has the digest that was taken when the version was checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from evaluator.records.sessions import IterationRecord
from evaluator.tasks.candidate import Candidate

MOST_FILES = 4  # whose ends are tried in both ways
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})? @@")
Files = Mapping[str, str]


def rebuilt(start: Files, versions: Sequence[IterationRecord]) -> tuple[dict[str, str] | None, ...]:
    """Return the files of each version; None of one that cannot be rebuilt exactly, and of those made from it.

    `start` has the task's own editable files.
    """
    found = list[dict[str, str] | None]()
    lines: dict[int | None, dict[str, list[str]]] = {None: {path: text.splitlines() for path, text in start.items()}}
    for one in versions:
        after = applied(lines[one.previous], one.diff) if one.previous in lines else None
        files = None if after is None else _checked(after, one.digest)
        if after is not None and files is not None:
            lines[one.number] = after
        found.append(files)
    return tuple(found)


def applied(files: Mapping[str, list[str]], diff: str) -> dict[str, list[str]] | None:
    """Return the lines of each file after a unified diff; None where it does not fit. A file without lines is gone."""
    changed = dict(files)
    path, old, new, at = "", list[str](), list[str](), 0
    for line in [*diff.splitlines(), "--- a/"]:
        if line.startswith("--- a/"):
            if path:
                changed[path] = new + old[at:]
            path = line[6:]
            old, new, at = changed.get(path, []), [], 0
        elif line.startswith("+++ b/") and line[6:] == path:
            continue
        elif hunk := _HUNK.match(line):
            start = int(hunk[1]) - (hunk[2] != "0")
            if start < at:
                return None
            new += old[at:start]
            at = start
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith((" ", "-")) and old[at : at + 1] == [line[1:]]:
            new += [line[1:]] if line.startswith(" ") else []
            at += 1
        else:  # the diff was cut, or is of another text
            return None
    return {name: text for name, text in changed.items() if text}


def _checked(lines: Mapping[str, list[str]], digest: str) -> dict[str, str] | None:
    """Return the texts whose digest this is, whether or not their last lines end with a line break."""
    for files in _endings({path: "\n".join(text) for path, text in lines.items()}):
        if Candidate({path: text.encode("utf-8", "replace") for path, text in files.items()}, "").digest == digest:
            return files
    return None


def _endings(texts: Files) -> Iterator[dict[str, str]]:
    size = len(texts)
    choices = product(("\n", ""), repeat=size) if size <= MOST_FILES else (("\n",) * size, ("",) * size)
    for ends in choices:
        yield {path: text + end for (path, text), end in zip(texts.items(), ends, strict=True)}
