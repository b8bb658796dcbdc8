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
class FencedBlock:
    name: str | None
    text: str
    closed: bool


def files_of(answer: str, names: Sequence[str]) -> tuple[dict[str, bytes], str | None]:
    """The files of an answer by name, and what is wrong with it or None. The last block under a name counts.

    Where only one file is asked for and no block has its name, the longest block is that file.
    """
    if (broken := HALF.search(answer)) is not None:
        return {}, f"the answer holds half of a surrogate pair, \\u{ord(broken[0]):04x}, which UTF-8 cannot encode"
    blocks = list(blocks_of(answer, names))
    files = {block.name: block.text.encode() for block in blocks if block.name}
    if not files and len(names) == 1 and (unnamed := [block for block in blocks if not block.name]):
        files = {names[0]: max(unnamed, key=lambda block: len(block.text)).text.encode()}
    if blocks and not blocks[-1].closed:
        return {}, "the last block does not end: the answer was cut off, or its fence is missing"
    if not files:
        return {}, f"no fenced block with the text of {' or '.join(names)} was found"
    return files, None


def blocks_of(answer: str, names: Sequence[str] = ()) -> Iterator[FencedBlock]:
    """The fenced blocks of an answer, under the names that stand with them. The last one may lack its end."""
    lines, before, inside = list[str](), "", None
    for line in lines_of(answer):
        found = FENCE.match(line)
        if inside is None and found:
            inside, name, lines = found["fence"], _name(found["info"], names) or _name(before, names), []
        elif inside and line.strip().startswith(inside) and not line.strip().strip(inside[0]):
            yield FencedBlock(name, "".join(f"{one}\n" for one in lines), closed=True)
            inside, before = None, ""
        elif inside:
            lines.append(line)
        elif line.strip():
            before = line
    if inside:
        yield FencedBlock(name, "".join(f"{one}\n" for one in lines), closed=False)


def lines_of(text: str) -> list[str]:
    """The lines as compilers count them: a form feed or U+2028 within a string ends none."""
    return re.split(r"\r\n?|\n", re.sub(r"(\r\n?|\n)\Z", "", text))


def fenced(name: str, data: bytes) -> str:
    """A file as models are shown it and answer it, in a fence that is longer than those in its text."""
    text, fence = data.decode("utf-8", "replace").rstrip(), "```"
    while re.search(rf"^\s*{fence}", text, re.MULTILINE):
        fence += "`"
    return f"{name}\n{fence}\n{text}\n{fence}\n"


def _name(text: str, names: Sequence[str]) -> str | None:
    words = [word.strip(DECORATION) for word in re.split(r"[\s=]+", text)]
    return next((name for name in names if name in words), None)
