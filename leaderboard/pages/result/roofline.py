"""How near both sides come to what the device could do at best on a case, by its makers' figures."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.records.measurements import T_DEV
from evaluator.tasks.roofline import PEAKS, Roof, roof_of
from evaluator.tasks.spec import TaskSpec
from leaderboard.formatting import NONE, milliseconds, percent
from leaderboard.pages.result.facts import CaseFacts
from leaderboard.tables import Cell, Column, Table, table


def tables(cases: Sequence[CaseFacts], spec: TaskSpec | None, device_class: str) -> tuple[Table, ...]:
    """None where nothing was timed on a device whose peaks are known, or the task has changed since."""
    timed = [case for case in cases if case.clock == T_DEV]
    if spec is None or not timed or device_class not in PEAKS:
        return ()
    known = {case.id: case for case in spec.cases}
    rows = [_cells(case, roof_of(spec, known[case.id], device_class)) for case in timed if case.id in known]
    columns = (
        Column("case", "Case", is_code=True),
        Column("baseline_share", "Baseline", is_number=True),
        Column("candidate_share", "Candidate", is_number=True),
        Column("least_ms", "At least", is_number=True),
        Column("bound", "Bound by"),
    )
    caption = "Share of the roofline: the least time that the device's peaks allow, divided by the time per call"
    return (table("roofline", caption, columns, rows, "No case of the task is known here any more."),)


def _cells(case: CaseFacts, roof: Roof | None) -> tuple[Cell, ...]:
    name = Cell(case.id.replace(",", ", "), case.id)
    if roof is None:
        return (name, *(Cell(NONE) for _ in range(4)))
    least_ms = roof.time_ns / 1e6
    shares = (least_ms / time_ms if time_ms else None for time_ms in (case.baseline_ms, case.candidate_ms))
    return (name, *map(_share_cell, shares), Cell(milliseconds(least_ms), least_ms), Cell(roof.bound, roof.bound))


def _share_cell(share: float | None) -> Cell:
    return Cell(NONE) if share is None else Cell(percent(share), share)
