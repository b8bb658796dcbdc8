"""Two configurations' best results on a task, compared case by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.records.record import PROTOCOL
from leaderboard.charts import Chart, Point, Series, ratio_dots
from leaderboard.formatting import NONE, factor, times
from leaderboard.pages.base import Query
from leaderboard.pages.board.query import Choice
from leaderboard.pages.task.best import TaskEntry
from leaderboard.queries.task_results import CaseRow
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field

NEEDS_TWO = "A comparison needs two configurations with published results on one device class, under one protocol."


@dataclass(frozen=True, slots=True)
class PairSide:
    """One configuration on a case: log ratios of the baseline's time to the candidate's, on t_dev, where timed."""

    correct: bool | None
    log_ratio: float | None
    log_ratio_low: float | None
    log_ratio_high: float | None


@dataclass(frozen=True, slots=True)
class PairCase:
    """One case. A side is None where its result does not have the case."""

    case: str
    is_eligible: bool  # its speed counts on boards
    first: PairSide | None
    second: PairSide | None


@dataclass(frozen=True, slots=True)
class TaskPair:
    device_class: str
    protocol: str
    first: TaskEntry
    second: TaskEntry

    @property
    def place(self) -> str:
        return self.first.place

    @property
    def results(self) -> tuple[int, int]:
        return self.first.best_result, self.second.best_result


def chosen(query: Query, entries: Sequence[TaskEntry]) -> TaskPair | None:
    """Return the two configurations that the query names, on its device class and protocol; None where none has two.

    Defaults are the current protocol, the device class with most configurations, and its fastest two.
    """
    places = _by_place(entries)
    found = places.get(query.get("device", "")) or max(places.values(), key=_as_default, default=[])
    if len(found) < 2:
        return None
    named = {one.configuration: one for one in found}
    first = named.get(query.get("a", ""), found[0])
    second = named.get(query.get("b", ""), found[1])
    if first is second:
        second = next(one for one in found if one is not first)
    return TaskPair(first.device_class, first.protocol, first, second)


def cases_of(pair: TaskPair, rows: Sequence[CaseRow]) -> tuple[PairCase, ...]:
    """Return the cases of both results, in the order of evaluation."""
    sides = [{row.case: row for row in rows if row.result_id == result} for result in pair.results]
    cases = dict.fromkeys(case for side in sides for case in side)
    return tuple(_pair_case(case, *(side.get(case) for side in sides)) for case in cases)


def choices(pair: TaskPair | None, entries: Sequence[TaskEntry]) -> tuple[Choice, ...]:
    if pair is None:
        return ()
    places = _by_place(entries)
    names = {one.configuration: one.name for one in places[pair.place]}
    return (
        _choice("a", "Compare", names, pair.first.configuration),
        _choice("b", "with", names, pair.second.configuration),
        _choice("device", "on", {place: place for place in places}, pair.place),
    )


def charts(pair: TaskPair | None, cases: Sequence[PairCase]) -> dict[str, Chart]:
    timed = [one for one in cases if _log(one.first) is not None or _log(one.second) is not None]
    if pair is None or not timed:
        return {}
    chart = ratio_dots(
        "pair",
        f"{pair.first.name} and {pair.second.name} on {pair.place}, case by case",
        f"Speedup over the baseline on {pair.place} of each configuration's fastest published result, with "
        "95 % confidence intervals; all cases share one scale.",
        "times as fast as the baseline",
        (Series("first", pair.first.name, "×"), Series("second", pair.second.name, "×")),
        [
            (
                one.case.replace(",", "  "),
                "" if one.is_eligible else "does not count",
                [_point(one.first), _point(one.second)],
            )
            for one in timed
        ],
        "The speed of a case that is not eligible does not count; each result says why.",
    )
    return {chart.slug: chart}


def pair_table(pair: TaskPair | None, cases: Sequence[PairCase]) -> Table:
    first, second = (pair.first.name, pair.second.name) if pair else ("First", "Second")
    columns: tuple[Field[PairCase], ...] = fields(
        text_field("case", "Case", lambda one: one.case, is_code=True),
        Field("first", first, lambda one: _side_cell(one.first), is_number=True),
        Field("second", second, lambda one: _side_cell(one.second), is_number=True),
        hidden("first_low", lambda one: _ends(one.first)[0]),
        hidden("first_high", lambda one: _ends(one.first)[1]),
        hidden("second_low", lambda one: _ends(one.second)[0]),
        hidden("second_high", lambda one: _ends(one.second)[1]),
        Field("ratio", f"{first} over {second}", _ratio_cell, is_number=True),
        Field(
            "is_eligible",
            "Speed counts",
            lambda one: Cell("yes" if one.is_eligible else "no", one.is_eligible),
        ),
    )
    caption = f"Speedup over the baseline, case by case, on {pair.place}" if pair else "Case by case"
    return table("pair", caption, columns, cases, NEEDS_TWO)


def _by_place(entries: Sequence[TaskEntry]) -> Mapping[str, list[TaskEntry]]:
    """Group entries by device class and protocol, without the groups that have only one."""
    found: dict[str, list[TaskEntry]] = {}
    for one in entries:
        found.setdefault(one.place, []).append(one)
    return {place: own for place, own in found.items() if len(own) > 1}


def _as_default(own: Sequence[TaskEntry]) -> tuple[bool, int]:
    return own[0].protocol == PROTOCOL, len(own)


def _pair_case(case: str, first: CaseRow | None, second: CaseRow | None) -> PairCase:
    is_eligible = any(row.is_eligible for row in (first, second) if row)
    sides = (
        PairSide(row.correct, row.log_ratio, row.log_ratio_low, row.log_ratio_high) if row else None
        for row in (first, second)
    )
    return PairCase(case, is_eligible, *sides)


def _choice(name: str, label: str, texts: Mapping[str, str], selected: str) -> Choice:
    return Choice(name, label, tuple((value, text, value == selected) for value, text in texts.items()))


def _log(row: PairSide | None) -> float | None:
    return row.log_ratio if row and row.correct else None


def _point(row: PairSide | None) -> Point:
    log = _log(row)
    return Point(None, NONE) if log is None else Point(factor(log), times(log), *_ends(row))


def _side_cell(row: PairSide | None) -> Cell:
    log = _log(row)
    if log is not None:
        return Cell(times(log), factor(log))
    return Cell("not reached" if row is None or row.correct is None else "not timed" if row.correct else "wrong")


def _ends(row: PairSide | None) -> tuple[float | None, float | None]:
    """The interval of the speedup; (None, None) where there is none."""
    if row is None or _log(row) is None or row.log_ratio_low is None or row.log_ratio_high is None:
        return None, None
    return factor(row.log_ratio_low), factor(row.log_ratio_high)


def _ratio_cell(one: PairCase) -> Cell:
    first, second = _log(one.first), _log(one.second)
    if first is None or second is None:
        return Cell(NONE)
    return Cell(times(first - second), factor(first - second))
