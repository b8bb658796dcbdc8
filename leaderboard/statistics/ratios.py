"""How far the speedup of one kernel differs from device to device: the largest over the smallest, over many kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL, too_few

POINTS = (1.0, 1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)


@dataclass(frozen=True, slots=True)
class SpeedupRatios:
    """The distribution of largest ÷ smallest speedup. `at_most` has the share of pairs at or below each of POINTS."""

    pairs: int  # kernels with a speed on two devices or more
    tasks: int
    median: float | None
    mean: float | None
    largest: float | None
    at_most: tuple[float, ...]
    refused: str | None


def ratios(values: Sequence[tuple[str, float]]) -> SpeedupRatios:
    """The distribution over pairs of task and ratio, or the reason why there is none."""
    found, tasks = np.sort([value for _, value in values]), len({task for task, _ in values})
    if refused := too_few(tasks, MIN_TASKS_FOR_INTERVAL, "A distribution needs a speed on two device classes in"):
        return SpeedupRatios(len(found), tasks, None, None, None, (), refused)
    shares = np.searchsorted(found, POINTS, side="right") / len(found)
    middle, mean, largest = float(np.median(found)), float(found.mean()), float(found[-1])
    return SpeedupRatios(len(found), tasks, middle, mean, largest, tuple(shares.tolist()), None)
