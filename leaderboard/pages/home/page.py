"""The home page: who leads the main board and every other, what is new, and how to add an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import log

from evaluator.records.record import PROTOCOL
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural, rate, significant
from leaderboard.pages.base import Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.board.places import Place
from leaderboard.pages.home.boards import Leader, SuiteBoards, TopEntry, main_board, suite_boards
from leaderboard.pages.home.news import News, newest, news_table
from leaderboard.pages.protocols import named
from leaderboard.queries import runs
from leaderboard.tables import Cell, Field, RowGroup, Table, Value, fields, grouped, hidden, table
from leaderboard.words import ALL, CATEGORIES, choices_of

NEWS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage(Page):
    boards: tuple[SuiteBoards, ...]
    news: tuple[News, ...]
    open_attempts: int
    main: SuiteBoards | None = field(metadata=SCREEN)  # the board whose first entries are shown


def build(query: Query) -> HomePage:
    found, news = suite_boards(), newest(NEWS)
    main = main_board(found)
    return HomePage(
        title="ArenaBoard",
        tables=by_slug(*([_top_table(main)] if main else []), news_table(news), _boards_table(found)),
        boards=found,
        news=news,
        open_attempts=runs.open_attempts(),
        main=main,
    )


def _top_table(main: SuiteBoards) -> Table:
    fastest = max((place.usable_speedup or 1.0 for one in main.top for place in one.places.values()), default=1.0)
    columns: tuple[Field[TopEntry], ...] = fields(
        Field("rank", "Rank", lambda one: Cell(str(one.places[ALL].rank), one.places[ALL].rank), is_number=True),
        Field("name", "Entry", _entry_cell),
        hidden("configuration", lambda one: one.configuration),
        chain.from_iterable(_place_fields(slug, label, fastest) for slug, label in choices_of(main.tasks).items()),
    )
    empty = "No entry is ranked yet: the leaderboard says why."
    return table("top", _top_caption(main), columns, main.top, empty)


def _top_caption(main: SuiteBoards) -> str:
    top = f"Top {len(main.top)} of {plural(main.entries, 'entry', 'entries')} over {plural(main.tasks[ALL], 'task')}"
    past = f" Measured under {named(main.protocol)}." if main.is_past else ""
    by_speed = [place.usable_speedup is not None for one in main.top for place in one.places.values()]
    if not any(by_speed):
        return f"{top}, by correct results.{past}"
    rest = "" if all(by_speed) else " Where too few tasks can show a speed, it is the rate of correct results."
    return f"{top}, by usable speedup: how many times as fast as the baseline. Bars start at 1×.{rest}{past}"


def _entry_cell(one: TopEntry) -> Cell:
    name = entry_name(one.agent, one.model)
    return Cell(name, name, page_url("configuration", one.configuration))


def _place_fields(slug: str, label: str, fastest: float) -> tuple[Field[TopEntry], ...]:
    """What an entry reached in a category, with a bar from 1× to the table's largest speedup, or from 0 to 100 %."""

    def cell(one: TopEntry) -> Cell:
        if (place := one.places.get(slug)) is None:
            return Cell(NONE, note="not ranked")
        text, value = _value(place)
        speed = place.usable_speedup
        bar = place.correct / place.of if speed is None else log(speed) / log(fastest) if fastest > 1 else 0.0
        return Cell(text, value, note=f"rank {place.rank}" if slug != ALL else "", bar=bar)

    def rank(one: TopEntry) -> Value:
        return place.rank if (place := one.places.get(slug)) else None

    return (Field(slug, label, cell), *((hidden(f"{slug}_rank", rank),) if slug != ALL else ()))


def _boards_table(found: Sequence[SuiteBoards]) -> Table:
    columns: tuple[Field[SuiteBoards], ...] = fields(
        Field("suite", "Leaderboard", _suite_cell),
        hidden("device_class", lambda one: one.device_class),
        hidden("protocol", lambda one: one.protocol),
        chain.from_iterable(_leader_fields(slug, label) for slug, label in CATEGORIES.items()),
        Field("entries", "Entries", _entries_cell, is_number=True),
    )
    empty = "No leaderboard has results yet: they stand here as soon as a run is published."
    caption = "First in each category: by usable speedup where enough tasks can show one, otherwise by correct results"
    groups = (
        RowGroup(tuple(one for one in found if not one.is_past)),
        RowGroup(
            tuple(one for one in found if one.is_past),
            "Past leaderboards",
            f"Measured under an earlier protocol: there are no results under {PROTOCOL} yet.",
        ),
    )
    return grouped("boards", caption, columns, groups, empty)


def _suite_cell(one: SuiteBoards) -> Cell:
    suite = f"{one.suite}@{one.suite_version}"
    protocol = f", {one.protocol}" if one.is_past else ""
    return Cell(one.title, suite, one.boards[ALL], f"{suite}, {plural(one.tasks[ALL], 'task')}{protocol}")


def _leader_fields(slug: str, label: str) -> tuple[Field[SuiteBoards], ...]:
    """The category's leader with a link to its board; for CSV and JSON also the leader's value."""

    def cell(one: SuiteBoards) -> Cell:
        if slug not in one.boards:
            return Cell(NONE)
        if (leader := one.leaders.get(slug)) is None:
            return Cell(plural(one.tasks[slug], "task"), None, one.boards[slug], "no entry is ranked yet")
        others = [f"tied with {leader.equal} more"] if leader.equal else []
        others += [f"no significant difference from {leader.not_separable} more"] if leader.not_separable else []
        note = ", ".join([_value(leader)[0], *others])
        return Cell(entry_name(leader.agent, leader.model), leader.configuration, one.boards[slug], note)

    def value(one: SuiteBoards) -> Value:
        return _value(leader)[1] if (leader := one.leaders.get(slug)) else None

    return Field(slug, label, cell), hidden(f"{slug}_value", value)


def _value(found: Place | Leader) -> tuple[str, float]:
    """The value by which it is ranked, as text and as a number."""
    if found.usable_speedup is not None:
        return f"{significant(found.usable_speedup)}×", found.usable_speedup
    return f"{rate(found.correct, found.of)} correct", found.correct / found.of


def _entries_cell(one: SuiteBoards) -> Cell:
    note = f"and {plural(one.reference_lines, 'reference line')}" if one.reference_lines else ""
    return Cell(str(one.entries), one.entries, note=note)
