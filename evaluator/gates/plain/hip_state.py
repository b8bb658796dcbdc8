"""Variables of a C++ text that outlive a call: static ones and those outside of functions, constants aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.gates.plain.hip_names import words
from evaluator.gates.plain.hip_tokens import Token

_CONSTANT = words("const constexpr constinit __constant__ __shared__")
_NO_VARIABLE = words("""
    using typedef template struct class union enum extern namespace friend static_assert operator concept""")


def kept_variables(code: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Yield line and name of each."""
    depth, start = 0, 0  # of brackets that are not a namespace's; where the statement begins
    namespaces = list[bool]()
    for index, token in enumerate(code):
        if token.text == "static" and depth > 0:
            yield from _declared(code[index + 1 : index + 60])
        elif token.text == "{":
            is_namespace = any(one.text in ("namespace", "extern") for one in code[start:index])
            namespaces.append(is_namespace)
            if depth == 0 and not is_namespace:
                yield from _declared(code[start:index])
            depth += not is_namespace
            start = index + 1
        elif token.text == "}":
            depth -= bool(namespaces) and not namespaces.pop()
            start = index + 1
        elif token.text == ";":
            if depth == 0:
                yield from _declared(code[start:index])
            start = index + 1


def _declared(statement: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Yield the variable that a statement declares, if it may change: a type and a name before `=`, `;`, `{` or `[`."""
    head = list[Token]()
    for token in statement:
        if token.text in ("=", ";", "{", "[", "("):
            if token.text == "(":
                return
            break
        head.append(token)
    words = [token for token in head if token.kind == "word"]
    if len(words) > 1 and not {token.text for token in words} & (_CONSTANT | _NO_VARIABLE):
        yield words[-1].line, words[-1].text
