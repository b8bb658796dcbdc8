"""The columns of the papers' main tables, by the papers' own formulas.

AgentKernelArena's (arXiv 2605.16819, §3.3 and §4) start from s[k, r], the speedup of task k in run r on the paper's
clock, 0 where the result is wrong, and from s[k], its mean over runs. KernelBench-X (arXiv 2605.04956, Table 1)
averages s[k, r] over correct results alone. No rank is based on either: one task can dominate a mean.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from evaluator.records.measurements import KBX_DO_BENCH, PAPER_CLOCKS
from leaderboard.statistics.limits import MIN_RUNS_FOR_SPREAD, MISSING, NOT_TIMED
from leaderboard.statistics.results import Numbers, ResultMatrix, paper_times

ONE_RUN = f"A spread between runs needs {MIN_RUNS_FOR_SPREAD} runs."
MIXED = "No mean across categories: the paper times them with different clocks. Each category has its own leaderboard."
NO_CLOCK = "The paper has no such category: no clock of its own times it."
NONE_CORRECT = "A run without a correct result has no geometric mean."
NO_CORRECT_MEAN = "A run without a correct result has no mean over correct results."
OTHER_PAPER = "A column of the other paper, which does not have this category."
COMPILED_POINTS, CORRECT_POINTS, SPEED_POINTS = 20, 100, 100  # of the score


@dataclass(frozen=True, slots=True)
class RunSpread:
    """Mean over runs and their standard deviation (n − 1), which is None below two runs."""

    value: float | None
    sigma_r: float | None
    runs: int
    refused: str | None
    sigma_r_refused: str | None


@dataclass(frozen=True, slots=True)
class PaperColumns:
    compilation_rate_pct: float | None
    correctness_rate_pct: float | None
    mean_speedup: RunSpread
    top_task: int | None  # index of the task with the largest s[k]
    top_task_share: float | None  # its share of Σ s[k]
    mean_score: float | None
    geo_mean_speedup: RunSpread
    geo_mean_run_averaged: float | None  # the other reading: exp(mean log s[k]) over s[k] > 0
    fast_1_pct: float | None
    fast_2_pct: float | None
    mean_correct_speedup: RunSpread  # KernelBench-X's
    refused: str | None


def is_kernelbench_x(categories: Collection[str]) -> bool:
    """Whether KernelBench-X is the paper of these categories, rather than AgentKernelArena."""
    return {PAPER_CLOCKS.get(category) for category in categories} == {KBX_DO_BENCH}


def why_no_mean(categories: Collection[str]) -> str | None:
    """Why tasks of these categories have no mean on the paper's clock; None where they may have one."""
    if len(set(categories)) > 1:
        return MIXED
    return None if set(categories) <= PAPER_CLOCKS.keys() else NO_CLOCK


def paper_columns(results: ResultMatrix, *, refused: str | None = None, kernelbench_x: bool = False) -> PaperColumns:
    """Compute the columns of one entry. `refused`: why its tasks have no mean, if they have none."""
    times = paper_times(results)
    if refused:
        pass
    elif not results.is_complete:
        refused = MISSING
    elif not np.isfinite(times).all():
        refused = NOT_TIMED
    compiled, correct = _rates(results) if results.is_complete else (None, None)  # rates need no clock
    if refused:
        return _without(compiled, correct, _refused(results, refused), refused)
    found = _without(compiled, correct, _refused(results, OTHER_PAPER), None)
    geometric = geometric_mean(times, results.correct)
    if kernelbench_x:
        mean = mean_over_correct(times, results.correct)
        return replace(found, mean_correct_speedup=mean, geo_mean_speedup=geometric)
    per_task = times.mean(axis=1)
    total = float(per_task.sum())
    return replace(
        found,
        mean_speedup=_spread(times.mean(axis=0)),
        top_task=int(per_task.argmax()) if total else None,
        top_task_share=float(per_task.max()) / total if total else None,
        mean_score=score(results.compiled.mean(), results.correct.mean(), times.mean()),
        geo_mean_speedup=geometric,
        geo_mean_run_averaged=run_averaged_geometric_mean(per_task),
        fast_1_pct=100 * fast_p(per_task, 1),
        fast_2_pct=100 * fast_p(per_task, 2),
    )


def score(compiled: float, correct: float, speedup: float) -> float:
    """Score of 20·compiled + 100·correct + 100·speedup, of one result or from the means of the three."""
    return COMPILED_POINTS * float(compiled) + CORRECT_POINTS * float(correct) + SPEED_POINTS * float(speedup)


def result_score(compiled: bool, correct: bool, speedup: float | None) -> float | None:
    """The score of one result, from its speedup on the paper's clock; None where a correct one was not timed on it."""
    if correct and speedup is None:
        return None
    return score(compiled, correct, speedup if correct and speedup else 0.0)


def geometric_mean(times: Numbers, correct: np.ndarray) -> RunSpread:
    """Mean and standard deviation over runs of g[r] = exp(mean of log s over the tasks that are correct in run r)."""
    if not correct.any(axis=0).all():
        return RunSpread(None, None, times.shape[1], NONE_CORRECT, NONE_CORRECT)
    logs = np.log(np.where(correct, times, 1.0))
    return _spread(np.exp(logs.sum(axis=0) / correct.sum(axis=0)))


def mean_over_correct(times: Numbers, correct: np.ndarray) -> RunSpread:
    """Mean and standard deviation over runs of m[r], the mean of s over the tasks that are correct in run r."""
    if not correct.any(axis=0).all():
        return RunSpread(None, None, times.shape[1], NO_CORRECT_MEAN, NO_CORRECT_MEAN)
    return _spread(times.sum(axis=0) / correct.sum(axis=0))  # a wrong result adds 0


def run_averaged_geometric_mean(per_task: Numbers) -> float | None:
    """exp(mean log s[k]) over the tasks that are correct in at least one run; None where there is none."""
    positive = per_task[per_task > 0]
    return float(np.exp(np.log(positive).mean())) if len(positive) else None


def fast_p(per_task: Numbers, p: float) -> float:
    """Share of all tasks with s[k] ≥ p. It may exceed the correctness rate: one fast run can lift a task's mean."""
    return float((per_task >= p).mean())


def _without(compiled: float | None, correct: float | None, nothing: RunSpread, refused: str | None) -> PaperColumns:
    """The columns with no other number than the rates."""
    return PaperColumns(compiled, correct, nothing, None, None, None, nothing, None, None, None, nothing, refused)


def _refused(results: ResultMatrix, why: str) -> RunSpread:
    return RunSpread(None, None, results.runs, why, why)


def _rates(results: ResultMatrix) -> tuple[float, float]:
    return 100 * float(results.compiled.mean()), 100 * float(results.correct.mean())


def _spread(per_run: Numbers) -> RunSpread:
    runs = len(per_run)
    sigma = float(per_run.std(ddof=1)) if runs >= MIN_RUNS_FOR_SPREAD else None
    return RunSpread(float(per_run.mean()), sigma, runs, None, None if sigma is not None else ONE_RUN)
