"""The names of the kernels that a candidate's sources define, by which a trace tells them from a library's."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence

from evaluator.gates.plain.hip_tokens import Token, tokens

BEFORE_THE_NAME = ("__launch_bounds__", "__attribute__")  # each with parentheses of its own
MOST_TOKENS = 200  # between __global__ and a kernel's parameters


def own_kernels(files: Mapping[str, bytes]) -> frozenset[str]:
    """Return the names of all kernels in these sources, which are given by path. Comments and strings name none."""
    return frozenset(
        name
        for path, data in files.items()
        for name in (_of_python if path.endswith(".py") else _of_hip)(data.decode("utf-8", "replace"))
    )


def _of_python(text: str) -> Iterator[str]:
    """Yield the names of functions below a decorator that says jit; none after what cannot be read."""
    is_jit, before = False, ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type != tokenize.NAME:
                continue
            if before == "def" and is_jit:
                yield token.string
            is_jit = (is_jit or token.string == "jit") and before != "def"
            before = token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _of_hip(text: str) -> Iterator[str]:
    """Yield the word before the parameters of each __global__ function; of one that a macro makes, every word."""
    code, in_macro, made_by_macro = list(tokens(text)), False, False
    for index, token in enumerate(code):
        in_macro = token.kind != "end" and (in_macro or token.text == "define")
        if token.text == "__global__":
            made_by_macro |= in_macro
            if name := _name_after(code, index):
                yield name
    if made_by_macro:
        yield from (token.text for token in code if token.kind == "word")


def _name_after(code: Sequence[Token], index: int) -> str:
    """Return the name of the kernel that begins at this token, empty where there is none."""
    depth, name = 0, ""
    for token in code[index + 1 : index + 1 + MOST_TOKENS]:
        if depth == 0 and (token.text in ";{" or (token.text == "(" and name not in BEFORE_THE_NAME)):
            break
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.kind == "word":
            name = token.text
    return name
