"""Results measured here on our tasks after AgentKernelArena's, in the columns of its Tables 2 to 4 and 8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from leaderboard.pages.agentkernelarena.columns import Columns, column_fields, columns
from leaderboard.pages.base import Link, entry_name, page_url, protocol_parameter, query_string
from leaderboard.pages.section import Section, Shown
from leaderboard.queries import agentkernelarena as queries
from leaderboard.queries.agentkernelarena import OwnResultRow
from leaderboard.statistics.results import ResultValues
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden
from leaderboard.words import CATEGORIES

NO_RUNS = "No run on these tasks is published yet. `manage.py run --suite native-24` makes one."


@dataclass(frozen=True, slots=True)
class ArenaEntry:
    """A configuration on a suite's tasks of one category, on one device class under one protocol."""

    suite: str
    device: str
    device_title: str
    is_functional: bool
    protocol: str
    configuration: str
    agent: str
    model: str | None
    columns: Columns

    @property
    def name(self) -> str:
        return entry_name(self.agent, self.model)


def own_entries() -> tuple[ArenaEntry, ...]:
    """By category and suite; device classes with a clock first, on each the most correct results first."""
    rows = sorted(queries.own_results(), key=lambda row: row[:9])
    found = [_entry(list(group)) for _, group in groupby(rows, key=lambda row: row[:9])]
    return tuple(sorted(found, key=_order))


def section(entries: Sequence[ArenaEntry]) -> Section:
    return Section(
        slug="measured",
        title="Measured here, in the paper's columns",
        text="Results on ArenaBoard's own tasks, with the judge's inputs, reference and verdicts, and the paper's "
        "clock for the category. They are no results on the public tasks. Times on a CPU are no speeds.",
        links=(Link("How these are counted", f"{page_url('metrics')}#paper"),),
        tables=(Shown(_table(entries), "leaders"),),
    )


def _order(one: ArenaEntry) -> tuple[object, ...]:
    category = list(CATEGORIES).index(one.columns.category)
    return (category, one.suite, one.is_functional, one.device, one.protocol, -one.columns.correct, one.configuration)


def _entry(rows: Sequence[OwnResultRow]) -> ArenaEntry:
    first, runs = rows[0], sorted({row.run for row in rows})
    by_place = {(row.task, row.run): _values(row) for row in rows}
    tasks = sorted({row.task for row in rows})
    given = [[by_place.get((task, run)) for run in runs] for task in tasks]
    return ArenaEntry(*first[:8], columns=columns(first.category, tasks, given, {first.category}))


def _values(row: OwnResultRow) -> ResultValues | None:
    """None where the result may not rank, so that the entry is incomplete."""
    if not row.may_rank:
        return None
    return ResultValues(bool(row.compiled), row.correct, paper_speedup=row.paper_speedup if row.correct else None)


def _table(entries: Sequence[ArenaEntry]) -> Table:
    shown: tuple[Field[ArenaEntry], ...] = fields(
        Field(
            "entry",
            "Entry",
            lambda one: Cell(one.name, one.configuration, _url(one), f"{one.device_title}, {one.protocol}"),
        ),
        hidden("device", lambda one: one.device, type="text"),
        hidden("suite", lambda one: one.suite, type="text"),
        hidden("protocol", lambda one: one.protocol, type="text"),
        column_fields(lambda one: one.columns, "paper"),
    )
    places = dict.fromkeys((one.columns.category, one.suite) for one in entries)
    groups = [
        RowGroup(
            tuple(one for one in entries if (one.columns.category, one.suite) == (category, suite)),
            f"{CATEGORIES[category]}, {suite}",
        )
        for category, suite in places
    ]
    return grouped("own_runs", "Entries measured here, by category and suite", shown, groups, NO_RUNS)


def _url(one: ArenaEntry) -> str:
    query = query_string({"protocol": protocol_parameter(one.protocol), "view": "paper"}, ("protocol", "view"))
    return page_url("board", one.suite, one.columns.category, one.device) + query
