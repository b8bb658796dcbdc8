"""Where the paper of KernelBench-X disagrees with itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.formatting import NBSP
from leaderboard.pages.kernelbench_x.printed import COMPILED, CORRECT, NOT_LOADED, OVERALL, Rows, task_count
from leaderboard.pages.kernelbench_x.section import Section, Shown
from leaderboard.tables import Cell, Field, Table, hidden, table, text_field

ROUNDING_PCT = 0.051  # a printed percentage is rounded to one decimal
DISAGREEMENTS = (
    "GEAK after its last round has a speedup of 1.44 and a score of 53.3 % in section 4.4, but 1.15 and 50.0 % in the "
    "overall table, with the same compilation and correctness rates.",
    "The setup names CUDA 11.8 together with a PyTorch built for CUDA 12.8.",
)


@dataclass(frozen=True, slots=True)
class PaperCheck:
    """A printed percentage and the count of tasks that the category table adds up to."""

    method: str
    rate: str  # compilation or correctness
    printed_pct: float
    count: int
    tasks: int
    summed_pct: float
    agrees: bool


def checks_of(cells: Mapping[str, Rows]) -> tuple[PaperCheck, ...]:
    rates = (("compilation", "compile_pct", COMPILED), ("correctness", "correct_pct", CORRECT))
    return tuple(
        _check(row["method"], rate, float(row[key]), cells[slug]) for rate, key, slug in rates for row in cells[OVERALL]
    )


def section(checks: Sequence[PaperCheck]) -> Section:
    return Section(
        slug="disagreements",
        title="Inconsistencies in the paper",
        items=disagreements(checks),
        tables=(Shown(_checks_table(checks)),),
    )


def disagreements(checks: Sequence[PaperCheck]) -> tuple[str, ...]:
    """Disagreements that the tables show, then those of the text."""
    shown = tuple(
        f"{one.method}'s {one.rate} is {one.printed_pct} % in the overall table; its categories add up to {one.count} "
        f"of {one.tasks}, which is {one.summed_pct:.1f} %."
        for one in checks
        if not one.agrees
    )
    return (*shown, *DISAGREEMENTS) if checks else ()


def _check(method: str, rate: str, printed_pct: float, rows: Rows) -> PaperCheck:
    tasks = sum(int(row["tasks"]) for row in rows)
    count = sum(task_count(row, method) for row in rows)
    summed_pct = 100 * count / tasks
    return PaperCheck(
        method, rate, printed_pct, count, tasks, summed_pct, abs(summed_pct - printed_pct) <= ROUNDING_PCT
    )


def _checks_table(checks: Sequence[PaperCheck]) -> Table:
    columns: tuple[Field[PaperCheck], ...] = (
        text_field("method", "Method", lambda one: one.method),
        text_field("rate", "Rate", lambda one: one.rate),
        Field(
            "printed_pct",
            "Printed overall",
            lambda one: Cell(f"{one.printed_pct}{NBSP}%", one.printed_pct),
            is_number=True,
        ),
        Field(
            "count",
            "Categories add up to",
            lambda one: Cell(f"{one.count}{NBSP}of{NBSP}{one.tasks}", one.count),
            is_number=True,
        ),
        hidden("tasks", lambda one: one.tasks),
        Field(
            "summed_pct",
            "In percent",
            lambda one: Cell(f"{one.summed_pct:.1f}{NBSP}%", round(one.summed_pct, 4)),
            is_number=True,
        ),
        Field("agrees", "Do they agree?", _agrees_cell),
    )
    caption = "Do the printed tables agree? Rates of the overall table, and sums over the categories"
    return table("checks", caption, columns, checks, NOT_LOADED)


def _agrees_cell(one: PaperCheck) -> Cell:
    return Cell("yes", True, tone="good", mark="✓") if one.agrees else Cell("no", False, tone="bad", mark="✕")
