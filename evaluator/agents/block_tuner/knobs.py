"""Knobs of a source text: block sizes, warps, stages, threads per block, launch bounds.

A knob is a place in the text and the alternatives for it, whatever the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SMALLEST, LARGEST = 4, 8192  # of a block size
STEPS = 2  # powers of two up and down from the original size: a quarter to four times


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting of a source; all its places hold the same text and change together."""

    file: str
    name: str
    places: tuple[tuple[int, int], ...]  # begin and end, in bytes
    choices: tuple[str, ...]  # in order, neighbours last to differ
    start: int  # index of the original text among the choices


def apply_choices(sources: Mapping[str, bytes], setting: Mapping[Knob, int]) -> dict[str, bytes]:
    """The sources with each knob of `setting` at its index; other knobs keep their original text."""
    edits = [(knob.file, place, knob.choices[index]) for knob, index in setting.items() for place in knob.places]
    files = dict(sources)
    for file, (begin, end), text in sorted(edits, key=lambda edit: edit[1], reverse=True):
        files[file] = files[file][:begin] + text.encode() + files[file][end:]
    return files


def size_knob(file: str, name: str, places: Iterable[tuple[int, int]], value: int, *, most: int = LARGEST) -> Knob:
    """A knob whose choices are the powers of two around `value`, up to `most`."""
    sizes = [value << step if step >= 0 else value >> -step for step in range(-STEPS, STEPS + 1)]
    choices = [size for size in sizes if SMALLEST <= size <= most or size == value]
    return Knob(file, name, tuple(places), tuple(map(str, choices)), choices.index(value))


def is_size(value: object) -> bool:
    return type(value) is int and SMALLEST <= value <= LARGEST and value & (value - 1) == 0
