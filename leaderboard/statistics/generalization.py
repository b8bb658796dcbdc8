"""Generalization: correctness and speed on unseen cases, by the statistics of design §5.

The baseline is judged on each unseen case too: where it fails itself, no optimisation broke anything. A case without a
verdict because of an evaluation error is in no denominator, and makes its result and its entry incomplete. The task is
the unit of every interval: its runs and cases are never counted as independent.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.unseen.cases import CONFIG_CATEGORIES
from leaderboard.statistics.intervals import exponential, student
from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL, MIN_TASKS_FOR_UNSEEN_SPEED, Interval, too_few
from leaderboard.statistics.rates import effective_size, wilson
from leaderboard.statistics.results import Booleans, Integers
from leaderboard.statistics.task_runs import QUADRANTS, Quadrant, Speed, TaskRun
from leaderboard.statistics.top_task import TopTask, top_task

_PLACES: dict[Quadrant | None, int] = {name: at for at, name in enumerate((*QUADRANTS.values(), None))}
_BOTH_PASS, _REGRESSION, _NO_VERDICT = _PLACES["both_pass"], _PLACES["opt_regression"], _PLACES[None]
FUNCTIONAL = "Functional times are not compared."


@dataclass(frozen=True, slots=True)
class Quadrants:
    """Number of results in each quadrant. Those without a verdict are in no denominator."""

    both_pass: int
    opt_improvement: int
    both_fail: int
    opt_regression: int
    without_verdict: int

    @property
    def of(self) -> int:
        return self.both_pass + self.opt_improvement + self.both_fail + self.opt_regression


@dataclass(frozen=True, slots=True)
class Conditional:
    """Correct candidates among results (or cases) whose baseline is correct: `count` of `of`, from `tasks` tasks."""

    count: int
    of: int
    tasks: int
    share: float | None  # None where the baseline is never correct
    interval: Interval | None
    refused: str | None  # why there is no interval
    worst: float | None  # if every result without a verdict were a regression; None over cases
    best: float | None  # if all of them were correct on both sides; None over cases


@dataclass(frozen=True, slots=True)
class CategoryConditional:
    category: str
    conditional: Conditional


@dataclass(frozen=True, slots=True)
class Transfer:
    """Speed on seen and on unseen cases, over the results in `both_pass`. Refused numbers are None."""

    tasks: int  # both_pass, with eligible cases on both sides
    refused: str | None
    seen: float | None = None  # arithmetic mean of speedups
    unseen: float | None = None
    seen_top: TopTask | None = None
    unseen_top: TopTask | None = None
    gap: float | None = None  # (seen − unseen) / seen
    absolute_gap: float | None = None
    ratio: float | None = None  # exp(mean over tasks of log(unseen / seen))
    interval: Interval | None = None  # of the ratio: Student's t over tasks, 95 %


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of one run, or of all runs of a configuration together."""

    paper: Quadrants
    strict: Quadrants
    conditional: Conditional
    retention: Conditional
    cases: Conditional
    categories: tuple[CategoryConditional, ...]
    transfer: Transfer


@dataclass(frozen=True, slots=True)
class RunMeasures:
    run: int
    measures: Measures


@dataclass(frozen=True, slots=True)
class RunMeans:
    """Means over runs of each run's own value; None where a run has none."""

    conditional: float | None
    retention: float | None
    gap: float | None
    absolute_gap: float | None


@dataclass(frozen=True, slots=True)
class Generalization:
    """The measures of a configuration: pooled over its runs, of each run, and the mean over runs."""

    is_complete: bool
    pooled: Measures
    runs: tuple[RunMeasures, ...]
    run_averaged: RunMeans


def generalization(results: Sequence[TaskRun], *, is_functional: bool) -> Generalization:
    """Measure one configuration. `results` holds every task of the suite in every run, judged or not."""
    of_run: dict[int, list[int]] = defaultdict(list)
    for at, result in enumerate(results):
        of_run[result.run].append(at)
    columns = _columns(results)
    pooled = _measures(results, columns, is_functional)
    runs = tuple(
        RunMeasures(
            run,
            _measures([results[at] for at in own], columns.of(own), is_functional) if len(of_run) > 1 else pooled,
        )
        for run, own in of_run.items()
    )
    return Generalization(not pooled.paper.without_verdict, pooled, runs, _run_means([run.measures for run in runs]))


def measures(results: Sequence[TaskRun], *, is_functional: bool) -> Measures:
    return _measures(results, _columns(results), is_functional)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Results as arrays: their tasks by number, and what their unseen cases come to."""

    task: Integers
    counts: Integers  # results × categories × quadrants
    paper: Integers  # places in QUADRANTS, _NO_VERDICT without one
    strict: Integers
    seen_passed: Booleans

    def of(self, results: Sequence[int]) -> _Columns:
        own = np.array(results)
        return _Columns(
            *(column[own] for column in (self.task, self.counts, self.paper, self.strict, self.seen_passed))
        )


def _columns(results: Sequence[TaskRun]) -> _Columns:
    places: dict[str, int] = {}
    return _Columns(
        np.array([places.setdefault(result.task, len(places)) for result in results]),
        np.stack([result.cases.counts for result in results]),
        np.array([_PLACES[result.cases.paper] for result in results]),
        np.array([_PLACES[result.cases.strict] for result in results]),
        np.array([result.seen_passed for result in results]),
    )


def _measures(results: Sequence[TaskRun], columns: _Columns, is_functional: bool) -> Measures:
    cases, categories = _over_cases(columns)
    return Measures(
        paper=_quadrants(columns.paper),
        strict=_quadrants(columns.strict),
        conditional=_over_results(columns, np.ones_like(columns.seen_passed)),
        retention=_over_results(columns, columns.seen_passed),
        cases=cases,
        categories=categories,
        transfer=transfer(results, is_functional=is_functional),
    )


def transfer(results: Sequence[TaskRun], *, is_functional: bool) -> Transfer:
    """Compute gap, absolute gap and transfer ratio; refused for functional times and below twelve tasks."""
    pairs: dict[str, list[tuple[Speed, Speed]]] = defaultdict(list)
    for result in results:
        if result.cases.paper == "both_pass" and result.seen and result.unseen:
            pairs[result.task].append((result.seen, result.unseen))
    tasks = len(pairs)
    if is_functional:
        return Transfer(tasks, FUNCTIONAL)
    if refused := too_few(tasks, MIN_TASKS_FOR_UNSEEN_SPEED, "A statement on unseen speed needs"):
        return Transfer(tasks, refused)
    both = [pair for of_task in pairs.values() for pair in of_task]
    seen, unseen = _mean(one.mean for one, _ in both), _mean(one.mean for _, one in both)
    shifts = [_mean(late.mean_log - early.mean_log for early, late in of_task) for of_task in pairs.values()]
    ratio, interval = math.exp(_mean(shifts)), exponential(student(np.array(shifts)))
    seen_top = top_task((task, one.mean) for task, of_task in pairs.items() for one, _ in of_task)
    unseen_top = top_task((task, one.mean) for task, of_task in pairs.items() for _, one in of_task)
    return Transfer(
        tasks, None, seen, unseen, seen_top, unseen_top, (seen - unseen) / seen, seen - unseen, ratio, interval
    )


def _quadrants(places: Integers) -> Quadrants:
    return Quadrants(*np.bincount(places, minlength=len(_PLACES)).tolist())


def _over_results(columns: _Columns, among: Booleans) -> Conditional:
    """Σ [y ∧ b] / Σ [b] over tasks and runs, with the paper's quadrants, among some of the results."""
    right, broken = among & (columns.paper == _BOTH_PASS), among & (columns.paper == _REGRESSION)
    missing = int((among & (columns.paper == _NO_VERDICT)).sum())
    return _conditional(_by_task(columns.task, right), _by_task(columns.task, right | broken), missing)


def _over_cases(columns: _Columns) -> tuple[Conditional, tuple[CategoryConditional, ...]]:
    """The cases whose baseline is correct: all of them, and each category.

    Without worst and best, as the number of cases of a missing result is not known.
    """
    right = _by_task(columns.task, columns.counts[:, :, _BOTH_PASS])
    of = right + _by_task(columns.task, columns.counts[:, :, _REGRESSION])
    categories = tuple(
        CategoryConditional(name, _conditional(right[:, at], of[:, at], None))
        for at, name in enumerate(CONFIG_CATEGORIES)
    )
    return _conditional(right.sum(axis=1), of.sum(axis=1), None), categories


def _by_task(task: Integers, values: Integers | Booleans) -> Integers:
    """The sums over the results of each task."""
    sums = np.zeros((int(task.max()) + 1, *values.shape[1:]), dtype=int)
    np.add.at(sums, task, values)
    return sums


def _conditional(right: Integers, of: Integers, missing: int | None) -> Conditional:
    """From the numbers of each task: correct candidates, and correct baselines."""
    right, of = right[of > 0], of[of > 0]
    tasks, whole, count = len(of), int(of.sum()), int(right.sum())
    most = whole + (missing or 0)
    worst, best = (count / most, (count + missing) / most) if missing is not None and most else (None, None)
    if not whole:
        return Conditional(0, 0, 0, None, None, "The baseline is never correct.", worst, best)
    share = count / whole
    if refused := too_few(tasks, MIN_TASKS_FOR_INTERVAL, "An interval needs"):
        return Conditional(count, whole, tasks, share, None, refused, worst, best)
    interval = wilson(share, effective_size(of, right))
    return Conditional(count, whole, tasks, share, interval, None, worst, best)


def _run_means(runs: Sequence[Measures]) -> RunMeans:
    return RunMeans(
        _mean_of_all(run.conditional.share for run in runs),
        _mean_of_all(run.retention.share for run in runs),
        _mean_of_all(run.transfer.gap for run in runs),
        _mean_of_all(run.transfer.absolute_gap for run in runs),
    )


def _mean_of_all(values: Iterable[float | None]) -> float | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return _mean(known) if found and len(known) == len(found) else None


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return math.fsum(found) / len(found)
