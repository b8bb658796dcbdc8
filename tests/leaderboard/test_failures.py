"""The failures page: every answer is counted once, with its denominator, its reason and an example."""

from __future__ import annotations

from collections import Counter

import pytest

from runs.models import Attempt
from tests import factories

STATUSES = ("passed", "wrong_output", "wrong_output", "build_failed", "errored", None)


@pytest.fixture
def run(published, entry):
    return published(*STATUSES, configuration=entry("One", slug="one"))


def test_counts_add_up_to_tasks_times_runs(run, page) -> None:
    [outcomes] = page("/failures/").outcomes
    assert outcomes.counts == {"passed": 1, "wrong_output": 2, "build_failed": 1, "errored": 1, "missing": 1}
    assert sum(outcomes.counts.values()) == outcomes.of == 6


def test_each_count_leads_to_its_newest_answer(run, page) -> None:
    wrong = run.results.filter(published_attempt__status="wrong_output").order_by("pk").last()
    Attempt.objects.filter(result=wrong).update(reason="nan", message="The output holds NaN: case 1.")
    table = page("/failures/").tables["outcomes"]
    cells = table.cells()[0]
    assert cells["wrong_output"].url == f"/result/{wrong.pk}/"
    assert cells["wrong_output"].text.replace("\u00a0", " ") == "2 of 6 (33 %)"
    assert (cells["timed_out"].text, cells["timed_out"].url) == ("0", "")


def test_reasons_have_their_sentence_and_denominator(run, page) -> None:
    Attempt.objects.filter(status="wrong_output").update(reason="nan", message="The output holds NaN: case 1.")
    reasons = {one.reason: one for one in page("/failures/").reasons}
    assert set(reasons) == {"nan", "build_failed", "host_fault"}
    assert (reasons["nan"].count, reasons["nan"].of) == (2, 6)
    assert reasons["nan"].message == "The output holds NaN: case 1."


def test_reasons_are_counted_over_all_configurations(run, published, entry, page) -> None:
    newest = published(*STATUSES, configuration=entry("Two", slug="two")).results.order_by("task__path")[2]
    [most, *_] = page("/failures/").reason_totals
    assert (most.status, most.count, most.of, most.configurations, most.result) == ("wrong_output", 4, 12, 2, newest.pk)


def test_of_each_reason_the_page_has_the_newest_and_data_all(published, entry, page, client) -> None:
    for number in range(5):
        published(*STATUSES, configuration=entry(f"No {number}", slug=f"n{number}"))
    whole = page("/failures/")
    names = [row["reason"].value for row in whole.shown["reasons"].cells()]
    assert sorted(Counter(names).values()) == [3, 3, 3]
    assert whole.tables["reasons"].size == len(whole.reasons) == 15
    assert len(client.get("/api/v1/failures/reasons.csv").getvalue().splitlines()) == 16


def test_a_reason_leads_to_its_own_answers(published, entry, page) -> None:
    for number in range(5):
        published(*STATUSES, configuration=entry(f"No {number}", slug=f"n{number}"))
    totals = page("/failures/?suite=smoke").tables["reason_totals"]
    [url] = [row["reason"].url for row in totals.cells() if row["reason"].value == "host_fault"]
    narrowed = page(url)
    assert (narrowed.suite, narrowed.shown["reasons"].size) == ("smoke", 5)
    assert {one.reason for one in narrowed.reasons} == {"host_fault"}
    assert sum(one.of for one in narrowed.outcomes) == 30  # denominators stay


def test_drafts_and_withdrawn_runs_are_not_counted(suite, page, client) -> None:
    factories.make_run(suite=suite, status="wrong_output")
    factories.make_run(suite=suite, status="wrong_output", state="withdrawn")
    assert page("/failures/").outcomes == ()
    assert b"No published result matches" in client.get("/failures/").content


def test_a_rerun_that_is_not_published_changes_nothing(run, page) -> None:
    before = page("/failures/").outcomes
    factories.make_attempt(result=run.results.first(), status="crashed")
    assert page("/failures/").outcomes == before


@pytest.mark.parametrize("runs", [1, 3])
def test_five_questions_whatever_went_wrong(published, client, django_assert_num_queries, runs) -> None:
    for _ in range(runs):
        published(*STATUSES)
    with django_assert_num_queries(5):
        client.get("/failures/")


def test_what_is_shown_can_be_narrowed(run, published, entry, page) -> None:
    published(configuration=entry("Two", slug="two"))
    assert [one.name for one in page("/failures/?configuration=two").outcomes] == ["Two"]
    assert page("/failures/?suite=other").outcomes == ()
    assert len(page("/failures/?suite=smoke&device=cpu-x86_64").outcomes) == 2


def test_parts_of_a_bar_hold_every_answer(run, page) -> None:
    [bar] = page("/failures/").charts["outcomes"].bars
    assert [(part.series.key, part.count) for part in bar.parts] == [
        ("passed", 1),
        ("build_failed", 1),
        ("wrong_output", 2),
        ("ours", 2),
    ]


def test_every_status_of_an_answer_is_in_one_part_of_a_bar() -> None:
    from leaderboard.pages.failures.screen import MODES
    from leaderboard.words import STATUSES

    parts = [status for _, statuses in MODES.values() for status in statuses]
    assert sorted(parts) == sorted(set(STATUSES) - {"queued", "running"} | {"hacked"})


@pytest.fixture
def unseen_run(published, entry, suite):
    """With a round that is revealed: on its first task a regression, a case that both fail, one that is right."""

    def make(**values):
        asked = factories.make_round(suite=suite, **values)
        run = published(configuration=entry("Hard", slug="hard"), round=asked)
        attempt = run.results.order_by("task__path").first().published_attempt
        outcomes = (("edge", True, False), ("scale_up", False, False), ("production", True, True), ("edge", None, True))
        factories.make_unseen(attempt, *outcomes)
        return run

    return make


def test_unseen_cases_are_counted_by_the_candidates_reason(unseen_run, page) -> None:
    run = unseen_run()
    [one] = page("/failures/").unseen
    assert (one.reason, one.regressions, one.both_fail, one.of) == ("mismatch", 1, 1, 3)
    assert one.result == run.results.order_by("task__path").first().pk


def test_a_hacked_result_has_passed_nowhere(unseen_run, page) -> None:
    run = unseen_run()
    hacked = run.results.order_by("task__path").first()
    hacked.audit = "hacked"
    hacked.save()
    shown = page("/failures/")
    [outcomes] = shown.outcomes
    assert outcomes.counts == {"passed": 5, "hacked": 1}
    cell = shown.tables["outcomes"].cells()[0]["hacked"]
    assert (cell.value, cell.url) == (1, f"/result/{hacked.pk}/")
    [one] = shown.unseen
    assert (one.reason, one.regressions, one.both_fail, one.of) == ("hacked", 2, 1, 3)


def test_before_the_reveal_no_unseen_case_is_counted(unseen_run, client) -> None:
    unseen_run(revealed_at=None)
    answer = client.get("/failures/")
    assert answer.context["page"].unseen == ()
    assert b"Before its reveal, a round has only counts over the suite" in answer.content
    assert b"mismatch" not in answer.content


def test_unseen_cases_of_a_draft_are_not_counted(unseen_run, page) -> None:
    run = unseen_run()
    run.state, run.published_at = "draft", None
    run.save()
    assert page("/failures/").unseen == ()
