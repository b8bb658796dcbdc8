"""ResultMatrix for tests of statistics, from log ratios written down as numbers."""

from __future__ import annotations

from math import exp, log

from leaderboard.statistics.results import ResultMatrix, ResultValues

WIDTH = 0.01  # half an interval of a log ratio
WRONG = ResultValues(compiled=True, correct=False)
BROKEN = ResultValues(compiled=False, correct=False)


def right(log_speedup: float | None, *, width: float = WIDTH, paper: float | None = None) -> ResultValues:
    """A correct result with this log speedup, also on the paper's clock unless `paper` is given; None: no speed."""
    if log_speedup is None:
        return ResultValues(True, True, paper_speedup=paper)
    times = exp(log_speedup) if paper is None else paper
    return ResultValues(True, True, log_speedup, log_speedup - width, log_speedup + width, times)


def matrix(rows: list[list[ResultValues | float | None]]) -> ResultMatrix:
    """Tasks × runs; a number is a correct result with that log speedup."""
    return ResultMatrix.from_rows([[right(one) if isinstance(one, float) else one for one in row] for row in rows])


def speedups(rows: list[list[float]]) -> ResultMatrix:
    """Tasks × runs from s[k, r] on both clocks; 0 is a wrong result."""
    return ResultMatrix.from_rows([[right(log(one)) if one else WRONG for one in row] for row in rows])
