"""Finds the files in a model's answer: fenced code blocks, each under its file's name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FENCE = re.compile(r"^\s{0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")
HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair, which JSON can spell
DECORATION = "`*#:()[]\"' \t"
FORMAT = """\
Answer with the whole text of each file you write, in a fenced block, its name on the line before:

{name}
```
…
```
"""


@dataclass(frozen=True, slots=True)
class _Block:
    name: str | None
    text: str
    closed: bool


def files_of(answer: str, names: Sequence[str]) -> tuple[dict[str, bytes], str | None]:
    """The files of an answer by name, and what is wrong with it or None. The last block under a name counts.

    Where only one file is asked for and no block has its name, the longest block is that file.
    """
    if (broken := HALF.search(answer)) is not None:
        return {}, f"the answer holds half of a surrogate pair, \\u{ord(broken[0]):04x}, which UTF-8 cannot encode"
    blocks = list(_blocks(answer, names))
    files = {block.name: block.text.encode() for block in blocks if block.name}
    if not files and len(names) == 1 and (unnamed := [block for block in blocks if not block.name]):
        files = {names[0]: max(unnamed, key=lambda block: len(block.text)).text.encode()}
    if blocks and not blocks[-1].closed:
        return {}, "the last block does not end: the answer was cut off, or its fence is missing"
    if not files:
        return {}, f"no fenced block with the text of {' or '.join(names)} was found"
    return files, None


def _blocks(answer: str, names: Sequence[str]) -> Iterator[_Block]:
    lines, before, inside = list[str](), "", None
    for line in answer.splitlines():
        found = FENCE.match(line)
        if inside is None and found:
            inside, name, lines = found["fence"], _name(found["info"], names) or _name(before, names), []
        elif inside and line.strip().startswith(inside) and not line.strip().strip(inside[0]):
            yield _Block(name, "".join(f"{one}\n" for one in lines), closed=True)
            inside, before = None, ""
        elif inside:
            lines.append(line)
        elif line.strip():
            before = line
    if inside:
        yield _Block(name, "".join(f"{one}\n" for one in lines), closed=False)


def _name(text: str, names: Sequence[str]) -> str | None:
    words = [word.strip(DECORATION) for word in re.split(r"[\s=]+", text)]
    return next((name for name in names if name in words), None)
