"""The tables of code quality: a row for each entry, then a row for each type of operator and entry."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.formatting import NONE
from leaderboard.pages.base import entry_name, page_url, ranked_name
from leaderboard.pages.quality.facts import EntryQuality
from leaderboard.pages.quality.parts import median_fields
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden, table

EMPTY = "No entry matches, or no run is published yet. Remove a filter."
ONE_TYPE = "The tasks of this leaderboard are of one type."


def entries_table(found: Sequence[EntryQuality]) -> Table:
    columns: tuple[Field[EntryQuality], ...] = fields(
        Field("name", "Entry", _name_cell),
        hidden("configuration", lambda one: one.configuration),
        Field("measured", "Measured", _measured_cell, is_number=True),
        hidden("correct", lambda one: one.correct),
        median_fields("kernel", lambda one: one.kernel),
        median_fields("host", lambda one: one.host),
    )
    caption = "Medians over correct results, each of the candidate's own code: kernels, and what launches them"
    return table("quality", caption, columns, found, EMPTY)


def operators_table(found: Sequence[EntryQuality]) -> Table:
    columns: tuple[Field[EntryQuality], ...] = fields(
        Field("name", "Entry", _name_cell),
        hidden("operator", lambda one: one.operator, type="text"),
        hidden("configuration", lambda one: one.configuration),
        Field("measured", "Measured", _measured_cell, is_number=True),
        hidden("correct", lambda one: one.correct),
        median_fields("kernel", lambda one: one.kernel, lines=False),
        median_fields("host", lambda one: one.host, lines=False),
    )
    names = list(dict.fromkeys(one.operator or "" for one in found))
    groups = [RowGroup(tuple(one for one in found if one.operator == name), name) for name in names]
    return grouped("operators", "The same by type of operator", columns, groups, ONE_TYPE)


def _name_cell(one: EntryQuality) -> Cell:
    shown = ranked_name(one.rank, one.agent, one.model)
    return Cell(shown, entry_name(one.agent, one.model), page_url("configuration", one.configuration))


def _measured_cell(one: EntryQuality) -> Cell:
    return Cell(f"{one.measured} of {one.correct}" if one.correct else NONE, one.measured)
