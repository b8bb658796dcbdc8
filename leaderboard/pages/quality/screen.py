"""The tables of code quality: a row for each entry and language, then by type of operator."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.formatting import NONE
from leaderboard.pages.base import entry_name, page_url, ranked_name
from leaderboard.pages.quality.facts import EntryQuality
from leaderboard.pages.quality.parts import median_fields
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field

LANGUAGES = {"hip": "HIP", "triton": "Triton"}
MOST_ROWS = 150  # of the table by type of operator
EMPTY = "No entry matches, or no run is published yet. Remove a filter."


def entries_table(found: Sequence[EntryQuality]) -> Table:
    caption = "Medians over correct results, each of the candidate's own code: kernels, and what launches them"
    return table("quality", caption, _columns(), found, EMPTY)


def operators_table(found: Sequence[EntryQuality]) -> Table:
    columns = fields(
        text_field("operator", "Type of operator", lambda one: one.operator or NONE), _columns(lines=False)
    )
    return table("operators", "The same by type of operator", columns, found, "All tasks are of one type.")


def _columns(*, lines: bool = True) -> tuple[Field[EntryQuality], ...]:
    return fields(
        Field("name", "Entry", _name_cell),
        hidden("configuration", lambda one: one.configuration),
        Field("language", "Language", lambda one: Cell(LANGUAGES[one.language], one.language)),
        Field("measured", "Measured", _measured_cell, is_number=True),
        hidden("correct", lambda one: one.correct),
        median_fields("kernel", lambda one: one.kernel, lines=lines),
        median_fields("host", lambda one: one.host, lines=lines),
    )


def _name_cell(one: EntryQuality) -> Cell:
    shown = ranked_name(one.rank, one.agent, one.model)
    return Cell(shown, entry_name(one.agent, one.model), page_url("configuration", one.configuration))


def _measured_cell(one: EntryQuality) -> Cell:
    return Cell(f"{one.measured} of {one.correct}" if one.correct else NONE, one.measured)
