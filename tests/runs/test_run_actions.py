"""Pause and resume, run again what failed, take back what was made public: states, trail, and what stays as it was."""

from __future__ import annotations

import pytest

from evaluator import VERSION
from runs.errors import RunError
from runs.models import Attempt, AuditEntry
from runs.services import claims, entries, hosts, publishing
from tests.factories import make_attempt, make_run
from tests.runs.conftest import Site
from tests.runs.test_entries import board, finish, published

pytestmark = pytest.mark.django_db


def claimed(site: Site) -> claims.Lease | None:
    return claims.claim_oldest(host=site.host, worker="w")


def test_a_paused_run_keeps_its_place_and_no_worker_takes_it(site: Site) -> None:
    first, second = site.new_run(), site.new_run(repeat=1)
    entries.pause_run(run=first, actor="test", reason="later")
    claim = claimed(site)
    assert claim is not None
    assert Attempt.objects.get(pk=claim.attempt_id).result.run == second
    waiting = Attempt.objects.filter(result__run=first).first()
    assert claims.claim_attempt(attempt_id=waiting.pk, host=site.host, worker="w") is None
    entries.cancel_results(results=second.results.all(), actor="test")
    entries.resume_run(run=first, actor="test")
    again = claimed(site)
    assert again is not None
    assert again.attempt_id == waiting.pk
    assert list(AuditEntry.objects.filter(run=first).order_by("id").values_list("action", "reason")) == [
        ("pause", "later"),
        ("resume", ""),
    ]


def test_what_runs_already_ends_with_its_verdict_while_the_run_is_paused(site: Site) -> None:
    run = site.new_run()
    claim = claimed(site)
    entries.pause_run(run=run, actor="test")
    assert claim is not None
    assert claims.heartbeat(claim=claim)
    assert claimed(site) is None
    entries.cancel_results(results=run.results.all(), actor="test")
    assert set(Attempt.objects.values_list("status", flat=True)) == {"cancelled"}


def test_resuming_sends_a_message_for_everything_that_waits(
    site: Site, sent: list[tuple[int, str]], django_capture_on_commit_callbacks
) -> None:
    run = entries.pause_run(run=site.new_run(), actor="test")
    with django_capture_on_commit_callbacks(execute=True):
        entries.resume_run(run=run, actor="test")
    assert sent == [(attempt.pk, "cpu") for attempt in Attempt.objects.order_by("pk")]


def test_the_sweeper_does_not_wake_anybody_for_a_paused_run(site: Site) -> None:
    run = site.new_run()
    hosts.host_started(host=site.host, facts={}, calibration={})
    Attempt.objects.update(woken_at=None)
    entries.pause_run(run=run, actor="test")
    assert claims.wake_forgotten() == 0
    entries.resume_run(run=run, actor="test")
    assert claims.wake_forgotten() == 1


def test_pausing_is_refused_where_it_means_nothing(site: Site) -> None:
    run = site.new_run()
    with pytest.raises(RunError, match="is not paused"):
        entries.resume_run(run=run, actor="test")
    entries.pause_run(run=run, actor="test")
    with pytest.raises(RunError, match="paused already"):
        entries.pause_run(run=run, actor="test")
    entries.cancel_results(results=run.results.all(), actor="test")
    with pytest.raises(RunError, match="is paused: resume it first"):
        entries.rerun_results(results=run.results.all(), actor="test")
    entries.resume_run(run=run, actor="test")
    with pytest.raises(RunError, match="waits or runs"):
        entries.pause_run(run=run, actor="test")


@pytest.mark.parametrize("status", ["build_failed", "wrong_output", "timed_out", "errored", "not_judged", "cancelled"])
def test_what_did_not_pass_is_run_again_and_what_passed_is_not(site: Site, status: str) -> None:
    run = site.new_run()
    first, second = run.results.order_by("pk")
    Attempt.objects.filter(result__run=run).delete()
    make_attempt(result=first, status="passed")
    make_attempt(result=second, status=status)
    (attempt,) = entries.rerun_failed(run=run, actor="test", reason="another try")
    assert (attempt.result, attempt.number) == (second, 2)
    assert entries.rerun_failed(run=run, actor="test") == []


def test_a_withdrawal_that_is_taken_back_shows_the_answers_that_were_public(site: Site) -> None:
    run = published(site)
    before, at = board(site), run.published_at
    publishing.withdraw_run(run=run, actor="test", reason="a doubt")
    entries.rerun_results(results=run.results.all(), actor="test")
    finish(run, site, reason="mismatch")
    with pytest.raises(RunError, match="say why"):
        publishing.undo_run(run=run, actor="test", reason=" ")
    run = publishing.undo_run(run=run, actor="test", reason="no doubt left")
    assert (board(site), run.published_at) == (before, at)
    entry = run.trail.first()
    assert (entry.action, entry.undoes.action, entry.reason) == ("publish", "withdraw", "no doubt left")


def test_a_publication_that_is_taken_back_leaves_a_withdrawn_run(site: Site) -> None:
    run = publishing.undo_run(run=published(site), actor="test", reason="too early")
    assert (run.state, board(site)) == ("withdrawn", [])
    entry = run.trail.first()
    assert (entry.action, entry.undoes.action) == ("withdraw", "publish")


def test_taking_back_is_refused_where_another_run_took_the_place(site: Site) -> None:
    run = publishing.undo_run(run=published(site), actor="test", reason="too early")
    published(site)
    with pytest.raises(RunError, match="another run of rewrite, repeat 0, is published"):
        publishing.undo_run(run=run, actor="test", reason="it was right")
    with pytest.raises(RunError, match="was never published"):
        publishing.undo_run(run=make_run(), actor="test", reason="no")


def test_an_answer_that_is_taken_back_shows_the_one_before_and_again_the_newer_one(site: Site) -> None:
    run = published(site)
    before, result = board(site), run.results.order_by("pk")[0]
    entries.rerun_results(results=[result], actor="test")
    finish(run, site, reason="mismatch")
    publishing.publish_results(results=[result], actor="test")
    after = board(site)
    assert after != before
    assert publishing.undo_results(results=[result], actor="test", reason="noise") == 1
    assert board(site) == before
    entry = result.trail.first()
    assert (entry.from_attempt.number, entry.to_attempt.number, entry.undoes.to_attempt.number) == (2, 1, 2)
    publishing.undo_results(results=[result], actor="test", reason="no noise")
    assert board(site) == after


def test_a_first_answer_is_not_taken_back_alone_nor_one_that_is_not_public(site: Site) -> None:
    run = published(site)
    with pytest.raises(RunError, match="one answer only"):
        publishing.undo_results(results=run.results.all(), actor="test", reason="no")
    publishing.withdraw_run(run=run, actor="test", reason="no")
    with pytest.raises(RunError, match="withdrawn: publish the run"):
        publishing.undo_results(results=run.results.all(), actor="test", reason="no")


def test_an_older_worker_takes_nothing_that_a_newer_site_queued(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.new_run()
    hosts.host_started(host=site.host, facts={}, calibration={})
    Attempt.objects.update(wanted_evaluator="9.10.0", woken_at=None)
    assert claimed(site) is None
    assert claims.claim_attempt(attempt_id=Attempt.objects.first().pk, host=site.host, worker="w") is None
    assert claims.wake_forgotten() == 0
    monkeypatch.setattr("runs.services.claims.VERSION", "9.9.9")
    assert claimed(site) is None
    monkeypatch.setattr("runs.services.claims.VERSION", "9.10.0")
    assert claimed(site) is not None


def test_a_run_is_queued_for_the_version_of_the_site(site: Site) -> None:
    run = site.new_run()
    assert set(Attempt.objects.filter(result__run=run).values_list("wanted_evaluator", flat=True)) == {VERSION}
