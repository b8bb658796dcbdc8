"""The tokens of a C++ text, as its compiler splits them, each with its line; comments and blanks are dropped."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

# Every alternative reads on to its end or to the end of the text, so that no letter is read more than twice.
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<raw>(?:u8|[uUL])?R"[^\n]*)
    |(?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?)
    |(?P<letter>(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'?)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*)
    |(?P<word>[A-Za-z_$][A-Za-z_0-9$]*)
    |(?P<blank>[^\S\n]+)
    |(?P<end>\n)
    |(?P<mark>::|->|\.\.\.|<<<|>>>|\#\#|%:|<:(?!:[^:>])|:>|<%|%>|\?\?.|.)""",
    re.DOTALL | re.VERBOSE,
)
_JOINT = re.compile(r"\\[ \t]*\r?\n")


class Token(NamedTuple):
    """`kind`: word, text, letter, number, mark, raw or end (of a line)."""

    line: int
    kind: str
    text: str


def tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of a text, lines that end with a backslash joined to the next."""
    pieces = _JOINT.split(source)
    joints = list(accumulate(len(piece) for piece in pieces[:-1]))  # where lines were joined, in the joined text
    line = 1
    for found in _TOKEN.finditer("".join(pieces)):
        kind, text = str(found.lastgroup), found.group()
        if kind not in ("comment", "blank"):
            yield Token(line + bisect_right(joints, found.start()), kind, text)
        line += text.count("\n")
