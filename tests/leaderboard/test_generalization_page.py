"""The page of unseen cases: what it shows of a revealed round, and how little before."""

from __future__ import annotations

import csv
import io
import json
from itertools import cycle

import pytest

from runs.models import Attempt, UnseenEvaluation
from tests import factories

PAGE = "/generalization/native/all/cpu-x86_64/"
GPU_PAGE = "/generalization/native/all/h100-sxm/"
RIGHT = (("edge", True, True), ("scale_up", True, True))
BROKEN = (("edge", True, True), ("scale_up", True, False))
BOTH_FAIL = (("edge", True, True), ("scale_up", False, False))
IMPROVED = (("edge", False, True), ("scale_up", True, True))
ERROR = (("edge", True, True), ("scale_up", True, None))


@pytest.fixture
def make_site(db):
    """A suite of so many tasks with a round; the answer makes public runs on it, an outcome for each task in turn."""

    def make(tasks: int = 12, *, revealed: bool = True, slug: str = "autumn"):
        made = [
            factories.make_task(category=category)
            for category, _ in zip(cycle(("hip2hip", "torch2hip", "triton2triton")), range(tasks), strict=False)
        ]
        suite = factories.make_suite(made, name="native", title="Native")
        values = {} if revealed else {"revealed_at": None}
        round = factories.make_round(suite=suite, slug=slug, **values)

        def run(*outcomes, statuses=("passed",), log_ratio=None, **values):
            made = factories.make_run(suite=suite, round=round, state="published", **values)
            results = made.results.order_by("task__path")
            for result, cases, status in zip(results, cycle(outcomes), cycle(statuses), strict=False):
                attempt = factories.publish(factories.make_attempt(result=result, status=status))
                if cases is not None:
                    factories.make_unseen(attempt, *cases, log_ratio=log_ratio)
            return made

        run.round, run.suite = round, suite
        return run

    return make


def on_gpu(**values):
    return factories.make_device_class(
        slug="h100-sxm", title="NVIDIA H100", architecture="sm_90", is_functional=False, **values
    )


def timed(run, log_ratio: float) -> None:
    """Every seen case of the run's answers is eligible, with this ratio."""
    for attempt in Attempt.objects.filter(result__run=run):
        attempt.measurements.update(
            baseline_t_dev_ms=1.0, candidate_t_dev_ms=1.0, log_ratio=log_ratio, is_eligible=True, clocks={}
        )


def named(page, name):
    return next(entry for entry in page.entries if entry.agent == name)


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
    assert any("needs 6 tasks, and there are 4" in refusal for refusal in shown.refusals)


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
    assert any("1\u00a0line incomplete" in refusal for refusal in shown.refusals)
    assert next(one for one in shown.answers if one.result == held.result_id).obstacle.startswith("on hold")


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
    assert named(shown, "One").measures.pooled.transfer.refused == "Functional times compare nothing."
    assert "speeds" not in shown.charts
    assert {(answer.seen, answer.unseen) for answer in shown.answers} == {(None, None)}


def test_before_the_reveal_there_are_counts_over_the_suite_and_nothing_else(make_site, entry, page, client) -> None:
    run = make_site(12, revealed=False)(*[RIGHT] * 11, BROKEN, configuration=entry("One"), log_ratio=0.5)
    shown = page(PAGE)
    [counts] = shown.suite_counts
    assert (counts.paper.both_pass, counts.paper.opt_regression) == (11, 1)
    assert (counts.conditional.count, counts.conditional.of) == (11, 12)
    assert (shown.entries, shown.answers, shown.regressions) == ((), (), ())
    assert set(shown.tables) == set(shown.charts) == {"quadrants"}
    for address in (PAGE, f"/api/v1{PAGE}", f"/api/v1{PAGE}quadrants.csv", f"/api/v1{PAGE}quadrants.svg"):
        text = b"".join(client.get(address)).decode()
        for secret in ("cols=10", "7 elements", run.round.secret, "scale_up", "scale up", ">edge<"):
            assert secret not in text, (address, secret)
    assert "around 31\u00a0Jan\u00a02027" in shown.notice
    for table in ("regressions", "answers", "categories", "speeds", "runs"):
        assert client.get(f"/api/v1{PAGE}{table}.csv").status_code == 404


@pytest.mark.parametrize(
    ("tasks", "outcomes", "address"),
    [
        (11, [RIGHT], PAGE),
        (36, [RIGHT], "/generalization/native/hip2hip/cpu-x86_64/"),
    ],
    ids=["a small suite", "one category"],
)
def test_before_the_reveal_parts_of_a_suite_are_not_counted(make_site, entry, page, tasks, outcomes, address) -> None:
    make_site(tasks, revealed=False)(*outcomes, configuration=entry("One"))
    shown = page(address)
    assert (shown.suite_counts, shown.tables, shown.charts) == ((), {}, {})
    assert len(shown.refusals) == 1


def test_before_the_reveal_an_incomplete_entry_has_no_counts(make_site, entry, page) -> None:
    make_site(13, revealed=False)(*[RIGHT] * 12, ERROR, configuration=entry("One"))
    [counts] = page(PAGE).suite_counts
    assert (counts.paper, counts.conditional, counts.retention) == (None, None, None)
    assert "every answer has a verdict" in counts.refused


def test_the_current_round_is_the_newest_and_others_have_an_address(make_site, entry, page, client) -> None:
    run = make_site(12)
    run(RIGHT, configuration=entry("One"))
    newer = {"opened_at": "2027-01-01T12:00Z", "revealed_at": None}
    factories.make_round(suite=run.suite, slug="winter", **newer)
    assert page(PAGE).round.slug == "winter"
    earlier = page(f"{PAGE}?round=autumn")
    assert earlier.round.secret == run.round.secret
    assert [entry.agent for entry in earlier.entries] == ["One"]
    assert [(link.text, link.is_here) for link in earlier.rounds] == [("Round winter", False), ("Round autumn", True)]
    assert client.get(f"{PAGE}?round=spring").status_code == 404


def test_a_round_of_another_suite_is_shown_where_runs_are_of_it(make_site, page) -> None:
    """As the demo's is, which is revealed: opened for all tasks, used on the smoke suite."""
    run = make_site(12)(RIGHT)
    run.round.suite = factories.make_suite()
    run.round.save()
    assert (page(PAGE).round.slug, len(page(PAGE).entries)) == ("autumn", 1)


def test_a_suite_without_a_round_says_how_to_open_one(db, page) -> None:
    factories.make_suite(name="native")
    factories.make_device_class()
    shown = page(PAGE)
    assert shown.round is None
    assert "open_round" in shown.notice
    assert (shown.tables, shown.charts) == ({}, {})


def test_a_round_without_public_runs_says_what_to_do(make_site, page, client) -> None:
    make_site(12)
    factories.make_device_class()
    shown = page(PAGE)
    assert (shown.entries, shown.charts) == ((), {})
    assert "Publish one in the admin" in client.get(PAGE).content.decode()


def test_unknown_places_are_not_found(make_site, client) -> None:
    make_site(12)
    factories.make_device_class()
    for address in (PAGE.replace("native", "none"), PAGE.replace("all", "cuda"), PAGE.replace("cpu-x86_64", "none")):
        assert client.get(address).status_code == 404


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
    monkeypatch.setattr("leaderboard.pages.generalization_answers.MOST_REGRESSIONS", 5)
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


def test_places_with_rounds_are_listed(make_site, entry, page) -> None:
    run = make_site(12)
    run(RIGHT, configuration=entry("One"))
    run(RIGHT, configuration=entry("Two"))
    [place] = page("/generalization/").places
    assert (place.suite, place.round, place.entries) == ("native", "autumn", 2)
    assert page(place.url).round.slug == "autumn"


def test_a_draft_is_not_shown(make_site, entry, page) -> None:
    run = make_site(12)
    run(RIGHT, configuration=entry("One"))
    made = factories.make_run(suite=run.suite, round=run.round, configuration=entry("Draft"))
    factories.make_unseen(factories.make_attempt(result=made.results.first(), status="passed"), *BROKEN)
    shown = page(PAGE)
    assert [found.agent for found in shown.entries] == ["One"]
    assert shown.regressions == ()


def test_the_board_leads_to_its_unseen_cases_and_back(make_site, entry, page, client) -> None:
    make_site(12)(RIGHT, configuration=entry("One"))
    assert f'href="{PAGE}"' in client.get(PAGE.replace("generalization", "board")).content.decode()
    assert page(PAGE).board.url == PAGE.replace("generalization", "board")


def test_a_result_shows_its_unseen_cases_once_they_are_revealed(make_site, entry, page, client) -> None:
    run = make_site(12)(BROKEN, configuration=entry("One"))
    result = run.results.first()
    shown = page(f"/result/{result.pk}/")
    assert (shown.unseen.round, shown.unseen.paper) == ("autumn", "opt_regression")
    assert [line.quadrant for line in shown.unseen.cases] == ["both_pass", "opt_regression"]
    assert "right on 1 of 2\u00a0unseen cases" in shown.unseen.sentence
    assert "7 elements are wrong" in client.get(f"/result/{result.pk}/").content.decode()


def test_a_result_says_nothing_of_unseen_cases_before_the_reveal(make_site, entry, page, client) -> None:
    run = make_site(12, revealed=False)(BROKEN, configuration=entry("One"))
    result = run.results.first()
    assert page(f"/result/{result.pk}/").unseen is None
    assert page(f"/task/{result.task.path}/").unseen_cases == ()
    for address in (f"/result/{result.pk}/", f"/api/v1/result/{result.pk}/", f"/task/{result.task.path}/"):
        assert "cols=10" not in client.get(address).content.decode()


def test_a_result_says_why_it_has_no_unseen_cases(make_site, entry, page) -> None:
    run = make_site(12)(None, configuration=entry("One"))
    attempt = run.results.first().published_attempt
    factories.make_unseen(attempt)
    UnseenEvaluation.objects.update(state="refused", record_digest="", is_complete=False)
    shown = page(f"/result/{attempt.result_id}/")
    assert "has had its evaluations" in shown.unseen.sentence
    assert (shown.unseen.cases, shown.unseen.url) == ((), "")


def test_a_task_lists_the_cases_of_revealed_rounds_once(make_site, entry, page) -> None:
    run = make_site(12)
    made = run(RIGHT, configuration=entry("One"))
    run(BROKEN, configuration=entry("Two"))
    shown = page(f"/task/{made.results.first().task.path}/")
    assert [(case.round, case.id, case.category) for case in shown.unseen_cases] == [
        ("autumn", "cols=101,rows=4", "edge"),
        ("autumn", "cols=102,rows=4", "scale_up"),
    ]
