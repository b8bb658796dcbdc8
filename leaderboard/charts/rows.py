"""Charts of rows of marks.

*Dots* show values and their intervals on one axis, with reference lines. *Bars* compare the times of baseline and
candidate of a case; every case has its own scale, so that a case of microseconds is as readable as one of seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from leaderboard.charts.axes import log_axis, tick_text
from leaderboard.charts.base import Anchor, Chart, Series, Tick

ROW_LABEL = 20  # pixels of the line with a row's label
BAR, BAR_STEP = 12, 17
WHISKER = 8
DOT_STEP = 20
ROW_GAP = 12
LEGEND = 30
AXIS = 44
PLOT_FROM, PLOT_TO = 1.5, 61.0  # percent of the width, with room for half a mark
LABEL = 0.3  # of the axis: half of a reference line's label on a phone
TEXT_X = 64.0  # percent: the column with the values as text
MOST_NAMES = 2  # of reference lines at the same value
Kind = Literal["dots", "ratios", "differences", "bars"]


@dataclass(frozen=True, slots=True)
class Point:
    """A value of one series with its interval and its text; None where there is no value."""

    value: float | None
    text: str
    low: float | None = None
    high: float | None = None
    is_unranked: bool = False  # drawn hollow and grey, as a reference line must not look like an entry


@dataclass(frozen=True, slots=True)
class Mark:
    """A point with its position. x, low_x and high_x are percentages of the width."""

    series: Series
    point: Point
    y: float
    x: float
    low_x: float | None = None
    high_x: float | None = None

    @property
    def text_x(self) -> float:
        return TEXT_X

    @property
    def text_y(self) -> float:
        return self.y + 4

    @property
    def bar_y(self) -> float:
        return self.y - BAR / 2

    @property
    def whisker_top(self) -> float:
        return self.y - WHISKER / 2

    @property
    def whisker_bottom(self) -> float:
        return self.y + WHISKER / 2


@dataclass(frozen=True, slots=True)
class ChartRow:
    label: str
    note: str
    y: float  # baseline of the label
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    x: float
    value: float
    text: str
    anchor: Anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChart(Chart):
    marks: ClassVar[str] = "charts/_rows.svg"
    kind: Kind
    axis: str
    series: tuple[Series, ...]
    rows: tuple[ChartRow, ...]
    ticks: tuple[Tick, ...] = ()
    lines: tuple[ReferenceLine, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.label + row.note for row in self.rows)

    @property
    def legend(self) -> list[tuple[float, Series]]:
        """Position and series of each item in the line above the rows."""
        return [(32.0 * index, series) for index, series in enumerate(self.series)]

    @property
    def plot_top(self) -> float:
        return LEGEND + (ROW_LABEL if self.lines else 0)

    @property
    def line_label_y(self) -> float:
        return self.plot_top - 5

    @property
    def plot_bottom(self) -> float:
        return self.height - (AXIS if self.ticks else 0)

    @property
    def tick_y(self) -> float:
        return self.plot_bottom + 16

    @property
    def axis_y(self) -> float:
        return self.plot_bottom + 36


GivenRow = tuple[str, str, Sequence[Point]]  # label, note, a point for each series


def share_dots(
    slug: str,
    title: str,
    description: str,
    axis: str,
    series: tuple[Series, ...],
    rows: Sequence[GivenRow],
    lines: Sequence[tuple[float, str]] = (),
) -> RowChart:
    """Dots for shares from 0 to 1."""
    ticks = [(share, f"{share:.0%}".replace("%", " %")) for share in (0, 0.25, 0.5, 0.75, 1)]
    return dots(slug, "dots", title, description, axis, series, rows, lines, ticks, lambda share: share)


def ratio_dots(
    slug: str,
    title: str,
    description: str,
    axis: str,
    series: tuple[Series, ...],
    rows: Sequence[GivenRow],
    note: str = "",
) -> RowChart:
    """Dots for ratios on one logarithmic axis for all rows, with a line at 1, where the baseline is."""
    points = [point for _, _, points in rows for point in points]
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    scale = log_axis(ends)
    ticks = [(value, tick_text(value)) for value in scale.ticks]
    lines = [(1.0, "1×: the baseline")]
    return dots(slug, "ratios", title, description, axis, series, rows, lines, ticks, scale.share, note)


def dots(
    slug: str,
    kind: Kind,
    title: str,
    description: str,
    axis: str,
    series: tuple[Series, ...],
    rows: Sequence[GivenRow],
    lines: Sequence[tuple[float, str]],
    ticks: Sequence[tuple[float, str]],
    place: Callable[[float], float],
    note: str = "",
) -> RowChart:
    """Dots on any axis. `place` maps a value to its position on the axis, from 0 to 1."""
    y, drawn = float(LEGEND + (ROW_LABEL if lines else 0)), []
    for label, row_note, points in rows:
        label_y = y + 14
        marks = tuple(
            _dot(one, point, label_y + DOT_STEP * (index + 1) - 6, place)
            for index, (one, point) in enumerate(zip(series, points, strict=True))
            if point.value is not None or point.low is not None
        )
        drawn.append(ChartRow(label, row_note, label_y, marks))
        y += ROW_LABEL + DOT_STEP * len(series) + ROW_GAP
    references = tuple(
        ReferenceLine(_across(place(value)), value, text, _anchor(place(value), LABEL))
        for value, text in _merged(lines)
    )
    return RowChart(
        slug=slug,
        kind=kind,
        title=title,
        description=description,
        height=y + AXIS,
        axis=axis,
        series=series,
        rows=tuple(drawn),
        ticks=tuple(Tick(_across(place(value)), text, _anchor(place(value))) for value, text in ticks),
        lines=references,
        note=note,
    )


def paired_bars(
    slug: str,
    title: str,
    description: str,
    axis: str,
    series: tuple[Series, ...],
    rows: Sequence[GivenRow],
    note: str = "",
) -> RowChart:
    """Bars from zero, scaled for each row so that its largest value or interval end has full length."""
    y, drawn = float(LEGEND), []
    for label, row_note, points in rows:
        label_y = y + 14
        ends = [end for point in points for end in (point.value, point.high) if end is not None]
        scale = PLOT_TO / max(ends) if ends else 0.0
        marks = tuple(
            _bar(one, point, label_y + BAR_STEP * (index + 1) - 2, scale)
            for index, (one, point) in enumerate(zip(series, points, strict=True))
            if point.value is not None
        )
        drawn.append(ChartRow(label, row_note, label_y, marks))
        y += ROW_LABEL + BAR_STEP * len(series) + ROW_GAP
    return RowChart(
        slug=slug,
        kind="bars",
        title=title,
        description=description,
        height=y,
        axis=axis,
        series=series,
        rows=tuple(drawn),
        note=note,
    )


def _bar(series: Series, point: Point, y: float, scale: float) -> Mark:
    low = None if point.low is None else round(scale * point.low, 3)
    high = None if point.high is None else round(scale * point.high, 3)
    return Mark(series, point, y, round(scale * (point.value or 0.0), 3), low, high)


def _dot(series: Series, point: Point, y: float, place: Callable[[float], float]) -> Mark:
    low = None if point.low is None else _across(place(point.low))
    high = None if point.high is None else _across(place(point.high))
    x = _across(place(point.value)) if point.value is not None else ((low or 0.0) + (high or 0.0)) / 2
    return Mark(series, point, y, x, low, high)


def _across(share: float) -> float:
    return round(PLOT_FROM + (PLOT_TO - PLOT_FROM) * share, 3)


def _anchor(share: float, room: float = 0.06) -> Anchor:
    """How a text is placed at a share of the axis; `room` is what half of it needs on a phone, left of its place."""
    return "start" if share < room else "end" if share > 0.94 else "middle"


def _merged(lines: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Reference lines, of which those at the same value are one line, with as many names as fit beside it."""
    names: dict[float, list[str]] = {}
    for value, text in lines:
        names.setdefault(value, []).append(text)
    return [(value, _names(texts)) for value, texts in names.items()]


def _names(texts: Sequence[str]) -> str:
    shown, left = ", ".join(texts[:MOST_NAMES]), len(texts) - MOST_NAMES
    return f"{shown} and {left} more" if left > 0 else shown
