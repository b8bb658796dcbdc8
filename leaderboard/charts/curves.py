"""Share of tasks by speedup on a logarithmic axis: a line for each entry, with a band where there are few.

Lines differ in colour and dashes and have a letter at their end, so that no single one of these is needed to tell them
apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from evaluator.wording import counted
from leaderboard.charts.axes import LogAxis, log_axis, tick_text
from leaderboard.charts.base import MARK, Chart, Tick
from leaderboard.charts.scatter import PointGroup

TOP, PLOT = 8.0, 300.0  # pixels: margin above the plot, and its height
AXIS, LEGEND_STEP = 44.0, 20.0
LEFT, RIGHT = 9.0, 90.0  # percent of the width
END_TEXT = 12.0  # pixels: the height of a letter at the end of a line
MOST_BANDS = 2
MOST_IN_A_TEXT = 2  # letters at an end; a phone has 30 pixels for them
DASHES = 4


@dataclass(frozen=True, slots=True)
class GivenCurve:
    """The data of a curve. `low` and `high` are the ends of its band at the same points."""

    label: str
    points: tuple[float, ...]
    shares: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class CurveLine:
    group: PointGroup
    curve: GivenCurve
    path: str  # in percent of the plot's width and height
    band: str  # empty if none is drawn
    end_y: float  # pixels

    @property
    def dash_class(self) -> str:
        return f"dash-{(self.group.number - 1) % DASHES}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveChart(Chart):
    marks: ClassVar[str] = "charts/_curves.svg"
    axis: str
    up_axis: str
    lines: tuple[CurveLine, ...]
    ticks: tuple[Tick, ...]
    up_ticks: tuple[Tick, ...]
    one_x: float  # percent: position of a speedup of 1
    range: tuple[float, float]

    @property
    def plot(self) -> dict[str, float]:
        """The plot's rectangle, horizontally in percent and vertically in pixels."""
        return {"left": LEFT, "right": RIGHT, "width": RIGHT - LEFT, "top": TOP, "height": PLOT, "bottom": TOP + PLOT}

    @property
    def ends(self) -> list[tuple[float, str]]:
        """Height and text of the letters at the right end; lines that end close together share a text."""
        found: list[tuple[float, list[PointGroup]]] = []
        for line in sorted(self.lines, key=lambda line: (line.end_y, line.group.number)):
            if not found or line.end_y - found[-1][0] > END_TEXT:
                found.append((line.end_y, []))
            found[-1][1].append(line.group)
        return [(y, self._end_text(groups)) for y, groups in found]

    def _end_text(self, groups: list[PointGroup]) -> str:
        if len(groups) <= MOST_IN_A_TEXT:
            return ", ".join(group.letter for group in sorted(groups, key=lambda group: group.number))
        return "all" if len(groups) == len(self.lines) else counted(len(groups), "line")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(MARK + line.group.label for line in self.lines)

    @property
    def legend(self) -> list[tuple[float, CurveLine]]:
        return [(TOP + PLOT + AXIS + LEGEND_STEP * (index + 0.5), line) for index, line in enumerate(self.lines)]


def curves(
    slug: str, title: str, description: str, axes: tuple[str, str], given: Sequence[GivenCurve], note: str = ""
) -> CurveChart:
    """A chart of at least one curve, all at the same points. `axes` has the horizontal and the vertical label."""
    scale = log_axis(given[0].points)
    lines = tuple(_line(scale, number, curve, len(given) <= MOST_BANDS) for number, curve in enumerate(given, 1))
    return CurveChart(
        slug=slug,
        title=title,
        description=description,
        height=TOP + PLOT + AXIS + LEGEND_STEP * len(given),
        note=note,
        axis=axes[0],
        up_axis=axes[1],
        lines=lines,
        ticks=tuple(Tick(_across(scale, value), tick_text(value)) for value in scale.ticks),
        up_ticks=tuple(Tick(_down(share), f"{share:.0%}".replace("%", "\u00a0%")) for share in (0, 0.25, 0.5, 0.75, 1)),
        one_x=_across(scale, 1.0),
        range=(scale.low, scale.high),
    )


def _line(scale: LogAxis, number: int, curve: GivenCurve, is_banded: bool) -> CurveLine:
    group = PointGroup(number, curve.label, number - 1, number - 1)
    xs = [round(100 * scale.share(point), 2) for point in curve.points]
    path = _path(xs, curve.shares)
    band = ""
    if is_banded and curve.low is not None and curve.high is not None:
        back = _path(xs[::-1], curve.low[::-1]).replace("M", "L", 1)
        band = f"{_path(xs, curve.high)}{back}Z"
    return CurveLine(group, curve, path, band, _down(curve.shares[-1]))


def _path(xs: Sequence[float], shares: Sequence[float]) -> str:
    steps = (f"{x:g} {100 * (1 - share):.2f}" for x, share in zip(xs, shares, strict=True))
    return "M" + "L".join(steps)


def _across(scale: LogAxis, value: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * scale.share(value), 3)


def _down(share: float) -> float:
    return round(TOP + PLOT * (1 - share), 2)
