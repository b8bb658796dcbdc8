"""How agents' behaviour looks: outcomes, labels by configuration, what a label means, and what the paper says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import log
from typing import TYPE_CHECKING

from leaderboard.formatting import rate, times
from leaderboard.pages.base import count_cell, entry_cells, page_url
from leaderboard.strategies import STRATEGIES, UNCHANGED
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import CATEGORIES, role_note

if TYPE_CHECKING:
    from leaderboard.pages.behaviour.page import Label, SessionOutcomes

WORDS = {slug: strategy.name for slug, strategy in STRATEGIES.items()} | {
    UNCHANGED: "As the baseline",
    "none": "None of these",
}
CITATION = "arXiv 2605.16819, Appendix H"
# Category, what, and in short what the paper says of it, its numbers as printed.
PAPER = (
    ("hip2hip", "Completion", "24 tasks, all by every agent within the timeout"),
    ("torch2hip", "Completion", "24 tasks, all by every agent within the timeout"),
    ("triton2triton", "Completion", "148 tasks, all by every agent"),
    ("torch2hip", "Compile failures, Claude Code", "approximately 35 occasions across 24 tasks"),
    ("torch2hip", "Compile failures, Composer 2", "zero compile-failure strings"),
    ("triton2triton", "Compile failures", "few; correctness failures tied to autotuning"),
    ("hip2hip", "Own check passed, then wrong", "1–2 tasks per run"),
    ("hip2hip", "Strategies", "coalescing, vectorization, compute fusion, __launch_bounds__, shared memory"),
    ("triton2triton", "Strategies", "BLOCK_SIZE, num_warps, num_stages, waves_per_eu, matrix_instr_nonkdim"),
    ("torch2hip", "Strategies", "thread-block decomposition, hipMalloc, bindings"),
)
EMPTY = "Nothing is published that matches. Take a filter away, or see the drafts among the runs."


def outcomes_table(found: Sequence[SessionOutcomes]) -> Table:
    columns = (
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("category", "Category"),
        Column("answers", "Tasks × runs", is_number=True),
        Column("handed_in", "Handed in", is_number=True),
        Column("judged", "Judged", is_number=True),
        Column("build_failures", "Did not build", is_number=True),
        Column("turned_away", "Turned away otherwise", is_number=True),
        Column("passed", "Passed", is_number=True),
    )
    caption = "What became of it: handed in and judged are of tasks × runs, the columns after them of what was judged"
    return table("outcomes", caption, columns, [_outcome_cells(one) for one in found], EMPTY)


def labels_table(found: Sequence[Label]) -> Table:
    """A row for each configuration, a column for each label that occurs; CSV has them all, with their medians."""
    seen = {one.label for one in found}
    columns = (
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("of", "Candidates", is_number=True),
        *(Column(slug, name, is_number=True, on_page=slug in seen) for slug, name in WORDS.items()),
        *(Column(f"{slug}_median_speedup", "", on_page=False) for slug in WORDS),
    )
    rows = [_label_cells(list(labels)) for _, labels in groupby(found, key=lambda one: one.configuration)]
    caption = "How many candidates do what the baseline does not, with an example and their median speedup"
    empty = "No source of a published candidate matches. Take a filter away, or see the drafts among the runs."
    return table("labels", caption, columns, rows, empty)


def meanings_table() -> Table:
    columns = (Column("label", "Label"), Column("meaning", "It stands where the source shows"))
    rows = [(Cell(one.name, slug), Cell(one.sentence, one.sentence)) for slug, one in STRATEGIES.items()]
    return table("meanings", "What a label means", columns, rows, "")


def paper_table() -> Table:
    columns = (Column("category", "Category"), Column("what", "What"), Column("says", "What it says"))
    rows = [(Cell(CATEGORIES[one], one), Cell(what, what), Cell(text, text)) for one, what, text in PAPER]
    return table("paper", f"{CITATION}, in short, numbers as printed", columns, rows, "")


def _outcome_cells(one: SessionOutcomes) -> tuple[Cell, ...]:
    return (
        *entry_cells(one.name, one.configuration, role_note(one.role)),
        Cell(CATEGORIES[one.category], one.category),
        count_cell(one.answers),
        Cell(rate(one.handed_in, one.answers), one.handed_in),
        Cell(rate(one.judged, one.answers), one.judged),
        *(Cell(rate(count, one.judged), count) for count in (one.build_failures, one.turned_away, one.passed)),
    )


def _label_cells(own: Sequence[Label]) -> tuple[Cell, ...]:
    first, by_label = own[0], {one.label: one for one in own}
    return (
        *entry_cells(first.name, first.configuration),
        count_cell(first.of),
        *(_share_cell(by_label.get(slug)) for slug in WORDS),
        *(Cell("", by_label[slug].median_speedup if slug in by_label else None) for slug in WORDS),
    )


def _share_cell(one: Label | None) -> Cell:
    if one is None:
        return Cell("0", 0)
    speed = "" if one.median_speedup is None else f"{times(log(one.median_speedup))}, {one.timed} timed"
    return Cell(rate(one.count, one.of), one.count, page_url("result", one.result), speed)
