"""The first page: what this is, who is first where, what ran last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.formatting import NONE, plural, rate, significant
from leaderboard.pages.base import Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.home.boards import Leader, Place, places
from leaderboard.pages.run.lines import RunLine, run_line, runs_table
from leaderboard.queries import runs
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import ALL, CATEGORIES

NEWEST_RUNS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage(Page):
    places: tuple[Place, ...]
    newest_runs: tuple[RunLine, ...]
    open_attempts: int


def build(query: Query) -> HomePage:
    found = places()
    lines = tuple(run_line(row) for row in runs.newest(NEWEST_RUNS))
    empty = "Nothing ran yet. `make up` runs the demo; later runs start in the admin."
    return HomePage(
        title="ArenaBoard",
        tables=by_slug(
            _places_table(found),
            runs_table(lines, "Newest first. What passed goes by the public answers once a run is published", empty),
        ),
        places=found,
        newest_runs=lines,
        open_attempts=runs.open_attempts(),
    )


def _places_table(found: Sequence[Place]) -> Table:
    columns = (
        Column("suite", "Board"),
        Column("device_class", "Device class", on_page=False),
        Column("first", "First"),
        Column("configuration", "Configuration", on_page=False),
        Column("usable_speedup", "", on_page=False),
        Column("correct", "", on_page=False),
        Column("of", "", on_page=False),
        Column("value", "With", is_number=True),
        Column("tasks", "Tasks", on_page=False),
        *(Column(slug, label) for slug, label in CATEGORIES.items() if slug != ALL),
        Column("entries", "Entries", is_number=True),
    )
    empty = "No run is published yet. A run stands on a board once it is published in the admin."
    caption = "Rank 1 over all categories: by usable speedup where the device has a clock, else by right answers"
    return table("boards", caption, columns, [_cells(one) for one in found], empty)


def _cells(place: Place) -> tuple[Cell, ...]:
    leader, suite = place.leader, f"{place.suite}@{place.suite_version}"
    boards_cells = tuple(
        Cell(plural(place.tasks[slug], "task"), place.tasks[slug], place.boards[slug])
        if slug in place.boards
        else Cell(NONE)
        for slug in CATEGORIES
        if slug != ALL
    )
    tasks = place.tasks[ALL]
    return (
        Cell(place.title, suite, place.boards[ALL], f"{suite}, {plural(tasks, 'task')}"),
        Cell(place.device_title, place.device_class),
        *(
            _leader_cells(leader)
            if leader
            else (Cell(NONE, note="no entry is ranked yet"), *[Cell("")] * 4, Cell(NONE))
        ),
        Cell("", tasks),
        *boards_cells,
        Cell(str(place.entries), place.entries, note=_beside(place)),
    )


def _beside(place: Place) -> str:
    return f"and {plural(place.reference_lines, 'reference line')}" if place.reference_lines else ""


def _leader_cells(leader: Leader) -> tuple[Cell, ...]:
    name = entry_name(leader.agent, leader.model)
    others = [f"equal with {leader.equal} more"] if leader.equal else []
    others += [f"not separable from {leader.not_separable} more"] if leader.not_separable else []
    speed = leader.usable_speedup
    share = rate(leader.correct, leader.of)
    return (
        Cell(name, name, page_url("configuration", leader.configuration), ", ".join(others)),
        Cell("", leader.configuration),
        Cell("", speed),
        Cell("", leader.correct),
        Cell("", leader.of),
        Cell(f"{significant(speed)}×", speed, note="usable speedup")
        if speed is not None
        else Cell(share, leader.correct / leader.of, note="correct"),
    )
