"""The numbers of tasks below which a statistic is refused (decision 23), and the type of an interval."""

from __future__ import annotations

from dataclasses import dataclass

MIN_TASKS_FOR_INTERVAL = 6  # intervals and speed metrics; an interval over fewer tasks is too wide to be of use
MIN_TASKS_FOR_COMPARISON = 12  # comparisons of two entries, and rank intervals
MIN_TASKS_FOR_QUANTILE_INTERVAL = 20  # below, the interval of a quartile is open at one end
MIN_TASKS_FOR_UNSEEN_SPEED = 12  # in both_pass with an eligible unseen case: gaps and transfer ratio (design §5)
MIN_TASKS_FOR_SECRET_COUNTS = 12  # below, counts over a suite could reveal a single task before its round is revealed
MIN_TASKS_FOR_SIGN_FLIP = 6  # tasks that differ: 2^-5 is the first two-sided p below 5 %
MIN_RUNS_FOR_SPREAD = 2
TAIL = 0.025  # of a two-sided interval at 95 %

MISSING = "Some tasks have no verdict."
NOT_TIMED = "Some correct results have no time on this clock."


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval, in the unit of its estimate."""

    low: float
    high: float


def too_few(tasks: int, needed: int, what: str) -> str | None:
    """Sentence that refuses a statistic for too few tasks; None where there are enough. `what` begins the sentence."""
    if tasks >= needed:
        return None
    return f"{what} {needed} tasks; there {'is' if tasks == 1 else 'are'} {tasks}."
