"""Figures of how speedups spread: curves with their bands, boxes with their tasks."""

from __future__ import annotations

import html
from typing import Any

from leaderboard.charts import BoxChart, CurveChart
from leaderboard.charts.boxes import Box
from leaderboard.charts.curves import CurveLine
from leaderboard.figures.base import COLOURS, SPOT_COLOURS, figure_of, labelled_rows, line_at

CURVE_DASHES = ("solid", "dash", "dot", "dashdot")
SMALLEST = 0.01  # stands for a failure on a logarithmic axis


@figure_of.register
def _of_curves(chart: CurveChart) -> dict[str, Any]:
    """Each line, before it the ends of its band, where it has one."""
    return {
        "data": [trace for line in chart.lines for trace in _curve_traces(line)],
        "layout": {
            "height": 560,
            "xaxis": {"type": "log", "ticksuffix": "×", "title": {"text": chart.axis}},
            "yaxis": {"range": [-0.02, 1.02], "tickformat": ".0%", "title": {"text": chart.up_axis}},
            "shapes": [line_at(1.0)],
        },
    }


@figure_of.register
def _of_boxes(chart: BoxChart) -> dict[str, Any]:
    """Tasks as dots around quartiles as lines: the basic bundle has no boxes. Failures have no place on the axis."""
    return {
        "data": [*(_box_trace(index, box) for index, box in enumerate(chart.boxes)), _tasks_trace(chart)],
        "layout": {
            "xaxis": {"type": "log", "ticksuffix": "×", "title": {"text": chart.axis}},
            **labelled_rows([box.given.label for box in chart.boxes]),
            "shapes": [line_at(1.0)],
            "showlegend": False,
        },
    }


def _curve_traces(line: CurveLine) -> list[dict[str, Any]]:
    colour = SPOT_COLOURS[line.group.colour % len(SPOT_COLOURS)]
    name = html.escape(f"{line.group.number}. {line.group.label}")
    main = {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": list(line.curve.points),
        "y": list(line.curve.shares),
        "line": {"color": colour, "width": 2.5, "dash": CURVE_DASHES[(line.group.number - 1) % len(CURVE_DASHES)]},
        "hovertemplate": "%{x:.2f}×: %{y:.1%}<extra>%{fullData.name}</extra>",
    }
    if not line.band or line.curve.low is None or line.curve.high is None:
        return [main]
    end = {"type": "scatter", "mode": "lines", "x": list(line.curve.points), "line": {"width": 0}, "showlegend": False}
    low = end | {"y": list(line.curve.low), "hoverinfo": "skip"}
    high = end | {"y": list(line.curve.high), "hoverinfo": "skip", "fill": "tonexty", "fillcolor": f"{colour}29"}
    return [low, high, main]


def _box_trace(index: int, box: Box) -> dict[str, Any]:
    given = box.given
    quartiles = [max(value, SMALLEST) for value in (given.p25, given.median, given.p75)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": html.escape(given.label),
        "x": quartiles,
        "y": [index] * 3,
        "text": [html.escape(f"{given.label}: {given.text}")] * 3,
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"width": 14, "color": f"{COLOURS['usable']}66"},
        "marker": {"symbol": "line-ns-open", "size": [14, 24, 14], "color": COLOURS["usable"]},
    }


def _tasks_trace(chart: BoxChart) -> dict[str, Any]:
    spots = [(index, box.given.label, spot) for index, box in enumerate(chart.boxes) for spot in box.spots]
    timed = [(index, label, spot) for index, label, spot in spots if spot.value > 0]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "tasks",
        "x": [spot.value for _, _, spot in timed],
        "y": [index for index, _, _ in timed],
        "text": [html.escape(f"{label}, {spot.name}: {spot.value:.3g}×") for _, label, spot in timed],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"size": 6, "color": "#7a8794"},
    }
