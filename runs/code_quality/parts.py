"""The two parts of a candidate's own code, and what is measured of each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any


@dataclass(frozen=True, slots=True)
class MeasuredPart:
    """`lines` are logical lines of Python, or lines of C++ that are neither blank nor a comment."""

    functions: int
    lines: int
    mean_complexity: float | None  # cyclomatic, over the part's functions; None without one
    max_complexity: int | None
    maintainability: float | None  # radon's, without its bonus for comments; None for C++ and without an operator

    @classmethod
    def of(cls, complexities: list[int], lines: int, maintainability: float | None) -> MeasuredPart:
        mean, most = (fmean(complexities), max(complexities)) if complexities else (None, None)
        return cls(len(complexities), lines, mean, most, maintainability)


@dataclass(frozen=True, slots=True)
class Quality:
    """A part is None where the candidate has no code of that kind."""

    language: str  # python or cpp
    kernel: MeasuredPart | None
    host: MeasuredPart | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
