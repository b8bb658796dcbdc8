"""Statistics over many results: plain functions over numbers, as the metrics page explains them (design §6).

The task is the unit: n tasks with R runs each are never counted as n·R independent draws. What the numbers cannot
carry is refused with a reason. numpy and scipy.special are all that is loaded: 0.24 s and 40 MB in a web process, where
scipy.stats would make it 0.7 s and 88 MB, and statsmodels 0.9 s and 120 MB; the tests compare with these.
"""

from __future__ import annotations

from leaderboard.statistics.limits import (
    COMPARISON_FROM_TASKS,
    INTERVAL_FROM_TASKS,
    QUANTILE_INTERVAL_FROM_TASKS,
    SIGN_FLIP_FROM_TASKS,
    Interval,
)
from leaderboard.statistics.ranking import ranks
from leaderboard.statistics.rates import Rate, agreement, effective_size, rate, wilson

__all__ = [
    "COMPARISON_FROM_TASKS",
    "INTERVAL_FROM_TASKS",
    "QUANTILE_INTERVAL_FROM_TASKS",
    "SIGN_FLIP_FROM_TASKS",
    "Interval",
    "Rate",
    "agreement",
    "effective_size",
    "ranks",
    "rate",
    "wilson",
]
