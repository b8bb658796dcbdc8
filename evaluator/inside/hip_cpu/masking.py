"""Blank out comments and literals of a source text, so that the rest can be searched as code."""

from __future__ import annotations

import re
from pathlib import Path

# Where a comment or literal begins. An apostrophe after a digit separates digits (1'000).
_START = re.compile(r"""//|/\*|(?<![0-9A-Za-z_])(?:u8|[uUL])?R"|"|(?<![0-9a-fA-F])'""")
_LINE_COMMENT = re.compile(r"//(?:\\\n|[^\n])*")
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"?', re.DOTALL)
_CHARACTER = re.compile(r"'(?:\\.|[^'\\\n])*'?", re.DOTALL)
_RAW_OPENING = re.compile(r'(?:u8|[uUL])?R"([^()\\\s"]{0,16})\(')
_CODE_CHARACTER = re.compile(r"[^\n]")


class SourceError(Exception):
    """A source that cannot be read as C++; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def read_source(path: Path) -> str:
    """Return a source's text. A byte order mark at its start belongs to the encoding."""
    return path.read_text(encoding="utf-8-sig", errors="replace")


def mask(text: str) -> str:
    """Return a text of the same length and lines, with spaces for comments, strings and characters.

    Raises SourceError for a comment or raw string that does not end.
    """
    pieces: list[str] = []
    position = 0
    while found := _START.search(text, position):
        end = _end_of_literal(text, found.start(), found.group())
        pieces += [text[position : found.start()], _CODE_CHARACTER.sub(" ", text[found.start() : end])]
        position = end
    return "".join([*pieces, text[position:]])


def line_of(text: str, position: int) -> int:
    """Return the line a position is on, counted from 1."""
    return text.count("\n", 0, position) + 1


def _end_of_literal(text: str, start: int, opening: str) -> int:
    if opening == "/*":
        return _end_after(text, "*/", start + 2, start, "this comment does not end")
    if opening.endswith('R"'):
        raw = _RAW_OPENING.match(text, start)
        if raw:
            return _end_after(text, f'){raw[1]}"', raw.end(), start, "this raw string does not end")
        return start + len(opening)
    pattern = {"//": _LINE_COMMENT, '"': _STRING, "'": _CHARACTER}[opening]
    found = pattern.match(text, start)
    return found.end() if found else start + 1


def _end_after(text: str, closing: str, position: int, start: int, message: str) -> int:
    end = text.find(closing, position)
    if end < 0:
        raise SourceError(line_of(text, start), message)
    return end + len(closing)
