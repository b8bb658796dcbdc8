"""The distribution page: what spreads over tasks, on which clock, with bands."""

from __future__ import annotations

from math import log

import pytest

from leaderboard.statistics.paper import MIXED
from tests import factories
from tests.leaderboard.arrays import WRONG, right
from tests.leaderboard.timed import noisy

PAGE = "/distribution/timed/hip2hip/h100-sxm/"


def line(page, name):
    return next(entry for entry in page.entries if entry.agent == name)


def test_the_columns_of_table_8_and_more(timed, page) -> None:
    # s = 1 … 12: sd √13, linear quantiles at 1 + 11·p
    timed("One", [log(n) for n in range(1, 13)])
    found = line(page(PAGE), "One").spread.distribution
    assert found.task_sd == pytest.approx(13**0.5)
    assert (found.p25.value, found.median.value, found.p75.value, found.p90.value) == pytest.approx(
        (3.75, 6.5, 9.25, 10.9)
    )
    exclusive = line(page(f"{PAGE}?method=exclusive"), "One").spread.distribution
    assert (exclusive.p25.value, exclusive.method) == (pytest.approx(3.25), "exclusive")
    labels = [column.label for column in page(PAGE).tables["quantiles"].shown_fields]
    assert labels[:6] == ["Entry", "Task Std", "P25", "Median", "P75", "P90"]


def test_failures_count_as_zero_and_stand_apart_in_the_drawing(timed, page) -> None:
    timed("One", [WRONG, WRONG, *[log(2.0)] * 10])
    timed("All", [0.1] * 12)
    shown = page(PAGE)
    assert line(shown, "One").spread.speedups == pytest.approx((0, 0, *[2] * 10))
    chart = shown.charts["boxes"]
    assert [spot.x for spot in chart.boxes[0].spots][:3] == [2.0, 2.0, pytest.approx(98, abs=20)]
    assert chart.ticks[0].text == "failed"


def test_the_curve_of_fast_p_and_the_distribution_function(timed, page) -> None:
    timed("One", [WRONG, *[log(1.5)] * 5, *[log(3.0)] * 6])
    spread = line(page(PAGE), "One").spread
    at = dict(zip(spread.fast_p.points, spread.fast_p.shares, strict=True))
    assert (at[1.0], at[2.0]) == pytest.approx((11 / 12, 0.5))
    below = dict(zip(spread.share_at_most.points, spread.share_at_most.shares, strict=True))
    assert (below[1.0], below[2.0]) == pytest.approx((1 / 12, 0.5))


def test_the_same_board_has_the_same_bands_whatever_is_shown(timed, page) -> None:
    timed("One", noisy(0.5, 0.4))
    timed("Other", noisy(0.1, 0.4))
    everything, filtered = page(PAGE), page(f"{PAGE}?agent=One")
    assert [entry.agent for entry in filtered.entries] == ["One"]
    assert line(filtered, "One") == line(everything, "One")


def test_bands_are_drawn_for_two_entries_and_stand_in_the_table_for_all(timed, page) -> None:
    for n in range(2):
        timed(f"Agent {n}", noisy(0.2 * n + 0.1))
    assert all(drawn.band for drawn in page(PAGE).charts["fast_p"].lines)
    timed("Third", noisy(0.6))
    shown = page(PAGE)
    assert not any(drawn.band for drawn in shown.charts["fast_p"].lines)
    keys = {column.key for column in shown.tables["fast_p"].fields}
    assert {f"{entry.configuration}_low" for entry in shown.entries} <= keys


def test_an_incomplete_entry_is_listed_with_its_reason(timed, page) -> None:
    timed("Gap", [None, *[0.5] * 11])
    timed("Whole", [0.5] * 12)
    shown = page(PAGE)
    assert line(shown, "Gap").refused == "Some tasks have no verdict."
    assert [drawn.group.label for drawn in shown.charts["fast_p"].lines] == ["Whole"]


def test_tasks_that_can_show_no_speed_are_left_out(timed, page) -> None:
    timed("One", [*[0.5] * 7, *[right(None)] * 5])
    assert len(page(PAGE).tasks) == 7


def test_a_few_tasks_are_refused(timed, page) -> None:
    timed("One", [*[0.5] * 5, *[right(None)] * 7])
    shown = page(PAGE)
    assert shown.refused == "A distribution needs 6 tasks; there are 5."
    assert (shown.entries, shown.charts) == ((), {})


def test_functional_times_make_no_distribution(published, entry, page) -> None:
    published(configuration=entry("One"))
    shown = page("/distribution/smoke/all/cpu-x86_64/")
    assert shown.refused.startswith("Times of this device class are functional")


def test_the_papers_clock_is_not_mixed_across_categories(db, page) -> None:
    from tests.leaderboard.timed import make_timed_run

    tasks = [factories.make_task(category=category) for category in ("hip2hip", "triton2triton") for _ in range(6)]
    make_timed_run(suite=factories.make_suite(tasks, name="timed"), name="One", results=[right(0.5, paper=3.0)] * 12)
    assert page("/distribution/timed/all/h100-sxm/?clock=paper").refused == MIXED
    assert page("/distribution/timed/all/h100-sxm/").refused is None
    [found] = page("/distribution/timed/hip2hip/h100-sxm/?clock=paper").entries
    assert found.spread.speedups == pytest.approx([3.0] * 6)


def test_a_distribution_of_nothing_says_so(timed, client) -> None:
    timed("One", noisy(0.5))
    assert "No entry matches" in client.get(f"{PAGE}?agent=nobody").content.decode()
    assert client.get("/distribution/timed/nothing/h100-sxm/").status_code == 404
