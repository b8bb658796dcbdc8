"""Measures C++ sources, as HIP and CUDA are, by lizard: complexity and lines. An index has radon of Python alone.

A function with `__global__` or `__device__` before its name belongs to the kernel part, all other code to the host's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from lizard import analyze_file

from runs.code_quality.parts import MeasuredPart, Quality

NO_FUNCTIONS = ("alignas", "__align__")  # of a struct; lizard takes them for the name of a function
_ON_DEVICE = re.compile(r"\b__(?:global|device)__\b")
_COMMENTS = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|" + r"""\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?""", re.DOTALL
)


def measure(sources: Sequence[str]) -> Quality:
    """Measure all files of a candidate together."""
    kernels, host = list[Any](), list[Any]()
    lines = 0
    for source in map(_without_comments, sources):
        found = analyze_file.analyze_source_code("candidate.cpp", source)
        lines += found.nloc
        places = _lines(source)
        for function in found.function_list:
            if function.name not in NO_FUNCTIONS:
                (kernels if _is_on_device(source, places, function) else host).append(function)
    own = min(sum(function.nloc for function in kernels), lines)
    return Quality("cpp", _part(kernels, own), _part(host, lines - own))


def _part(functions: Sequence[Any], lines: int) -> MeasuredPart | None:
    if not functions and not lines:
        return None
    return MeasuredPart.of([int(function.cyclomatic_complexity) for function in functions], lines, None)


def _without_comments(source: str) -> str:
    """Return the source with its lines, but no comment in them."""
    return _COMMENTS.sub(
        lambda found: found[0] if found["comment"] is None else " " + "\n" * found[0].count("\n"), source
    )


def _lines(source: str) -> list[int]:
    """Return where each line begins."""
    return [0, *(found.end() for found in re.finditer("\n", source))]


def _is_on_device(source: str, places: Sequence[int], function: Any) -> bool:
    """Whether what is between the function's name and the statement before it says that it runs on the device."""
    begin = places[function.start_line - 1]
    end = places[function.end_line] if function.end_line < len(places) else len(source)
    name = re.escape(function.name.rpartition("::")[2].split(" ")[0])
    found = re.compile(rf"(?<!\w){name}(?!\w)").search(source, begin, end)
    head = source[max(0, found.start() - 2000) : found.start()] if found else ""
    return _ON_DEVICE.search(re.split(r"[;{}]", head)[-1]) is not None
