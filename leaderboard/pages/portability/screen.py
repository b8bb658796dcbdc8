"""The tables and the heat map of the portability page, with one column for each device class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from leaderboard.charts import Chart, heat_map
from leaderboard.formatting import NONE, percent, plural, rate, significant, times
from leaderboard.pages.base import entry_name, page_url, protocol_parameter, query_string, task_cell
from leaderboard.pages.portability.facts import DeviceTally, PortableEntry, PortableTask
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field
from leaderboard.words import role_note

MOST_DRAWN = 24


def entries_table(entries: Sequence[PortableEntry], devices: Mapping[str, str]) -> Table:
    columns: tuple[Field[PortableEntry], ...] = fields(
        Field("configuration", "Configuration", _configuration_cell),
        text_field("suite", "Suite", lambda entry: f"{entry.suite}@{entry.suite_version}"),
        text_field(
            "protocol",
            "Protocol",
            lambda entry: entry.protocol,
            is_code=True,
            on_page=len({entry.protocol for entry in entries}) > 1,
        ),
        (_tally_field(slug, devices[slug]) for slug in sorted(devices)),
    )
    caption = "Correct results of tasks × public runs. A configuration links to its tasks, a count to its leaderboard"
    empty = "No run is published yet. Yours can be the first: see Submit."
    return table("entries", caption, columns, entries, empty)


def tasks_table(tasks: Sequence[PortableTask], devices: Mapping[str, str], configuration: str, protocol: str) -> Table:
    here = sorted({device for task in tasks for device in task.devices})
    columns: tuple[Field[PortableTask], ...] = fields(
        Field("task", "Task", lambda task: task_cell(task.task)),
        (field for slug in here for field in _device_fields(slug, devices[slug])),
        Field(
            "spread",
            "Largest over smallest",
            lambda task: Cell(NONE) if task.spread is None else Cell(f"{significant(task.spread)}×", task.spread),
            is_number=True,
        ),
        Field(
            "candidates",
            "Candidates",
            lambda task: Cell(plural(task.candidates, "kernel"), task.candidates),
            is_number=True,
        ),
    )
    caption = (
        f"{configuration}, measured under {protocol}: speedup over the baseline on the same device, and number of runs "
        "that passed"
    )
    return table(
        "tasks",
        caption,
        columns,
        tasks,
        f"This configuration has no public result under {protocol} on a current suite. Choose another one.",
    )


def charts(entries: Sequence[PortableEntry], devices: Mapping[str, str]) -> dict[str, Chart]:
    if not entries:
        return {}
    slugs = sorted(devices)
    given = [
        (
            entry_name(entry.agent, entry.model),
            ", ".join(filter(None, (f"{entry.suite}@{entry.suite_version}", protocol_parameter(entry.protocol)))),
            [_heat_cell(entry.devices.get(slug)) for slug in slugs],
        )
        for entry in entries[:MOST_DRAWN]
    ]
    chart = heat_map(
        "correct",
        "Correct results by device class",
        "A row for each configuration and suite, a column for each device class, shaded by the share of correct "
        "results among tasks × runs. A cell is empty where the configuration did not run.",
        slugs,
        given,
        note=f"The first {MOST_DRAWN} of {len(entries)}." if len(entries) > MOST_DRAWN else "",
    )
    return {chart.slug: chart}


def _heat_cell(tally: DeviceTally | None) -> tuple[float | None, str, str]:
    if tally is None or not tally.of:
        return None, NONE, "did not run"
    return tally.correct / tally.of, percent(tally.correct / tally.of), f"{tally.correct} of {tally.of}"


def _configuration_cell(entry: PortableEntry) -> Cell:
    note = ", ".join(filter(None, (entry.configuration, role_note(entry.role))))
    given = {
        "configuration": entry.configuration,
        "suite": entry.suite,
        "protocol": protocol_parameter(entry.protocol),
    }
    url = f"{query_string(given, ('configuration', 'suite', 'protocol'))}#tasks"
    return Cell(entry_name(entry.agent, entry.model), entry.configuration, url, note)


def _tally_field(device: str, title: str) -> Field[PortableEntry]:
    def cell(entry: PortableEntry) -> Cell:
        if (tally := entry.devices.get(device)) is None:
            return Cell(NONE)
        return Cell(rate(tally.correct, tally.of), tally.correct, tally.board)

    return Field(device, title, cell, is_number=True)


def _device_fields(device: str, title: str) -> tuple[Field[PortableTask], ...]:
    def speed_cell(task: PortableTask) -> Cell:
        if (found := task.devices.get(device)) is None:
            return Cell(NONE, note="did not run")
        speed = "no speed" if found.speedup is None else times(log(found.speedup))
        return Cell(speed, found.speedup, page_url("result", found.result), f"{found.passed} of {found.runs} passed")

    return (
        Field(device, title, speed_cell, is_number=True),
        hidden(f"{device}_passed", lambda task: found.passed if (found := task.devices.get(device)) else None),
        hidden(f"{device}_runs", lambda task: found.runs if (found := task.devices.get(device)) else None),
    )
