"""Statistics over many results: plain functions over numbers, as the metrics page explains them (design §6).

The task is the unit: n tasks with R runs each never count as n·R independent draws. A statistic that the data cannot
support is refused with a reason. Only numpy and scipy.special are loaded, which costs a web process 0.24 s and 40 MB;
scipy.stats would take 0.7 s and 88 MB, statsmodels 0.9 s and 120 MB. The tests compare the results with both.
"""

from __future__ import annotations

from leaderboard.statistics.limits import (
    MIN_TASKS_FOR_COMPARISON,
    MIN_TASKS_FOR_INTERVAL,
    MIN_TASKS_FOR_QUANTILE_INTERVAL,
    MIN_TASKS_FOR_SIGN_FLIP,
    Interval,
)
from leaderboard.statistics.ranking import ranks
from leaderboard.statistics.rates import Rate, agreement, counted, effective_size, rate, wilson

__all__ = [
    "MIN_TASKS_FOR_COMPARISON",
    "MIN_TASKS_FOR_INTERVAL",
    "MIN_TASKS_FOR_QUANTILE_INTERVAL",
    "MIN_TASKS_FOR_SIGN_FLIP",
    "Interval",
    "Rate",
    "agreement",
    "counted",
    "effective_size",
    "ranks",
    "rate",
    "wilson",
]
