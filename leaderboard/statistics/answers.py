"""What one entry answered, as arrays of tasks × runs: what every statistic of an entry is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Told(NamedTuple):
    """One answer of one run. Ends are None where there is no bound, speeds where there is none."""

    compiled: bool
    correct: bool
    log_speedup: float | None = None  # on t_dev, noisy cases by the end of their interval nearer to 1
    low: float | None = None  # of the log ratio on t_dev, at 95 %
    high: float | None = None
    paper_speedup: float | None = None  # on the paper's clock


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Tasks down, runs across. Run r of one entry has nothing to do with run r of another."""

    known: Flags  # False: missing, errored, on hold …; then the rest says nothing
    compiled: Flags
    correct: Flags
    log_speedup: Numbers  # NaN: none
    low: Numbers
    high: Numbers
    paper_speedup: Numbers  # NaN: none

    @classmethod
    def of(cls, rows: Sequence[Sequence[Told | None]]) -> Self:
        """From the answers of each task, run by run; None where nothing is known."""
        told = [[one or Told(False, False) for one in row] for row in rows]
        return cls(
            known=np.array([[one is not None for one in row] for row in rows], dtype=bool).reshape(len(rows), -1),
            compiled=np.array([[one.compiled for one in row] for row in told], dtype=bool).reshape(len(rows), -1),
            correct=np.array([[one.correct for one in row] for row in told], dtype=bool).reshape(len(rows), -1),
            log_speedup=_numbers([[one.log_speedup for one in row] for row in told], np.nan),
            low=_numbers([[one.low for one in row] for row in told], -np.inf),
            high=_numbers([[one.high for one in row] for row in told], np.inf),
            paper_speedup=_numbers([[one.paper_speedup for one in row] for row in told], np.nan),
        )

    @property
    def tasks(self) -> int:
        return int(self.known.shape[0])

    @property
    def runs(self) -> int:
        return int(self.known.shape[1])

    def on(self, tasks: Sequence[int]) -> Self:
        """The same of some tasks."""
        return type(self)(**{field.name: getattr(self, field.name)[list(tasks)] for field in fields(self)})

    @property
    def is_whole(self) -> bool:
        return bool(self.known.all()) and self.known.size > 0


def log_usable(answers: Answers) -> Numbers:
    """log u of every answer: what a user gains who keeps the better of candidate and baseline; NaN where unknown.

    0 where the candidate is wrong, slower, has no eligible case, or cannot be told from the baseline.
    """
    faster = answers.correct & (answers.low > 0) & np.isfinite(answers.log_speedup)
    gained = np.where(faster, np.maximum(np.nan_to_num(answers.log_speedup), 0.0), 0.0)
    return np.where(answers.known, gained, np.nan)


def paper_times(answers: Answers) -> Numbers:
    """s[k, r] as the paper has it: 0 where the answer is wrong; NaN where it is unknown or was not timed."""
    return np.where(answers.known, np.where(answers.correct, answers.paper_speedup, 0.0), np.nan)


def device_times(answers: Answers) -> Numbers:
    """The same on t_dev, from log ratios; NaN where a correct answer has no eligible case."""
    ratio = np.exp(np.clip(answers.log_speedup, -100, 100))
    return np.where(answers.known, np.where(answers.correct, ratio, 0.0), np.nan)


def _numbers(rows: list[list[float | None]], nothing: float) -> Numbers:
    values = [[nothing if one is None else one for one in row] for row in rows]
    return np.array(values, dtype=np.float64).reshape(len(rows), -1)
