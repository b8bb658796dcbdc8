"""Plotly figures of each kind of chart."""

from __future__ import annotations

import html
from typing import Any

from leaderboard.charts import (
    BoxChart,
    CurveChart,
    HeatChart,
    Mark,
    PointGroup,
    RowChart,
    ScatterChart,
    Series,
    StackedChart,
)
from leaderboard.charts.boxes import Box
from leaderboard.charts.curves import CurveLine
from leaderboard.charts.pareto import ParetoChart
from leaderboard.figures.base import COLOURS, SPOT_COLOURS, corner_text, figure_of, labelled_rows, line_at, line_label

SYMBOLS = {
    "usable": "circle",
    "correct": "circle",
    "compiled": "diamond-open",
    "baseline": "circle-open",
    "candidate": "circle",
    "first": "circle",
    "second": "diamond",
}
UNRANKED = "#98a2ab"
SPOT_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross")
SHADES = [[0, "#c4512d"], [0.5, "#e8d9b5"], [1, "#1f7a8c"]]
APART = 0.18  # of a row, between its series
CURVE_DASHES = ("solid", "dash", "dot", "dashdot")
SMALLEST = 0.01  # in place of a failure, which a logarithmic axis cannot show


@figure_of.register
def _of_rows(chart: RowChart) -> dict[str, Any]:
    return {
        "data": [_row_trace(chart, series) for series in chart.series],
        "layout": {
            "xaxis": _row_axis(chart),
            **labelled_rows([", ".join(filter(None, (row.label, row.note))) for row in chart.rows]),
            "shapes": [line_at(line.value) for line in chart.lines],
            "annotations": [line_label(line.value, line.text, is_log=chart.kind == "ratios") for line in chart.lines],
        },
    }


@figure_of.register
def _of_stacked(chart: StackedChart) -> dict[str, Any]:
    return {
        "data": [_stacked_trace(chart, series) for series in chart.series],
        "layout": {
            "barmode": "stack",
            "xaxis": {"title": {"text": chart.axis}},
            **labelled_rows([bar.label for bar in chart.bars]),
        },
    }


@figure_of.register
def _of_scatter(chart: ScatterChart) -> dict[str, Any]:
    low, high = chart.range
    line = {"type": "line", "x0": low, "y0": low, "x1": high, "y1": high, "line": {"dash": "dash", "color": "#7a8794"}}
    axis = {"type": "log", "ticksuffix": "×"}
    return {
        "data": [_spots_trace(chart, group) for group in chart.groups],
        "layout": {
            "height": 620,
            "xaxis": axis | {"title": {"text": chart.axis}},
            "yaxis": axis | {"title": {"text": chart.up_axis}, "automargin": True},
            "shapes": [line],
            "annotations": [
                corner_text(chart.above, {"x": 0.01, "y": 0.99, "xanchor": "left", "yanchor": "top"}),
                corner_text(chart.below, {"x": 0.99, "y": 0.01, "xanchor": "right", "yanchor": "bottom"}),
            ],
        },
    }


@figure_of.register
def _of_heat(chart: HeatChart) -> dict[str, Any]:
    """A scatter plot with squares, as the basic bundle has no heat map."""
    cells = [(index, row.label, cell) for index, row in enumerate(chart.rows) for cell in row.cells]
    known = [(index, label, cell) for index, label, cell in cells if cell.share is not None]
    trace = {
        "type": "scatter",
        "mode": "markers+text",
        "name": chart.title,
        "x": [cell.column for _, _, cell in known],
        "y": [index for index, _, _ in known],
        "text": [cell.text for _, _, cell in known],
        "hovertext": [html.escape(f"{label}, {cell.column}: {cell.aside} ({cell.text})") for _, label, cell in known],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "textposition": "bottom center",
        "marker": {
            "symbol": "square",
            "size": 28,
            "color": [cell.share for _, _, cell in known],
            "colorscale": SHADES,
            "cmin": 0,
            "cmax": 1,
        },
    }
    axis = {"type": "category", "categoryarray": [name for _, name in chart.columns], "side": "top"}
    return {"data": [trace], "layout": {"xaxis": axis, **labelled_rows([row.label for row in chart.rows])}}


@figure_of.register
def _of_pareto(chart: ParetoChart) -> dict[str, Any]:
    line = {
        "type": "scatter",
        "mode": "lines",
        "name": "Pareto front",
        "x": [spot.across for spot in chart.best],
        "y": [spot.up for spot in chart.best],
        "hoverinfo": "skip",
        "line": {"shape": "hv", "dash": "dash", "color": "#7a8794"},
    }
    layout = {
        "height": 620,
        "xaxis": {"title": {"text": chart.axis}, "rangemode": "tozero"},
        "yaxis": {"title": {"text": chart.up_axis}, "rangemode": "tozero", "automargin": True},
    }
    return {"data": [line, *(_pareto_trace(chart, group) for group in chart.groups)], "layout": layout}


@figure_of.register
def _of_curves(chart: CurveChart) -> dict[str, Any]:
    """Curves, each after the ends of its band if it has one."""
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
    """Tasks as dots and quartiles as thick lines, as the basic bundle has no boxes. Failures are left out."""
    return {
        "data": [*(_box_trace(index, box) for index, box in enumerate(chart.boxes)), _tasks_trace(chart)],
        "layout": {
            "xaxis": {"type": "log", "ticksuffix": "×", "title": {"text": chart.axis}},
            **labelled_rows([box.given.label for box in chart.boxes]),
            "shapes": [line_at(1.0)],
            "showlegend": False,
        },
    }


def _row_trace(chart: RowChart, series: Series) -> dict[str, Any]:
    marks = [
        (index, row.label, mark) for index, row in enumerate(chart.rows) for mark in row.marks if mark.series == series
    ]
    offset = APART * (chart.series.index(series) - (len(chart.series) - 1) / 2)
    colours = [UNRANKED if mark.point.is_unranked else COLOURS[series.key] for _, _, mark in marks]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "name": series.label,
        "x": [_value(mark) for _, _, mark in marks],
        "y": [index + offset for index, _, _ in marks],
        "text": [html.escape(f"{label}: {mark.point.text}") for _, label, mark in marks],
        "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
        "marker": {"size": 11, "symbol": SYMBOLS[series.key], "color": colours},
    }
    if any(mark.point.low is not None for _, _, mark in marks):
        trace["error_x"] = {
            "type": "data",
            "symmetric": False,
            "array": [max(_or(mark.point.high, _value(mark)) - _value(mark), 0.0) for _, _, mark in marks],
            "arrayminus": [max(_value(mark) - _or(mark.point.low, _value(mark)), 0.0) for _, _, mark in marks],
            "thickness": 1.5,
        }
    return trace


def _value(mark: Mark) -> float:
    point = mark.point
    return point.value if point.value is not None else ((point.low or 0) + (point.high or 0)) / 2


def _or(end: float | None, value: float) -> float:
    return value if end is None else end


def _row_axis(chart: RowChart) -> dict[str, Any]:
    title = {"text": chart.axis}
    if chart.kind == "dots":
        return {"title": title, "range": [-0.02, 1.02], "tickformat": ".0%"}
    if chart.kind == "differences":
        return {"title": title, "tickformat": "+.1%"}
    return {"title": title, "type": "log"}


def _stacked_trace(chart: StackedChart, series: Series) -> dict[str, Any]:
    parts = [(index, bar.label, part) for index, bar in enumerate(chart.bars) for part in bar.parts]
    own = [(index, label, part.count) for index, label, part in parts if part.series == series]
    return {
        "type": "bar",
        "orientation": "h",
        "name": series.label,
        "x": [count for _, _, count in own],
        "y": [index for index, _, _ in own],
        "text": [html.escape(f"{label}: {count} {series.label}") for _, label, count in own],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": COLOURS[series.key]},
    }


def _spots_trace(chart: ScatterChart, group: PointGroup) -> dict[str, Any]:
    own = [placed.spot for placed in chart.spots if placed.spot.group == group]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": html.escape(f"{group.letter}. {group.label}"),
        "x": [_rounded(spot.across) for spot in own],
        "y": [_rounded(spot.up) for spot in own],
        "text": [html.escape(spot.text) for spot in own],
        "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
        "marker": {
            "size": [16 if spot.is_mean else 7 for spot in own],
            "opacity": [1 if spot.is_mean else 0.55 for spot in own],
            "symbol": SPOT_SYMBOLS[group.shape % len(SPOT_SYMBOLS)],
            "color": SPOT_COLOURS[group.colour % len(SPOT_COLOURS)],
        },
    }


def _pareto_trace(chart: ParetoChart, group: PointGroup) -> dict[str, Any]:
    own = [placed.spot for placed in chart.spots if placed.spot.group == group]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": html.escape(f"{group.letter}. {group.label}"),
        "x": [spot.across for spot in own],
        "y": [spot.up for spot in own],
        "text": [html.escape(spot.text) for spot in own],
        "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
        "marker": {
            "size": 13,
            "symbol": SPOT_SYMBOLS[group.shape % len(SPOT_SYMBOLS)],
            "color": SPOT_COLOURS[group.colour % len(SPOT_COLOURS)],
        },
    }


def _curve_traces(line: CurveLine) -> list[dict[str, Any]]:
    colour = SPOT_COLOURS[line.group.colour % len(SPOT_COLOURS)]
    name = html.escape(f"{line.group.letter}. {line.group.label}")
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
        "x": [_rounded(spot.value) for _, _, spot in timed],
        "y": [index for index, _, _ in timed],
        "text": [html.escape(f"{label}, {spot.name}: {spot.value:.3g}×") for _, label, spot in timed],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"size": 6, "color": "#7a8794"},
    }


def _rounded(value: float) -> float:
    """To four digits, as the text beside it: half of the bytes where a chart has thousands of marks."""
    return float(f"{value:.4g}")
