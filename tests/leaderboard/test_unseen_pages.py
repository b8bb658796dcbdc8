"""Where else unseen cases are shown, and how little of them before the reveal: rounds, results, tasks."""

from __future__ import annotations

import pytest

from runs.models import UnseenEvaluation
from tests import factories
from tests.leaderboard.rounds import BROKEN, ERROR, PAGE, RIGHT


def test_before_the_reveal_there_are_counts_over_the_suite_and_nothing_else(make_site, entry, page, client) -> None:
    run = make_site(12, revealed=False)(*[RIGHT] * 11, BROKEN, configuration=entry("One"), log_ratio=0.5)
    shown = page(PAGE)
    [counts] = shown.suite_counts
    assert (counts.paper.both_pass, counts.paper.opt_regression) == (11, 1)
    assert (counts.conditional.count, counts.conditional.of) == (11, 12)
    assert (shown.entries, shown.results, shown.regressions) == ((), (), ())
    assert set(shown.tables) == set(shown.charts) == {"quadrants"}
    for address in (PAGE, f"/api/v1{PAGE}", f"/api/v1{PAGE}quadrants.csv", f"/api/v1{PAGE}quadrants.svg"):
        text = b"".join(client.get(address)).decode()
        for secret in ("cols=10", "7 elements", run.round.secret, "scale_up", "scale up", ">edge<"):
            assert secret not in text, (address, secret)
    assert "around 31\u00a0Jan\u00a02027" in shown.notice
    for table in ("regressions", "results", "categories", "speeds", "runs"):
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
    assert "every result has a verdict" in counts.refused


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
    assert "No run of this round is published" in client.get(PAGE).content.decode()


def test_unknown_places_are_not_found(make_site, client) -> None:
    make_site(12)
    factories.make_device_class()
    for address in (PAGE.replace("native", "none"), PAGE.replace("all", "cuda"), PAGE.replace("cpu-x86_64", "none")):
        assert client.get(address).status_code == 404


def test_places_with_rounds_are_listed(make_site, entry, page) -> None:
    run = make_site(12)
    run(RIGHT, configuration=entry("One"))
    run(RIGHT, configuration=entry("Two"))
    [place] = page("/generalization/").boards
    assert (place.suite, place.round, place.entries) == ("native", "autumn", 2)
    assert page(place.url).round.slug == "autumn"


def test_a_rounds_hash_is_public_before_anybody_takes_part(page, client, db) -> None:
    suite = factories.make_suite(name="native")
    opened = factories.make_round(suite=suite, slug="winter", revealed_at=None)
    shown = page("/generalization/")
    assert shown.boards == ()
    assert [(one.round, one.suite, one.secret_hash) for one in shown.rounds] == [
        ("winter", "native", opened.secret_hash)
    ]
    for address in ("/generalization/", "/api/v1/generalization/", "/api/v1/generalization/rounds.csv"):
        text = b"".join(client.get(address)).decode()
        assert opened.secret_hash in text
        assert opened.secret not in text


def test_a_runs_page_names_its_round_and_leads_to_it(make_site, published, entry, page) -> None:
    def said(run):
        return next(fact[1:] for fact in page(f"/run/{run.pk}/").facts if fact[0] == "Unseen cases")

    tried = make_site(12)(RIGHT, configuration=entry("One"))
    assert said(tried) == ("round autumn", f"{PAGE}?round=autumn")
    assert page(said(tried)[1]).round.slug == page(f"/run/{tried.pk}/").round == "autumn"
    assert said(published(configuration=entry("Two"))) == ("none", "")


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
    assert "correct on 1 of 2\u00a0unseen cases" in shown.unseen.sentence
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
    assert "has used up its evaluations" in shown.unseen.sentence
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
