"""Cost against gain on linear axes from zero, with the Pareto front.

A spot is on the front if no other costs at most as much and gains at least as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import ClassVar

from leaderboard.charts.base import MARK, Chart, Tick
from leaderboard.charts.scatter import Placed, PointGroup, Spot

TOP, PLOT = 22.0, 280.0  # pixels: the line with the label of the vertical axis, and the plot below it
AXIS, LEGEND_STEP = 44.0, 20.0
LEFT, RIGHT = 8.0, 96.0  # percent of the width
REACH = 1.12  # of an axis, as a multiple of the largest value
TICKS = 5  # on an axis, approximately


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoChart(Chart):
    marks: ClassVar[str] = "charts/_pareto.svg"
    axis: str
    up_axis: str
    groups: tuple[PointGroup, ...]
    spots: tuple[Placed, ...]
    best: tuple[Spot, ...]  # spots on the front, the cheapest first
    path: str  # of the front, in percent of the plot's width and height
    ticks: tuple[Tick, ...]
    up_ticks: tuple[Tick, ...]

    @property
    def plot(self) -> dict[str, float]:
        """The plot's rectangle, horizontally in percent and vertically in pixels."""
        return {"left": LEFT, "right": RIGHT, "width": RIGHT - LEFT, "top": TOP, "height": PLOT, "bottom": TOP + PLOT}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(MARK + group.label for group in self.groups)

    @property
    def legend(self) -> list[tuple[float, PointGroup]]:
        start = TOP + PLOT + AXIS
        return [(start + LEGEND_STEP * (index + 0.5), group) for index, group in enumerate(self.groups)]


def efficient(spots: Sequence[Spot]) -> tuple[Spot, ...]:
    """The spots on the Pareto front, the cheapest first; equal ones are all on it."""
    found = [spot for spot in spots if not any(_beats(other, spot) for other in spots)]
    return tuple(sorted(found, key=lambda spot: (spot.across, spot.up)))


def cost_against_gain(
    slug: str, title: str, description: str, axes: tuple[str, str], spots: Sequence[Spot]
) -> ParetoChart:
    """A chart of at least one spot with positive values. `axes` has the horizontal and the vertical label."""
    ends = (REACH * max(spot.across for spot in spots), REACH * max(spot.up for spot in spots))
    groups = tuple(sorted({spot.group for spot in spots}, key=lambda group: group.number))
    best = efficient(spots)
    return ParetoChart(
        slug=slug,
        title=title,
        description=description,
        height=TOP + PLOT + AXIS + LEGEND_STEP * len(groups),
        axis=axes[0],
        up_axis=axes[1],
        groups=groups,
        spots=tuple(Placed(spot, _across(spot.across, ends[0]), _down(spot.up, ends[1])) for spot in spots),
        best=best,
        path=_path(best, ends),
        ticks=tuple(Tick(_across(value, ends[0]), f"{value:g}") for value in _ticks(ends[0])),
        up_ticks=tuple(Tick(_down(value, ends[1]), f"{value:g}") for value in _ticks(ends[1])),
    )


def _beats(other: Spot, spot: Spot) -> bool:
    is_no_worse = other.across <= spot.across and other.up >= spot.up
    return is_no_worse and (other.across, other.up) != (spot.across, spot.up)


def _path(best: Sequence[Spot], ends: tuple[float, float]) -> str:
    """The front as a stepped path, as a gain at some cost is available at any higher cost."""
    steps = [f"M{100 * best[0].across / ends[0]:.2f} 100"]
    for spot in best:
        steps.append(f"H{100 * spot.across / ends[0]:.2f}V{100 * (1 - spot.up / ends[1]):.2f}")
    return "".join([*steps, "H100"])


def _ticks(end: float) -> list[float]:
    """Round numbers from zero to the end."""
    rough = end / TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return [round(index * step, 10) for index in range(int(end / step) + 1)]


def _across(value: float, end: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * value / end, 3)


def _down(value: float, end: float) -> float:
    return round(TOP + PLOT * (1 - value / end), 2)
