"""The columns of Tables 2 to 4 and 8, alike for results measured here and for submitted runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leaderboard.formatting import LEAST_FOR_PERCENT, NBSP, NONE, rate, significant, x_of_n
from leaderboard.pages.base import top_task_fields
from leaderboard.statistics.paper import PaperColumns, RunSpread, paper_columns, score, why_no_mean
from leaderboard.statistics.results import ResultMatrix, ResultValues, paper_times
from leaderboard.statistics.top_task import TopTask
from leaderboard.tables import Cell, Field, Row, fields, hidden

Given = Sequence[Sequence[ResultValues | None]]  # a list for each task, with a result for each run


@dataclass(frozen=True, slots=True)
class Columns:
    """Of some tasks. Quantiles and standard deviation (n − 1) are of the tasks' means over runs, failures as 0."""

    category: str  # or `all`
    tasks: int
    runs: int
    judged: int
    compiled: int
    correct: int
    paper: PaperColumns
    top_task: TopTask | None
    p25: float | None
    p75: float | None
    p90: float | None
    task_std: float | None

    @property
    def of(self) -> int:
        return self.tasks * self.runs


def columns(category: str, tasks: Sequence[str], given: Given, categories: set[str]) -> Columns:
    results = ResultMatrix.from_rows(given)
    found = paper_columns(results, refused=why_no_mean(categories))
    share = found.top_task_share
    top = None if found.top_task is None or share is None else TopTask(tasks[found.top_task], share)
    speeds = paper_times(results).mean(axis=1)
    has_spread = found.refused is None and len(tasks) >= LEAST_FOR_PERCENT
    quantiles = [float(one) for one in np.quantile(speeds, (0.25, 0.75, 0.9))] if has_spread else [None] * 3
    return Columns(
        *(category, results.tasks, results.runs, int(results.known.sum())),
        *(int((results.compiled & results.known).sum()), int((results.correct & results.known).sum())),
        *(found, top, *quantiles, float(speeds.std(ddof=1)) if has_spread else None),
    )


def with_correct(found: Columns, correct: int) -> Columns:
    """The columns of a run in which more kernels are claimed to be correct than have a plausible speed."""
    mean = found.paper.mean_speedup.value
    points = None if mean is None else score(found.compiled / found.of, correct / found.of, mean)
    paper = replace(found.paper, correctness_rate_pct=100 * correct / found.of, mean_score=points)
    return replace(found, correct=correct, paper=paper)


def column_fields(read: Callable[[Row], Columns], metric: str) -> tuple[Field[Row], ...]:
    return fields(
        hidden("category", lambda row: read(row).category, type="text"),
        Field("compiled", "Compiled", lambda row: _rate(read(row), read(row).compiled), is_number=True, metric=metric),
        Field("correct", "Correct", lambda row: _rate(read(row), read(row).correct), is_number=True, metric=metric),
        hidden("of", lambda row: read(row).of, type="integer"),
        Field("mean", "Mean ± σr", lambda row: _spread(read(row).paper.mean_speedup), is_number=True, metric=metric),
        hidden("sigma_r", lambda row: read(row).paper.mean_speedup.sigma_r),
        top_task_fields("mean", lambda row: read(row).top_task),
        Field("score", "Score", lambda row: _number(read(row).paper.mean_score, 4), is_number=True),
        Field("geometric", "Geometric ± σr", lambda row: _spread(read(row).paper.geo_mean_speedup), is_number=True),
        hidden("geometric_sigma_r", lambda row: read(row).paper.geo_mean_speedup.sigma_r),
        Field("fast_1", "fast₁", lambda row: _fast(read(row), read(row).paper.fast_1_pct), is_number=True),
        Field("fast_2", "fast₂", lambda row: _fast(read(row), read(row).paper.fast_2_pct), is_number=True),
        hidden("tasks", lambda row: read(row).tasks, type="integer"),
        Field("p25", "P25 · P75 · P90", lambda row: _quantiles(read(row)), is_number=True),
        hidden("p75", lambda row: read(row).p75),
        hidden("p90", lambda row: read(row).p90),
        hidden("task_std", lambda row: read(row).task_std),
        hidden("refused", lambda row: read(row).paper.refused, type="text"),
    )


def _rate(one: Columns, count: int) -> Cell:
    """x of n, with a percentage unless it is of few tasks or a result is missing."""
    is_whole = one.tasks >= LEAST_FOR_PERCENT and one.judged == one.of
    return Cell(rate(count, one.of) if is_whole else x_of_n(count, one.of), count)


def _fast(one: Columns, share_pct: float | None) -> Cell:
    if share_pct is None:
        return Cell(NONE)
    count = round(share_pct * one.tasks / 100)
    return Cell(x_of_n(count, one.tasks), count)


def _spread(one: RunSpread) -> Cell:
    if one.value is None:
        return Cell(NONE)
    sigma = "" if one.sigma_r is None else f"{NBSP}±{NBSP}{significant(one.sigma_r, 2)}"
    return Cell(f"{significant(one.value)}{sigma}×", one.value)


def _number(value: float | None, digits: int = 3) -> Cell:
    return Cell(NONE) if value is None else Cell(significant(value, digits), value)


def _quantiles(one: Columns) -> Cell:
    if one.p25 is None or one.p75 is None or one.p90 is None:
        return Cell(NONE)
    return Cell(f"{NBSP}·{NBSP}".join(significant(value) for value in (one.p25, one.p75, one.p90)), one.p25)
