"""The tables and the chart of a comparison: pairs with their tests, and tasks by their difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from leaderboard.charts import Chart, PointGroup, Spot, against
from leaderboard.formatting import NBSP, NONE, percent, significant
from leaderboard.pages.base import entry_name, page_url, task_cell
from leaderboard.pages.board.board import Board
from leaderboard.pages.board.cells import ratio_interval
from leaderboard.pages.board.standings import Entry
from leaderboard.pages.compare.facts import ComparedPair, ComparedTask
from leaderboard.statistics import Interval
from leaderboard.statistics.comparisons import SIGNIFICANT, OnTask, PairedComparison
from leaderboard.tables import Cell, Field, Table, Value, fields, hidden, table


def charts(board: Board, entries: Sequence[Entry], tasks: Sequence[ComparedTask]) -> dict[str, Chart]:
    """Scatter chart of the first entry against the others, one spot for each task."""
    if board.device.is_functional or len(entries) < 2 or not tasks:
        return {}
    names = [entry_name(entry.agent, entry.model) for entry in entries]
    spots = [
        spot
        for number, name in enumerate(names[1:], 1)
        for spot in _spots(tasks, number, PointGroup(number, name, number - 1, number - 1))
    ]
    if not spots:
        return {}
    others = names[1] if len(names) == 2 else "the others"
    description = (
        f"For each task the usable speedup of {names[0]} across and of {others} up. Results that are wrong, slower "
        "or not significantly different from the baseline are at 1."
    )
    axes = (f"usable speedup of {names[0]}", f"usable speedup of {others}")
    chart = against(
        "tasks", "Usable speedup by task", description, axes, (f"{others} better", f"{names[0]} better"), spots
    )
    return {chart.slug: chart}


def pairs_table(pairs: Sequence[ComparedPair], entries: Sequence[Entry], is_functional: bool) -> Table:
    names = {entry.configuration: entry_name(entry.agent, entry.model) for entry in entries}
    columns: tuple[Field[ComparedPair], ...] = fields(
        Field("first", "First", lambda pair: _name_cell(pair.first, names)),
        Field("second", "Second", lambda pair: _name_cell(pair.second, names)),
        () if is_functional else SPEED_FIELDS,
        CORRECTNESS_FIELDS,
    )
    caption = (
        "Pairs over the same tasks: 95 % confidence intervals and two-sided tests, without correction for several pairs"
    )
    return table("pairs", caption, columns, pairs, "Choose at least two entries.")


def tasks_table(
    tasks: Sequence[ComparedTask],
    entries: Sequence[Entry],
    results: Mapping[tuple[str, str], int],
    is_functional: bool,
) -> Table:
    columns: tuple[Field[ComparedTask], ...] = fields(
        Field("task", "Task", lambda task: task_cell(task.task)),
        (field for at, entry in enumerate(entries) for field in _entry_fields(at, entry, results, is_functional)),
        Field(
            "difference",
            "Difference" if is_functional else "Largest over smallest",
            lambda task: _difference_cell(task.difference, is_functional),
            is_number=True,
        ),
    )
    what = "Correctness rate" if is_functional else "Usable speedup"
    return table(
        "tasks",
        f"{what} on each task, the largest difference first",
        columns,
        tasks,
        "There is no common task. Show all tasks instead.",
    )


def _spots(tasks: Sequence[ComparedTask], number: int, group: PointGroup) -> list[Spot]:
    spots = []
    for task in tasks:
        first, other = task.entries[0].usable, task.entries[number].usable
        if first is not None and other is not None:
            text = f"{task.task}: {significant(first)}× and {significant(other)}×"
            spots.append(Spot(group, first, other, text, is_mean=False))
    return spots


def _name_cell(configuration: str, names: Mapping[str, str]) -> Cell:
    return Cell(names[configuration], configuration, page_url("configuration", configuration))


def _test_fields(
    key: str,
    label: str,
    read: Callable[[ComparedPair], PairedComparison | None],
    estimate_cell: Callable[[PairedComparison], Cell],
    *,
    equal: float,
    better: str,
) -> tuple[Field[ComparedPair], ...]:
    """An estimate, the verdict of its test, and for CSV and JSON the numbers behind both.

    `equal` is the estimate of entries that do not differ; `better` describes the entry with the larger value.
    """

    def of(read_part: Callable[[PairedComparison], Value]) -> Callable[[ComparedPair], Value]:
        return lambda pair: read_part(found) if (found := read(pair)) else None

    return (
        Field(
            key,
            label,
            lambda pair: estimate_cell(found) if (found := read(pair)) else Cell(NONE),
            is_number=True,
            metric="compare",
        ),
        Field(
            f"{key}_significant",
            "Test",
            lambda pair: _verdict_cell(found, equal, better) if (found := read(pair)) else Cell(NONE),
        ),
        hidden(f"{key}_low", of(lambda found: found.interval.low if found.interval else None)),
        hidden(f"{key}_high", of(lambda found: found.interval.high if found.interval else None)),
        hidden(f"{key}_p", of(lambda found: found.p)),
        hidden(f"{key}_p_refused", of(lambda found: found.p_refused)),
        hidden(f"{key}_wins", of(lambda found: found.wins)),
        hidden(f"{key}_ties", of(lambda found: found.ties)),
        hidden(f"{key}_losses", of(lambda found: found.losses)),
    )


def _speed_cell(found: PairedComparison) -> Cell:
    if found.estimate is None:
        return Cell(NONE)
    note = ratio_interval(found.interval) if found.interval else ""
    return Cell(f"{significant(found.estimate)}×", found.estimate, note=note)


def _correct_cell(found: PairedComparison) -> Cell:
    if found.estimate is None:
        return Cell(NONE)
    note = _points_interval(found.interval) if found.interval else ""
    return Cell(_points(found.estimate), found.estimate, note=note)


def _verdict_cell(found: PairedComparison, equal: float, better: str) -> Cell:
    """Verdict of the test with its p and the tasks won, tied and lost; or the reason why there is no test."""
    by_task = f"{found.wins}, {found.ties}, {found.losses} tasks won, tied, lost"
    if found.p is None or found.estimate is None:
        return Cell(found.p_refused or NONE, None, note=by_task)
    p = f"p{NBSP}<{NBSP}0.0001" if found.p < 0.0001 else f"p{NBSP}={NBSP}{significant(found.p, 2)}"
    verdict = f"no significant difference at {SIGNIFICANT:.0%}".replace("%", f"{NBSP}%")
    if found.is_significant:
        verdict = f"{'first' if found.estimate > equal else 'second'} is {better}"
    return Cell(f"{verdict}, {p}", found.is_significant, note=by_task)


def _points(share: float) -> str:
    sign = "+" if share > 0 else "−" if share < 0 else ""
    return f"{sign}{100 * abs(share):.1f}{NBSP}points"


def _points_interval(found: Interval) -> str:
    return f"{_points(found.low).removesuffix(f'{NBSP}points')} to {_points(found.high)}"


def _entry_fields(
    at: int, entry: Entry, results: Mapping[tuple[str, str], int], is_functional: bool
) -> tuple[Field[ComparedTask], ...]:
    """The fields of one entry of each task's `entries`, with a link to its result where there is a single run."""
    slug = entry.configuration

    def cell(task: ComparedTask) -> Cell:
        result = results.get((slug, task.task))
        return _task_cell(task.entries[at], page_url("result", result) if result else "", is_functional)

    return (
        Field(slug, entry_name(entry.agent, entry.model), cell, is_number=True),
        hidden(f"{slug}_correct", lambda task: task.entries[at].correct),
        hidden(f"{slug}_judged", lambda task: task.entries[at].judged),
    )


def _difference_cell(difference: float | None, is_functional: bool) -> Cell:
    if difference is None:
        return Cell(NONE)
    return Cell(percent(difference) if is_functional else f"{significant(difference)}×", difference)


def _task_cell(found: OnTask, url: str, is_functional: bool) -> Cell:
    correct = f"{found.correct} of {found.judged} correct"
    if not found.judged:
        return Cell("no verdict", None, url)
    if is_functional:
        return Cell(correct, found.correct / found.judged, url)
    if found.usable is None:
        return Cell(NONE, None, url, correct)
    return Cell(f"{significant(found.usable)}×", found.usable, url, correct)


SPEED_FIELDS = _test_fields(
    "speed",
    "Usable speedup, first over second",
    lambda pair: pair.usable_speedup,
    _speed_cell,
    equal=1.0,
    better="faster",
)
CORRECTNESS_FIELDS = _test_fields(
    "correct",
    "Correct, first − second",
    lambda pair: pair.correctness,
    _correct_cell,
    equal=0.0,
    better="correct more often",
)
