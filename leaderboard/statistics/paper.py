"""The columns of AgentKernelArena's main tables, by the paper's own formulas (arXiv 2605.16819, §3.3 and §4).

All start from s[k, r], the speedup of task k in run r on the paper's clock, 0 where the answer is wrong, and from s[k],
its mean over runs. Ranks never come from here: one task can carry most of a mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.answers import Answers, Numbers, paper_times
from leaderboard.statistics.limits import MISSING, NOT_TIMED, RUNS_FOR_SPREAD

ONE_RUN = f"A spread between runs needs {RUNS_FOR_SPREAD} runs."
MIXED = "No mean across categories: the paper times them on different clocks. Each category has a board of its own."
NONE_CORRECT = "A run without a right answer has no geometric mean."
COMPILED_POINTS, CORRECT_POINTS, SPEED_POINTS = 20, 100, 100  # of the score


@dataclass(frozen=True, slots=True)
class RunSpread:
    """Mean over runs ± their standard deviation (n − 1); the latter blank below two runs."""

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
    top_task_share: float | None  # its part of Σ s[k]
    mean_score: float | None
    geo_mean_speedup: RunSpread
    geo_mean_run_averaged: float | None  # the other reading: exp(mean log s[k]) over s[k] > 0
    fast_1_pct: float | None
    fast_2_pct: float | None
    refused: str | None


def paper_columns(answers: Answers, *, is_mixed: bool = False) -> PaperColumns:
    """`is_mixed`: the tasks are of several categories, over which the paper makes no mean."""
    times, refused = paper_times(answers), None
    if is_mixed:
        refused = MIXED
    elif not answers.is_whole:
        refused = MISSING
    elif not np.isfinite(times).all():
        refused = NOT_TIMED
    if refused:
        nothing = RunSpread(None, None, answers.runs, refused, refused)
        compiled, correct = _rates(answers) if answers.is_whole else (None, None)  # they know no clock
        return PaperColumns(compiled, correct, nothing, None, None, None, nothing, None, None, None, refused)
    compiled, correct = _rates(answers)
    per_task = times.mean(axis=1)
    total = float(per_task.sum())
    return PaperColumns(
        compilation_rate_pct=compiled,
        correctness_rate_pct=correct,
        mean_speedup=_spread(times.mean(axis=0)),
        top_task=int(per_task.argmax()) if total else None,
        top_task_share=float(per_task.max()) / total if total else None,
        mean_score=score(answers.compiled.mean(), answers.correct.mean(), times.mean()),
        geo_mean_speedup=geometric_mean(times, answers.correct),
        geo_mean_run_averaged=run_averaged_geometric_mean(per_task),
        fast_1_pct=100 * fast_p(per_task, 1),
        fast_2_pct=100 * fast_p(per_task, 2),
        refused=None,
    )


def score(compiled: float, correct: float, speedup: float) -> float:
    """The mean of 20·compiled + 100·correct + 100·speedup, which is the same sum of the three means."""
    return COMPILED_POINTS * float(compiled) + CORRECT_POINTS * float(correct) + SPEED_POINTS * float(speedup)


def geometric_mean(times: Numbers, correct: np.ndarray) -> RunSpread:
    """Mean ± sd over runs of g[r] = exp(mean of log s over the tasks that are right in run r)."""
    if not correct.any(axis=0).all():
        return RunSpread(None, None, times.shape[1], NONE_CORRECT, NONE_CORRECT)
    logs = np.log(np.where(correct, times, 1.0))
    return _spread(np.exp(logs.sum(axis=0) / correct.sum(axis=0)))


def run_averaged_geometric_mean(per_task: Numbers) -> float | None:
    """exp(mean log s[k]) over the tasks that were right in some run."""
    positive = per_task[per_task > 0]
    return float(np.exp(np.log(positive).mean())) if len(positive) else None


def fast_p(per_task: Numbers, p: float) -> float:
    """Share of all tasks with s[k] ≥ p. It may exceed the share of right answers: one good run can carry a task."""
    return float((per_task >= p).mean())


def _rates(answers: Answers) -> tuple[float, float]:
    return 100 * float(answers.compiled.mean()), 100 * float(answers.correct.mean())


def _spread(per_run: Numbers) -> RunSpread:
    runs = len(per_run)
    sigma = float(per_run.std(ddof=1)) if runs >= RUNS_FOR_SPREAD else None
    return RunSpread(float(per_run.mean()), sigma, runs, None, None if sigma is not None else ONE_RUN)
