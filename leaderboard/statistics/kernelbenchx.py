"""The statistics of KernelBench-X (arXiv 2605.04956): from calls and times to what explains failure.

A task's speedup is Σ t_ref / Σ t_cand over its fixed rows; a missing row fails the task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.answers import Numbers

RIDGE = 1.0  # λ; with it the fit gives the paper's 3.3 and 9.4 %
STEPS, CLOSE = 100, 1e-10  # of Newton's method


@dataclass(frozen=True, slots=True)
class Task:
    """One method on one task. Rows are None where nothing was measured."""

    name: str
    category: str
    called: bool
    correct: bool
    reference_ms: tuple[float | None, ...] = ()
    candidate_ms: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Funnel:
    called: int
    correct: int
    of: int

    @property
    def correct_per_call(self) -> float | None:
        return self.correct / self.called if self.called else None


@dataclass(frozen=True, slots=True)
class Speedups:
    """Three means that are never mixed, over the tasks that are right and whole."""

    tasks: int
    arithmetic: float  # the paper's
    geometric: float
    overall: float  # Σ t_ref / Σ t_cand over all rows of all tasks
    median: float
    slower_than_baseline: int


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Shares of the device's peaks; above 1 the model of bytes or operations, or the time, is wrong."""

    iou: float  # memory bandwidth
    mfu: float  # arithmetic

    @property
    def better(self) -> float:
        return max(self.iou, self.mfu)

    @property
    def is_impossible(self) -> bool:
        return self.better > 1


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Tasks between two rounds, with the mean speedup that each kind has in the later one."""

    rescued: int  # wrong, then right
    persistent: int  # right in both
    lost: int  # right, then wrong
    rescued_speedup: float | None
    persistent_speedup: float | None


@dataclass(frozen=True, slots=True)
class Attribution:
    """What a model of passing explains, as shares of the deviance of one that knows nothing."""

    method: float
    category: float
    both: float
    category_added: float  # ΔD = −2 Δlog L of adding the category to the method
    method_added: float
    category_df: int
    method_df: int


def funnel(tasks: Sequence[Task]) -> Funnel:
    return Funnel(sum(task.called for task in tasks), sum(task.correct for task in tasks), len(tasks))


def task_speedup(task: Task) -> float | None:
    """None where the answer is wrong, or a row is missing or no positive time."""
    rows = (*task.reference_ms, *task.candidate_ms)
    if not task.correct or not rows or len(task.reference_ms) != len(task.candidate_ms):
        return None
    if any(row is None or not 0 < row < float("inf") for row in rows):
        return None
    return _total(task.reference_ms) / _total(task.candidate_ms)


def speedups(tasks: Sequence[Task]) -> Speedups | None:
    """None where no task is right and whole."""
    whole = [(task, ratio) for task in tasks if (ratio := task_speedup(task)) is not None]
    if not whole:
        return None
    ratios = np.array([ratio for _, ratio in whole])
    reference = sum(_total(task.reference_ms) for task, _ in whole)
    return Speedups(
        tasks=len(whole),
        arithmetic=float(ratios.mean()),
        geometric=float(np.exp(np.log(ratios).mean())),
        overall=reference / sum(_total(task.candidate_ms) for task, _ in whole),
        median=float(np.median(ratios)),
        slower_than_baseline=int((ratios < 1).sum()),
    )


def efficiency(
    *, time_s: float, moved_bytes: float, operations: float, peak_bytes_s: float, peak_ops_s: float
) -> Efficiency:
    """IOU = B/(T·BW) and MFU = F/(T·TP); the peaks stand with their source and date where they are kept."""
    return Efficiency(moved_bytes / (time_s * peak_bytes_s), operations / (time_s * peak_ops_s))


def portability(by_device: Mapping[str, float | None]) -> float | None:
    """Largest by smallest speedup of one kernel over the devices on which it is right; None below two of them."""
    known = [ratio for ratio in by_device.values() if ratio is not None]
    return max(known) / min(known) if len(known) > 1 else None


def unsolved(by_method: Mapping[str, Sequence[Task]]) -> dict[str, list[str]]:
    """Tasks that no method solves, by category."""
    solved = {task.name for tasks in by_method.values() for task in tasks if task.correct}
    found: dict[str, list[str]] = {}
    for name, category in {task.name: task.category for tasks in by_method.values() for task in tasks}.items():
        if name not in solved:
            found.setdefault(category, []).append(name)
    return found


def trajectory(before: Sequence[Task], after: Sequence[Task]) -> Trajectory:
    was = {task.name: task.correct for task in before}
    rescued = [task for task in after if task.correct and not was.get(task.name, False)]
    persistent = [task for task in after if task.correct and was.get(task.name, False)]
    lost = sum(not task.correct and was.get(task.name, False) for task in after)
    return Trajectory(len(rescued), len(persistent), lost, _mean(rescued), _mean(persistent))


def attribution(passed: Numbers, of: Numbers, ridge: float = RIDGE) -> Attribution:
    """Logistic models on methods and categories. `passed` and `of` are counts, methods × categories.

    Every indicator has a coefficient, held together by the ridge (λ/2·Σβ²); the intercept is free.
    """
    methods, categories = passed.shape
    method = np.repeat(np.eye(methods), categories, axis=0)
    category = np.tile(np.eye(categories), (methods, 1))
    won, trials = passed.ravel(), of.ravel()
    nothing = _deviance(np.zeros((len(won), 0)), won, trials, ridge)
    alone = [_deviance(columns, won, trials, ridge) for columns in (method, category)]
    both = _deviance(np.hstack([method, category]), won, trials, ridge)
    return Attribution(
        method=1 - alone[0] / nothing,
        category=1 - alone[1] / nothing,
        both=1 - both / nothing,
        category_added=alone[0] - both,
        method_added=alone[1] - both,
        category_df=categories - 1,
        method_df=methods - 1,
    )


def pearson(first: Numbers, second: Numbers) -> tuple[float, int]:
    """r of a static measure of tasks with their pooled failure, and the number of tasks.

    Raises:
        ValueError: one of them is constant, so that there is no r.
    """
    if first.std() == 0 or second.std() == 0:
        raise ValueError("a constant correlates with nothing")
    return float(np.corrcoef(first, second)[0, 1]), len(first)


def _deviance(columns: Numbers, won: Numbers, of: Numbers, ridge: float) -> float:
    """−2 log L at the penalised fit, by Newton's method."""
    design = np.hstack([np.ones((len(won), 1)), columns])
    penalty = ridge * np.diag([0.0, *[1.0] * columns.shape[1]])
    beta = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-design @ beta))
        slope = design.T @ (won - of * chance) - penalty @ beta
        curve = (design * (of * chance * (1 - chance))[:, None]).T @ design + penalty
        step = np.linalg.solve(curve, slope)
        beta += step
        if np.abs(step).max() < CLOSE:
            break
    score = design @ beta
    return float(-2 * (won * score - of * np.logaddexp(0, score)).sum())


def _mean(tasks: Sequence[Task]) -> float | None:
    found = speedups(tasks)
    return found.arithmetic if found else None


def _total(rows: Sequence[float | None]) -> float:
    return sum(row for row in rows if row is not None)
