"""A chart as a Plotly figure, for the explore page: the same values, to zoom into, hover over and download.

Only traces of plotly.js's basic bundle are used: scatter and bar.
"""

from __future__ import annotations

from typing import Any

from leaderboard.charts import Chart
from leaderboard.figures import kinds, pareto, spread
from leaderboard.figures.base import figure_of

__all__ = ["kinds", "pareto", "plotly_figure", "spread"]  # importing the kinds registers them


def plotly_figure(chart: Chart) -> dict[str, Any]:
    """Plain JSON values for Plotly.newPlot; colours of letters and lines are set in the browser, by its scheme."""
    config = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}
    figure = figure_of(chart)
    return {"data": figure["data"], "layout": _frame(figure["layout"]), "config": config}


def _frame(own: dict[str, Any]) -> dict[str, Any]:
    legend = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
    return {"margin": {"l": 16, "r": 24, "t": 64, "b": 56}, "legend": legend, "hovermode": "closest"} | own
