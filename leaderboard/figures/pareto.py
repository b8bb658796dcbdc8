"""Cost against gain as a Plotly figure."""

from __future__ import annotations

import html
from typing import Any

from leaderboard.charts.pareto import ParetoChart
from leaderboard.charts.scatter import PointGroup
from leaderboard.figures.base import SPOT_COLOURS, figure_of
from leaderboard.figures.kinds import SPOT_SYMBOLS


@figure_of.register
def _of_pareto(chart: ParetoChart) -> dict[str, Any]:
    line = {
        "type": "scatter",
        "mode": "lines",
        "name": "nothing beats these",
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
    return {"data": [line, *(_trace(chart, group) for group in chart.groups)], "layout": layout}


def _trace(chart: ParetoChart, group: PointGroup) -> dict[str, Any]:
    own = [placed.spot for placed in chart.spots if placed.spot.group == group]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": html.escape(f"{group.number}. {group.label}"),
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
