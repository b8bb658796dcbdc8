"""Attribution of success in KernelBench-X to method and category: computed from its printed tables, and as printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.formatting import NBSP, NONE, significant
from leaderboard.pages.base import Link, count_cell
from leaderboard.pages.kernelbench_x.printed import NOT_METHODS, task_count
from leaderboard.pages.papers.printed import NOT_LOADED, Rows
from leaderboard.pages.section import Section, Shown
from leaderboard.pages.text_figures import text_figures
from leaderboard.statistics.attribution import Attribution, attribution, dispersion, separation
from leaderboard.statistics.results import Numbers
from leaderboard.tables import Cell, Field, Table, table, text_field

QUANTITIES = {
    "method_pct": "Deviance explained by the method",
    "category_pct": "Deviance explained by the category",
    "category_added": "Δ log L of adding the category to the method",
    "method_added": "Δ log L of adding the method to the category",
}


@dataclass(frozen=True, slots=True)
class Explained:
    """One quantity of the fit. Shares are in percent, Δ log L in nats."""

    rate: str  # compilation or correctness
    quantity: str
    computed: float
    plain: float | None  # without a ridge; None where that model has no finite fit
    printed: str | None  # with the paper's digits
    added_df: int | None  # parameters added, for Δ log L


def explained(compiled: Rows, correct: Rows) -> tuple[Explained, ...]:
    """The quantities of both fits, over the methods that solve any task, as in the paper."""
    counts = _counts(compiled, correct)
    return tuple(line for rate, (passed, of) in counts.items() for line in _lines(rate, passed, of))


def assumptions(compiled: Rows, correct: Rows) -> tuple[str, ...]:
    """What the tables say of the assumptions of each fit, in a sentence or two."""
    return tuple(_assumption(rate, passed, of) for rate, (passed, of) in _counts(compiled, correct).items())


def section(lines: Sequence[Explained], items: Sequence[str]) -> Section:
    category, method = (text_figures()[f"correctness_{name}_added"] for name in ("category", "method"))
    return Section(
        slug="explained",
        title="Method or category: what explains success?",
        formula="1 − D/D₀, D = −2 log L of a logistic model with λ/2·Σβ², λ = 1",
        text="Computed here from the counts behind Tables 3 and 4, without the method that solves nothing. "
        "The paper does not state its ridge penalty. With this one, its figures for correctness are "
        f"reproduced, the last two within 0.1: its {category} and {method} are differences of log L, not of deviance. "
        "Its figures for compilation are not reproduced; its compilation tables also disagree with each other, see "
        "above.",
        items=tuple(items),
        links=(Link("The formula", "/metrics/#attribution"),),
        tables=(Shown(_attribution_table(lines)),),
    )


def _attribution_table(lines: Sequence[Explained]) -> Table:
    columns: tuple[Field[Explained], ...] = (
        text_field("rate", "Rate", lambda one: one.rate),
        Field("quantity", "Quantity", lambda one: Cell(QUANTITIES[one.quantity], one.quantity)),
        Field(
            "computed",
            "Computed here",
            lambda one: Cell(f"{one.computed:.2f}{_unit(one)}", round(one.computed, 4)),
            is_number=True,
            metric="attribution",
        ),
        Field(
            "printed",
            "Printed",
            lambda one: Cell(NONE) if one.printed is None else Cell(f"{one.printed}{_unit(one)}", float(one.printed)),
            is_number=True,
        ),
        Field(
            "plain",
            "Without a ridge",
            lambda one: Cell(NONE) if one.plain is None else Cell(f"{one.plain:.2f}{_unit(one)}", round(one.plain, 4)),
            is_number=True,
        ),
        Field("difference", "Difference", _difference_cell, is_number=True),
        Field("added_df", "Parameters added", lambda one: count_cell(one.added_df), is_number=True),
    )
    caption = "How much of success the method explains, and how much the task's category; printed: section 4.3"
    return table("attribution", caption, columns, lines, NOT_LOADED)


def _counts(compiled: Rows, correct: Rows) -> dict[str, tuple[Numbers, Numbers]]:
    """Passed and all tasks, methods × categories, of each rate."""
    methods = [
        name for name in sorted(correct[0]) if name not in NOT_METHODS and any(task_count(row, name) for row in correct)
    ]
    return {
        rate: (
            np.array([[task_count(row, method) for row in rows] for method in methods], dtype=np.float64),
            np.array([[float(row["tasks"]) for row in rows]] * len(methods)),
        )
        for rate, rows in (("correctness", correct), ("compilation", compiled))
    }


def _lines(rate: str, passed: Numbers, of: Numbers) -> tuple[Explained, ...]:
    """The quantities of one fit. Δ log L is half the difference of deviance, which the paper confuses with it."""
    found = attribution(passed, of)
    printed = {name: text_figures().get(f"{rate}_{name}") for name in QUANTITIES}
    computed = _quantities(found)
    plain = None if separation(passed, of).is_separated else _quantities(attribution(passed, of, ridge=0.0))
    df = {"category_added": found.category_df, "method_added": found.method_df}
    return tuple(
        Explained(rate, name, value, None if plain is None else plain[name], printed[name], df.get(name))
        for name, value in computed.items()
    )


def _quantities(found: Attribution) -> dict[str, float]:
    return {
        "method_pct": 100 * found.method,
        "category_pct": 100 * found.category,
        "category_added": found.category_added / 2,
        "method_added": found.method_added / 2,
    }


def _assumption(rate: str, passed: Numbers, of: Numbers) -> str:
    cells = separation(passed, of)
    spread = dispersion(passed, of, is_separated=cells.is_separated)
    assert spread is not None
    fit = "no finite fit without a ridge" if cells.is_separated else "a finite fit without a ridge"
    p = "" if spread.p is None else f", p = {significant(spread.p, 2)}"
    return (
        f"{rate.capitalize()}: of {cells.cells} cells, {cells.all_passed} are all passes and {cells.none_passed} all "
        f"failures, so that there is {fit}. Pearson's χ² / df = {significant(spread.ratio)}{p}. Whether methods agree "
        "about single tasks cannot be tested, as their outcomes on single tasks are not public."
    )


def _difference_cell(one: Explained) -> Cell:
    if one.printed is None:
        return Cell(NONE)
    difference = one.computed - float(one.printed)
    return Cell(f"{difference:+.2f}".replace("-", "−"), round(difference, 4))


def _unit(one: Explained) -> str:
    return f"{NBSP}%" if one.quantity.endswith("_pct") else ""
