"""How a comparison looks: the pairs with their tests, the tasks with the largest differences, each task as a spot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from leaderboard.charts import Chart, PointGroup, Spot, against
from leaderboard.formatting import NBSP, NONE, percent, significant
from leaderboard.pages.base import entry_name, page_url, task_url
from leaderboard.pages.board.cells import ratio_interval
from leaderboard.pages.board.place import Board
from leaderboard.pages.board.standings import Entry
from leaderboard.statistics import Interval
from leaderboard.statistics.comparisons import SIGNIFICANT, OnTask, PairedComparison
from leaderboard.tables import Cell, Column, Table, table

if TYPE_CHECKING:
    from leaderboard.pages.compare.page import ComparedPair, ComparedTask

_TEST = ("low", "high", "p", "p_refused", "wins", "ties", "losses")


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
    speed = () if is_functional else (("speed", "Usable speedup, first by second"),)
    metrics = (*speed, ("correct", "Correct, first minus second"))
    columns = (
        Column("first", "First"),
        Column("second", "Second"),
        *(
            column
            for key, label in metrics
            for column in (
                Column(key, label, is_number=True, metric="compare"),
                Column(f"{key}_says", "It says"),
                *(Column(f"{key}_{end}", "", on_page=False) for end in _TEST),
            )
        ),
    )
    rows = [
        (
            Cell(names[pair.first], pair.first, page_url("configuration", pair.first)),
            Cell(names[pair.second], pair.second, page_url("configuration", pair.second)),
            *(_speed_cells(pair.usable_speedup) if pair.usable_speedup else ()),
            *_correct_cells(pair.correctness),
        )
        for pair in pairs
    ]
    caption = "Every pair, over the same tasks, with 95 % intervals and two-sided tests, each for itself"
    return table("pairs", caption, columns, rows, "Choose two entries or more.")


def tasks_table(
    lines: Sequence[ComparedTask],
    entries: Sequence[Entry],
    results: Mapping[tuple[str, str], int],
    is_functional: bool,
) -> Table:
    slugs = [entry.configuration for entry in entries]
    columns = [Column("task", "Task")]
    for entry in entries:
        columns.append(Column(entry.configuration, entry_name(entry.agent, entry.model), is_number=True))
        columns += [Column(f"{entry.configuration}_{key}", "", on_page=False) for key in ("right", "judged")]
    columns.append(Column("difference", "Difference", is_number=True))
    rows = [_task_row(line, slugs, results, is_functional) for line in lines]
    what = "Share of right runs" if is_functional else "Usable speedup"
    return table("tasks", f"{what} on each task, the largest difference first", tuple(columns), rows, "No task.")


def _spots(lines: Sequence[ComparedTask], number: int, group: PointGroup) -> list[Spot]:
    spots = []
    for line in lines:
        first, other = line.entries[0].usable, line.entries[number].usable
        if first is not None and other is not None:
            text = f"{line.task}: {significant(first)}× and {significant(other)}×"
            spots.append(Spot(group, first, other, text, is_mean=False))
    return spots


def _speed_cells(found: PairedComparison) -> tuple[Cell, ...]:
    if found.estimate is None:
        return (Cell(NONE), _says(found, ""), *_test_cells(found))
    note = ratio_interval(found.interval) if found.interval else ""
    words = "first is faster" if found.estimate > 1 else "second is faster"
    return (
        Cell(f"{significant(found.estimate)}×", found.estimate, note=note),
        _says(found, words),
        *_test_cells(found),
    )


def _correct_cells(found: PairedComparison) -> tuple[Cell, ...]:
    if found.estimate is None:
        return (Cell(NONE), _says(found, ""), *_test_cells(found))
    words = "first is right more often" if found.estimate > 0 else "second is right more often"
    note = _points_interval(found.interval) if found.interval else ""
    return (Cell(_points(found.estimate), found.estimate, note=note), _says(found, words), *_test_cells(found))


def _says(found: PairedComparison, words: str) -> Cell:
    """The verdict of the test with its p and the tasks won, tied and lost; or the reason for none."""
    by_task = f"{found.wins}, {found.ties}, {found.losses} tasks won, tied, lost"
    if found.p is None:
        return Cell(found.p_refused or NONE, None, note=by_task)
    p = f"p{NBSP}<{NBSP}0.0001" if found.p < 0.0001 else f"p{NBSP}={NBSP}{significant(found.p, 2)}"
    verdict = words if found.is_significant else f"no difference at {SIGNIFICANT:.0%}".replace("%", f"{NBSP}%")
    return Cell(f"{verdict}, {p}", found.is_significant, note=by_task)


def _test_cells(found: PairedComparison) -> tuple[Cell, ...]:
    """In the order of _TEST."""
    ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
    values = (*ends, found.p, found.p_refused, found.wins, found.ties, found.losses)
    return tuple(Cell("", value) for value in values)


def _points(share: float) -> str:
    sign = "+" if share > 0 else "−" if share < 0 else ""
    return f"{sign}{100 * abs(share):.1f}{NBSP}points"


def _points_interval(found: Interval) -> str:
    return f"{_points(found.low).removesuffix(f'{NBSP}points')} to {_points(found.high)}"


def _task_row(
    line: ComparedTask, slugs: Sequence[str], results: Mapping[tuple[str, str], int], is_functional: bool
) -> tuple[Cell, ...]:
    cells = [Cell(line.task.split("/")[-1], line.task, task_url(line.task))]
    for slug, found in zip(slugs, line.entries, strict=True):
        result = results.get((slug, line.task))
        url = page_url("result", result) if result else ""
        cells += [_task_cell(found, url, is_functional), Cell("", found.right), Cell("", found.judged)]
    if line.difference is None:
        return (*cells, Cell(NONE))
    text = percent(line.difference) if is_functional else f"{significant(line.difference)}×"
    return (*cells, Cell(text, line.difference))


def _task_cell(found: OnTask, url: str, is_functional: bool) -> Cell:
    right = f"{found.right} of {found.judged} right"
    if not found.judged:
        return Cell("no verdict", None, url)
    if is_functional:
        return Cell(right, found.right / found.judged, url)
    if found.usable is None:
        return Cell(NONE, None, url, right)
    return Cell(f"{significant(found.usable)}×", found.usable, url, right)
