"""How portability looks: a table and a grid of shares with a column for each device class, and a table of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from leaderboard.charts import Chart, heat_map
from leaderboard.formatting import NONE, percent, plural, rate, significant, times
from leaderboard.pages.base import entry_name, page_url, task_url
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import role_note

if TYPE_CHECKING:
    from leaderboard.pages.portability.page import PlaceTally, PortableEntry, PortableTask, TaskOnDevice

MOST_DRAWN = 24


def entries_table(entries: Sequence[PortableEntry], devices: Mapping[str, str]) -> Table:
    columns = (
        Column("configuration", "Configuration"),
        Column("suite", "Suite"),
        Column("protocol", "Protocol", is_code=True, on_page=len({entry.protocol for entry in entries}) > 1),
        *(Column(slug, devices[slug], is_number=True) for slug in sorted(devices)),
    )
    rows = [
        (
            Cell(
                entry_name(entry.agent, entry.model),
                entry.configuration,
                f"?configuration={entry.configuration}#tasks",
                ", ".join(filter(None, (entry.configuration, role_note(entry.role)))),
            ),
            Cell(f"{entry.suite}@{entry.suite_version}", f"{entry.suite}@{entry.suite_version}"),
            Cell(entry.protocol, entry.protocol),
            *(_tally_cell(entry.places.get(slug)) for slug in sorted(devices)),
        )
        for entry in entries
    ]
    caption = "Right answers of tasks × public runs; a configuration leads to its tasks, a count to its board"
    empty = "Nothing is published yet. A draft counts here once a maintainer publishes it."
    return table("entries", caption, columns, rows, empty)


def tasks_table(tasks: Sequence[PortableTask], devices: Mapping[str, str], configuration: str) -> Table:
    here = sorted({device for task in tasks for device in task.places})
    columns = (
        Column("task", "Task"),
        *(
            column
            for slug in here
            for column in (
                Column(slug, devices[slug], is_number=True),
                Column(f"{slug}_passed", "Passed", on_page=False),
                Column(f"{slug}_runs", "Runs", on_page=False),
            )
        ),
        Column("spread", "Largest ÷ smallest", is_number=True),
        Column("candidates", "Candidates", is_number=True),
    )
    rows = [_task_cells(task, here) for task in tasks]
    caption = f"{configuration}: speedup over the baseline of the same device, and how many runs passed"
    return table("tasks", caption, columns, rows, "No public answer of this configuration on a current suite.")


def charts(entries: Sequence[PortableEntry], devices: Mapping[str, str]) -> dict[str, Chart]:
    if not entries:
        return {}
    slugs = sorted(devices)
    given = [
        (
            entry_name(entry.agent, entry.model),
            f"{entry.suite}@{entry.suite_version}",
            [_heat_cell(entry.places.get(slug)) for slug in slugs],
        )
        for entry in entries[:MOST_DRAWN]
    ]
    chart = heat_map(
        "correct",
        "Right answers by device class",
        "A row for each configuration and suite, a column for each device class, shaded by the share of right answers "
        "among tasks × runs. An empty cell: it did not run there.",
        slugs,
        given,
        note=f"The first {MOST_DRAWN} of {len(entries)}." if len(entries) > MOST_DRAWN else "",
    )
    return {chart.slug: chart}


def _heat_cell(tally: PlaceTally | None) -> tuple[float | None, str, str]:
    if tally is None or not tally.of:
        return None, NONE, "did not run"
    return tally.correct / tally.of, percent(tally.correct / tally.of), f"{tally.correct} of {tally.of}"


def _tally_cell(tally: PlaceTally | None) -> Cell:
    return Cell(NONE) if tally is None else Cell(rate(tally.correct, tally.of), tally.correct, tally.board)


def _task_cells(task: PortableTask, devices: Sequence[str]) -> tuple[Cell, ...]:
    spread = Cell(NONE) if task.spread is None else Cell(f"{significant(task.spread)}×", task.spread)
    return (
        Cell(task.task.rpartition("/")[2], task.task, task_url(task.task), task.task.partition("/")[0]),
        *(cell for device in devices for cell in _device_cells(task.places.get(device))),
        spread,
        Cell(plural(task.candidates, "kernel"), task.candidates),
    )


def _device_cells(place: TaskOnDevice | None) -> tuple[Cell, Cell, Cell]:
    if place is None:
        return Cell(NONE, note="did not run"), Cell(""), Cell("")
    speed = "no speed" if place.speedup is None else times(log(place.speedup))
    note = f"{place.passed} of {place.runs} passed"
    url = page_url("result", place.result)
    return Cell(speed, place.speedup, url, note), Cell("", place.passed), Cell("", place.runs)
