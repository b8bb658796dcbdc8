"""How a result's cases look: what was checked of each."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.formatting import NONE, milliseconds, significant
from leaderboard.pages.result.facts import CaseFacts
from leaderboard.tables import Cell, Column, Table, table


def cases_table(cases: Sequence[CaseFacts]) -> Table:
    """Times stand here where there is only the functional clock; device clocks have a table of their own."""
    has_own = any(case.is_timed_on_device for case in cases)
    columns = (
        Column("case", "Case", is_code=True),
        Column("profile", "Profile", on_page=False),
        Column("correct", "Correct"),
        Column("draws", "Draws", is_number=True),
        Column("relative_rmse", "Error", is_number=True),
        Column("allowed_rmse", "Allowed", is_number=True),
        Column("baseline_rmse", "Baseline's", is_number=True),
        Column("clock", "Clock", on_page=False),
        Column("baseline_ms", "Baseline", is_number=True, on_page=not has_own),
        Column("candidate_ms", "Candidate", is_number=True, on_page=not has_own),
        Column("first_call_ms", "First call", is_number=True),
    )
    caption = "Every case: the worst relative RMSE over its draws against its bound"
    caption += "" if has_own else ", and times per call of both sides"
    empty = "No case was reached."
    return table("cases", caption, columns, [_cells(case) for case in cases], empty)


def _cells(case: CaseFacts) -> tuple[Cell, ...]:
    return (
        Cell(case.id.replace(",", ", "), case.id),
        Cell(case.profile, case.profile),
        _correct_cell(case),
        Cell(str(case.draws), case.draws),
        _number_cell(case.relative_rmse, digits=2),
        _number_cell(case.allowed_rmse, digits=2),
        _number_cell(case.baseline_rmse, digits=2),
        Cell(case.clock or NONE, case.clock),
        _time_cell(case.baseline_ms),
        _time_cell(case.candidate_ms),
        _time_cell(case.first_call_ms),
    )


def _correct_cell(case: CaseFacts) -> Cell:
    if case.correct is None:
        return Cell("right so far" if case.draws else "not reached", None, tone="ours", mark="○")
    return Cell("right", True, tone="good", mark="✓") if case.correct else Cell("wrong", False, tone="bad", mark="✕")


def _time_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(milliseconds(value), value)


def _number_cell(value: float | int | None, digits: int = 3) -> Cell:
    if value is None:
        return Cell(NONE)
    return Cell(str(value) if isinstance(value, int) else significant(value, digits), value)
