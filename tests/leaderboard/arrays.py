"""ResultMatrix for tests of statistics, from log ratios written down as numbers."""

from __future__ import annotations

from math import exp, log

from leaderboard.statistics.results import ResultMatrix, ResultValues

WIDTH = 0.01  # half an interval of a log ratio
WRONG = ResultValues(compiled=True, correct=False)
BROKEN = ResultValues(compiled=False, correct=False)


def right(log_speedup: float | None, *, width: float = WIDTH, paper: float | None = None) -> ResultValues:
    """A right answer so fast, on the paper's clock too unless told otherwise; None: without a speed."""
    if log_speedup is None:
        return ResultValues(True, True, paper_speedup=paper)
    times = exp(log_speedup) if paper is None else paper
    return ResultValues(True, True, log_speedup, log_speedup - width, log_speedup + width, times)


def answers(rows: list[list[ResultValues | float | None]]) -> ResultMatrix:
    """A number is a right answer with that log ratio."""
    return ResultMatrix.from_rows([[right(one) if isinstance(one, float) else one for one in row] for row in rows])


def speedups(rows: list[list[float]]) -> ResultMatrix:
    """From s[k, r] on both clocks; 0 is a wrong answer."""
    return ResultMatrix.from_rows([[right(log(one)) if one else WRONG for one in row] for row in rows])
