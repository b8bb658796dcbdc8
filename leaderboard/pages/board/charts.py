"""The charts of a board: usable speedup with intervals; wins, ties, losses and failures; the rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leaderboard.charts import Chart, Point, Series, ratio_dots, share_dots, stacked_bars
from leaderboard.formatting import plural, rate, significant
from leaderboard.pages.base import entry_name, ranked_name, unranked_note
from leaderboard.pages.board.board import Board
from leaderboard.pages.board.cells import ratio_interval
from leaderboard.pages.board.standings import Entry
from leaderboard.statistics import MIN_TASKS_FOR_INTERVAL, Rate
from leaderboard.statistics.speed import SpeedEstimate

CORRECT = Series("correct", "correct")
COMPILED = Series("compiled", "compiled")
SPEED = Series("usable", "usable speedup")
OUTCOMES = (
    Series("win", "faster than the baseline"),
    Series("tie", "no significant difference"),
    Series("loss", "slower"),
    Series("fail", "not correct"),
    Series("unknown", "no verdict"),
)


def charts(board: Board, entries: Sequence[Entry]) -> dict[str, Chart]:
    if not entries:
        return {}
    found: list[Chart] = []
    if not board.device.is_functional:
        has_speed = any(entry.usable_speedup and entry.usable_speedup.value is not None for entry in entries)
        found = [*([_speed(entries, len(board.tasks))] if has_speed else []), _outcomes(entries)]
    return {chart.slug: chart for chart in [*found, _rates(entries, len(board.tasks))]}


def _speed(entries: Sequence[Entry], tasks: int) -> Chart:
    rows = [(*_head(entry), (_mark(entry, _speed_point(entry.usable_speedup)),)) for entry in entries]
    means = (
        "Bars are 95 % intervals over tasks" if tasks >= MIN_TASKS_FOR_INTERVAL else "There are too few for intervals"
    )
    description = (
        f"Usable speedup over {plural(tasks, 'task')}: what a user gains by keeping the better of candidate and "
        f"baseline. {means}. Hollow marks are not ranked."
    )
    return ratio_dots("speed", "Usable speedup", description, "times as fast as the baseline", (SPEED,), rows)


def _speed_point(found: SpeedEstimate | None) -> Point:
    if found is None or found.value is None:
        return Point(None, "")
    ends = (found.tasks.low, found.tasks.high) if found.tasks else (None, None)
    text = f"{significant(found.value)}×" + (f" ({ratio_interval(found.tasks)})" if found.tasks else "")
    return Point(found.value, text, *ends)


def _outcomes(entries: Sequence[Entry]) -> Chart:
    bars = [(*_head(entry), _counts(entry), ()) for entry in entries]
    description = (
        "Results of each entry that are faster than the baseline, not significantly different, slower, not correct, or "
        "without a verdict. Faster means that the whole 95 % confidence interval of the speedup lies above 1."
    )
    return stacked_bars("outcomes", "Win, tie, loss, fail", description, "of results", OUTCOMES, bars)


def _counts(entry: Entry) -> tuple[int, ...]:
    found = entry.outcomes
    return (found.win, found.tie, found.loss, found.fail, found.unknown) if found else ()


def _rates(entries: Sequence[Entry], tasks: int) -> Chart:
    lines = [
        (entry.correctness.share, entry_name(entry.agent, entry.model))
        for entry in entries
        if entry.role != "entry" and entry.correctness.share is not None
    ]
    rows = [
        (*_head(entry), tuple(_mark(entry, _rate_point(found)) for found in (entry.correctness, entry.compilation)))
        for entry in entries
    ]
    means = (
        "Bars are 95 % confidence intervals"
        if tasks >= MIN_TASKS_FOR_INTERVAL
        else "There are too few tasks for intervals"
    )
    description = (
        f"Share of results over {plural(tasks, 'task')} that compile, and that are correct. {means}. "
        "Where results are missing, a bar spans the rates that are still possible."
    )
    return share_dots(
        "rates", "Correct and compiled", description, "share of results", (CORRECT, COMPILED), rows, lines
    )


def _rate_point(found: Rate) -> Point:
    if found.share is None:
        text = f"{found.count} of {found.of} so far"
        return Point(None, text, found.worst, found.best)
    if found.interval is None:
        return Point(found.share, rate(found.count, found.of))
    return Point(found.share, rate(found.count, found.of), found.interval.low, found.interval.high)


def _mark(entry: Entry, point: Point) -> Point:
    return replace(point, is_unranked=entry.rank is None)


def _head(entry: Entry) -> tuple[str, str]:
    return ranked_name(entry.rank, entry.agent, entry.model), unranked_note(entry.rank, entry.role)
