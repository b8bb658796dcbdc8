"""Box plots: a row for each entry with its quartiles, its median, and every task as a dot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from leaderboard.charts.axes import LogAxis, log_axis, tick_text
from leaderboard.charts.base import Chart, Tick

ROW_LABEL, BOX, TEXT, ROW_GAP, AXIS = 20.0, 22.0, 18.0, 12.0, 44.0
ZERO_X = 2.0  # percent: failures are drawn left of the axis
LEFT, RIGHT = 7.0, 98.0


@dataclass(frozen=True, slots=True)
class GivenBox:
    label: str
    note: str
    values: tuple[tuple[float, str], ...]  # speedup and name of each task; 0 if it failed
    p25: float
    median: float
    p75: float
    text: str


@dataclass(frozen=True, slots=True)
class BoxSpot:
    x: float
    value: float
    name: str


@dataclass(frozen=True, slots=True)
class Box:
    given: GivenBox
    y: float  # baseline of the label
    low_x: float
    median_x: float
    high_x: float
    spots: tuple[BoxSpot, ...]

    @property
    def width(self) -> float:
        return round(self.high_x - self.low_x, 3)

    @property
    def box_y(self) -> float:
        return self.y + 8

    @property
    def middle_y(self) -> float:
        return self.box_y + BOX / 2

    @property
    def bottom_y(self) -> float:
        return self.box_y + BOX

    @property
    def text_y(self) -> float:
        return self.bottom_y + TEXT - 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxChart(Chart):
    marks: ClassVar[str] = "charts/_boxes.svg"
    axis: str
    boxes: tuple[Box, ...]
    ticks: tuple[Tick, ...]
    one_x: float

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(box.given.label + box.given.note for box in self.boxes)

    @property
    def bottom(self) -> float:
        return self.height - AXIS

    @property
    def tick_y(self) -> float:
        return self.bottom + 16

    @property
    def axis_y(self) -> float:
        return self.bottom + 36


def boxes(slug: str, title: str, description: str, axis: str, given: Sequence[GivenBox]) -> BoxChart:
    positive = [value for one in given for value, _ in one.values if value > 0]
    scale = log_axis(positive)
    step = ROW_LABEL + BOX + TEXT + ROW_GAP
    drawn = tuple(_box(scale, one, 14 + step * index) for index, one in enumerate(given))
    has_zero = any(value <= 0 for one in given for value, _ in one.values)
    zero = (Tick(ZERO_X, "failed", "start"),) if has_zero else ()
    return BoxChart(
        slug=slug,
        title=title,
        description=description,
        height=step * len(given) + AXIS,
        axis=axis,
        boxes=drawn,
        ticks=(*zero, *(Tick(_across(scale, value), tick_text(value)) for value in scale.ticks)),
        one_x=_across(scale, 1.0),
    )


def _box(scale: LogAxis, given: GivenBox, y: float) -> Box:
    # A tenth of a percent is less than the eye sees, and a board of hundreds of tasks has thousands of dots.
    spots = tuple(BoxSpot(round(_across(scale, value), 1), value, name) for value, name in given.values)
    return Box(given, y, _across(scale, given.p25), _across(scale, given.median), _across(scale, given.p75), spots)


def _across(scale: LogAxis, value: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * scale.share(value), 3) if value > 0 else ZERO_X
