"""From how many tasks on a statement is made at all (decision 23), and what an interval is."""

from __future__ import annotations

from dataclasses import dataclass

INTERVAL_FROM_TASKS = 6  # intervals, and every speed metric; below, an interval says next to nothing
COMPARISON_FROM_TASKS = 12  # comparisons of two entries, and rank intervals
QUANTILE_INTERVAL_FROM_TASKS = 20  # below, the interval of a quartile has no end on one side
UNSEEN_SPEED_FROM_TASKS = 12  # right on both sides, with an eligible unseen case: gaps and transfer ratio (design §5)
SECRET_COUNTS_FROM_TASKS = 12  # below, counts over a suite would tell of single tasks before a round is revealed
SIGN_FLIP_FROM_TASKS = 6  # tasks that differ: 2^-5 is the first two-sided p below 5 %
RUNS_FOR_SPREAD = 2
TAIL = 0.025  # of a two-sided interval at 95 %

MISSING = "Some tasks have no verdict."
NOT_TIMED = "Some right answers have no time on this clock."


@dataclass(frozen=True, slots=True)
class Interval:
    """Ends at 95 %, in the unit of what it is an interval of."""

    low: float
    high: float


def too_few(tasks: int, needed: int, what: str) -> str | None:
    """The sentence of a refusal, or None where there are enough tasks."""
    if tasks >= needed:
        return None
    return f"{what} {needed} tasks; there {'is' if tasks == 1 else 'are'} {tasks}."
