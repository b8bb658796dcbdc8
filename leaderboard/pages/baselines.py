"""Times of baselines beside a task's own, on the pages of a result and of a task. They are in no metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from evaluator.records.measurements import BaselineTimes
from evaluator.records.record import Record
from evaluator.tasks.spec import BASELINES
from leaderboard.formatting import NONE, milliseconds
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field

TITLES = {"eager": "PyTorch eager", "compile": "PyTorch compile", "library": "Library"}


@dataclass(frozen=True, slots=True)
class CaseBaselines:
    """One case on one device: medians of the task's own baseline and of the candidate, and each further baseline."""

    device_class: str
    case: str
    baseline_ms: float
    candidate_ms: float | None  # None on the page of a task
    others: dict[str, BaselineTimes]  # by kind


def case_baselines(record: Record | None, *, with_candidate: bool = True) -> tuple[CaseBaselines, ...]:
    """Return the cases of a record on which further baselines were timed."""
    found = []
    for case in record.cases if record else ():
        if case.baselines:
            clock = case.clocks[next(iter(case.baselines.values())).clock]
            candidate_ms = median(clock.candidate_ms) if with_candidate else None
            device = record.host.device_class if record else ""
            found.append(CaseBaselines(device, case.id, median(clock.baseline_ms), candidate_ms, dict(case.baselines)))
    return tuple(found)


def baselines_tables(rows: Sequence[CaseBaselines]) -> tuple[Table, ...]:
    """Make the table of all baselines side by side; none where no further one was timed."""
    if not rows:
        return ()
    devices, has_candidate = {row.device_class for row in rows}, any(row.candidate_ms is not None for row in rows)
    columns: tuple[Field[CaseBaselines], ...] = fields(
        text_field("device_class", "Device", lambda row: row.device_class, is_code=True, on_page=len(devices) > 1),
        Field("case", "Case", lambda row: Cell(row.case.replace(",", ", "), row.case), is_code=True),
        Field("baseline_ms", "Task's own", lambda row: _time_cell(row.baseline_ms), is_number=True),
        (field for kind in BASELINES for field in _fields_of(kind, any(kind in row.others for row in rows))),
        Field(
            "candidate_ms", "Candidate", lambda row: _time_cell(row.candidate_ms), is_number=True, on_page=has_candidate
        ),
    )
    caption = (
        "Baselines beside the task's own: the median time of a call on t_dev, and below it how many times as fast as "
        "the task's own in the same session. Each has a session of its own, so the columns need not divide to that. "
        "Not ranked"
    )
    return (table("baselines", caption, columns, rows, "No further baseline was timed."),)


def _fields_of(kind: str, is_timed: bool) -> tuple[Field[CaseBaselines], ...]:
    def cell(row: CaseBaselines) -> Cell:
        one = row.others.get(kind)
        return Cell(milliseconds(one.time_ms), one.time_ms, note=f"{one.ratio:.2f}×") if one else Cell(NONE)

    def ratio(row: CaseBaselines) -> float | None:
        return row.others[kind].ratio if kind in row.others else None

    return (
        Field(f"{kind}_ms", TITLES[kind], cell, is_number=True, on_page=is_timed),
        hidden(f"{kind}_ratio", ratio),
    )


def _time_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(milliseconds(value), value)
