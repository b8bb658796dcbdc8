"""The results of one entry as arrays of tasks × runs, from which every statistic of the entry is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Integers = NDArray[np.int_]
Booleans = NDArray[np.bool_]
Flags = NDArray[np.bool_]
Names = NDArray[np.object_]


class ResultValues(NamedTuple):
    """The result of one run on one task. Ends are None where there is no bound, speedups where there is none."""

    compiled: bool
    correct: bool
    log_speedup: float | None = None  # on t_dev; a noisy case counts with the end of its interval nearer to 1
    low: float | None = None  # of the log ratio on t_dev, at 95 %
    high: float | None = None
    paper_speedup: float | None = None  # on the paper's clock
    card: str = ""  # on which it was measured


@dataclass(frozen=True, slots=True, eq=False)
class ResultMatrix:
    """Arrays with one row for each task and one column for each run. Columns of different entries are unrelated."""

    known: Flags  # False: missing, errored, held …; the other arrays then hold no information
    compiled: Flags
    correct: Flags
    log_speedup: Numbers  # NaN: none
    low: Numbers
    high: Numbers
    paper_speedup: Numbers  # NaN: none
    cards: Names

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[ResultValues | None]]) -> Self:
        """Build the arrays from one list for each task, with one result for each run; None: not known."""
        nothing = ResultValues(False, False)
        filled = [one or nothing for row in rows for one in row]
        compiled, correct, log_speedup, low, high, paper_speedup, cards = (
            zip(*filled, strict=True) if filled else [()] * 7
        )

        def shaped(values: Sequence[object], kind: type) -> NDArray[Any]:
            return np.array(values, dtype=kind).reshape(len(rows), -1)

        return cls(
            known=shaped([one is not None for row in rows for one in row], bool),
            compiled=shaped(compiled, bool),
            correct=shaped(correct, bool),
            log_speedup=shaped(log_speedup, float),  # None becomes NaN
            low=shaped([-np.inf if one is None else one for one in low], float),
            high=shaped([np.inf if one is None else one for one in high], float),
            paper_speedup=shaped(paper_speedup, float),
            cards=shaped(cards, object),
        )

    @property
    def tasks(self) -> int:
        return int(self.known.shape[0])

    @property
    def runs(self) -> int:
        return int(self.known.shape[1])

    def select(self, tasks: Sequence[int]) -> Self:
        """Copy the rows of these tasks."""
        return type(self)(**{field.name: getattr(self, field.name)[list(tasks)] for field in fields(self)})

    @property
    def is_complete(self) -> bool:
        return bool(self.known.all()) and self.known.size > 0


def log_usable(results: ResultMatrix) -> Numbers:
    """log u of every result: what a user gains by keeping the better of candidate and baseline; NaN where unknown.

    0 where the candidate is wrong, slower, has no eligible case, or does not differ significantly from the baseline.
    """
    faster = results.correct & (results.low > 0) & np.isfinite(results.log_speedup)
    gained = np.where(faster, np.maximum(np.nan_to_num(results.log_speedup), 0.0), 0.0)
    return np.where(results.known, gained, np.nan)


def paper_times(results: ResultMatrix) -> Numbers:
    """s[k, r] as the paper defines it: 0 where the result is wrong; NaN where it is unknown or was not timed."""
    return np.where(results.known, np.where(results.correct, results.paper_speedup, 0.0), np.nan)


def device_times(results: ResultMatrix) -> Numbers:
    """s[k, r] on t_dev, from log ratios: 0 where wrong; NaN where unknown or where no case is eligible."""
    ratio = np.exp(np.clip(results.log_speedup, -100, 100))
    return np.where(results.known, np.where(results.correct, ratio, 0.0), np.nan)
