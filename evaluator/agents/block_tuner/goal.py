"""Scores of versions: the speedup where there is a device clock, otherwise the compiler's report."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from statistics import fmean

from evaluator.records.reasons import Status
from evaluator.records.record import IsaReport, Record


@dataclass(frozen=True, slots=True)
class Score:
    """Numbers to minimise, the first one first. With a `margin` only the first counts, and must fall by that much."""

    numbers: tuple[float, ...]
    margin: float
    text: str

    def beats(self, other: Score) -> bool:
        if self.margin:
            return self.numbers[0] < other.numbers[0] - self.margin
        return self.numbers < other.numbers


def score_of(record: Record, speedup: float | None, target: str, margin: float) -> Score | None:
    """The score of a checked version; None if it does not pass, or has neither a speedup nor a compiler's report."""
    if record.status is not Status.PASSED:
        return None
    if speedup is not None:
        return Score((-log(speedup),), margin, f"speedup {speedup:.3f}")
    reports = [one for one in record.isa if one.side == "candidate" and one.target == target]
    return _score_of_reports(reports) if reports else None


def _score_of_reports(reports: list[IsaReport]) -> Score:
    """Means over all kernels and configurations: compile errors, register spills, waves per SIMD, bytes of code."""
    refused = fmean(one.error is not None for one in reports)
    spills = fmean(sum(_number(one, name) for name in ("vgpr_spills", "sgpr_spills")) for one in reports)
    occupancy = fmean(_number(one, "occupancy") for one in reports)
    code = fmean(_number(one, "code_bytes") for one in reports)
    text = f"spills {spills:.4g}, occupancy {occupancy:.4g}, code {code:.5g} bytes"
    return Score((round(refused, 6), round(spills, 6), -round(occupancy, 6), round(code, 6)), 0.0, text)


def _number(report: IsaReport, name: str) -> int:
    return report.numbers.get(name) or 0
