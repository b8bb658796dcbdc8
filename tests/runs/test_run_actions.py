"""Pause and resume, run again what failed, take back a publication: states, audit log, what stays."""

from __future__ import annotations

import pytest

from evaluator import VERSION
from evaluator.records.record import PROTOCOL
from runs.errors import RunError
from runs.models import Attempt, AuditEntry
from runs.services import hosts, leases, publishing, run_actions
from tests.factories import make_attempt, make_run
from tests.runs.conftest import Site
from tests.runs.test_runs import board, finish, published

pytestmark = pytest.mark.django_db


def leased(site: Site) -> leases.Lease | None:
    return leases.lease_next(host=site.host, worker="w")


def test_a_paused_run_keeps_its_place_and_no_worker_takes_it(site: Site) -> None:
    first, second = site.new_run(), site.new_run(repeat=1)
    run_actions.pause_run(run=first, actor="test", reason="later")
    lease = leased(site)
    assert lease is not None
    assert Attempt.objects.get(pk=lease.attempt_id).result.run == second
    waiting = Attempt.objects.filter(result__run=first).first()
    assert leases.lease_attempt(attempt_id=waiting.pk, host=site.host, worker="w") is None
    run_actions.cancel_results(results=second.results.all(), actor="test")
    run_actions.resume_run(run=first, actor="test")
    again = leased(site)
    assert again is not None
    assert again.attempt_id == waiting.pk
    assert list(AuditEntry.objects.filter(run=first).order_by("id").values_list("action", "reason")) == [
        ("pause", "later"),
        ("resume", ""),
    ]


def test_what_runs_already_ends_with_its_verdict_while_the_run_is_paused(site: Site) -> None:
    run = site.new_run()
    lease = leased(site)
    run_actions.pause_run(run=run, actor="test")
    assert lease is not None
    assert leases.heartbeat(lease=lease)
    assert leased(site) is None
    run_actions.cancel_results(results=run.results.all(), actor="test")
    assert set(Attempt.objects.values_list("status", flat=True)) == {"cancelled"}


def test_resuming_sends_a_message_for_everything_that_waits(
    site: Site, sent: list[tuple[int, str]], django_capture_on_commit_callbacks
) -> None:
    run = run_actions.pause_run(run=site.new_run(), actor="test")
    with django_capture_on_commit_callbacks(execute=True):
        run_actions.resume_run(run=run, actor="test")
    assert sent == [(attempt.pk, "cpu") for attempt in Attempt.objects.order_by("pk")]


def test_the_sweeper_does_not_wake_anybody_for_a_paused_run(site: Site) -> None:
    run = site.new_run()
    hosts.host_started(host=site.host, facts={}, calibration={})
    Attempt.objects.update(message_sent_at=None)
    run_actions.pause_run(run=run, actor="test")
    assert leases.resend_lost_messages() == 0
    run_actions.resume_run(run=run, actor="test")
    assert leases.resend_lost_messages() == 1


def test_pausing_is_refused_where_it_means_nothing(site: Site) -> None:
    run = site.new_run()
    with pytest.raises(RunError, match="is not paused"):
        run_actions.resume_run(run=run, actor="test")
    run_actions.pause_run(run=run, actor="test")
    with pytest.raises(RunError, match="paused already"):
        run_actions.pause_run(run=run, actor="test")
    run_actions.cancel_results(results=run.results.all(), actor="test")
    with pytest.raises(RunError, match="is paused: resume it first"):
        run_actions.rerun_results(results=run.results.all(), actor="test")
    run_actions.resume_run(run=run, actor="test")
    with pytest.raises(RunError, match="has no open attempt"):
        run_actions.pause_run(run=run, actor="test")


@pytest.mark.parametrize("status", ["build_failed", "wrong_output", "timed_out", "errored", "not_judged", "cancelled"])
def test_what_did_not_pass_is_run_again_and_what_passed_is_not(site: Site, status: str) -> None:
    run = site.new_run()
    first, second = run.results.order_by("pk")
    Attempt.objects.filter(result__run=run).delete()
    make_attempt(result=first, status="passed")
    make_attempt(result=second, status=status)
    (attempt,) = run_actions.rerun_failed(run=run, actor="test", reason="another try")
    assert (attempt.result, attempt.number) == (second, 2)
    assert run_actions.rerun_failed(run=run, actor="test") == []


def test_taking_back_a_withdrawal_publishes_the_same_attempts(site: Site) -> None:
    run = published(site)
    before, at = board(site), run.published_at
    publishing.withdraw_run(run=run, actor="test", reason="a doubt")
    run_actions.rerun_results(results=run.results.all(), actor="test")
    finish(run, site, reason="mismatch")
    with pytest.raises(RunError, match="give a reason"):
        publishing.undo_run(run=run, actor="test", reason=" ")
    run = publishing.undo_run(run=run, actor="test", reason="no doubt left")
    assert (board(site), run.published_at) == (before, at)
    entry = run.audit_entries.first()
    assert (entry.action, entry.undoes.action, entry.reason) == ("publish", "withdraw", "no doubt left")


def test_a_publication_that_is_taken_back_leaves_a_withdrawn_run(site: Site) -> None:
    run = publishing.undo_run(run=published(site), actor="test", reason="too early")
    assert (run.state, board(site)) == ("withdrawn", [])
    entry = run.audit_entries.first()
    assert (entry.action, entry.undoes.action) == ("withdraw", "publish")


def test_taking_back_is_refused_where_another_run_took_the_place(site: Site) -> None:
    run = publishing.undo_run(run=published(site), actor="test", reason="too early")
    published(site)
    with pytest.raises(RunError, match="another run of rewrite, repeat 0, is already published"):
        publishing.undo_run(run=run, actor="test", reason="it was right")
    with pytest.raises(RunError, match="was never published"):
        publishing.undo_run(run=make_run(), actor="test", reason="no")


def test_taking_back_a_publication_shows_the_attempt_before_and_then_the_newer_again(site: Site) -> None:
    run = published(site)
    before, result = board(site), run.results.order_by("pk")[0]
    run_actions.rerun_results(results=[result], actor="test")
    finish(run, site, reason="mismatch")
    publishing.publish_results(results=[result], actor="test")
    after = board(site)
    assert after != before
    assert publishing.undo_results(results=[result], actor="test", reason="noise") == 1
    assert board(site) == before
    entry = result.audit_entries.first()
    assert (entry.from_attempt.number, entry.to_attempt.number, entry.undoes.to_attempt.number) == (2, 1, 2)
    publishing.undo_results(results=[result], actor="test", reason="no noise")
    assert board(site) == after


def test_a_first_publication_is_not_taken_back_alone_nor_one_of_a_run_that_is_not_public(site: Site) -> None:
    run = published(site)
    with pytest.raises(RunError, match="only one published attempt"):
        publishing.undo_results(results=run.results.all(), actor="test", reason="no")
    publishing.withdraw_run(run=run, actor="test", reason="no")
    with pytest.raises(RunError, match="withdrawn: publish the run"):
        publishing.undo_results(results=run.results.all(), actor="test", reason="no")


def test_an_older_worker_takes_nothing_that_a_newer_site_queued(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.new_run()
    hosts.host_started(host=site.host, facts={}, calibration={})
    Attempt.objects.update(wanted_evaluator="9.10.0", message_sent_at=None)
    assert leased(site) is None
    assert leases.lease_attempt(attempt_id=Attempt.objects.first().pk, host=site.host, worker="w") is None
    assert leases.resend_lost_messages() == 0
    monkeypatch.setattr("runs.services.leases.VERSION", "9.9.9")
    assert leased(site) is None
    monkeypatch.setattr("runs.services.leases.VERSION", "9.10.0")
    assert leased(site) is not None


def test_a_result_of_a_past_protocol_is_not_run_again(site: Site) -> None:
    run = make_run(suite=site.suite, device_class=site.device_class, status="passed", protocol="arena-1")
    with pytest.raises(RunError, match=f"of arena-1, and this evaluator times by {PROTOCOL}: start a new run"):
        run_actions.rerun_results(results=run.results.all(), actor="test")
    assert not Attempt.objects.open().filter(result__run=run).exists()


def test_a_run_is_queued_for_the_version_of_the_site(site: Site) -> None:
    run = site.new_run()
    assert set(Attempt.objects.filter(result__run=run).values_list("wanted_evaluator", flat=True)) == {VERSION}
