"""Stacked bars over the whole width, divided by counts in a fixed order, with lines of text below each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from leaderboard.charts.base import Chart, Series, Tick

LEGEND_STEP = 18  # pixels of a line of the legend, which has two columns
ROW_LABEL, BAR, TEXT_STEP, ROW_GAP = 20, 22, 17, 14
AXIS = 24
COUNT_FROM = 7.0  # percent of the width that a part needs to show its count


@dataclass(frozen=True, slots=True)
class Part:
    series: Series
    count: int
    x: float
    width: float

    @property
    def text(self) -> str:
        return str(self.count) if self.width >= COUNT_FROM else ""

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 3)


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    note: str
    y: float  # baseline of the label
    parts: tuple[Part, ...]  # empty where nothing is counted
    lines: tuple[tuple[float, str], ...]  # baseline and text

    @property
    def bar_y(self) -> float:
        return self.y + 6

    @property
    def count_y(self) -> float:
        return self.bar_y + BAR / 2 + 4


@dataclass(frozen=True, slots=True, kw_only=True)
class StackedChart(Chart):
    marks: ClassVar[str] = "charts/_stacked.svg"
    axis: str
    series: tuple[Series, ...]
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(bar.label + bar.note for bar in self.bars)

    @property
    def legend(self) -> list[tuple[float, float, Series]]:
        """Position and series of each item, two to a line."""
        return [(50.0 * (i % 2), 10.0 + LEGEND_STEP * (i // 2), series) for i, series in enumerate(self.series)]

    @property
    def top(self) -> float:
        return _legend_height(self.series)

    @property
    def bottom(self) -> float:
        return self.height - AXIS

    @property
    def tick_y(self) -> float:
        return self.bottom + 16


GivenBar = tuple[str, str, Sequence[int], Sequence[str]]  # label, note, a count for each series, lines of text


def stacked_bars(
    slug: str,
    title: str,
    description: str,
    axis: str,
    series: tuple[Series, ...],
    given: Sequence[GivenBar],
    note: str = "",
) -> StackedChart:
    """Bars of equal length, in which a part is its count's share of the bar's sum."""
    y, bars = _legend_height(series), []
    for label, aside, counts, texts in given:
        below = y + ROW_LABEL + BAR
        lines = tuple((below + TEXT_STEP * (index + 1) - 2, text) for index, text in enumerate(texts))
        bars.append(Bar(label, aside, y + 14, _parts(series, counts), lines))
        y = below + TEXT_STEP * len(texts) + ROW_GAP
    return StackedChart(
        slug=slug,
        title=title,
        description=description,
        height=y + AXIS,
        note=note,
        axis=axis,
        series=series,
        bars=tuple(bars),
        ticks=(Tick(0, "0\u00a0%", "start"), Tick(50, f"50\u00a0% {axis}"), Tick(100, "100\u00a0%", "end")),
    )


def _parts(series: tuple[Series, ...], counts: Sequence[int]) -> tuple[Part, ...]:
    """The parts with a count. Their ends are rounded, so that neighbours meet."""
    of, before, parts = sum(counts), 0, []
    for one, count in zip(series, counts, strict=True):
        if count:
            start, end = round(100 * before / of, 3), round(100 * (before + count) / of, 3)
            parts.append(Part(one, count, start, round(end - start, 3)))
        before += count
    return tuple(parts)


def _legend_height(series: Sequence[Series]) -> float:
    return 14.0 + LEGEND_STEP * -(-len(series) // 2)
