"""Sources without their comments and string literals, so that patterns find code and not what is said about it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

LONGEST = 100_000  # characters of a file that are read
_WORD = re.compile(r"[\w.]{1,12}")  # a string that may be an option: "tf32", ".cg", "num_warps"
_TEXT = r"\"(?:\\.|[^\"\\\n])*\"?"
# Each match ends at the latest with the source, so that an unclosed string or comment costs one pass.
_C = re.compile(rf"/\*.*?(?:\*/|\Z)|//[^\n]*|{_TEXT}|'(?:\\.|[^'\\\n]){{1,8}}'", re.DOTALL)
_PYTHON = re.compile(rf"\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|#[^\n]*|{_TEXT}|'(?:\\.|[^'\\\n])*'?", re.DOTALL)


def code_of(path: str, text: str) -> str:
    """Return the code of a file, whose name tells its language."""
    return (_PYTHON if is_python(path) else _C).sub(_without_text, text[:LONGEST])


def is_python(path: str) -> bool:
    return PurePosixPath(path).suffix == ".py"


def _without_text(piece: re.Match[str]) -> str:
    """Blank out a comment or string literal, unless it is a single short word or a HIP source inside Python."""
    text = piece[0]
    if text.startswith(('"""', "'''")) and "__global__" in text:
        return _C.sub(_without_text, text.strip("\"'"))
    if text[0] in "\"'" and _WORD.fullmatch(text[1:-1]):
        return text
    return " "
