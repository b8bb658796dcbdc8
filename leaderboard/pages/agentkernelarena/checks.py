"""Do AgentKernelArena's printed tables agree? Each of the 24 rows of Tables 2 to 4 against itself and Table 8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.formatting import NBSP, percent, significant, x_of_n
from leaderboard.pages.agentkernelarena.row_checks import ROUNDING_SCORE, RowCheck
from leaderboard.pages.base import Link, page_url
from leaderboard.pages.papers.digits import agrees_cell, digits_cell
from leaderboard.pages.papers.printed import NOT_LOADED
from leaderboard.pages.section import Section, Shown
from leaderboard.tables import Cell, Field, RowGroup, Table, grouped, hidden, table, text_field
from leaderboard.words import CATEGORIES

METRIC = "printed-checks"


@dataclass(frozen=True, slots=True)
class CheckCount:
    """An identity or bound over all rows."""

    check: str
    about: str
    holds: int
    of: int
    exceptions: tuple[str, ...]  # rows in which it does not hold


def counts(rows: Sequence[RowCheck]) -> tuple[CheckCount, ...]:
    return (
        _count("Rates stand for whole numbers", "x of 72 or 444 results, x of 24 or 148 tasks", rows, "is_whole"),
        _count(
            "Score", f"20·compiled + 100·correct + 100·mean, within {ROUNDING_SCORE:.2f} points", rows, "score_agrees"
        ),
        _count(
            "fast₁ and fast₂ beside P25, P75 and P90, linear",
            "quantiles at 1 + (K − 1)·p of the sorted tasks",
            rows,
            "linear_faults",
        ),
        _count(
            "fast₁ and fast₂ beside P25, P75 and P90, exclusive",
            "quantiles at (K + 1)·p, which later reports of the public code take",
            rows,
            "exclusive_faults",
        ),
        _count("Spread over tasks", "between the least and the most that the row allows", rows, "sd_fits"),
        _count("Geometric mean", "at most what mean, quantiles and fast_p allow", rows, "geometric_fits"),
        _count("σr below the spread over tasks", "of which the paper tells it apart", rows, "is_spread_of_runs"),
    )


def section(rows: Sequence[RowCheck], found: Sequence[CheckCount]) -> Section:
    return Section(
        slug="checks-of-tables",
        title="Do the printed tables agree?",
        text="Nothing public has the speedups of single tasks, so these are identities within a row, and bounds that "
        "follow from what is printed. The quantiles of one row can only be linear ones. A spread of 0.72 between runs "
        "beside 0.02 of the geometric mean, as of Sonnet 4.6 on Triton, can only be a few tasks' doing.",
        links=(Link("The formulas", f"{page_url('metrics')}#{METRIC}"),),
        tables=(
            Shown(_counts_table(found), "prose-table"),
            Shown(_scores_table(rows), folded="The score, row by row"),
            Shown(_speeds_table(rows), folded="fast_p, quantiles, spread and geometric mean, row by row"),
            Shown(_runs_table(rows), folded="σr and the fastest task, row by row"),
        ),
    )


def _count(check: str, about: str, rows: Sequence[RowCheck], name: str) -> CheckCount:
    """Count the rows in which a property is true, or in which a number of faults is 0."""
    is_count = name.endswith("faults")
    wrong = [row for row in rows if bool(getattr(row, name)) is is_count]
    names = tuple(f"{CATEGORIES[row.category]}, {row.name}" for row in wrong)
    return CheckCount(check, about, len(rows) - len(wrong), len(rows), names)


def _counts_table(found: Sequence[CheckCount]) -> Table:
    columns: tuple[Field[CheckCount], ...] = (
        Field("check", "Check", lambda one: Cell(one.check, one.check, note=one.about)),
        hidden("about", lambda one: one.about, type="text"),
        Field("holds", "Rows in which it holds", _holds_cell),
        hidden("of", lambda one: one.of, type="integer"),
        text_field("exceptions", "Where it does not", lambda one: "; ".join(one.exceptions)),
    )
    return table("checks", "Identities and bounds, over the rows of Tables 2 to 4", columns, found, NOT_LOADED)


def _holds_cell(one: CheckCount) -> Cell:
    tone, mark = ("good", "✓") if one.holds == one.of else ("bad", "✕")
    return Cell(x_of_n(one.holds, one.of), one.holds, tone=tone, mark=mark)


def _scores_table(rows: Sequence[RowCheck]) -> Table:
    return _table(
        "scores",
        "20·compiled + 100·correct + 100·mean speedup beside the printed score",
        (
            Field("compiled", "Compiled", lambda row: Cell(x_of_n(row.compiled, row.of_runs), row.compiled)),
            Field("correct", "Correct", lambda row: Cell(x_of_n(row.correct, row.of_runs), row.correct)),
            hidden("of_runs", lambda row: row.of_runs, type="integer"),
            _number("mean", "Mean", lambda row: row.mean),
            Field("printed_score", "Score", lambda row: Cell(row.printed_score, row.printed_score), is_number=True),
            _number("score", "Recomputed", lambda row: row.score, digits=5),
            Field("difference", "Difference", lambda row: Cell(f"{row.difference:+.2f}", round(row.difference, 4))),
            Field("digits", "Digits that agree", lambda row: digits_cell(row.score, *row.score_digits)),
            Field("score_agrees", "Within rounding?", lambda row: agrees_cell(row.score_agrees)),
            _number("mean_of_score", "Mean that the score needs", lambda row: row.mean_of_score, digits=5),
        ),
        rows,
    )


def _speeds_table(rows: Sequence[RowCheck]) -> Table:
    return _table(
        "fast_and_quantiles",
        "Tasks that fast_p stands for, and whether quantiles, spread and geometric mean fit",
        (
            Field("fast_1", "fast₁", lambda row: Cell(x_of_n(row.fast_1, row.tasks), row.fast_1)),
            Field("fast_2", "fast₂", lambda row: Cell(x_of_n(row.fast_2, row.tasks), row.fast_2)),
            hidden("tasks", lambda row: row.tasks, type="integer"),
            Field("linear", "Quantiles linear?", lambda row: agrees_cell(not row.linear_faults)),
            Field("exclusive", "Exclusive?", lambda row: agrees_cell(not row.exclusive_faults)),
            _number("task_std", "Spread over tasks", lambda row: row.task_std),
            Field("sd_least", "It must be", lambda row: _between(row.bounds.sd_least, row.bounds.sd_most)),
            hidden("sd_most", lambda row: row.bounds.sd_most),
            Field("sd_fits", "Is it?", lambda row: agrees_cell(row.sd_fits)),
            _number("geometric", "Geometric mean", lambda row: row.geometric),
            _number("geometric_most", "At most", lambda row: row.bounds.geometric_most),
            Field("geometric_fits", "Is it?", lambda row: agrees_cell(row.geometric_fits)),
        ),
        rows,
    )


def _runs_table(rows: Sequence[RowCheck]) -> Table:
    return _table(
        "runs_and_largest",
        "The spread between runs, and what the spread over tasks says of the fastest task",
        (
            _number("mean", "Mean", lambda row: row.mean),
            _number("sigma_r", "σr", lambda row: row.sigma_r),
            Field(
                "relative",
                "Of the mean",
                lambda row: Cell(percent(row.sigma_r / row.mean), row.sigma_r / row.mean),
                is_number=True,
            ),
            Field("moved", "σr · tasks", lambda row: Cell(f"{significant(row.moved)}×", row.moved), is_number=True),
            Field(
                "largest_least",
                "Fastest task",
                lambda row: _between(row.bounds.largest_least, row.bounds.largest_most),
            ),
            hidden("largest_most", lambda row: row.bounds.largest_most),
            Field(
                "top_share",
                "Its share of the mean",
                lambda row: Cell(f"at least {percent(row.top_share)}", row.top_share),
                is_number=True,
            ),
        ),
        rows,
    )


def _between(least: float, most: float) -> Cell:
    return Cell(f"{significant(least)}{NBSP}to{NBSP}{significant(most)}", least)


def _number(key: str, label: str, value: Any, digits: int = 3) -> Field[RowCheck]:
    return Field(
        key, label, lambda row: Cell(significant(value(row), digits), value(row)), is_number=True, metric=METRIC
    )


def _table(slug: str, caption: str, columns: tuple[Field[RowCheck], ...], rows: Sequence[RowCheck]) -> Table:
    first: tuple[Field[RowCheck], ...] = (
        hidden("category", lambda row: row.category, type="text"),
        text_field("configuration", "Configuration", lambda row: row.name),
    )
    groups = [RowGroup(tuple(row for row in rows if row.category == key), name) for key, name in CATEGORIES.items()]
    return grouped(slug, caption, (*first, *columns), groups, NOT_LOADED)
