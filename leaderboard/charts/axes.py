"""A logarithmic axis of ratios that contains all values and 1, with round numbers as ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log

LEAST_RANGE = log(1.25)  # so that mere noise does not fill the plot
MARGIN = 0.05  # of the range, at each end
LADDERS = (  # coarse ones first
    (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000),
    (0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5),
    (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5),
    (0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2),
)
FEWEST_TICKS, MOST_TICKS = 3, 6
APART = 0.16  # of the range, between ticks: five characters on a plot of 200 pixels, as on a phone


@dataclass(frozen=True, slots=True)
class LogAxis:
    low: float
    high: float

    def share(self, value: float) -> float:
        """The position of a positive value, from 0 to 1; values beyond an end are put there."""
        at = (log(value) - log(self.low)) / (log(self.high) - log(self.low))
        return min(max(at, 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """Round numbers within the axis, from the first ladder that has enough of them, MOST_TICKS at most."""
        ladders = [[value for value in ladder if self.low <= value <= self.high] for ladder in LADDERS]
        found = next((ladder for ladder in ladders if len(ladder) >= FEWEST_TICKS), ladders[-1])
        step = -(-len(found) // MOST_TICKS) if found else 1
        start = found.index(1) % step if 1 in found else 0
        return self._apart(found[start::step])

    def _apart(self, ticks: list[float]) -> list[float]:
        """The ticks without those whose labels would touch; 1 is never removed."""
        chosen: list[float] = []
        for tick in ticks:
            near = [other for other in (*chosen[-1:], 1.0) if other != tick and self.low <= other <= self.high]
            if all(abs(self.share(tick) - self.share(other)) >= APART for other in near):
                chosen.append(tick)
        return chosen


def log_axis(values: Iterable[float]) -> LogAxis:
    logs = [log(value) for value in values]
    low, high = min([0.0, *logs]), max([0.0, *logs])
    margin = MARGIN * (high - low) + max(LEAST_RANGE - (high - low), 0.0) / 2
    return LogAxis(exp(low - margin), exp(high + margin))


def tick_text(value: float) -> str:
    return f"{value:g}×"
