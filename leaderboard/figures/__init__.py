"""Charts as Plotly figures, for the explore page.

Only traces of plotly.js's basic bundle are used: scatter and bar.
"""

from __future__ import annotations

from typing import Any

from leaderboard.charts import Chart
from leaderboard.figures import kinds
from leaderboard.figures.base import figure_of

__all__ = ["kinds", "plotly_figure"]  # importing kinds registers its figures


def plotly_figure(chart: Chart) -> dict[str, Any]:
    """JSON values for Plotly.newPlot. The browser sets the colours of text and lines by its colour scheme."""
    config = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}
    legend = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
    layout = {"margin": {"l": 16, "r": 24, "t": 64, "b": 56}, "legend": legend, "hovermode": "closest"}
    figure = figure_of(chart)
    return {"data": figure["data"], "layout": layout | figure["layout"], "config": config}
