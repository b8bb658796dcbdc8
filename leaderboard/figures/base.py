"""The parts that all figures share: colours, rows, reference lines, and the registry of figures by kind of chart."""

from __future__ import annotations

import html
from functools import singledispatch
from math import log10
from typing import Any

from leaderboard.charts import Chart

COLOURS = {
    "baseline": "#7a8794",
    "candidate": "#1f7a8c",
    "correct": "#1f7a8c",
    "compiled": "#c08a2d",
    "both_pass": "#1f7a8c",
    "opt_improvement": "#6bb08f",
    "both_fail": "#98a2ab",
    "opt_regression": "#c4512d",
    "passed": "#1f7a8c",
    "build_failed": "#b0851f",
    "wrong_output": "#c4512d",
    "ended": "#7a5aa6",
    "refused": "#b0477f",
    "absent": "#4a6fb5",
    "ours": "#7a8794",
    "usable": "#1f7a8c",
    "first": "#1f7a8c",
    "second": "#c08a2d",
    "win": "#1f7a8c",
    "tie": "#98a2ab",
    "loss": "#c08a2d",
    "fail": "#c4512d",
    "unknown": "#c9cfd4",
}
SPOT_COLOURS = ("#1f7a8c", "#c4512d", "#7a5aa6", "#b0851f", "#3f7f3f", "#b0477f", "#4a6fb5", "#7a8794")
ROW_HEIGHT = 64


@singledispatch
def figure_of(chart: Chart) -> dict[str, Any]:
    """Traces (`data`) and the kind's own part of the layout (`layout`)."""
    raise TypeError(f"no figure for {type(chart).__name__}")


def labelled_rows(labels: list[str]) -> dict[str, Any]:
    """Layout of a vertical axis with a row for each label, the first on top."""
    axis = {
        "range": [len(labels) - 0.5, -0.5],
        "tickvals": list(range(len(labels))),
        "ticktext": [html.escape(label) for label in labels],
        "automargin": True,
        "zeroline": False,
    }
    return {"height": 160 + ROW_HEIGHT * max(len(labels), 1), "yaxis": axis}


def line_at(value: float) -> dict[str, Any]:
    line = {"dash": "dash", "width": 1.5, "color": "#7a8794"}
    return {"type": "line", "xref": "x", "yref": "paper", "x0": value, "x1": value, "y0": 0, "y1": 1, "line": line}


def corner_text(text: str, place: dict[str, Any]) -> dict[str, Any]:
    return place | {"text": html.escape(text), "xref": "paper", "yref": "paper", "showarrow": False}


def line_label(value: float, text: str, *, is_log: bool = False) -> dict[str, Any]:
    """The label of a reference line. On a logarithmic axis Plotly places texts by the logarithm of the value."""
    place = {
        "x": log10(value) if is_log else value,
        "y": 1,
        "xref": "x",
        "yref": "paper",
        "xanchor": "right",
        "yanchor": "bottom",
    }
    return place | {"text": html.escape(text), "showarrow": False}
