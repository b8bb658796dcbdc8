"""How the speedups of all entries of a board spread over its tasks, on one clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leaderboard.statistics.answers import Answers, Numbers, device_times, paper_times
from leaderboard.statistics.limits import MISSING, NOT_TIMED
from leaderboard.statistics.spread import (
    Curve,
    Distribution,
    Method,
    counted_curve,
    distribution,
    is_at_most,
    runs_at_least,
)

ClockName = Literal["t_dev", "paper"]
POINTS, SLOWEST_POINT, LEAST_FASTEST = 48, 0.5, 4.0  # of a curve, evenly on a logarithmic axis


@dataclass(frozen=True, slots=True)
class Spread:
    """One entry's. `speedups` are s[k], the means over runs, 0 where every run is wrong."""

    speedups: tuple[float, ...]
    distribution: Distribution
    fast_p: Curve  # share of answers that are right and at least so fast
    share_at_most: Curve  # the distribution function of s[k]


def timed_tasks(eligible: Sequence[bool | None], clock: ClockName) -> list[int]:
    """Which of the board's tasks are in: on t_dev all but those that are known to be too short for a speed.

    A task that nobody solved stays in, as a failure of everybody: what is counted does not hang on who is on the board.
    """
    return [task for task, one in enumerate(eligible) if clock == "paper" or one is not False]


def spreads(
    entries: Mapping[str, Answers], tasks: Sequence[int], clock: ClockName, method: Method
) -> dict[str, Spread | str]:
    """By entry, over those tasks; or why an entry has none."""
    times = {name: _times(answers, clock, tasks) for name, answers in entries.items()}
    points = _points([found for found in times.values() if not isinstance(found, str)])
    return {
        name: found if isinstance(found, str) else _spread(found, entries[name].correct[tasks], points, method)
        for name, found in times.items()
    }


def _times(answers: Answers, clock: ClockName, tasks: Sequence[int]) -> Numbers | str:
    """s[k, r], or why the entry has none."""
    if not answers.is_whole:
        return MISSING
    times = (device_times(answers) if clock == "t_dev" else paper_times(answers))[tasks]
    return times if np.isfinite(times).all() else NOT_TIMED


def _spread(times: Numbers, correct: NDArray[np.bool_], points: Sequence[float], method: Method) -> Spread:
    per_task = times.mean(axis=1)
    fast = counted_curve(runs_at_least(times, correct, points), times.shape[1], points)
    most = counted_curve(is_at_most(per_task, points), 1, points)
    return Spread(tuple(float(one) for one in per_task), distribution(per_task, method), fast, most)


def _points(grids: Sequence[Numbers]) -> tuple[float, ...]:
    """Speedups from 0.5 to the largest there is, with 1 and 2 among them."""
    largest = max([LEAST_FASTEST, *(float(times.mean(axis=1).max()) for times in grids)])
    evenly = np.geomspace(SLOWEST_POINT, largest, POINTS)
    return tuple(sorted({1.0, 2.0, *(float(f"{point:.3g}") for point in evenly)}))
