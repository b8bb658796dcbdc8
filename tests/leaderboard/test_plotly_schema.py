"""Every figure is valid by Plotly's own schema: a misspelled attribute or a value that it has not is refused here."""

from __future__ import annotations

import pytest
from plotly.graph_objects import Figure

from leaderboard.charts import Chart
from leaderboard.charts.pareto import cost_against_gain
from leaderboard.figures import plotly_figure
from leaderboard.figures.base import figure_of
from tests.leaderboard import test_charts, test_cost, test_generalization_charts, test_spread_charts

PARETO = cost_against_gain("c", "C", "", ("cost", "gain"), [test_cost.spot(25, 1), test_cost.spot(50, 2)])
ROWS = (test_charts.dots(), test_charts.bars(), test_spread_charts.ratios())
CHARTS = (*ROWS, test_spread_charts.quartiles(), test_spread_charts.lines(), *test_generalization_charts.ALL, PARETO)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: f"{type(chart).__name__}-{chart.slug}")
def test_a_figure_is_valid_and_needs_no_more_than_the_basic_bundle(chart: Chart) -> None:
    figure = plotly_figure(chart)
    Figure({"data": figure["data"], "layout": figure["layout"]})
    assert {trace["type"] for trace in figure["data"]} <= {"scatter", "bar"}


def test_every_kind_of_chart_is_among_them() -> None:
    assert {type(chart) for chart in CHARTS} == set(figure_of.registry) - {object}
