"""Charts as numbers: positions of what is drawn, as percentages of the width."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.template.loader import render_to_string

from leaderboard.charts import Chart, Point, Series, Sheet, paired_bars, ratio_dots, share_dots
from leaderboard.figures import plotly_figure

CORRECT, COMPILED = Series("correct", "correct"), Series("compiled", "compiled")
SIDES = (Series("baseline", "baseline"), Series("candidate", "candidate"))


def dots() -> Chart:
    rows = [
        ("first", "", (Point(1.0, "6 of 6", 0.61, 1.0), Point(1.0, "6 of 6"))),
        ("<b>", "not ranked", (Point(None, "3 so far", 0.5, 1.0), Point(0.0, "0 of 6"))),
    ]
    return share_dots("rates", "Rates", "What it shows.", "share", (CORRECT, COMPILED), rows, [(1.0, "a"), (1.0, "b")])


def bars() -> Chart:
    rows = [
        ("small", "", (Point(0.002, "2.00 µs"), Point(0.001, "1.00 µs"))),
        ("large", "", (Point(500.0, "500 ms"), Point(1000.0, "1.00 s"))),
    ]
    return paired_bars("times", "Times", "What it shows.", "ms", SIDES, rows)


def test_shares_lie_between_the_ends_of_the_plot() -> None:
    first, second = dots().rows
    assert [mark.x for mark in first.marks] == [61.0, 61.0]
    assert (first.marks[0].low_x, first.marks[0].high_x) == (pytest.approx(37.795), 61.0)
    assert second.marks[1].x == 1.5


def test_ticks_stand_at_quarters() -> None:
    assert [(tick.at, tick.text) for tick in dots().ticks] == [
        (1.5, "0 %"),
        (16.375, "25 %"),
        (31.25, "50 %"),
        (46.125, "75 %"),
        (61.0, "100 %"),
    ]


def test_lines_at_one_place_share_it() -> None:
    [line] = dots().lines
    assert (line.x, line.text, line.anchor) == (61.0, "a, b", "end")


def test_the_longest_bar_of_each_row_has_the_same_length() -> None:
    small, large = bars().rows
    assert [mark.x for mark in small.marks] == [61.0, 30.5]
    assert [mark.x for mark in large.marks] == [30.5, 61.0]


def test_a_side_without_a_time_has_no_bar() -> None:
    chart = paired_bars("t", "T", "D", "ms", SIDES, [("case", "", (Point(None, ""), Point(1.0, "1 ms")))])
    assert [mark.series.key for mark in chart.rows[0].marks] == ["candidate"]


def test_marks_never_leave_the_drawing() -> None:
    for chart in (dots(), bars()):
        marks = [mark for row in chart.rows for mark in row.marks]
        assert all(0 <= mark.x <= 100 and 0 < mark.y < chart.height for mark in marks)
        assert len({mark.y for mark in marks}) == len(marks)


@pytest.mark.parametrize("chart", [dots(), bars()], ids=["dots", "bars"])
@pytest.mark.parametrize("template", ["charts/_chart.svg", "charts/standalone.svg"])
def test_the_drawing_is_xml_with_title_and_description(chart: Chart, template: str) -> None:
    svg = ElementTree.fromstring(
        render_to_string(template, {"sheet": Sheet(chart), "chart": chart, "style": ".chart{}"})
    )
    spoken = [element.text for element in svg if element.tag.endswith(("title", "desc"))]
    assert spoken == [chart.title, chart.description]
    assert "style=" not in ElementTree.tostring(svg).decode()  # a policy without inline styles would drop it


def test_a_chart_that_travels_says_what_it_shows_and_where_it_is_from() -> None:
    address = f"https://example.org/board/?agent={'x' * 150}"
    sheet = Sheet(bars(), "Suite smoke@1, CPU, protocol arena-2", ("ArenaBoard, as of 2026-11-29", address))
    drawing = render_to_string("charts/standalone.svg", {"sheet": sheet, "chart": sheet.chart, "style": ""})
    texts = [element.text or "" for element in ElementTree.fromstring(drawing).iter() if element.tag.endswith("}text")]
    assert texts[:2] == ["Times", "Suite smoke@1, CPU, protocol arena-2"]
    assert "".join(texts).endswith(f"ArenaBoard, as of 2026-11-29{address}")
    assert max(len(text) for text in texts) <= 100  # what fits
    assert sheet.above[-1][0] < sheet.chart_y
    assert sheet.below[-1][0] < sheet.height - 16


def test_ratios_share_one_scale_with_a_line_at_one() -> None:
    rows = [
        ("small", "row's", (Point(0.5, "0.5×"), Point(2.0, "2×"))),
        ("large", "", (Point(2.0, "2×"), Point(8.0, "8×"))),
    ]
    chart = ratio_dots("pair", "Pair", "What it shows.", "times as fast", SIDES, rows)
    (slow, fast), (same, fastest) = (row.marks for row in chart.rows)
    assert slow.x < fast.x == same.x < fastest.x
    [one] = chart.lines
    assert one.text.startswith("1×")
    assert (chart.note, chart.rows[0].note) == ("", "row's")
    assert one.x - slow.x == pytest.approx(fast.x - one.x, abs=0.01)


def test_what_has_no_rank_is_drawn_hollow() -> None:
    rows = [("1. entry", "", (Point(2.0, "2×", 1.5, 2.5),)), ("line", "", (Point(3.0, "3×", is_unranked=True),))]
    drawing = render_to_string("charts/_chart.svg", {"chart": ratio_dots("s", "S", "D.", "x", (CORRECT,), rows)})
    assert re.findall(r'class="(dot [\w ]+)"', drawing) == ["dot correct", "dot correct", "dot correct unranked"]


@pytest.mark.parametrize(("case", "is_wide"), [("cols=256  rows=64", False), ("batch=1  causal=true  " * 3, True)])
def test_a_chart_of_long_names_keeps_its_width_and_scrolls(case: str, is_wide: bool) -> None:
    rows = [(case, "2.13×", (Point(2.0, "2.00 ms"), Point(1.0, "1.00 ms")))]
    chart = paired_bars("times", "Times", "What it shows.", "ms", SIDES, rows)
    drawing = render_to_string("leaderboard/_drawing.html", {"chart": chart})
    assert ('class="scroll"' in drawing, "chart wide" in drawing) == (is_wide, is_wide)


def test_a_hostile_name_stays_text() -> None:
    assert "<b>" not in render_to_string("charts/_chart.svg", {"chart": dots()})


@pytest.mark.parametrize("chart", [dots(), bars()], ids=["dots", "bars"])
def test_the_figure_has_the_values_of_the_drawing(chart: Chart) -> None:
    figure = plotly_figure(chart)
    drawn = [mark.point.value for row in chart.rows for mark in row.marks if mark.point.value is not None]
    given = [value for trace in figure["data"] for value in trace["x"]]
    assert set(drawn) <= set(given)
    json.dumps(figure, allow_nan=False)


def test_a_class_of_the_drawings_text_means_nothing_elsewhere() -> None:
    root = Path(__file__).parents[2]
    classes = set(re.findall(r'<(?:text|tspan) class="(\w+)"', (root / "templates/charts/_rows.svg").read_text()))
    assert "aside" in classes
    others = "".join((root / "static/css" / name).read_text() for name in ("base.css", "parts.css"))
    assert not [name for name in classes if re.search(rf"\.{name}\b", others)]
