"""A result's cases: whether each is correct, its errors, and its times on every clock."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluator.records.measurements import AKA_EVENTS, AKA_LOOP, FUNCTIONAL, KBX_DO_BENCH, T_CALL, T_DEV
from evaluator.thresholds import ELIGIBLE_E0, ELIGIBLE_NS, REFERENCE_E0_NS
from leaderboard.formatting import NONE, milliseconds, significant
from leaderboard.pages.base import count_cell
from leaderboard.queries.results import MeasurementRow
from leaderboard.tables import Cell, Field, Table, fields, hidden, table

CLOCKS = {  # in the order in which pages show them
    T_DEV: "Device time of one call with cold caches, launch overhead hidden. The only clock that is ranked.",
    T_CALL: "Wall time of one call, back to back with warm caches, host time included. Not ranked.",
    AKA_LOOP: "The paper's clock for HIP to HIP and PyTorch to HIP: 100 calls in one pair of events, divided by 100.",
    AKA_EVENTS: "The paper's clock for Triton to Triton: the mean over 100 calls with a pair of events around each.",
    KBX_DO_BENCH: "The paper's clock for PyTorch to Triton, Triton's do_bench: after 25 ms of warm-up, the median over "
    "100 ms of calls with a pair of events around each and a buffer of 256 MiB cleared before it.",
    FUNCTIONAL: "Times on a CPU. They show that both sides ran; no metric uses them.",
}
HOST_DECIDED = ("arena-1", "arena-2")  # protocols under which the host's own event pair said what is eligible

OUTCOMES: dict[bool | None, Cell] = {
    True: Cell("correct", True, tone="good", mark="✓"),
    False: Cell("wrong", False, tone="bad", mark="✕"),
    None: Cell("not reached", None, tone="ours", mark="○"),
}


@dataclass(frozen=True, slots=True)
class ClockTimes:
    """Median times of both sides on one clock, in milliseconds per call. On `functional` they are not comparable."""

    clock: str
    baseline_ms: float
    candidate_ms: float
    log_ratio: float | None  # above 0: the candidate is faster; on t_dev the estimate over blocks


@dataclass(frozen=True, slots=True)
class CaseRatio:
    """The log ratio of baseline to candidate on t_dev with its 95 % interval, as the protocol computes it."""

    log_ratio: float
    variance: float | None
    df: float | None
    low: float | None
    high: float | None
    is_eligible: bool
    why_not_eligible: str | None
    is_censored: bool
    is_noisy: bool


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """One case. Times are in milliseconds on the clock that `clock` names: t_dev, else `functional`."""

    id: str
    profile: str
    split: str
    correct: bool | None
    draws: int
    relative_rmse: float | None
    allowed_rmse: float | None
    baseline_rmse: float | None
    first_call_ms: float | None
    clock: str | None
    baseline_ms: float | None
    candidate_ms: float | None
    ratio: CaseRatio | None  # on t_dev
    clocks: tuple[ClockTimes, ...]  # every one

    @property
    def is_timed_on_device(self) -> bool:
        return any(one.clock != FUNCTIONAL for one in self.clocks)


def cases(rows: Sequence[MeasurementRow], protocol: str, device_class: str) -> tuple[CaseFacts, ...]:
    """Return the facts of each case of an attempt, in the order of evaluation.

    When a case fails, the others are abandoned and recorded as not correct, however well they did so far: such a case
    has None as `correct` here.
    """
    ratios = [_ratio(row, protocol, device_class) for row in rows]
    return tuple(
        _case(row, ratio, is_last=index == len(rows) - 1)
        for index, (row, ratio) in enumerate(zip(rows, ratios, strict=True))
    )


def cases_table(cases: Sequence[CaseFacts]) -> Table:
    """Make the table of cases. Times on a device clock have a table of their own, so they are left out here."""
    is_timed_on_device = any(case.is_timed_on_device for case in cases)
    shows_times = not is_timed_on_device and any(case.baseline_ms is not None for case in cases)
    columns: tuple[Field[CaseFacts], ...] = fields(
        Field("case", "Case", lambda case: case_cell(case.id), is_code=True),
        hidden("profile", lambda case: case.profile),
        Field("correct", "Correct", _correct_cell),
        Field("draws", "Draws", lambda case: count_cell(case.draws), is_number=True),
        Field("relative_rmse", "Error", lambda case: _error_cell(case.relative_rmse), is_number=True),
        Field("allowed_rmse", "Allowed error", lambda case: _error_cell(case.allowed_rmse), is_number=True),
        Field("baseline_rmse", "Baseline's error", lambda case: _error_cell(case.baseline_rmse), is_number=True),
        hidden("clock", lambda case: case.clock),
        Field(
            "baseline_ms", "Baseline", lambda case: _time_cell(case.baseline_ms), is_number=True, on_page=shows_times
        ),
        Field(
            "candidate_ms",
            "Candidate",
            lambda case: _time_cell(case.candidate_ms),
            is_number=True,
            on_page=shows_times,
        ),
        Field("first_call_ms", "First call", lambda case: _time_cell(case.first_call_ms), is_number=True),
    )
    caption = "Cases with their largest error over all draws"
    caption += ", and times per call of both sides" if shows_times else ""
    empty = "No case was evaluated. The gates show how far the attempt got."
    return table("cases", caption, columns, cases, empty)


def case_cell(case: str) -> Cell:
    """A case's id, which may break after its commas."""
    return Cell(case.replace(",", ", "), case)


def _case(row: MeasurementRow, ratio: CaseRatio | None, is_last: bool) -> CaseFacts:
    clocks = _clocks(row)
    shown = clocks[0] if clocks and clocks[0].clock in (T_DEV, FUNCTIONAL) else None
    is_within = row.relative_rmse is None or row.allowed_rmse is None or row.relative_rmse <= row.allowed_rmse
    is_abandoned = row.correct is False and row.draws > 0 and is_within and not is_last
    return CaseFacts(
        row.case,
        row.profile,
        row.split,
        None if is_abandoned else row.correct,
        row.draws,
        row.relative_rmse,
        row.allowed_rmse,
        row.baseline_rmse,
        row.first_call_ms,
        shown.clock if shown else None,
        shown.baseline_ms if shown else None,
        shown.candidate_ms if shown else None,
        ratio,
        clocks,
    )


def _clocks(row: MeasurementRow) -> tuple[ClockTimes, ...]:
    """Return the times on every clock of the case, those on the ranked clock first."""
    found = dict(row.clocks)
    if row.baseline_t_dev_ms is not None:
        found[T_DEV] = {"baseline_ms": row.baseline_t_dev_ms, "candidate_ms": row.candidate_t_dev_ms}
    names = [*(name for name in CLOCKS if name in found), *sorted(set(found) - set(CLOCKS))]
    return tuple(_clock(name, found[name], row.log_ratio) for name in names)


def _clock(name: str, medians: Mapping[str, Any], log_ratio: float | None) -> ClockTimes:
    baseline_ms, candidate_ms = float(medians["baseline_ms"]), float(medians["candidate_ms"])
    if name == FUNCTIONAL:
        return ClockTimes(name, baseline_ms, candidate_ms, None)
    own = log_ratio if name == T_DEV else math.log(baseline_ms / candidate_ms)
    return ClockTimes(name, baseline_ms, candidate_ms, own)


def _ratio(row: MeasurementRow, protocol: str, device_class: str) -> CaseRatio | None:
    if row.log_ratio is None or row.baseline_t_dev_ms is None:
        return None
    return CaseRatio(
        row.log_ratio,
        row.log_ratio_variance,
        row.log_ratio_df,
        row.log_ratio_low,
        row.log_ratio_high,
        row.is_eligible,
        None if row.is_eligible else _why_not_eligible(row.baseline_t_dev_ms, protocol, device_class),
        row.is_censored,
        row.is_noisy,
    )


def _why_not_eligible(baseline_ms: float, protocol: str, device_class: str) -> str:
    host_decided = protocol in HOST_DECIDED
    if not host_decided and device_class not in REFERENCE_E0_NS:
        return "no event pair is fixed for this device class yet, so no speed counts"
    takes = f"the baseline takes {milliseconds(baseline_ms)}"
    if baseline_ms * 1e6 < ELIGIBLE_NS:
        return f"{takes}, and a speedup counts only from {milliseconds(ELIGIBLE_NS / 1e6)} on"
    whose = "on its host" if host_decided else "of its device class"
    return f"{takes}, less than {ELIGIBLE_E0:.0f} empty event pairs {whose}"


def _correct_cell(case: CaseFacts) -> Cell:
    outcome = OUTCOMES[case.correct]
    return replace(outcome, text="correct so far") if case.correct is None and case.draws else outcome


def _error_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(significant(value, 2), value)


def _time_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(milliseconds(value), value)
