"""The first page: what this is, who is first where, what ran last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leaderboard.formatting import NONE, plural, rate, significant
from leaderboard.pages.base import Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.home.boards import Leader, Place, places
from leaderboard.pages.run.lines import RunLine, run_line, runs_table
from leaderboard.queries import runs
from leaderboard.tables import Cell, Field, Table, Value, fields, hidden, table
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
    columns: tuple[Field[Place], ...] = fields(
        Field("suite", "Board", _suite_cell),
        hidden("device_class", lambda place: place.device_class),
        Field("first", "First", _first_cell),
        hidden("configuration", _of_leader(lambda leader: leader.configuration)),
        hidden("usable_speedup", _of_leader(lambda leader: leader.usable_speedup)),
        hidden("correct", _of_leader(lambda leader: leader.correct)),
        hidden("of", _of_leader(lambda leader: leader.of)),
        Field("value", "With", _value_cell, is_number=True),
        hidden("tasks", lambda place: place.tasks[ALL]),
        (_category_field(slug, label) for slug, label in CATEGORIES.items() if slug != ALL),
        Field("entries", "Entries", _entries_cell, is_number=True),
    )
    empty = "No run is published yet. A run stands on a board once it is published in the admin."
    caption = "Rank 1 over all categories: by usable speedup where the device has a clock, else by right answers"
    return table("boards", caption, columns, found, empty)


def _of_leader(read: Callable[[Leader], Value]) -> Callable[[Place], Value]:
    return lambda place: read(place.leader) if place.leader else None


def _suite_cell(place: Place) -> Cell:
    suite = f"{place.suite}@{place.suite_version}"
    return Cell(place.title, suite, place.boards[ALL], f"{suite}, {plural(place.tasks[ALL], 'task')}")


def _first_cell(place: Place) -> Cell:
    if (leader := place.leader) is None:
        return Cell(NONE, note="no entry is ranked yet")
    name = entry_name(leader.agent, leader.model)
    others = [f"equal with {leader.equal} more"] if leader.equal else []
    others += [f"not separable from {leader.not_separable} more"] if leader.not_separable else []
    return Cell(name, name, page_url("configuration", leader.configuration), ", ".join(others))


def _value_cell(place: Place) -> Cell:
    """What the leader leads with."""
    if (leader := place.leader) is None:
        return Cell(NONE)
    if (speed := leader.usable_speedup) is not None:
        return Cell(f"{significant(speed)}×", speed, note="usable speedup")
    return Cell(rate(leader.correct, leader.of), leader.correct / leader.of, note="correct")


def _category_field(slug: str, label: str) -> Field[Place]:
    def cell(place: Place) -> Cell:
        if slug not in place.boards:
            return Cell(NONE)
        return Cell(plural(place.tasks[slug], "task"), place.tasks[slug], place.boards[slug])

    return Field(slug, label, cell)


def _entries_cell(place: Place) -> Cell:
    note = f"and {plural(place.reference_lines, 'reference line')}" if place.reference_lines else ""
    return Cell(str(place.entries), place.entries, note=note)
