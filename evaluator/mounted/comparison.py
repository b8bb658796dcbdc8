"""Turns the times of both sides into cases, if they are of the same cases on the same clocks."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from evaluator.judge.rejection import Rejection
from evaluator.mounted.report_formats import ScriptTimes
from evaluator.records.measurements import FUNCTIONAL, Clock
from evaluator.records.record import CaseRecord

DRIFT = 0.05  # of the baseline's time between before and after; beyond it, the host was not steady
SHOWN = 3
Report = tuple[ScriptTimes, ...]


@dataclass(frozen=True, slots=True)
class Times:
    """Three reports of one session: the baseline's before, the candidate's, and the baseline's after it."""

    before: Report
    candidate: Report
    after: Report

    def difference(self) -> Rejection | None:
        """Why the candidate's report cannot be compared with the baseline's, or None."""
        return _difference(self.before, self.candidate, "the baseline's")

    def unsteadiness(self) -> Rejection | None:
        """Why the baseline's own two reports cannot be compared, or None."""
        return _difference(self.before, self.after, "its first report's")

    @property
    def drift(self) -> float:
        """The largest relative change of a baseline's case between before and after."""
        after = _by_id(self.after)
        return max(abs(after[case.id].time_ms / case.time_ms - 1) for case in self.before)

    def cases(self, functional: bool) -> tuple[CaseRecord, ...]:
        """The timed cases. `baseline_ms` has both times of the baseline; the paper measures only the first."""
        candidate, after = _by_id(self.candidate), _by_id(self.after)
        return tuple(_record(case, candidate[case.id], after[case.id], functional) for case in self.before)


def _record(before: ScriptTimes, candidate: ScriptTimes, after: ScriptTimes, functional: bool) -> CaseRecord:
    """One timed case. On a host without a GPU times are those of stand-ins, so there is no speedup."""
    baseline_ms = (before.time_ms, after.time_ms)
    return CaseRecord(
        id=before.id,
        axes=dict(before.axes),
        profile="full",
        split="seen",
        correct=True,
        draws=1,  # by the task's own check, once
        relative_rmse=None,
        allowed_rmse=None,
        baseline_rmse=None,
        first_call_ms=None,
        clocks={FUNCTIONAL if functional else before.clock: Clock(baseline_ms, (candidate.time_ms,))},
        speedup=None if functional else fmean(baseline_ms) / candidate.time_ms,
    )


def _difference(expected: Report, seen: Report, whose: str) -> Rejection | None:
    ours, theirs = _by_id(expected), _by_id(seen)
    if ours.keys() != theirs.keys():
        missing, more = sorted(ours.keys() - theirs.keys()), sorted(theirs.keys() - ours.keys())
        text = (
            f"additional cases: {_listed(more) or 'none'}; missing cases: {_listed(missing) or 'none'}; "
            f"expected {whose} cases"
        )
        return Rejection("case_mismatch", text)
    for identity, case in ours.items():
        if theirs[identity].clock != case.clock:
            seen_clock = theirs[identity].clock
            return Rejection("method_mismatch", f"{identity}: seen {seen_clock}; expected {case.clock}, {whose} clock")
    return None


def _by_id(report: Report) -> dict[str, ScriptTimes]:
    return {case.id: case for case in report}


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
