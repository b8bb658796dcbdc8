"""A chart as a Plotly figure, for the explore page: the same values, to zoom into, hover over and download."""

from __future__ import annotations

import html
from typing import Any

from leaderboard.charts import Chart, Mark, Series

COLOURS = {"baseline": "#7a8794", "candidate": "#1f7a8c", "correct": "#1f7a8c", "compiled": "#c08a2d"}
SYMBOLS = {"correct": "circle", "compiled": "diamond-open", "baseline": "circle-open", "candidate": "circle"}
ROW_HEIGHT = 64
APART = 0.18  # of a row, between the series of one row


def plotly_figure(chart: Chart) -> dict[str, Any]:
    """Plain JSON values for Plotly.newPlot; colours of letters and lines are set in the browser, by its scheme."""
    return {
        "data": [_trace(chart, series) for series in chart.series],
        "layout": {
            "height": 160 + ROW_HEIGHT * max(len(chart.rows), 1),
            "margin": {"l": 16, "r": 24, "t": 64, "b": 56},
            "xaxis": _x_axis(chart),
            "yaxis": {
                "range": [len(chart.rows) - 0.5, -0.5],
                "tickvals": list(range(len(chart.rows))),
                "ticktext": [html.escape(row.label) for row in chart.rows],
                "automargin": True,
                "zeroline": False,
            },
            "shapes": [_line(line.value) for line in chart.lines],
            "annotations": [_line_label(line.value, line.text) for line in chart.lines],
            "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
            "hovermode": "closest",
        },
        "config": {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]},
    }


def _trace(chart: Chart, series: Series) -> dict[str, Any]:
    marks = [
        (index, row.label, mark) for index, row in enumerate(chart.rows) for mark in row.marks if mark.series == series
    ]
    offset = APART * (chart.series.index(series) - (len(chart.series) - 1) / 2)
    trace = {
        "type": "scatter",
        "mode": "markers",
        "name": series.label,
        "x": [_value(mark) for _, _, mark in marks],
        "y": [index + offset for index, _, _ in marks],
        "text": [html.escape(f"{label}: {mark.point.text}") for _, label, mark in marks],
        "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
        "marker": {"size": 11, "symbol": SYMBOLS[series.key], "color": COLOURS[series.key]},
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


def _x_axis(chart: Chart) -> dict[str, Any]:
    title = {"text": chart.axis}
    if chart.kind == "dots":
        return {"title": title, "range": [-0.02, 1.02], "tickformat": ".0%"}
    return {"title": title, "type": "log"}


def _line(value: float) -> dict[str, Any]:
    line = {"dash": "dash", "width": 1.5, "color": "#7a8794"}
    return {"type": "line", "xref": "x", "yref": "paper", "x0": value, "x1": value, "y0": 0, "y1": 1, "line": line}


def _line_label(value: float, text: str) -> dict[str, Any]:
    place = {"x": value, "y": 1, "xref": "x", "yref": "paper", "xanchor": "right", "yanchor": "bottom"}
    return place | {"text": html.escape(text), "showarrow": False}
