"""A board over time: its ranked entries at the end of each day on which something of it was published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time

from leaderboard.charts import Chart, Point, Series, ratio_dots, share_dots
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NBSP, NONE, listed, rate, significant
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.board.board import Board, load
from leaderboard.pages.board.cells import ratio_interval
from leaderboard.pages.board.query import BoardView
from leaderboard.pages.board.standings import Entry, RankedBy, standings
from leaderboard.queries import boards
from leaderboard.queries.boards import PublicationRow
from leaderboard.statistics import Interval
from leaderboard.tables import Cell, Field, Table, hidden, table

MOST_DAYS = 12  # the newest; the standings of 40 entries over 24 tasks take 0.06 s


@dataclass(frozen=True, slots=True)
class PastEntry:
    """An entry that was ranked on a day, by the number that ranked it then."""

    configuration: str
    agent: str
    model: str | None
    rank: int
    value: float  # the usable speedup, or the share of correct results
    interval: Interval | None
    correct: int
    of: int

    @property
    def name(self) -> str:
        return entry_name(self.agent, self.model)


@dataclass(frozen=True, slots=True)
class PastDay:
    day: str  # in UTC, such as 2026-11-29
    ranked_by: RankedBy
    entries: tuple[PastEntry, ...]  # by rank
    new: tuple[str, ...]  # configurations that were not ranked on the day before it here

    @property
    def leaders(self) -> list[PastEntry]:
        return [entry for entry in self.entries if entry.rank == 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage(Page):
    suite: str
    suite_version: int
    category: str
    device_class: str
    protocol: str
    days: tuple[PastDay, ...]  # the newest first
    all_days: int  # on which something was published
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    board: Link = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> HistoryPage | None:
    view = BoardView(version=query.get("version", ""), protocol=query.get("protocol", ""))
    board = load(view, suite, category, device)
    if board is None:
        return None
    publications = boards.publications(board.rows)
    all_days = _all_days(board, publications)
    days = _days(board, publications, all_days[-MOST_DAYS - 1 :])[:MOST_DAYS]  # one more: who is new on the first shown
    return HistoryPage(
        title=f"{board.title}: history",
        lead=f"Who was ranked on {board.device.title} under protocol {view.asked_protocol}, at the end of each day on "
        "which something was published. What was withdrawn since is left out.",
        subject=board.subject,
        crumbs=(Link("Leaderboards", page_url("home")), Link(board.title, board.url())),
        tables=by_slug(_days_table(board, days), _entries_table(days)),
        charts=_charts(days),
        suite=board.suite.name,
        suite_version=board.suite.version,
        category=category,
        device_class=device,
        protocol=view.asked_protocol,
        days=days,
        all_days=len(all_days),
        categories=board.category_links("history"),
        board=Link("Leaderboard", board.url()),
    )


def _all_days(board: Board, publications: Sequence[PublicationRow]) -> list[date]:
    """The days on which a run or another attempt at one of its results was published, oldest first.

    What was published before its run was withdrawn, and published again, is not shown as of that day, so it makes none.
    """
    since = {run.id: run.published_at for run in board.runs}
    results = {row.id: since[row.run_id] for row in board.rows if row.run_id in since}
    later = [one.at for one in publications if one.result_id in results and one.at >= results[one.result_id]]
    return sorted({at.astimezone(UTC).date() for at in (*since.values(), *later)})


def _days(board: Board, publications: Sequence[PublicationRow], days: Sequence[date]) -> tuple[PastDay, ...]:
    found: list[PastDay] = []
    before: set[str] = set()
    for day in days:
        until = datetime.combine(day, time.max, UTC)
        runs = [run for run in board.runs if run.published_at <= until]
        rows = boards.as_they_were(board.rows, publications, board.view.asked_protocol, until)
        past = standings(
            board.board_tasks, runs, rows, is_functional=board.device.is_functional, between=board.between_cards
        )
        entries = sorted(
            (_past(entry, entry.rank, past.ranked_by) for entry in past.entries if entry.rank is not None),
            key=lambda one: (one.rank, one.name),
        )
        new = tuple(one.configuration for one in entries if one.configuration not in before)
        found.append(PastDay(day.isoformat(), past.ranked_by, tuple(entries), new))
        before = {one.configuration for one in entries}
    return tuple(reversed(found))


def _past(entry: Entry, rank: int, ranked_by: RankedBy) -> PastEntry:
    named, counts = (
        (entry.configuration, entry.agent, entry.model, rank),
        (entry.correctness.count, entry.correctness.of),
    )
    speed = entry.usable_speedup
    if ranked_by == "usable_speedup" and speed is not None and speed.value is not None:
        return PastEntry(*named, speed.value, speed.tasks, *counts)
    return PastEntry(*named, entry.correctness.share or 0.0, entry.correctness.interval, *counts)


def _days_table(board: Board, days: Sequence[PastDay]) -> Table:
    value = "Usable speedup" if _ranked_by(days) == "usable_speedup" else "Correct"
    columns: tuple[Field[PastDay], ...] = (
        Field("day", "Day", lambda one: Cell(_day(one), one.day, board.url(as_of=one.day))),
        Field("leaders", "First", _leaders_cell),
        Field("value", value, _value_cell, is_number=True),
        Field("new", "New", _new_cell),
        Field("ranked", "Ranked entries", lambda one: Cell(str(len(one.entries)), len(one.entries)), is_number=True),
    )
    caption = (
        "The first entry at the end of each day on which something was published; each day leads to its leaderboard"
    )
    empty = f"Nothing is published here under {board.view.asked_protocol} yet."
    return table("days", caption, columns, days, empty)


def _ranked_by(days: Sequence[PastDay]) -> RankedBy:
    """Days are ranked by speed; by correctness while too few tasks have one, and where there is no clock."""
    return "usable_speedup" if any(one.ranked_by == "usable_speedup" for one in days) else "correctness"


def _day(one: PastDay) -> str:
    day = date.fromisoformat(one.day)
    return f"{day.day}{NBSP}{day:%b}{NBSP}{day.year}"


def _leaders_cell(one: PastDay) -> Cell:
    names = listed(entry.name for entry in one.leaders)
    return Cell(names or NONE, names)


def _new_cell(one: PastDay) -> Cell:
    names = listed(entry.name for entry in one.entries if entry.configuration in one.new)
    return Cell(names or NONE, names)


def _value_cell(one: PastDay) -> Cell:
    if not one.leaders:
        return Cell(NONE)
    leader = one.leaders[0]
    note = ratio_interval(leader.interval) if leader.interval and one.ranked_by == "usable_speedup" else ""
    return Cell(_text(one.ranked_by, leader), leader.value, note=note)


def _entries_table(days: Sequence[PastDay]) -> Table:
    """Every ranked entry of every day: as data, since the page shows the days."""
    rows = [(one, entry) for one in days for entry in one.entries]
    columns: tuple[Field[tuple[PastDay, PastEntry]], ...] = (
        hidden("day", lambda row: row[0].day),
        hidden("rank", lambda row: row[1].rank),
        hidden("configuration", lambda row: row[1].configuration),
        hidden("name", lambda row: row[1].name),
        hidden("ranked_by", lambda row: row[0].ranked_by),
        hidden("value", lambda row: row[1].value),
        hidden("low", lambda row: row[1].interval.low if row[1].interval else None),
        hidden("high", lambda row: row[1].interval.high if row[1].interval else None),
        hidden("correct", lambda row: row[1].correct),
        hidden("of", lambda row: row[1].of),
    )
    return table("entries", "Every ranked entry on each of these days", columns, rows, "No entry was ranked.")


def _charts(days: Sequence[PastDay]) -> dict[str, Chart]:
    """The first entry of each day, oldest first."""
    ranked_by = _ranked_by(days)
    shown = [one for one in reversed(days) if one.leaders and one.ranked_by == ranked_by]
    if not shown:
        return {}
    rows = [(one.day, listed(entry.name for entry in one.leaders), [_point(one)]) for one in shown]
    about = (
        "A row for each day on which something was published, with the first entry at its end and its 95 % interval."
    )
    if ranked_by == "usable_speedup":
        series = (Series("usable", "usable speedup of the first"),)
        chart = ratio_dots("leaders", "First over time", about, "times as fast as the baseline", series, rows)
    else:
        series = (Series("correct", "correct results of the first"),)
        chart = share_dots("leaders", "First over time", about, "share of results", series, rows)
    return {chart.slug: chart}


def _point(one: PastDay) -> Point:
    leader = one.leaders[0]
    ends = (leader.interval.low, leader.interval.high) if leader.interval else (None, None)
    return Point(leader.value, _text(one.ranked_by, leader), *ends)


def _text(ranked_by: RankedBy, entry: PastEntry) -> str:
    return f"{significant(entry.value)}×" if ranked_by == "usable_speedup" else rate(entry.correct, entry.of)
