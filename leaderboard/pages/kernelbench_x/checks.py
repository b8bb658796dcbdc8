"""Do the printed tables of KernelBench-X agree? Tables 1 and 2 against the tasks that Tables 3 and 4 add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.formatting import NBSP, x_of_n
from leaderboard.pages.kernelbench_x.printed import (
    COMPILED,
    CONVERSION,
    CORRECT,
    OVERALL,
    Printed,
    task_count,
)
from leaderboard.pages.papers.digits import agrees_cell
from leaderboard.pages.papers.printed import NOT_LOADED, Rows
from leaderboard.pages.section import Section, Shown
from leaderboard.tables import Cell, Field, Table, hidden, table, text_field

ROUNDING_PCT = 0.051  # a printed percentage is rounded to one decimal
AVERAGED = ("AutoTriton", "GEAK", "KernelAgent", "Claude")  # the methods of Table 2


@dataclass(frozen=True, slots=True)
class PaperCheck:
    """A printed percentage of the overall table, and the tasks that it should be of.

    Rates are held against the sums of the category tables; `correct of compiled` against the two rates beside it.
    """

    method: str
    rate: str  # compilation, correctness or correct of compiled
    printed_pct: float
    count: int
    of: int
    summed_pct: float
    agrees: bool


@dataclass(frozen=True, slots=True)
class ConversionCheck:
    """A figure of Table 2, an average over four methods, and the same of Tables 3 and 4."""

    category: str
    rate: str
    printed_pct: float
    count: int  # tasks of all four methods
    of: int
    summed_pct: float
    agrees: bool


def checks_of(paper: Printed) -> tuple[PaperCheck, ...]:
    overall, rates = paper.rows[OVERALL], (("compilation", COMPILED), ("correctness", CORRECT))
    keys = {"compilation": "compile_pct", "correctness": "correct_pct"}
    summed = [
        _summed(row["method"], rate, row[keys[rate]], paper.rows[slug]) for rate, slug in rates for row in overall
    ]
    tasks = sum(int(row["tasks"]) for row in paper.rows[CORRECT])
    return (*summed, *(_converted(row, tasks) for row in overall))


def conversion_of(paper: Printed) -> tuple[ConversionCheck, ...]:
    compiled, correct = ({row["category"]: row for row in paper.rows[slug]} for slug in (COMPILED, CORRECT))
    found: list[ConversionCheck] = []
    for row in paper.rows[CONVERSION]:
        name = row["category"]
        passed, built = (_of_four(rows[name]) for rows in (correct, compiled))
        of = len(AVERAGED) * int(correct[name]["tasks"])
        found += [
            _conversion(name, "compilation", row["compile_pct"], built, of),
            _conversion(name, "correctness", row["correct_pct"], passed, of),
            _conversion(name, "correct of compiled", row["correct_per_compile_pct"], passed, built),
        ]
    return tuple(found)


def section(checks: Sequence[PaperCheck], conversion: Sequence[ConversionCheck]) -> Section:
    return Section(
        slug="checks-of-tables",
        title="Do the printed tables agree?",
        text="A percentage of few tasks stands for a whole number of them, so the tables of categories can be added "
        "up. Table 2 needs 18 more compiled kernels than Table 4 has. They can only be KernelAgent's: no other column "
        "of Table 4 falls so far short of the overall table.",
        tables=(Shown(_checks_table(checks)), Shown(_conversion_table(conversion))),
    )


def _summed(method: str, rate: str, printed: str, rows: Rows) -> PaperCheck:
    count, of = sum(task_count(row, method) for row in rows), sum(int(row["tasks"]) for row in rows)
    return PaperCheck(method, rate, *_compared(printed, count, of))


def _converted(row: Mapping[str, str], tasks: int) -> PaperCheck:
    """Correct of compiled, in the whole tasks that the row's own two rates stand for."""
    correct, compiled = (round(float(row[key]) * tasks / 100) for key in ("correct_pct", "compile_pct"))
    return PaperCheck(
        row["method"], "correct of compiled", *_compared(row["correct_per_compile_pct"], correct, compiled)
    )


def _conversion(category: str, rate: str, printed: str, count: int, of: int) -> ConversionCheck:
    return ConversionCheck(category, rate, *_compared(printed, count, of))


def _of_four(row: Mapping[str, str]) -> int:
    return sum(task_count(row, method) for method in AVERAGED)


def _compared(printed: str, count: int, of: int) -> tuple[float, int, int, float, bool]:
    summed = 100 * count / of
    return float(printed), count, of, summed, abs(summed - float(printed)) <= ROUNDING_PCT


def _checks_table(checks: Sequence[PaperCheck]) -> Table:
    caption = "Do the printed tables agree? Rates of the overall table, and sums over the categories"
    return _table("checks", caption, "Method", lambda one: one.method, checks)


def _conversion_table(checks: Sequence[ConversionCheck]) -> Table:
    caption = "Table 2, averaged over four methods, and the same from Tables 3 and 4"
    return _table("conversion_checks", caption, "Category", lambda one: one.category, checks)


Check = PaperCheck | ConversionCheck


def _table(slug: str, caption: str, label: str, name: Callable[[Any], str], checks: Sequence[Check]) -> Table:
    columns: tuple[Field[Check], ...] = (
        text_field(label.lower(), label, name),
        text_field("rate", "Rate", lambda one: one.rate),
        Field("printed_pct", "Printed", lambda one: Cell(f"{one.printed_pct}{NBSP}%", one.printed_pct), is_number=True),
        Field("count", "Adds up to", lambda one: Cell(x_of_n(one.count, one.of), one.count), is_number=True),
        hidden("of", lambda one: one.of, type="integer"),
        Field("summed_pct", "In percent", _summed_cell, is_number=True),
        Field("agrees", "Do they agree?", lambda one: agrees_cell(one.agrees)),
    )
    return table(slug, caption, columns, checks, NOT_LOADED)


def _summed_cell(one: Check) -> Cell:
    return Cell(f"{one.summed_pct:.1f}{NBSP}%", round(one.summed_pct, 4))
