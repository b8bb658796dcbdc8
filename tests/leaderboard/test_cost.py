"""The page of costs: what is not known is said, what a paper printed stands apart, and the line is the right one."""

from __future__ import annotations

import pytest

from leaderboard.charts import Group, Spot
from leaderboard.charts.pareto import cost_against_gain, efficient
from leaderboard.figures import plotly_figure
from runs.papers import load_published
from tests import factories

GROUP = Group(1, "One", 0, 0)


def spot(across: float, up: float) -> Spot:
    return Spot(GROUP, across, up, "", is_mean=True)


def test_what_nobody_stated_is_not_estimated(db, page, client) -> None:
    assert b"nothing is estimated in their place" in client.get("/cost/").content
    shown = page("/cost/")
    assert (shown.evaluations, shown.printed, shown.charts) == ((), (), {})


def test_evaluations_are_added_up_from_claim_to_verdict(published, entry, page) -> None:
    published("passed", "wrong_output", None, "passed", "passed", "passed", configuration=entry("One", slug="one"))
    [one] = page("/cost/").evaluations
    assert (one.name, one.answers, one.total_s, one.mean_s) == ("One", 5, 150.0, 30.0)


def test_drafts_cost_nothing_here(suite, page) -> None:
    factories.make_run(suite=suite, status="passed")
    assert page("/cost/").evaluations == ()


def test_printed_tokens_stand_beside_printed_speedups(db, page) -> None:
    load_published()
    shown = page("/cost/")
    rows = {(one.category, one.agent, one.model): one for one in shown.printed}
    assert len(rows) == 24
    opus = rows["hip2hip", "Claude Code", "Opus 4.6"]
    assert (opus.output_tokens_thousands, opus.mean_speedup, opus.is_efficient) == (59.0, 6.69, True)
    assert set(shown.charts) == {"hip2hip", "torch2hip", "triton2triton"}


def test_the_cheapest_and_the_fastest_of_a_category_are_never_beaten(db, page) -> None:
    load_published()
    printed = page("/cost/").printed
    for category in ("hip2hip", "torch2hip", "triton2triton"):
        own = [one for one in printed if one.category == category]
        assert min(own, key=lambda one: one.output_tokens_thousands).is_efficient
        assert max(own, key=lambda one: one.mean_speedup).is_efficient


@pytest.mark.parametrize(
    ("given", "best"),
    [
        ([(1, 1), (2, 2), (3, 1.5)], [(1, 1), (2, 2)]),
        ([(2, 2), (1, 2)], [(1, 2)]),
        ([(2, 3), (2, 2)], [(2, 3)]),
        ([(1, 1), (1, 1)], [(1, 1), (1, 1)]),
    ],
    ids=["beaten in both", "as good for less", "better for as much", "equals"],
)
def test_a_spot_is_efficient_if_nothing_beats_it(given, best) -> None:
    found = efficient([spot(*one) for one in given])
    assert [(one.across, one.up) for one in found] == best


def test_the_line_goes_in_steps_to_the_edge() -> None:
    chart = cost_against_gain("c", "C", "", ("cost", "gain"), [spot(25, 1), spot(50, 2), spot(100, 1)])
    assert chart.path == "M22.32 100H22.32V55.36H44.64V10.71H100"
    assert [tick.text for tick in chart.ticks] == ["0", "50", "100"]


def test_a_figure_has_the_line_and_every_group() -> None:
    data = plotly_figure(cost_against_gain("c", "C", "", ("cost", "gain"), [spot(25, 1), spot(50, 2)]))["data"]
    assert [(trace["mode"], trace["x"]) for trace in data] == [("lines", [25, 50]), ("markers", [25, 50])]
