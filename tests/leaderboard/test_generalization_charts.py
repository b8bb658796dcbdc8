"""Stacked bars, scatters and grids as numbers: what is drawn where."""

from __future__ import annotations

import json
from math import log
from xml.etree import ElementTree

import pytest
from django.template.loader import render_to_string

from leaderboard.charts import Chart, PointGroup, Series, Sheet, Spot, against, heat_map, stacked_bars
from leaderboard.figures import plotly_figure

SERIES = (
    Series("both_pass", "both pass"),
    Series("opt_improvement", "improved"),
    Series("opt_regression", "regression"),
)
ONE, TWO = PointGroup(1, "One", 0, 0), PointGroup(2, "<b>", 1, 1)


def stacked():
    given = [("one", "", (6, 0, 2), ("6 of 8",)), ("<b>", "reference line", (1, 1, 1), ("1 of 2", "no more"))]
    return stacked_bars("quadrants", "Quadrants", "What it shows.", "of the answers", SERIES, given)


def scatter():
    spots = [Spot(TWO, 0.5, 8.0, "<i>", True), Spot(ONE, 2.0, 2.0, "same", False), Spot(ONE, 4.0, 2.0, "less", True)]
    return against("speeds", "Speeds", "What it shows.", ("seen", "unseen"), ("faster", "slower"), spots)


def heat():
    rows = [
        ("one", "", [(1.0, "100 %", "4 of 4"), (0.75, "75 %", "3 of 4")]),
        ("<b>", "", [(0.0, "0 %", "0 of 4"), (None, "–", "")]),
    ]
    return heat_map("grid", "Grid", "What it shows.", ["edge", "scale up"], rows)


ALL = [stacked(), scatter(), heat()]


def test_parts_of_a_bar_meet_and_fill_it() -> None:
    for bar in stacked().bars:
        ends = [part.x + part.width for part in bar.parts]
        assert [part.x for part in bar.parts] == pytest.approx([0, *ends[:-1]])
        assert ends[-1] == pytest.approx(100)
    first = stacked().bars[0]
    assert [(part.series.key, part.width) for part in first.parts] == [("both_pass", 75), ("opt_regression", 25)]


def test_a_part_without_room_has_no_count() -> None:
    [bar] = stacked_bars("q", "Q", "D", "of", SERIES, [("one", "", (97, 0, 3), ())]).bars
    assert [part.text for part in bar.parts] == ["97", ""]


def test_a_bar_of_nothing_has_no_parts() -> None:
    chart = stacked_bars("q", "Q", "D", "of", SERIES, [("one", "", (0, 0, 0), ())])
    assert chart.bars[0].parts == ()
    assert 'class="part nothing"' in render_to_string("charts/_chart.svg", {"chart": chart})


def test_lines_of_text_stand_below_their_bar_and_above_the_next() -> None:
    first, second = stacked().bars
    assert first.bar_y < first.lines[0][0] < second.y
    assert second.lines[-1][0] < stacked().bottom


def test_equal_speeds_lie_on_the_line() -> None:
    chart = scatter()
    [same] = [placed for placed in chart.spots if placed.spot.text == "same"]
    assert same.x / 100 == pytest.approx(1 - (same.y - chart.top) / chart.plot_height, abs=1e-4)


def test_what_is_faster_on_unseen_cases_lies_above_the_line() -> None:
    chart = scatter()
    above = {
        placed.spot.text: placed.x / 100 < 1 - (placed.y - chart.top) / chart.plot_height - 1e-4
        for placed in chart.spots
    }
    assert above == {"same": False, "less": False, "<i>": True}


def test_axes_are_logarithmic_and_hold_everything_and_one() -> None:
    chart = scatter()
    low, high = chart.range
    assert low < 0.5 < 8 < high
    assert low * high == pytest.approx(0.5 * 8)  # the same margin at both ends
    at = {tick.text: tick.at for tick in chart.ticks}
    assert at["2×"] - at["1×"] == pytest.approx((at["5×"] - at["2×"]) * log(2) / log(2.5), abs=0.01)


def test_speeds_that_hardly_differ_do_not_fill_the_plot() -> None:
    chart = against("s", "S", "D", ("a", "b"), ("c", "d"), [Spot(ONE, 1.0, 1.01, "near", True)])
    assert chart.range[1] / chart.range[0] > 1.4
    assert len(chart.ticks) >= 2


def test_means_are_drawn_on_top_of_single_marks() -> None:
    assert [placed.spot.is_mean for placed in scatter().spots] == [False, True, True]


def test_a_share_has_the_shade_of_the_step_it_reaches() -> None:
    assert [[cell.shade for cell in row.cells] for row in heat().rows] == [["step-4", "step-2"], ["step-0", "empty"]]


def test_cells_fill_the_width_without_touching() -> None:
    first, second = heat().rows[0].cells
    assert first.x == 0
    assert first.x + first.width < second.x
    assert second.x + second.width == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize("chart", ALL, ids=["stacked", "scatter", "heat"])
@pytest.mark.parametrize("template", ["charts/_chart.svg", "charts/standalone.svg"])
def test_the_drawing_is_xml_with_title_and_description_and_hostile_names_stay_text(chart: Chart, template: str) -> None:
    text = render_to_string(template, {"sheet": Sheet(chart), "chart": chart, "style": ".chart{}"})
    svg = ElementTree.fromstring(text)
    assert [one.text for one in svg if one.tag.endswith(("title", "desc"))] == [chart.title, chart.description]
    assert "<b>" not in text
    assert " style=" not in text


def test_figures_have_the_values_of_the_drawings_and_no_markup() -> None:
    bars, spots, grid = (plotly_figure(chart) for chart in ALL)
    assert [trace["x"] for trace in bars["data"]] == [[6, 1], [1], [2, 1]]
    assert [list(zip(trace["x"], trace["y"], strict=True)) for trace in spots["data"]] == [[(2, 2), (4, 2)], [(0.5, 8)]]
    assert grid["data"][0]["marker"]["color"] == [1.0, 0.75, 0.0]
    for figure in (bars, spots, grid):
        text = json.dumps(figure, allow_nan=False)
        assert "<b>" not in text
        assert "<i>" not in text
