"""The tables of hardware efficiency, and a heat map of scores by type of operator."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.charts import HeatChart, heat_map
from leaderboard.formatting import NONE, percent, plural
from leaderboard.pages.base import (
    count_cell,
    entry_fields,
    entry_name,
    ranked_name,
    short_names,
    task_cell,
    unranked_note,
)
from leaderboard.pages.board.operators import MOST_COLUMNS
from leaderboard.pages.board.standings import Entry
from leaderboard.pages.efficiency.cells import fields_of, share_cell
from leaderboard.pages.efficiency.facts import EntryEfficiency, Means, OperatorEfficiency, TaskNumbers
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden, table, text_field

NOTHING = "No entry matches, or no run is published yet. Remove a filter."


def entries_table(found: Sequence[EntryEfficiency], refused: str | None) -> Table:
    columns: tuple[Field[EntryEfficiency], ...] = fields(
        entry_fields(
            lambda one: ranked_name(one.rank, one.agent, one.model),
            lambda one: one.configuration,
            lambda one: unranked_note(one.rank, one.role),
        ),
        Field("score", "Mean score", lambda one: _mean_cell(one.means), is_number=True, metric="hardware-score"),
        Field("iou", "Mean IOU", lambda one: share_cell(one.means.iou), is_number=True, metric="iou"),
        Field("mfu", "Mean MFU", lambda one: share_cell(one.means.mfu), is_number=True, metric="mfu"),
        Field("above", "Above 100 %", lambda one: _of_cell(one.means.above, one.means.scored), is_number=True),
        Field("correct", "Correct", lambda one: _of_cell(one.correct, one.means.tasks), is_number=True),
        hidden("scored", lambda one: one.means.scored),
        hidden("tasks", lambda one: one.means.tasks),
    )
    caption = "Hardware efficiency of each entry: means over its correct tasks that have a score"
    return table("entries", caption, columns, found, refused or NOTHING)


def operators_table(found: Sequence[OperatorEfficiency], entries: Sequence[Entry]) -> Table:
    names = {entry.configuration: entry_name(entry.agent, entry.model) for entry in entries}
    columns: tuple[Field[OperatorEfficiency], ...] = fields(
        entry_fields(lambda one: names[one.configuration], lambda one: one.configuration),
        text_field("operator", "Type of operator", lambda one: one.operator, on_page=False),
        Field("score", "Mean score", lambda one: _mean_cell(one.means), is_number=True, metric="hardware-score"),
        Field("iou", "Mean IOU", lambda one: share_cell(one.means.iou), is_number=True, metric="iou"),
        Field("mfu", "Mean MFU", lambda one: share_cell(one.means.mfu), is_number=True, metric="mfu"),
        hidden("scored", lambda one: one.means.scored),
        hidden("tasks", lambda one: one.means.tasks),
        hidden("above", lambda one: one.means.above),
    )
    groups: dict[str, list[OperatorEfficiency]] = {}
    for one in found:
        groups.setdefault(one.operator, []).append(one)
    rows = [RowGroup(tuple(own), name, plural(own[0].means.tasks, "task")) for name, own in groups.items()]
    caption = "Hardware efficiency by type of operator"
    return grouped("operators", caption, columns, rows, "The tasks of this leaderboard are of one type.")


def tasks_table(found: Sequence[TaskNumbers], entries: Sequence[Entry], refused: str | None) -> Table:
    names = {entry.configuration: entry_name(entry.agent, entry.model) for entry in entries}
    shown = [one for one in found if one.timed]
    columns: tuple[Field[TaskNumbers], ...] = fields(
        Field("task", "Task", lambda one: task_cell(one.task)),
        entry_fields(lambda one: names[one.configuration], lambda one: one.configuration),
        fields_of(lambda one: one.found),
        text_field("operator", "Type of operator", lambda one: one.operator, on_page=False),
        hidden("correct", lambda one: one.correct),
        hidden("timed", lambda one: one.timed),
        hidden("missing", lambda one: one.found.missing),
    )
    caption = "Hardware efficiency by task: total work over total time of eligible cases, the mean over runs"
    empty = refused or "No correct result has a time on t_dev that counts."
    return table("tasks", caption, columns, shown, empty)


def operators_chart(found: Sequence[OperatorEfficiency], entries: Sequence[Entry]) -> dict[str, HeatChart]:
    shown = entries[:MOST_COLUMNS]
    if not any(one.means.scored for one in found) or not shown:
        return {}
    cells = {(one.operator, one.configuration): one.means for one in found}
    rows = [
        (
            name,
            plural(cells[name, shown[0].configuration].tasks, "task"),
            [_heat_cell(cells[name, entry.configuration]) for entry in shown],
        )
        for name in dict.fromkeys(one.operator for one in found)
    ]
    note = "" if len(shown) == len(entries) else f"The first {len(shown)} of {len(entries)} entries."
    title = "Mean score by type of operator"
    description = (
        "The larger of IOU and MFU, the mean over correct tasks: a row for each type, a column for each entry."
    )
    names = short_names([(entry.agent, entry.model) for entry in shown])
    chart = heat_map("operators", title, description, names, rows, note, (0.1, 0.25, 0.5, 0.75))
    return {chart.slug: chart}


def _mean_cell(means: Means) -> Cell:
    return share_cell(means.score, f"over {means.scored} of {means.tasks}")


def _of_cell(count: int, of: int) -> Cell:
    return Cell(f"{count} of {of}", count) if of else count_cell(None)


def _heat_cell(means: Means) -> tuple[float | None, str, str]:
    text = NONE if means.score is None else percent(means.score)
    return means.score, text, f"{means.scored} of {means.tasks}"
