"""Rows of ratios with their intervals on one logarithmic axis, with a line at 1: no different from the baseline."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.charts.axes import log_axis, tick_text
from leaderboard.charts.base import Series
from leaderboard.charts.rows import GivenRow, RowChart, dots


def ratio_dots(
    slug: str,
    title: str,
    description: str,
    axis: str,
    series: tuple[Series, ...],
    rows: Sequence[GivenRow],
) -> RowChart:
    points = [point for _, _, points in rows for point in points]
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    scale = log_axis(ends)
    ticks = [(value, tick_text(value)) for value in scale.ticks]
    return dots(slug, "ratios", title, description, axis, series, rows, [(1.0, "baseline")], ticks, scale.share)
