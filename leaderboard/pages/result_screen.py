"""How a result's cases and kernels look: tables, and bars of both sides' times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.measurements import FUNCTIONAL
from leaderboard.charts import Chart, Point, Series, paired_bars
from leaderboard.formatting import NONE, milliseconds, plural, significant
from leaderboard.pages.result_parts import Case, Kernel
from leaderboard.tables import Cell, Column, Table, table

BASELINE, CANDIDATE = Series("baseline", "baseline", "ms"), Series("candidate", "candidate", "ms")
CLOCKS = {
    "t_dev": "Device time of one call, cache cold.",
    FUNCTIONAL: "Functional times: a CPU stands in for the GPU. They show that both sides ran; no metric uses them.",
}


def cases_table(cases: Sequence[Case]) -> Table:
    columns = (
        Column("case", "Case", is_code=True),
        Column("profile", "Profile", on_page=False),
        Column("correct", "Correct"),
        Column("draws", "Draws", is_number=True),
        Column("relative_rmse", "Error", is_number=True),
        Column("allowed_rmse", "Allowed", is_number=True),
        Column("baseline_rmse", "Baseline's", is_number=True),
        Column("clock", "Clock", on_page=False),
        Column("baseline_ms", "Baseline", is_number=True),
        Column("candidate_ms", "Candidate", is_number=True),
        Column("first_call_ms", "First call", is_number=True),
    )
    caption = "Every case: the worst relative RMSE over its draws against its bound, and times per call of both sides"
    empty = "No case was reached."
    return table("cases", caption, columns, [_cells(case) for case in cases], empty)


def chart(cases: Sequence[Case]) -> Chart | None:
    """None where nothing was timed."""
    timed = [case for case in cases if case.baseline_ms is not None and case.candidate_ms is not None]
    if not timed:
        return None
    rows = [(case.id.replace(",", "  "), "", (_point(case.baseline_ms), _point(case.candidate_ms))) for case in timed]
    clock = CLOCKS[timed[0].clock or FUNCTIONAL]
    description = f"Median time per call of baseline and candidate on {plural(len(timed), 'case')}. {clock}"
    note = f"Each case has a scale of its own: compare the two bars of a case, never two cases. {clock}"
    return paired_bars("times", "Time per call", description, "time per call, ms", (BASELINE, CANDIDATE), rows, note)


def kernels_table(kernels: Sequence[Kernel], checked: Mapping[str, str]) -> Table:
    names = list(dict.fromkeys(name for kernel in kernels for name in kernel.numbers))
    columns = (
        Column("kernel", "Kernel", is_code=True),
        Column("target", "Target", is_code=True),
        *(Column(name, name.replace("_", " "), is_number=True) for name in names),
    )
    rows = [
        (
            Cell(kernel.kernel, kernel.kernel),
            Cell(kernel.target, kernel.target),
            *(_number_cell(kernel.numbers.get(name)) for name in names),
        )
        for kernel in kernels
    ]
    said = "; ".join(f"{target}: {outcome}" for target, outcome in checked.items())
    empty = f"No report. {said}." if said else "Nothing was compiled for another target."
    return table("isa", "What the cross-compiler says about each kernel", columns, rows, empty)


def _cells(case: Case) -> tuple[Cell, ...]:
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


def _correct_cell(case: Case) -> Cell:
    if case.correct is None:
        return Cell("right so far" if case.draws else "not reached", None, tone="ours", mark="○")
    return Cell("right", True, tone="good", mark="✓") if case.correct else Cell("wrong", False, tone="bad", mark="✕")


def _time_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(milliseconds(value), value)


def _number_cell(value: float | int | None, digits: int = 3) -> Cell:
    if value is None:
        return Cell(NONE)
    return Cell(str(value) if isinstance(value, int) else significant(value, digits), value)


def _point(value: float | None) -> Point:
    return Point(value, "" if value is None else milliseconds(value))
