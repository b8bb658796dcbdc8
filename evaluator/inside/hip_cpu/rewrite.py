"""Rewrite HIP source to C++: what no header can provide.

Kernel launches, dynamic shared memory, and qualifiers in places where C++ allows no attribute.

Line numbers do not change, so compiler messages name the line in the .hip file. The rest of HIP is in
evaluator/hip/cpu.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from evaluator.inside.hip_cpu.masking import SourceError, line_of, mask

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_STATEMENT_WORDS = frozenset({"return", "else", "do", "if", "while", "for", "switch", "case"})
_STATEMENT = re.compile(r"[^;{}]+;?")
_SHARED_WORDS = re.compile(r"\b(?:extern|__shared__)\b")
_ATTRIBUTES = re.compile(r"\b(?:__align__|alignas|__attribute__)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_ARRAY = re.compile(r"([\w#:<>, *]+?[ *>]) ?([\w#]+) ?((?:\[[^\[\]]*\] ?)*);")
_LAMBDA_QUALIFIERS = re.compile(r"(?<=\])(?:\s*\b__(?:host|device)__\b)+")
_NOINLINE = re.compile(r"(?<![(\w])__noinline__\b")
_BOUNDS_ATTRIBUTE = re.compile(r"\(\s*\(\s*(launch_bounds)(?=\s*\()")
_DECLARATION_LENGTH = 500  # characters; limits the time of the patterns on malformed text


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def rewrite(text: str) -> str:
    """Return the text with launches as calls of hipcpu::launch, and `extern __shared__` arrays as references.

    Raises SourceError for a launch or declaration that cannot be read.
    """
    text = _edited(text, _qualifiers(mask(text)))  # also in a launch, which becomes one edit
    masked = mask(text)
    return _edited(text, [*_launches(text, masked), *_dynamic_arrays(text, masked)])


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits):
        pieces += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*pieces, text[position:]])


def _launches(text: str, masked: str) -> Iterator[_Edit]:
    position = 0
    while (opening := masked.find("<<<", position)) >= 0:
        start = _callee_start(masked, opening)
        closing = _configuration_end(masked, opening)
        arguments = _skip_blanks(masked, closing + 3)
        if not masked.startswith("(", arguments):
            raise SourceError(line_of(text, closing), "a launch `<<<...>>>` needs its arguments in parentheses")
        end = _matching(masked, arguments)
        yield _Edit(start, end + 1, _launch(text, masked, (start, opening, closing, arguments, end)))
        position = end + 1


def _launch(text: str, masked: str, marks: tuple[int, int, int, int, int]) -> str:
    start, opening, closing, arguments, end = marks
    callee = text[start:opening]
    configuration = text[opening + 3 : closing]
    passed = text[arguments + 1 : end]
    comma = ", " if masked[arguments + 1 : end].strip() else ""
    gap = masked[closing + 3 : arguments]  # blanks, possibly with line ends in a macro
    return (
        f"::hipcpu::launch(::hipcpu::Configuration({configuration}), "
        f"[&](auto&... hipcpu_arguments) {{ {callee}(hipcpu_arguments...); }}{gap}{comma}{passed})"
    )


def _callee_start(masked: str, opening: int) -> int:
    """Walk back over `name`, `space::name<A, B>`, `table[i]`, `object.member` or `(expression)`."""
    position = opening
    while True:
        start = _part_start(masked, _skip_blanks_back(masked, position))
        if start == position:
            break
        position = start
        before = _skip_blanks_back(masked, start)
        joint = next((joint for joint in ("::", "->", ".") if masked.endswith(joint, 0, before)), "")
        if not joint:
            break
        position = before - len(joint)
        if joint == "::" and not re.match(r"[\w#>]", masked[position - 1 : position]):
            break  # the global namespace
    if not masked[position:opening].strip():
        raise SourceError(line_of(masked, opening), "a launch `<<<...>>>` needs a kernel before it")
    return position


def _part_start(masked: str, end: int) -> int:
    """Return where a name begins, with the template arguments, index or parentheses that follow it."""
    position = end
    if masked.endswith((")", "]"), 0, end):
        position = _matching_back(masked, end - 1)
    elif masked.endswith(">", 0, end):
        position = _matching_angle_back(masked, end - 1)
    name_end = start = _skip_blanks_back(masked, position)
    while start > 0 and (masked[start - 1].isalnum() or masked[start - 1] in "_#"):
        start -= 1
    return position if start == name_end or masked[start:name_end] in _STATEMENT_WORDS else start


def _configuration_end(masked: str, opening: int) -> int:
    position = opening + 3
    while position < len(masked) and masked[position] != ";":
        if masked.startswith(">>>", position):
            return position
        position = _matching(masked, position) + 1 if masked[position] in _CLOSING else position + 1
    raise SourceError(line_of(masked, opening), "this `<<<` has no matching `>>>`")


def _qualifiers(masked: str) -> Iterator[_Edit]:
    """Drop `__device__` behind a lambda's captures; spell attributes as the headers and C++ know them."""
    for found in _LAMBDA_QUALIFIERS.finditer(masked):
        yield _Edit(found.start(), found.end(), "\n" * found.group().count("\n"))
    for found in _NOINLINE.finditer(masked):  # no macro: headers of the library write __attribute__((__noinline__))
        yield _Edit(found.start(), found.end(), "__attribute__((noinline))")
    for found in _BOUNDS_ATTRIBUTE.finditer(masked):
        yield _Edit(found.start(1), found.end(1), "hipcpu_launch_bounds")


def _dynamic_arrays(text: str, masked: str) -> Iterator[_Edit]:
    for statement in _STATEMENT.finditer(masked):
        words = list(_SHARED_WORDS.finditer(statement.group()))
        if {word.group() for word in words} != {"extern", "__shared__"} or not statement.group().endswith(";"):
            continue
        start = statement.start() + words[0].start()
        yield _Edit(start, statement.end(), _reference(masked[start : statement.end()], line_of(text, start)))


def _reference(declaration: str, line: int) -> str:
    bare = _SHARED_WORDS.sub(" ", declaration).replace("\\\n", " ")
    bare = " ".join(_ATTRIBUTES.sub(" ", " ".join(bare.split())).split())
    array = _ARRAY.fullmatch(bare) if len(bare) <= _DECLARATION_LENGTH else None
    if not array:
        raise SourceError(line, "this `extern __shared__` is not of the form `extern __shared__ type name[];`")
    element, name, bounds = (part.strip() for part in array.groups())
    line_ends = re.sub(r"[^\n\\]", "", declaration)
    return f"{element} (&{name}){bounds} = ::hipcpu::dynamic_shared_array<{element} {bounds}>();{line_ends}"


def _matching(masked: str, start: int) -> int:
    """Return where the bracket at `start` closes."""
    expected: list[str] = []
    for position in range(start, len(masked)):
        character = masked[position]
        if character in _CLOSING:
            expected.append(_CLOSING[character])
        elif character in _OPENING:
            if expected.pop() != character:
                break
            if not expected:
                return position
    raise SourceError(line_of(masked, start), f"this `{masked[start]}` does not close")


def _matching_back(masked: str, end: int) -> int:
    expected: list[str] = []
    for position in range(end, -1, -1):
        character = masked[position]
        if character in _OPENING:
            expected.append(_OPENING[character])
        elif character in _CLOSING:
            if expected.pop() != character:
                break
            if not expected:
                return position
    raise SourceError(line_of(masked, end), f"this `{masked[end]}` was never opened")


def _matching_angle_back(masked: str, end: int) -> int:
    depth, position = 0, end
    while position >= 0 and masked[position] not in ";{}":
        character = masked[position]
        if character in _OPENING:
            position = _matching_back(masked, position)
        elif character in "<>":
            depth += 1 if character == ">" else -1
            if depth == 0:
                return position
        position -= 1
    raise SourceError(line_of(masked, end), "this `>` before a launch was never opened")


def _skip_blanks(masked: str, position: int) -> int:
    while position < len(masked) and (masked[position].isspace() or masked[position] == "\\"):
        position += 1
    return position


def _skip_blanks_back(masked: str, position: int) -> int:
    while position > 0 and (masked[position - 1].isspace() or masked[position - 1] == "\\"):
        position -= 1
    return position
