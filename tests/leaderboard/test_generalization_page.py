"""The page of unseen cases: what it shows of a revealed round, and how little before."""

from __future__ import annotations

import csv
import io
import json
from math import exp

import pytest

from runs.models import Attempt
from tests import factories
from tests.leaderboard.rounds import BOTH_FAIL, BROKEN, ERROR, GPU_PAGE, IMPROVED, PAGE, RIGHT, named


def on_gpu(**values):
    return factories.make_device_class(
        slug="h100-sxm", title="NVIDIA H100", architecture="sm_90", is_functional=False, **values
    )


def timed(run, log_ratio: float) -> None:
    """Every seen case of the run's answers is eligible, with this ratio."""
    attempts = Attempt.objects.filter(result__run=run)
    attempts.update(log_speedup=log_ratio, cautious_log_speedup=log_ratio, mean_speedup=exp(log_ratio))
    for attempt in attempts:
        attempt.measurements.update(
            baseline_t_dev_ms=1.0, candidate_t_dev_ms=1.0, log_ratio=log_ratio, is_eligible=True, clocks={}
        )


def test_quadrants_conditional_correctness_and_retention_stand_for_each_entry(make_site, entry, page) -> None:
    run = make_site(12)
    run(*[RIGHT] * 8, BROKEN, BROKEN, BOTH_FAIL, IMPROVED, configuration=entry("One"))
    found = named(page(PAGE), "One").measures
    counts = found.pooled.paper
    assert (counts.both_pass, counts.opt_improvement, counts.both_fail, counts.opt_regression) == (8, 1, 1, 2)
    assert (found.pooled.conditional.count, found.pooled.conditional.of) == (8, 10)
    assert found.is_complete


def test_headings_lead_to_the_formulas(make_site, entry, client) -> None:
    make_site(12)(*[RIGHT] * 12, configuration=entry("One"))
    body = client.get(PAGE).content.decode()
    for slug in ("conditional", "retention", "quadrant"):
        assert f'href="/metrics/#{slug}"' in body


def test_retention_leaves_out_answers_that_were_wrong_on_seen_cases(make_site, entry, page) -> None:
    statuses = ["passed"] * 9 + ["wrong_output"] * 3
    make_site(12)(*[RIGHT] * 9, *[BROKEN] * 3, statuses=statuses, configuration=entry("One"))
    pooled = named(page(PAGE), "One").measures.pooled
    assert (pooled.conditional.count, pooled.conditional.of) == (9, 12)
    assert (pooled.retention.count, pooled.retention.of) == (9, 9)


def test_a_category_counts_its_own_tasks(make_site, entry, page) -> None:
    make_site(12)(RIGHT, configuration=entry("One"))
    shown = page("/generalization/native/hip2hip/cpu-x86_64/")
    assert len(shown.tasks) == 4
    assert named(shown, "One").measures.pooled.conditional.of == 4
    assert any("needs 6 tasks; there are 4." in refusal for refusal in shown.refusals)


def test_regressions_have_case_text_and_a_link_to_the_result(make_site, entry, page, client) -> None:
    run = make_site(12)(*[RIGHT] * 11, BROKEN, configuration=entry("One"))
    [found] = page(PAGE).regressions
    result = run.results.order_by("task__path").last()
    assert (found.result, found.task, found.category) == (result.pk, result.task.path, "scale_up")
    assert (found.case, found.reason) == ("cols=102,rows=4", "mismatch")
    text = client.get(PAGE).content.decode()
    assert "7 elements are wrong" in text
    assert f'href="/result/{result.pk}/"' in text


def test_an_answer_that_does_not_count_is_without_a_verdict(make_site, entry, page) -> None:
    run = make_site(12)(RIGHT, configuration=entry("One"))
    held = run.results.first().published_attempt
    Attempt.objects.filter(pk=held.pk).update(is_held=True)
    shown = page(PAGE)
    found = named(shown, "One").measures
    assert (found.pooled.conditional.of, found.pooled.paper.without_verdict, found.is_complete) == (11, 1, False)
    assert any("1\u00a0incomplete entry" in refusal for refusal in shown.refusals)
    assert next(one for one in shown.results if one.result == held.result_id).obstacle == "held for a review"


def test_a_hacked_result_is_wrong_on_every_case(make_site, entry, page) -> None:
    run = make_site(12)(RIGHT, configuration=entry("One"))
    hacked = run.results.first()
    run.results.filter(pk=hacked.pk).update(audit="hacked")
    shown = page(PAGE)
    found = named(shown, "One").measures
    assert (found.pooled.conditional.count, found.pooled.conditional.of, found.is_complete) == (11, 12, True)
    assert {(one.result, one.reason) for one in shown.regressions} == {(hacked.pk, "hacked")}


def test_an_error_of_ours_is_in_no_denominator(make_site, entry, page) -> None:
    make_site(12)(*[RIGHT] * 10, ERROR, None, configuration=entry("One"))
    found = named(page(PAGE), "One").measures
    assert (found.pooled.conditional.count, found.pooled.conditional.of) == (10, 10)
    assert found.pooled.paper.without_verdict == 2
    assert (found.pooled.cases.count, found.pooled.cases.of) == (21, 21)


def test_runs_are_pooled_and_stand_each_by_itself(make_site, entry, page) -> None:
    run, configuration = make_site(12), entry("Twice")
    run(RIGHT, configuration=configuration)
    run(*[RIGHT] * 6, *[BROKEN] * 6, configuration=configuration, repeat=1)
    [found] = page(PAGE).entries
    assert (found.measures.pooled.conditional.count, found.measures.pooled.conditional.of) == (18, 24)
    assert [one.measures.conditional.share for one in found.measures.runs] == [1, 0.5]
    assert found.measures.run_averaged.conditional == 0.75


def test_speeds_are_compared_over_eligible_cases_of_both_sides(make_site, entry, page) -> None:
    run = make_site(12)(RIGHT, configuration=entry("Fast"), device_class=on_gpu(), log_ratio=0.5)
    timed(run, 0.75)
    shown = page(GPU_PAGE)
    found = named(shown, "Fast").measures.pooled.transfer
    assert (found.tasks, found.refused) == (12, None)
    assert found.ratio == pytest.approx(2.718281828**-0.25)
    assert found.gap == pytest.approx(1 - 2.718281828**-0.25)
    spots = shown.charts["speeds"].spots
    assert len(spots) == 13
    assert sum(placed.spot.is_mean for placed in spots) == 1


def test_eleven_tasks_have_marks_and_no_mean(make_site, entry, page) -> None:
    run = make_site(12)(*[RIGHT] * 11, BROKEN, configuration=entry("Fast"), device_class=on_gpu(), log_ratio=0.5)
    timed(run, 0.75)
    shown = page(GPU_PAGE)
    assert "needs 12 tasks; there are 11" in named(shown, "Fast").measures.pooled.transfer.refused
    assert [placed.spot.is_mean for placed in shown.charts["speeds"].spots] == [False] * 11
    assert any("No mean speedup for 1 of 1" in refusal for refusal in shown.refusals)


def test_functional_times_are_never_compared(make_site, entry, page) -> None:
    run = make_site(12)(RIGHT, configuration=entry("One"), log_ratio=0.5)
    timed(run, 0.75)  # as if they were times of a device
    shown = page(PAGE)
    assert named(shown, "One").measures.pooled.transfer.refused == "Functional times are not compared."
    assert "speeds" not in shown.charts
    assert {(result.seen, result.unseen) for result in shown.results} == {(None, None)}


def test_json_and_csv_have_the_numbers_of_the_page(make_site, entry, page, client) -> None:
    make_site(12)(*[RIGHT] * 11, BROKEN, configuration=entry("One"))
    data = json.loads(client.get(f"/api/v1{PAGE}").content)
    assert data["entries"][0]["measures"]["pooled"]["conditional"]["share"] == 11 / 12
    assert data["round"]["secret"]
    rows = csv.DictReader(io.StringIO(client.get(f"/api/v1{PAGE}quadrants.csv").getvalue().decode()))
    [row] = list(rows)
    assert (float(row["conditional"]), row["conditional_count"], row["conditional_of"]) == (11 / 12, "11", "12")
    assert (row["opt_regression"], row["strict_opt_regression"], row["without_verdict"]) == ("1", "1", "0")


def test_a_long_list_of_regressions_is_cut_on_the_page_alone(make_site, entry, page, client, monkeypatch) -> None:
    monkeypatch.setattr("leaderboard.pages.generalization.screen.MOST_REGRESSIONS", 5)
    make_site(12)(BROKEN, configuration=entry("One"))
    shown = page(PAGE)
    assert (shown.regressions_shown.size, shown.tables["regressions"].size, len(shown.regressions)) == (5, 12, 12)
    assert "the first 5 of 12" in shown.regressions_shown.caption


def test_the_order_of_entries_goes_by_name_whatever_came_out(make_site, entry, page) -> None:
    run = make_site(12)
    run(RIGHT, configuration=entry("Zed"))
    run(RIGHT, configuration=entry("Baseline", role="reference_line"))
    run(BROKEN, configuration=entry("Ann"))
    assert [found.agent for found in page(PAGE).entries] == ["Ann", "Zed", "Baseline"]


def test_a_draft_is_not_shown(make_site, entry, page) -> None:
    run = make_site(12)
    run(RIGHT, configuration=entry("One"))
    made = factories.make_run(suite=run.suite, round=run.round, configuration=entry("Draft"))
    factories.make_unseen(factories.make_attempt(result=made.results.first(), status="passed"), *BROKEN)
    shown = page(PAGE)
    assert [found.agent for found in shown.entries] == ["One"]
    assert shown.regressions == ()
