"""The home page: the leader of every board, and the newest runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evaluator.records.record import PROTOCOL
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural, rate, significant
from leaderboard.pages.base import Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.home.boards import Leader, SuiteBoards, suite_boards
from leaderboard.pages.run.lines import RunLine, run_line, runs_table
from leaderboard.queries import runs
from leaderboard.tables import Cell, Field, RowGroup, Table, Value, fields, grouped, hidden
from leaderboard.words import ALL, CATEGORIES

NEWEST_RUNS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage(Page):
    boards: tuple[SuiteBoards, ...]
    newest_runs: tuple[RunLine, ...]
    open_attempts: int
    has_lines_only: bool = field(metadata=SCREEN)  # there are boards of today's protocol, and none has an entry


def build(query: Query) -> HomePage:
    found = suite_boards()
    newest = tuple(run_line(row) for row in runs.newest(NEWEST_RUNS))
    empty = "There are no runs yet. `make up` runs the demo; start other runs in the admin."
    return HomePage(
        title="ArenaBoard",
        tables=by_slug(
            _boards_table(found),
            runs_table(
                newest, "Newest first. For a published run, the passed tasks are those of its public results", empty
            ),
        ),
        boards=found,
        newest_runs=newest,
        open_attempts=runs.open_attempts(),
        has_lines_only={one.entries > 0 for one in found if not one.is_past} == {False},
    )


def _boards_table(found: Sequence[SuiteBoards]) -> Table:
    columns: tuple[Field[SuiteBoards], ...] = fields(
        Field("suite", "Leaderboard", _suite_cell),
        hidden("device_class", lambda one: one.device_class),
        hidden("protocol", lambda one: one.protocol),
        Field("first", "First", _first_cell),
        hidden("configuration", _of_leader(lambda leader: leader.configuration)),
        hidden("usable_speedup", _of_leader(lambda leader: leader.usable_speedup)),
        hidden("correct", _of_leader(lambda leader: leader.correct)),
        hidden("of", _of_leader(lambda leader: leader.of)),
        Field("value", "Value", _value_cell, is_number=True),
        hidden("tasks", lambda one: one.tasks[ALL]),
        (_category_field(slug, label) for slug, label in CATEGORIES.items() if slug != ALL),
        Field("entries", "Entries", _entries_cell, is_number=True),
    )
    empty = "No run is published yet. Publish a run in the admin to put it on a leaderboard."
    caption = "First over all categories: by usable speedup where the device has a clock, otherwise by correct results"
    groups = (
        RowGroup(tuple(one for one in found if not one.is_past)),
        RowGroup(
            tuple(one for one in found if one.is_past),
            "Past leaderboards",
            f"Measured under an earlier protocol: there are no results under {PROTOCOL} yet.",
        ),
    )
    return grouped("boards", caption, columns, groups, empty)


def _of_leader(read: Callable[[Leader], Value]) -> Callable[[SuiteBoards], Value]:
    return lambda one: read(one.leader) if one.leader else None


def _suite_cell(one: SuiteBoards) -> Cell:
    suite = f"{one.suite}@{one.suite_version}"
    protocol = f", {one.protocol}" if one.is_past else ""
    return Cell(one.title, suite, one.boards[ALL], f"{suite}, {plural(one.tasks[ALL], 'task')}{protocol}")


def _first_cell(one: SuiteBoards) -> Cell:
    if (leader := one.leader) is None:
        return Cell(NONE, note="no entry is ranked yet")
    name = entry_name(leader.agent, leader.model)
    others = [f"tied with {leader.equal} more"] if leader.equal else []
    others += [f"no significant difference from {leader.not_separable} more"] if leader.not_separable else []
    return Cell(name, name, page_url("configuration", leader.configuration), ", ".join(others))


def _value_cell(one: SuiteBoards) -> Cell:
    """The value by which the leader is ranked."""
    if (leader := one.leader) is None:
        return Cell(NONE)
    if (speed := leader.usable_speedup) is not None:
        return Cell(f"{significant(speed)}×", speed, note="usable speedup")
    return Cell(rate(leader.correct, leader.of), leader.correct / leader.of, note="correct")


def _category_field(slug: str, label: str) -> Field[SuiteBoards]:
    def cell(one: SuiteBoards) -> Cell:
        if slug not in one.boards:
            return Cell(NONE)
        return Cell(plural(one.tasks[slug], "task"), one.tasks[slug], one.boards[slug])

    return Field(slug, label, cell)


def _entries_cell(one: SuiteBoards) -> Cell:
    note = f"and {plural(one.reference_lines, 'reference line')}" if one.reference_lines else ""
    return Cell(str(one.entries), one.entries, note=note)
