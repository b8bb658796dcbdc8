"""The page of cost: what is unknown, what a paper printed, and the Pareto front."""

from __future__ import annotations

from math import log

import pytest

from evaluator.records.sessions import Usage
from leaderboard.charts import PointGroup, Spot
from leaderboard.charts.pareto import cost_against_gain, efficient
from leaderboard.figures import plotly_figure
from runs.loading.published import load_published
from runs.models import Attempt
from tests import factories

GROUP = PointGroup(1, "One", 0, 0)


def spot(across: float, up: float) -> Spot:
    return Spot(GROUP, across, up, "", is_mean=True)


def test_what_nobody_stated_is_not_estimated(db, page, client) -> None:
    assert b"start_runs block_tuner" in client.get("/cost/").content
    shown = page("/cost/")
    assert (shown.agents, shown.evaluations, shown.printed, shown.charts) == ((), (), (), {})


def test_usage_is_shown_with_the_speedup_it_reached(timed, page) -> None:
    run = timed("One", [log(1.5)] * 12)
    for result in run.results.all():
        factories.make_session(result)
    shown = page("/cost/")
    [one] = shown.agents
    assert (one.sessions, one.output_tokens, one.cost_usd, one.seconds) == (12, 2000.0, pytest.approx(0.005), 12.5)
    assert one.total_usd == pytest.approx(0.06)
    assert one.usable_speedup == pytest.approx(1.5)
    place = "timed-1-h100-sxm"
    assert shown.here == (f"output_tokens-{place}", f"seconds-{place}", f"cost_usd-{place}")


def test_what_a_session_does_not_report_is_unknown_and_in_no_chart(timed, page) -> None:
    run = timed("One", [log(1.5)] * 12)
    first, *others = run.results.order_by("pk")
    factories.make_session(first, usage=Usage())
    for result in others:
        factories.make_session(result)
    shown = page("/cost/")
    [one] = shown.agents
    assert (one.output_tokens, one.output_tokens_of, one.cost_usd_of) == (2000.0, 11, 11)
    cells = shown.tables["agents"].cells()[0]
    assert cells["output_tokens"].note == cells["cost_usd"].note == "11 of 12 report it"
    assert shown.here == ("seconds-timed-1-h100-sxm",)


def test_nobody_says_a_cost_and_none_is_shown(timed, page) -> None:
    run = timed("One", [log(1.5)] * 12)
    for result in run.results.all():
        factories.make_session(result, usage=Usage(turns=3))
    [one] = page("/cost/").agents
    assert (one.output_tokens, one.cost_usd, one.total_usd) == (None, None, None)
    [cells] = page("/cost/").tables["agents"].cells()
    assert (cells["cost_usd"].text, cells["output_tokens"].text) == ("unknown", "not reported")


@pytest.mark.parametrize(("changes", "because"), [({"is_held": True}, "1 result of 12 not eligible"), ({}, None)])
def test_a_speedup_that_may_not_count_is_none(timed, page, changes, because) -> None:
    run = timed("One", [log(1.5)] * 12)
    for result in run.results.all():
        factories.make_session(result)
    if changes:
        Attempt.objects.filter(pk=run.results.first().published_attempt_id).update(**changes)
    said = page("/cost/").agents[0].no_speedup_because
    assert (said and said.replace("\u00a0", " ")) == because


def test_evaluation_time_is_without_the_agents_session(published, entry, page) -> None:
    run = published(
        "passed", "wrong_output", None, "passed", "passed", "passed", configuration=entry("One", slug="one")
    )
    result = run.results.exclude(published_attempt=None).first()
    factories.make_session(result, attempt=result.published_attempt)
    [one] = page("/cost/").evaluations
    assert one.total_s == 150.0 - 12.5


def test_evaluations_are_added_up_from_claim_to_verdict(published, entry, page) -> None:
    published("passed", "wrong_output", None, "passed", "passed", "passed", configuration=entry("One", slug="one"))
    [one] = page("/cost/").evaluations
    assert (one.name, one.results, one.total_s, one.mean_s) == ("One", 5, 150.0, 30.0)


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
