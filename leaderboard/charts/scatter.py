"""Scatter plots of two speedups on equal logarithmic axes, with the line on which they are equal.

A group has a colour, a shape and a letter, so that neither colour nor shape alone is needed to tell groups apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import ClassVar

from leaderboard.charts.base import MARK, Chart, Tick

TOP, PLOT = 22.0, 340.0  # pixels: the line with the label of the vertical axis, and the plot below it
AXIS, LEGEND_STEP = 44.0, 20.0
COLOURS = 8  # after COLOURS and SHAPES are used up, only the letters tell groups apart
SHAPES = (  # around 0, in pixels
    "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
    "M0-7 7 0 0 7-7 0z",
    "M-5.5-5.5h11v11h-11z",
    "M0-7 6.5 5h-13z",
    "M0 7-6.5-5h13z",
    "M-2-7h4v5h5v4h-5v5h-4v-5h-5v-4h5z",
)
MARGIN = 0.08  # of the range of the logarithms, at each end
LEAST_RANGE = log(1.5)  # around 1, so that mere noise does not fill the plot
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
FINE_TICKS = (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2)
MOST_TICKS = 7
EDGE = 0.05  # of the plot; a tick closer to an end would have its label outside


@dataclass(frozen=True, slots=True)
class PointGroup:
    number: int  # counted from 1
    label: str
    colour: int  # index of the colour
    shape: int

    @property
    def letter(self) -> str:
        """A to Z, then AA, AB …: a number would read as a rank."""
        letters, rest = "", self.number
        while rest:
            rest, last = divmod(rest - 1, 26)
            letters = chr(ord("A") + last) + letters
        return letters

    @property
    def colour_class(self) -> str:
        return f"colour-{self.colour % COLOURS}"

    @property
    def outline(self) -> str:
        return SHAPES[self.shape % len(SHAPES)]


@dataclass(frozen=True, slots=True)
class Spot:
    """Two positive values of a group. A mean is drawn large and with the letter, a single value small."""

    group: PointGroup
    across: float
    up: float
    text: str
    is_mean: bool


@dataclass(frozen=True, slots=True)
class Placed:
    spot: Spot
    x: float  # percent
    y: float  # pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterChart(Chart):
    marks: ClassVar[str] = "charts/_scatter.svg"
    axis: str
    up_axis: str
    above: str  # the region over the line
    below: str
    groups: tuple[PointGroup, ...]
    spots: tuple[Placed, ...]
    ticks: tuple[Tick, ...]
    up_ticks: tuple[Tick, ...]
    range: tuple[float, float]  # of both axes

    @property
    def top(self) -> float:
        return TOP

    @property
    def plot_height(self) -> float:
        return PLOT

    @property
    def bottom(self) -> float:
        return TOP + PLOT

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(MARK + group.label for group in self.groups)

    @property
    def legend(self) -> list[tuple[float, PointGroup]]:
        return [(self.bottom + AXIS + LEGEND_STEP * (index + 0.5), group) for index, group in enumerate(self.groups)]


def against(
    slug: str,
    title: str,
    description: str,
    axes: tuple[str, str],
    regions: tuple[str, str],
    spots: Sequence[Spot],
    note: str = "",
) -> ScatterChart:
    """A chart of at least one spot. `axes` has the horizontal and the vertical label, `regions` those above and below
    the line."""
    low, high = _range([value for spot in spots for value in (spot.across, spot.up)])
    groups = tuple(sorted({spot.group for spot in spots}, key=lambda group: group.number))
    ticks = _ticks(low, high)
    return ScatterChart(
        slug=slug,
        title=title,
        description=description,
        height=TOP + PLOT + AXIS + LEGEND_STEP * len(groups),
        note=note,
        axis=axes[0],
        up_axis=axes[1],
        above=regions[0],
        below=regions[1],
        groups=groups,
        spots=tuple(
            # A tenth is less than the eye sees, and a board of hundreds of tasks has thousands of them.
            Placed(spot, round(100 * _share(spot.across, low, high), 1), round(_down(spot.up, low, high), 1))
            for spot in sorted(spots, key=lambda spot: spot.is_mean)  # means are drawn last, on top
        ),
        ticks=tuple(Tick(round(100 * _share(value, low, high), 3), f"{value:g}×") for value in ticks),
        up_ticks=tuple(Tick(_down(value, low, high), f"{value:g}×") for value in ticks),
        range=(low, high),
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    """The ends of a range that contains all values and 1, with a margin."""
    low, high = min(0.0, *map(log, values)), max(0.0, *map(log, values))
    lacking = max(LEAST_RANGE - (high - low), 0.0) / 2
    margin = MARGIN * (high - low) + lacking
    return exp(low - margin), exp(high + margin)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers within the range, MOST_TICKS at most or powers of ten."""
    wide = [value for value in TICKS if EDGE < _share(value, low, high) < 1 - EDGE]
    fine = [value for value in FINE_TICKS if EDGE < _share(value, low, high) < 1 - EDGE]
    found = fine if len(wide) < 3 else wide
    if len(found) <= MOST_TICKS:
        return found
    return [value for value in found if f"{value:.0e}"[0] == "1"]  # powers of ten


def _share(value: float, low: float, high: float) -> float:
    return (log(value) - log(low)) / (log(high) - log(low))


def _down(value: float, low: float, high: float) -> float:
    return round(TOP + PLOT * (1 - _share(value, low, high)), 2)
