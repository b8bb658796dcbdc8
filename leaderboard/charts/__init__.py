"""Charts as values: marks with their positions and texts. One file for each kind.

Horizontal positions are percentages of the width, so that a chart fits any screen while its text keeps its size;
vertical ones are pixels. The same values feed the SVG, the table beside it and the Plotly figure of the explore page.
"""

from leaderboard.charts.base import Chart, Series, Sheet
from leaderboard.charts.boxes import BoxChart, GivenBox, boxes
from leaderboard.charts.curves import CurveChart, GivenCurve, curves
from leaderboard.charts.heat import HeatChart, heat_map
from leaderboard.charts.rows import Mark, Point, RowChart, paired_bars, ratio_dots, share_dots
from leaderboard.charts.scatter import PointGroup, ScatterChart, Spot, against
from leaderboard.charts.stacked import StackedChart, stacked_bars

__all__ = [
    "BoxChart",
    "Chart",
    "CurveChart",
    "GivenBox",
    "GivenCurve",
    "HeatChart",
    "Mark",
    "Point",
    "PointGroup",
    "RowChart",
    "ScatterChart",
    "Series",
    "Sheet",
    "Spot",
    "StackedChart",
    "against",
    "boxes",
    "curves",
    "heat_map",
    "paired_bars",
    "ratio_dots",
    "share_dots",
    "stacked_bars",
]
