"""A chart as a Plotly figure, for the explore page: the same values, to zoom into, hover over and download."""

from __future__ import annotations

from typing import Any

from leaderboard.charts import Chart, Mark, Series

COLOURS = {"baseline": "#7a8794", "candidate": "#1f7a8c", "correct": "#1f7a8c", "compiled": "#c08a2d"}
SYMBOLS = {"correct": "circle", "compiled": "diamond-open", "baseline": "circle-open", "candidate": "circle"}
ROW_HEIGHT = 64


def plotly_figure(chart: Chart) -> dict[str, Any]:
    """Plain JSON values for Plotly.newPlot; colours of letters and lines are set in the browser, by its scheme."""
    return {
        "data": [_trace(chart, series) for series in chart.series],
        "layout": {
            "height": 160 + ROW_HEIGHT * max(len(chart.rows), 1),
            "margin": {"l": 16, "r": 16, "t": 16, "b": 56},
            "xaxis": _x_axis(chart),
            "yaxis": {"autorange": "reversed", "automargin": True, "type": "category"},
            "shapes": [_line(line.value) for line in chart.lines],
            "annotations": [_line_label(line.value, line.text) for line in chart.lines],
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
            "hovermode": "closest",
        },
        "config": {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]},
    }


def _trace(chart: Chart, series: Series) -> dict[str, Any]:
    marks = [(row.label, mark) for row in chart.rows for mark in row.marks if mark.series == series]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "name": series.label,
        "x": [_value(mark) for _, mark in marks],
        "y": [label for label, _ in marks],
        "text": [mark.point.text for _, mark in marks],
        "hovertemplate": "%{y}<br>%{text}<extra>%{fullData.name}</extra>",
        "marker": {"size": 11, "symbol": SYMBOLS[series.key], "color": COLOURS[series.key]},
    }
    if any(mark.point.low is not None for _, mark in marks):
        trace["error_x"] = {
            "type": "data",
            "symmetric": False,
            "array": [(mark.point.high or 0) - _value(mark) if mark.point.high is not None else 0 for _, mark in marks],
            "arrayminus": [_value(mark) - mark.point.low if mark.point.low is not None else 0 for _, mark in marks],
            "thickness": 1.5,
        }
    return trace


def _value(mark: Mark) -> float:
    point = mark.point
    return point.value if point.value is not None else ((point.low or 0) + (point.high or 0)) / 2


def _x_axis(chart: Chart) -> dict[str, Any]:
    title = {"text": chart.axis}
    if chart.kind == "dots":
        return {"title": title, "range": [-0.02, 1.02], "tickformat": ".0%"}
    return {"title": title, "type": "log"}


def _line(value: float) -> dict[str, Any]:
    line = {"dash": "dash", "width": 1.5, "color": "#7a8794"}
    return {"type": "line", "xref": "x", "yref": "paper", "x0": value, "x1": value, "y0": 0, "y1": 1, "line": line}


def _line_label(value: float, text: str) -> dict[str, Any]:
    return {"x": value, "y": 1, "xref": "x", "yref": "paper", "text": text, "showarrow": False, "xanchor": "right"}
