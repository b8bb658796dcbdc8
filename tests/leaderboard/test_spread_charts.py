"""Charts of ratios, boxes and curves: positions, valid XML, and figures."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from django.template.loader import render_to_string

from leaderboard.charts import Chart, GivenBox, GivenCurve, Point, Series, Sheet, boxes, curves, ratio_dots
from leaderboard.charts.axes import log_axis
from leaderboard.drawings import for_resvg
from leaderboard.figures import plotly_figure


def ratios() -> Chart:
    rows = [
        ("<b>", "", (Point(2.0, "2×", 1.5, 2.5),)),
        ("unknown", "not ranked", (Point(None, ""),)),
        ("slow", "", (Point(0.5, "0.5×"),)),
    ]
    return ratio_dots("speed", "Speed", "What it shows.", "times as fast", (Series("usable", "usable"),), rows)


def quartiles() -> Chart:
    values = ((0.0, "failed"), (1.0, "same"), (4.0, "fast"))
    return boxes(
        "boxes", "Boxes", "What it shows.", "speedup", [GivenBox("<b>", "", values, 0.5, 1.0, 2.5, "median 1×")]
    )


def lines(count: int = 2) -> Chart:
    points, shares = (0.5, 1.0, 2.0), (1.0, 0.5, 0.0)
    given = [GivenCurve(f"<b> {n}", points, shares, (0.8, 0.2, 0.0), (1.0, 0.8, 0.1)) for n in range(count)]
    return curves("fast_p", "fast_p", "What it shows.", ("p", "share"), given)


ALL = pytest.mark.parametrize("chart", [ratios(), quartiles(), lines()], ids=["ratios", "boxes", "curves"])


@ALL
@pytest.mark.parametrize("template", ["charts/_chart.svg", "charts/standalone.svg"])
def test_the_drawing_is_xml_in_which_a_hostile_name_stays_text(chart: Chart, template: str) -> None:
    drawing = render_to_string(template, {"sheet": Sheet(chart), "chart": chart, "style": ".chart{}"})
    svg = ElementTree.fromstring(drawing)
    assert [element.text for element in svg if element.tag.endswith(("title", "desc"))] == [
        chart.title,
        chart.description,
    ]
    assert "<b>" not in drawing
    assert "style=" not in drawing


@ALL
def test_the_figure_is_plain_json_with_the_same_name(chart: Chart) -> None:
    figure = json.dumps(plotly_figure(chart), allow_nan=False)
    assert "&lt;b&gt;" in figure
    assert "<b>" not in figure


def test_an_axis_of_ratios_holds_one_and_is_even_in_logarithms() -> None:
    axis = log_axis([2.0, 8.0])
    assert axis.low < 1 < 8 < axis.high
    assert axis.share(4.0) - axis.share(2.0) == pytest.approx(axis.share(8.0) - axis.share(4.0))
    assert 1 in axis.ticks
    assert (axis.share(1e-9), axis.share(1e9)) == (0, 1)


@pytest.mark.parametrize("values", [[], [1.0], [1.001], [0.97, 1.04], [1e-3, 900.0]])
def test_an_axis_has_a_few_round_numbers_whatever_it_shows(values: list[float]) -> None:
    axis = log_axis(values)
    assert 2 <= len(axis.ticks) <= 6
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


def test_a_ratio_without_a_value_has_no_mark() -> None:
    assert [len(row.marks) for row in ratios().rows] == [1, 0, 1]
    first, slow = ratios().rows[0].marks[0], ratios().rows[2].marks[0]
    assert first.low_x < first.x < first.high_x
    assert slow.x < ratios().lines[0].x < first.x


def test_the_text_at_one_is_at_one_in_the_figure_too() -> None:
    assert plotly_figure(ratios())["layout"]["annotations"][0]["x"] == 0  # its logarithm


def test_failures_stand_left_of_everything_that_was_timed() -> None:
    [box] = quartiles().boxes
    assert [spot.x for spot in box.spots] == sorted(spot.x for spot in box.spots)
    assert box.spots[0].x < box.low_x < box.median_x < box.high_x
    assert 0 not in [x for trace in plotly_figure(quartiles())["data"] for x in trace["x"]]


def test_bands_are_drawn_for_two_and_not_for_three() -> None:
    assert all(line.band.startswith("M") and line.band.endswith("Z") for line in lines(2).lines)
    assert not any(line.band for line in lines(3).lines)


def test_lines_that_end_together_share_their_letters() -> None:
    assert [text for _, text in lines(2).ends] == ["A, B"]
    assert [text for _, text in lines(3).ends] == ["all"]


def test_curves_are_in_pixels_before_resvg_draws_them() -> None:
    """It would stretch strokes with their plot: a line of 2 pixels was 12 pixels wide."""
    sheet = Sheet(lines(1))
    style = ".chart { --a: #000; }"
    svg = render_to_string("charts/standalone.svg", {"sheet": sheet, "chart": sheet.chart, "style": style})
    found = ElementTree.fromstring(for_resvg(svg))
    assert not [one for one in found.iter() if one.get("viewBox")]
    [curve] = [one for one in found.iter() if one.tag.endswith("}path") and "curve" in one.get("class", "")]
    numbers = [float(number) for number in re.findall(r"[\d.]+", curve.get("d", ""))]
    plot = sheet.chart.plot
    assert max(numbers[::2]) <= plot["width"] / 100 * 620
    assert (numbers[1], numbers[-1]) == (0, plot["height"])
