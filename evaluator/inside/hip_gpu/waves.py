"""Find whether a HIP source assumes waves of 64 lanes: on a card with 32 its results would be wrong.

It looks for common idioms, only in sources that do not use `warpSize`, as those adapt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluator.inside.hip_cpu.masking import SourceError, line_of, mask

_ADAPTS = re.compile(r"\bwarpSize\b|\b__AMDGCN_WAVEFRONT_SIZE__?\b")
_SHUFFLE = re.compile(r"\b__shfl(?:_down|_up|_xor)?(?:_sync)?\s*\(")
_WAVE_OPERATION = re.compile(r"\b__(?:shfl(?:_down|_up|_xor)?|ballot|any|all)(?:_sync)?\s*\(")
# A name for 64: a macro, a constant, a template parameter's default.
_SIXTY_FOUR = re.compile(
    r"#[ \t]*define[ \t]+(\w+)[ \t]+\(?64\)?[ \t]*$|\b(\w+)\s*=\s*64\b(?!\s*[*/+<.])", re.MULTILINE
)
_FULL_BALLOT = re.compile(
    r"\b__ballot\s*\([^;]*?\)\s*[=!]=\s*(?:~\s*0|0x[fF]{16}|\(\s*(?:uint64_t|unsigned long long)\s*\)\s*-\s*1)"
)


def counts_on_64_lanes(text: str) -> list[str]:
    """Return the places in order, e.g. `line 12: __shfl_down(sum, 32)`; none for a text that cannot be read."""
    try:
        code = mask(text)
    except SourceError:
        return []
    if _ADAPTS.search(code) or not _WAVE_OPERATION.search(code):
        return []
    found = sorted({*_wide_shuffles(code), *_long_loops(code), *_lane_arithmetic(code), *_ballots(code)})
    return [f"line {line_of(code, start)}: {' '.join(code[start:end].split())}" for start, end in found]


def _sixty_four(code: str) -> str:
    """Return a pattern for 64 and every name for it."""
    names = {name for match in _SIXTY_FOUR.finditer(code) for name in match.groups() if name}
    return rf"(?:{'|'.join(['64', *map(re.escape, sorted(names))])})\b"


def _half_wave(code: str) -> str:
    return rf"(?:32\b|{_sixty_four(code)}\s*(?:/\s*2|>>\s*1)\b)"


def _wide_shuffles(code: str) -> Iterator[tuple[int, int]]:
    """Find shuffles of width 64, or at distance 32, half a wave of 64."""
    width, distance = re.compile(_sixty_four(code)), re.compile(_half_wave(code))
    for call in _SHUFFLE.finditer(code):
        arguments, end = _arguments(code, call.end())
        given = arguments[1:] if "_sync" in call.group() else arguments
        moves = re.search("_(?:down|up|xor)", call.group()) is not None
        if (len(given) == 3 and width.fullmatch(given[2])) or (
            moves and len(given) > 1 and distance.fullmatch(given[1])
        ):
            yield call.start(), end


def _long_loops(code: str) -> Iterator[tuple[int, int]]:
    """Find `for (int offset = 32; …) __shfl_down(value, offset)`, and loops towards 32."""
    half, whole = _half_wave(code), _sixty_four(code)
    head = rf"\bfor\s*\(\s*(?:[\w:]+\s+)+(\w+)\s*=\s*(?:{half}\s*;|1\s*;\s*\1\s*(?:<\s*{whole}|<=\s*{half}))"
    for loop in re.finditer(head, code):
        body = code[loop.end() : loop.end() + 300]
        if any(re.search(rf"\b{loop[1]}\b", given) for given in _shuffled(body)):
            yield loop.start(), loop.end()


def _shuffled(body: str) -> Iterator[str]:
    for call in _SHUFFLE.finditer(body):
        arguments, _ = _arguments(body, call.end())
        yield from arguments[1:]


def _lane_arithmetic(code: str) -> Iterator[tuple[int, int]]:
    """Find lane and wave computed from a thread's index: threadIdx.x & 63, % 64, / 64, >> 6."""
    thread = r"(?:threadIdx\s*\.\s*x|\b(?:tid|thread_id|threadId|thread))\s*"
    pattern = rf"{thread}(?:&\s*(?:63\b|\(\s*{_sixty_four(code)}\s*-\s*1)|[%/]\s*{_sixty_four(code)}|>>\s*6\b)"
    for match in re.finditer(pattern, code):
        yield match.span()


def _ballots(code: str) -> Iterator[tuple[int, int]]:
    for match in _FULL_BALLOT.finditer(code):
        yield match.span()


def _arguments(code: str, start: int) -> tuple[list[str], int]:
    """Return the arguments of a call whose bracket opens just before `start`, and where the call ends."""
    depth, begin, arguments = 0, start, list[str]()
    for position in range(start, len(code)):
        letter = code[position]
        if depth == 0 and letter in ",)":
            arguments.append(code[begin:position].strip())
            begin = position + 1
            if letter == ")":
                return arguments, position + 1
        depth += (letter in "([{") - (letter in ")]}")
    return arguments, len(code)
