"""How imported runs of KernelBench-X look: columns of its paper, a heat map, rounds, quantized and unsolved tasks."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.charts import Chart, HeatChart, Point, Series, heat_map, paired_bars
from leaderboard.charts.heat import Steps
from leaderboard.formatting import NONE, percent, plural, rate, significant
from leaderboard.pages.base import count_cell, page_url, top_task_cells
from leaderboard.pages.kernelbench_x.runs import Imported, ImportedRound, ImportedRun
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import status_cell

MOST_COLUMNS = 6  # of a heat map that a phone still shows
NOBODY = "No run of KernelBench-X has been handed in here and shown yet. `/submit/` says how to hand one in."
NO_ROUNDS = "No corpus of rounds has been handed in here and shown yet."


def charts(found: Imported, steps: Steps) -> dict[str, Chart]:
    drawn: list[Chart] = [_heat(found.runs[:MOST_COLUMNS], len(found.runs), steps)] if found.runs else []
    drawn += [_rescued(found.rounds)] if found.rounds else []
    return {chart.slug: chart for chart in drawn}


def tables(found: Imported) -> tuple[Table, ...]:
    return (_runs(found.runs), _rounds(found.rounds), _quantized(found.runs), _unsolved(found))


def _heat(runs: Sequence[ImportedRun], of: int, steps: Steps) -> HeatChart:
    rows = [
        (one.category, plural(one.tasks, "task"), [_heat_cell(run, index) for run in runs])
        for index, one in enumerate(runs[0].categories)
    ]
    note = "" if of == len(runs) else f"The newest {len(runs)} of {of} runs."
    description = (
        "Share of right kernels by category and run, as claimed: a row for each category, a column for each run."
    )
    names = [run.name for run in runs]
    return heat_map("imported", "Correctness by category, runs handed in", description, names, rows, note, steps)


def _heat_cell(run: ImportedRun, index: int) -> tuple[float, str, str]:
    one = run.categories[index]
    share = one.correct / one.tasks
    return share, percent(share), f"{one.correct} of {one.tasks}"


def _rescued(rounds: Sequence[ImportedRound]) -> Chart:
    series = (Series("candidate", "Rescued", "×"), Series("baseline", "Persistent", "×"))
    rows = [(one.rounds, one.name, [_point(one.rescued_speedup), _point(one.persistent_speedup)]) for one in rounds]
    return paired_bars(
        "imported_rescued",
        "Speedup of rescued and of persistent kernels, rounds handed in",
        "Mean claimed speedup of kernels that a round made right, beside those that had been right already.",
        "speedup",
        series,
        rows,
    )


def _point(value: float | None) -> Point:
    return Point(None, NONE) if value is None else Point(value, f"{significant(value)}×")


def _runs(runs: Sequence[ImportedRun]) -> Table:
    columns = (
        Column("name", "Run"),
        Column("submission", "Submission", on_page=False),
        *(Column(key, label, is_number=True) for key, label in _COUNTS),
        Column("mean", "Mean speedup", is_number=True),
        *_top_columns("mean"),
        *(Column(key, label, is_number=True) for key, label in _SPEEDS),
        Column("slower", "Slower than the baseline", is_number=True),
        Column("machine", "Baseline of"),
        Column("is_recomputed", "", on_page=False),
    )
    caption = "As claimed, of the whole suite; speedups over right kernels with times"
    return table("imported_runs", caption, columns, [_run_cells(run) for run in runs], NOBODY)


_COUNTS = (("compiled", "Compiled"), ("correct", "Right"), ("correct_of_compiled", "Right of compiled"))
_SPEEDS = (("geometric", "Geometric"), ("global", "Σ by Σ"), ("median", "Median"))


def _run_cells(run: ImportedRun) -> tuple[Cell, ...]:
    speeds = (run.geometric_mean_speedup, run.global_speedup, run.median_speedup)
    source = "from its times" if run.is_recomputed else "as it writes them"
    return (
        Cell(run.name, run.name, page_url("submission", run.submission), "self-declared"),
        Cell("", run.submission),
        Cell(rate(run.compiled, run.tasks), run.compiled / run.tasks),
        Cell(rate(run.correct, run.tasks), run.correct / run.tasks),
        Cell(rate(run.correct, run.compiled), run.correct / run.compiled) if run.compiled else Cell(NONE),
        _speed(run.mean_speedup),
        *top_task_cells(run.top_task),
        *(_speed(value) for value in speeds),
        Cell(rate(run.slower, run.timed), run.slower / run.timed) if run.timed else Cell(NONE),
        Cell(run.machine or NONE, run.machine or None, note=source if run.timed else ""),
        Cell("", run.is_recomputed),
    )


def _rounds(rounds: Sequence[ImportedRound]) -> Table:
    columns = (
        Column("name", "Corpus"),
        Column("submission", "Submission", on_page=False),
        Column("rounds", "Rounds"),
        Column("rescued", "Rescued", is_number=True),
        Column("rescued_speedup", "Their speedup", is_number=True),
        *_top_columns("rescued"),
        Column("persistent", "Right in both", is_number=True),
        Column("persistent_speedup", "Their speedup", is_number=True),
        *_top_columns("persistent"),
        Column("lost", "Lost", is_number=True),
    )
    rows = [
        (
            Cell(one.name, one.name, page_url("submission", one.submission), "self-declared"),
            Cell("", one.submission),
            Cell(one.rounds, one.rounds),
            count_cell(one.rescued),
            _speed(one.rescued_speedup),
            *top_task_cells(one.rescued_top),
            count_cell(one.persistent),
            _speed(one.persistent_speedup),
            *top_task_cells(one.persistent_top),
            count_cell(one.lost),
        )
        for one in rounds
    ]
    caption = "From round to round, over the tasks that a corpus tells of in both; mean claimed speedups"
    return table("imported_rounds", caption, columns, rows, NO_ROUNDS)


def _quantized(runs: Sequence[ImportedRun]) -> Table:
    tasks = sorted({task for run in runs for task in run.quantized})
    columns = (Column("task", "Task"), *(Column(f"submission_{run.submission}", run.name) for run in runs))
    rows = [
        (Cell(task, task), *(status_cell(run.quantized.get(task, "not_produced")) for run in runs)) for task in tasks
    ]
    caption = "Quantized tasks, whose outputs have to meet all three thresholds at once"
    return table("imported_quantized", caption, columns, rows, "No run handed in here tried one.")


def _unsolved(found: Imported) -> Table:
    columns = (
        Column("category", "Category"),
        Column("unsolved", "Solved by nobody", is_number=True),
        Column("tasks", "Tasks", on_page=False),
        Column("which", "Which"),
    )
    rows = [
        (
            Cell(one.category, one.category),
            Cell(f"{len(one.unsolved)} of {one.tasks}", len(one.unsolved)),
            Cell("", one.tasks),
            Cell(", ".join(_stem(task) for task in one.unsolved) or NONE, ", ".join(one.unsolved) or None),
        )
        for one in found.unsolved
    ]
    return table("imported_unsolved", "Tasks that no run handed in here got right", columns, rows, NOBODY)


def _top_columns(key: str) -> tuple[Column, Column]:
    return Column(f"{key}_top_share", "Top task's part", is_number=True), Column(f"{key}_top_task", "", on_page=False)


def _stem(task: str) -> str:
    return task.partition("/")[2].removesuffix(".py")


def _speed(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(f"{significant(value)}×", value)
