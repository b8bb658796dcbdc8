"""A result's hardware efficiency: each case timed on t_dev, and the task's figure over its eligible cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.records.measurements import T_DEV
from evaluator.tasks.roofline import CaseWork, Efficiency, Roof, TimedWork, efficiency, peak_name, roof_of
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, milliseconds, percent
from leaderboard.pages.efficiency.cells import GIGA, TERA, fields_of, findings, rate_text, share_cell
from leaderboard.pages.result.cases import CaseFacts, case_cell
from leaderboard.queries.results import AttemptRow
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field


@dataclass(frozen=True, slots=True)
class CaseEfficiency:
    """One case: both sides against the peaks of the device class; `counts` in the task's figure, if there is one."""

    case: str
    peak: str  # which peak its arithmetic is held against
    counts: bool
    baseline: Efficiency
    candidate: Efficiency
    roof: Roof | None  # the least time that the peaks allow


@dataclass(frozen=True, slots=True)
class ResultEfficiency:
    """The candidate's total work over its total time on the task's eligible cases, and each case timed on t_dev."""

    found: Efficiency | None  # None: not passed, no eligible case, or a task whose model is not stored
    sentence: str = field(metadata=SCREEN)
    findings: tuple[str, ...]  # on shares above 100 %, of the task or of a case
    cases: tuple[CaseEfficiency, ...]


def section(
    attempt: AttemptRow | None, cases: Sequence[CaseFacts], work: Mapping[str, Any], device_class: str
) -> ResultEfficiency:
    """`work`: what the task's model tells of its cases."""
    has_figure = attempt is not None and attempt.work_ms is not None
    known = tuple(
        _case(case, CaseWork(**work[case.id]), device_class, has_figure)
        for case in cases
        if case.clock == T_DEV and case.id in work
    )
    of_cases = [one.candidate for one in known]
    if attempt is None or attempt.work_ms is None:
        return ResultEfficiency(None, "", findings(*of_cases), known)
    total = TimedWork(attempt.work_ms / 1e3, attempt.work_bytes or 0.0, attempt.work_flops or {})
    found = efficiency(total, device_class)
    return ResultEfficiency(found, _sentence(found), findings(found, *of_cases), known)


def efficiency_tables(found: Sequence[CaseEfficiency]) -> tuple[Table, ...]:
    """The table of cases; none where no case has a number."""
    if not any(one.candidate.bytes_per_s or one.candidate.flops_per_s for one in found):
        return ()
    columns: tuple[Field[CaseEfficiency], ...] = fields(
        Field("case", "Case", lambda one: case_cell(one.case), is_code=True),
        fields_of(lambda one: one.candidate),
        text_field("peak", "Held against", lambda one: one.peak, is_code=True),
        Field("baseline_score", "Baseline's score", lambda one: share_cell(one.baseline.score), is_number=True),
        Field("least_ms", "Least time", _least_cell, is_number=True, metric="roofline"),
        Field("bound", "Bound by", lambda one: Cell(one.roof.bound, one.roof.bound) if one.roof else Cell(NONE)),
        hidden("counts", lambda one: one.counts),
        hidden("missing", lambda one: one.candidate.missing),
    )
    caption = "Hardware efficiency of the candidate by case, from the task's model and t_dev"
    return (table("efficiency", caption, columns, found, "The task's model has none of these cases."),)


def _case(case: CaseFacts, work: CaseWork, device_class: str, has_figure: bool) -> CaseEfficiency:
    limit = case.allowed_rmse
    baseline, candidate = (
        efficiency(TimedWork.of_case(work, time_ms or 0.0, limit), device_class)
        for time_ms in (case.baseline_ms, case.candidate_ms)
    )
    counts = has_figure and case.ratio is not None and case.ratio.is_eligible
    roof = roof_of(work, device_class, limit)
    return CaseEfficiency(case.id, peak_name(work.dtype, limit), counts, baseline, candidate, roof)


def _least_cell(one: CaseEfficiency) -> Cell:
    if one.roof is None:
        return Cell(NONE)
    least_ms = one.roof.time_ns / 1e6
    return Cell(milliseconds(least_ms), least_ms)


def _sentence(found: Efficiency) -> str:
    """The figure in words: what was achieved, and how much of the peaks that is, or why that is not known."""
    rates = [
        rate_text(rate / scale, unit)
        for rate, scale, unit in ((found.bytes_per_s, GIGA, "GB/s"), (found.flops_per_s, TERA, "TFLOP/s"))
        if rate is not None
    ]
    shares = [
        f"{name} {percent(share)}" for name, share in (("IOU", found.iou), ("MFU", found.mfu)) if share is not None
    ]
    achieved = " and ".join(rates) or "no rate"
    if found.score is None:
        return f"{achieved}; no score: {found.missing}"
    return f"{percent(found.score)} of the nearer peak ({', '.join(shares)}), {achieved}"
