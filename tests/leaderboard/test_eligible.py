"""Which tasks can show a speed: a fact of suite and device class, whoever is shown, on every page alike."""

from __future__ import annotations

import pytest

from runs.models import Attempt, Run
from tests import factories
from tests.leaderboard.arrays import WRONG, right
from tests.leaderboard.timed import TASKS, make_timed_run

BOARD, SPREAD = "/board/timed/hip2hip/h100-sxm/", "/distribution/timed/hip2hip/h100-sxm/"
HARD = [0.5] * 5 + [WRONG] * 7  # right on five tasks: too few for a speed, were it alone


def line(page, name):
    return next(entry for entry in page.entries if entry.agent == name)


@pytest.mark.parametrize("query", ["", "agent=Few", "since=2026-11-02", "trust=claimed", "sort=correctness"])
def test_no_filter_changes_a_usable_speedup(timed, page, query) -> None:
    few = timed("Few", HARD, origin="imported", bundle_digest="a" * 64, published_at=factories.NOON.replace(day=3))
    timed("All", [0.1] * TASKS)
    shown = page(f"{BOARD}?{query}")
    assert (shown.eligible_tasks, shown.ranked_by) == (TASKS, "usable_speedup")
    assert line(shown, "Few").usable_speedup.value == pytest.approx(2.718281828 ** (5 * 0.5 / 12))
    assert few.pk in line(shown, "Few").runs


def test_a_withdrawn_run_still_says_how_long_baselines_take_on_every_page(timed, page) -> None:
    few = timed("Few", HARD)
    for result in few.results.all():
        factories.make_session(result)
    withdraw(timed("All", [0.1] * TASKS))
    shown = page(BOARD)
    assert [entry.agent for entry in shown.entries] == ["Few"]
    assert (shown.eligible_tasks, shown.ranked_by) == (TASKS, "usable_speedup")
    [place] = page("/").boards
    assert place.leaders["all"].usable_speedup == line(shown, "Few").usable_speedup.value
    [cost] = page("/cost/").agents
    assert cost.usable_speedup == pytest.approx(line(shown, "Few").usable_speedup.value)
    assert page(SPREAD).refused is None


def test_a_task_that_all_entries_fail_counts_once_its_baseline_was_measured(timed, page) -> None:
    timed("Few", HARD)
    assert page(BOARD).ranked_by == "correctness"
    assert page(BOARD).refusals[0] == "No speed: A speed metric needs eligible cases in 6 tasks; there are 5."
    timed("Baseline", [0.0] * TASKS, role="reference_line")
    shown = page(BOARD)
    assert (shown.eligible_tasks, shown.ranked_by) == (TASKS, "usable_speedup")


def test_a_run_on_another_suite_says_how_long_the_same_baselines_take(timed, page) -> None:
    few = timed("Few", HARD)
    for result in few.results.all():
        factories.make_session(result)
    tasks = [membership.task for membership in few.suite.memberships.all()]
    whole = factories.make_suite([*tasks, factories.make_task()], name="whole")
    make_timed_run(suite=whole, name="All", results=[right(0.1)] * 13)
    shown = page(BOARD)
    assert [entry.agent for entry in shown.entries] == ["Few"]
    assert (shown.eligible_tasks, shown.ranked_by) == (TASKS, "usable_speedup")
    assert {place.suite: place.leaders["all"].usable_speedup is not None for place in page("/").boards}["timed"]
    assert page("/cost/").agents[0].no_speedup_because is None


def test_one_answer_without_a_speed_takes_none_from_the_others(timed, page) -> None:
    timed("One", [0.5] * TASKS)
    before = line(page(BOARD), "One"), line(page(SPREAD), "One").spread
    timed("Other", [right(None), *[0.5] * 11])
    assert page(BOARD).eligible_tasks == len(page(SPREAD).tasks) == TASKS
    assert (line(page(BOARD), "One").usable_speedup, line(page(SPREAD), "One").spread) == (
        before[0].usable_speedup,
        before[1],
    )
    assert line(page(SPREAD), "Other").refused == "Some correct results have no time on this clock."


def test_a_task_on_which_no_right_answer_shows_a_speed_is_too_short(timed, page) -> None:
    timed("One", [right(None), *[0.5] * 11])
    timed("Other", [right(None), *[0.5] * 10, WRONG])
    assert page(BOARD).eligible_tasks == len(page(SPREAD).tasks) == 11


@pytest.mark.parametrize("changes", [{"is_held": True}, {"is_uncalibrated": True}, {"protocol": "aka-scripts-1"}])
def test_what_does_not_count_says_nothing_of_baselines(timed, page, changes) -> None:
    timed("One", HARD)
    other = timed("Other", [0.5] * TASKS)
    Attempt.objects.filter(result__run=other).update(**changes)
    assert page(BOARD).eligible_tasks == 5


def test_speeds_are_not_compared_where_too_few_tasks_show_one(timed, page) -> None:
    timed("One", HARD)
    timed("Other", HARD)
    [pair] = page("/compare/timed/hip2hip/h100-sxm/").pairs
    assert pair.usable_speedup.refused == "A speed metric needs eligible cases in 6 tasks; there are 5."
    assert pair.correctness.refused is None


def withdraw(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(state="withdrawn")
