"""What makes one version better than another: its time where there is a device clock, else the compiler's report."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from statistics import fmean

from evaluator.records.reasons import Status
from evaluator.records.record import IsaReport, Record


@dataclass(frozen=True, slots=True)
class Score:
    """Smaller is better, the first number first. `gained` is how much less the first must be to count."""

    numbers: tuple[float, ...]
    gained: float
    text: str

    def beats(self, other: Score) -> bool:
        if self.gained:
            return self.numbers[0] < other.numbers[0] - self.gained
        return self.numbers < other.numbers


def score_of(record: Record, speedup: float | None, target: str, margin: float) -> Score | None:
    """None: it does not pass, or nothing says how good it is. A host without a clock ranks nothing by time."""
    if record.status is not Status.PASSED:
        return None
    if speedup is not None:
        return Score((-log(speedup),), margin, f"speedup {speedup:.3f}")
    reports = [one for one in record.isa if one.side == "candidate" and one.target == target]
    return _by_report(reports) if reports else None


def _by_report(reports: list[IsaReport]) -> Score:
    """Means over all kernels and configurations: what the target refuses, spills, waves per SIMD, bytes of code."""
    refused = fmean(one.error is not None for one in reports)
    spills = fmean(sum(_number(one, name) for name in ("vgpr_spills", "sgpr_spills")) for one in reports)
    occupancy = fmean(_number(one, "occupancy") for one in reports)
    code = fmean(_number(one, "code_bytes") for one in reports)
    text = f"spills {spills:.4g}, occupancy {occupancy:.4g}, code {code:.5g} bytes"
    return Score((round(refused, 6), round(spills, 6), -round(occupancy, 6), round(code, 6)), 0.0, text)


def _number(report: IsaReport, name: str) -> int:
    return report.numbers.get(name) or 0
