"""Correct kernels that are slower than the baseline, as KernelBench-X counts them, and their pooled median speedup."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL, too_few
from leaderboard.statistics.results import ResultMatrix


@dataclass(frozen=True, slots=True)
class Slower:
    """Counts of results. A correct result has a speed where one of its cases is eligible."""

    correct: int
    timed: int  # correct, with a speed
    tasks: int  # with such a result
    below: int  # the interval of the speedup ends below 1
    under: int  # the speedup is below 1
    median: float | None  # speedup of the timed results
    refused: str | None  # why there is no median


def slower(entries: list[ResultMatrix]) -> Slower:
    """Count over all results of these entries, each once."""
    correct = [one.known & one.correct for one in entries]
    timed = [right & np.isfinite(one.log_speedup) for one, right in zip(entries, correct, strict=True)]
    logs = [one.log_speedup[flags] for one, flags in zip(entries, timed, strict=True)]
    highs = [one.high[flags] for one, flags in zip(entries, timed, strict=True)]
    tasks = int(np.any([flags.any(axis=1) for flags in timed], axis=0).sum()) if timed else 0
    refused = too_few(tasks, MIN_TASKS_FOR_INTERVAL, "A median needs correct results with a speed in")
    return Slower(
        correct=sum(int(flags.sum()) for flags in correct),
        timed=sum(map(len, logs)),
        tasks=tasks,
        below=sum(int((ends < 0).sum()) for ends in highs),
        under=sum(int((values < 0).sum()) for values in logs),
        median=None if refused else exp(float(np.median(np.concatenate(logs)))),
        refused=refused,
    )
