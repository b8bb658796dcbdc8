"""How a comparison looks: the pairs with their tests, the tasks with the largest differences, each task as a spot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from leaderboard.charts import Chart, PointGroup, Spot, against
from leaderboard.formatting import NBSP, NONE, percent, significant
from leaderboard.pages.base import entry_name, page_url, task_url
from leaderboard.pages.board.cells import ratio_interval
from leaderboard.pages.board.place import Board
from leaderboard.pages.board.standings import Entry
from leaderboard.pages.compare.facts import ComparedPair, ComparedTask
from leaderboard.statistics import Interval
from leaderboard.statistics.comparisons import SIGNIFICANT, OnTask, PairedComparison
from leaderboard.tables import Cell, Field, Table, Value, fields, hidden, table


def charts(board: Board, entries: Sequence[Entry], lines: Sequence[ComparedTask]) -> dict[str, Chart]:
    """The first entry against each other one, task by task."""
    if board.device.is_functional or len(entries) < 2 or not lines:
        return {}
    names = [entry_name(entry.agent, entry.model) for entry in entries]
    spots = [
        spot
        for number, name in enumerate(names[1:], 1)
        for spot in _spots(lines, number, PointGroup(number, name, number - 1, number - 1))
    ]
    if not spots:
        return {}
    others = names[1] if len(names) == 2 else "the others"
    description = (
        f"For each task the usable speedup of {names[0]} across and of {others} up. What is wrong, slower or no "
        "different from the baseline stands at 1."
    )
    axes = (f"usable speedup of {names[0]}", f"of {others}")
    chart = against("tasks", "Task by task", description, axes, (f"{others} better", f"{names[0]} better"), spots)
    return {chart.slug: chart}


def pairs_table(pairs: Sequence[ComparedPair], entries: Sequence[Entry], is_functional: bool) -> Table:
    names = {entry.configuration: entry_name(entry.agent, entry.model) for entry in entries}
    columns: tuple[Field[ComparedPair], ...] = fields(
        Field("first", "First", lambda pair: _name_cell(pair.first, names)),
        Field("second", "Second", lambda pair: _name_cell(pair.second, names)),
        () if is_functional else SPEED_FIELDS,
        CORRECTNESS_FIELDS,
    )
    caption = "Every pair, over the same tasks, with 95 % intervals and two-sided tests, each for itself"
    return table("pairs", caption, columns, pairs, "Choose two entries or more.")


def tasks_table(
    tasks: Sequence[ComparedTask],
    entries: Sequence[Entry],
    results: Mapping[tuple[str, str], int],
    is_functional: bool,
) -> Table:
    columns: tuple[Field[ComparedTask], ...] = fields(
        Field("task", "Task", lambda task: Cell(task.task.split("/")[-1], task.task, task_url(task.task))),
        (field for at, entry in enumerate(entries) for field in _entry_fields(at, entry, results, is_functional)),
        Field(
            "difference", "Difference", lambda task: _difference_cell(task.difference, is_functional), is_number=True
        ),
    )
    what = "Share of right runs" if is_functional else "Usable speedup"
    return table("tasks", f"{what} on each task, the largest difference first", columns, tasks, "No task.")


def _spots(lines: Sequence[ComparedTask], number: int, group: PointGroup) -> list[Spot]:
    spots = []
    for line in lines:
        first, other = line.entries[0].usable, line.entries[number].usable
        if first is not None and other is not None:
            text = f"{line.task}: {significant(first)}× and {significant(other)}×"
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
    """An estimate, what its test says, and for CSV and JSON the numbers behind both.

    `equal` is the estimate for entries that do not differ; `better` says what a larger one means.
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
            f"{key}_says",
            "It says",
            lambda pair: _says_cell(found, equal, better) if (found := read(pair)) else Cell(NONE),
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


def _says_cell(found: PairedComparison, equal: float, better: str) -> Cell:
    """The verdict of the test with its p and the tasks won, tied and lost; or the reason for none."""
    by_task = f"{found.wins}, {found.ties}, {found.losses} tasks won, tied, lost"
    if found.p is None or found.estimate is None:
        return Cell(found.p_refused or NONE, None, note=by_task)
    p = f"p{NBSP}<{NBSP}0.0001" if found.p < 0.0001 else f"p{NBSP}={NBSP}{significant(found.p, 2)}"
    verdict = f"no difference at {SIGNIFICANT:.0%}".replace("%", f"{NBSP}%")
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
    """The entry at that place, with a link to its result where there is one."""
    slug = entry.configuration

    def cell(task: ComparedTask) -> Cell:
        result = results.get((slug, task.task))
        return _task_cell(task.entries[at], page_url("result", result) if result else "", is_functional)

    return (
        Field(slug, entry_name(entry.agent, entry.model), cell, is_number=True),
        hidden(f"{slug}_right", lambda task: task.entries[at].right),
        hidden(f"{slug}_judged", lambda task: task.entries[at].judged),
    )


def _difference_cell(difference: float | None, is_functional: bool) -> Cell:
    if difference is None:
        return Cell(NONE)
    return Cell(percent(difference) if is_functional else f"{significant(difference)}×", difference)


def _task_cell(found: OnTask, url: str, is_functional: bool) -> Cell:
    right = f"{found.right} of {found.judged} right"
    if not found.judged:
        return Cell("no verdict", None, url)
    if is_functional:
        return Cell(right, found.right / found.judged, url)
    if found.usable is None:
        return Cell(NONE, None, url, right)
    return Cell(f"{significant(found.usable)}×", found.usable, url, right)


SPEED_FIELDS = _test_fields(
    "speed",
    "Usable speedup, first by second",
    lambda pair: pair.usable_speedup,
    _speed_cell,
    equal=1.0,
    better="faster",
)
CORRECTNESS_FIELDS = _test_fields(
    "correct",
    "Correct, first minus second",
    lambda pair: pair.correctness,
    _correct_cell,
    equal=0.0,
    better="right more often",
)
