"""A worker's side of an attempt: leases, fencing, and what the sweeper does when a worker is gone."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.conf import settings
from django.db import connection
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from evaluator import VERSION, codec
from evaluator.records.reasons import Flag
from evaluator.records.record import PROTOCOL, read_record
from runs import archive
from runs.job_messages import _send, _send_check
from runs.models import Attempt, Host, Submission
from runs.services.leases import (
    LEASE_BEATS,
    Lease,
    heartbeat,
    lease_attempt,
    lease_next,
    record_verdict,
    release_attempt,
    requeue_expired,
    resend_lost_messages,
)
from runs.services.messages import taken_in_vain
from runs.services.submissions import resend_lost_check_messages
from runs.worker import jobs
from runs.worker.sweeper import SWEEP_BEATS
from tests import factories
from tests.factories import make_device_class, make_host
from tests.records import make_case, make_record
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


def queued(site: Site) -> Attempt:
    return Attempt.objects.filter(result__run=site.new_run()).order_by("id")[0]


def leased(site: Site) -> tuple[Attempt, Lease]:
    attempt = queued(site)
    lease = lease_attempt(attempt_id=attempt.pk, host=site.host, worker="w1")
    assert lease is not None
    attempt.refresh_from_db()
    return attempt, lease


def after(attempt: Attempt, seconds: float) -> None:
    """Let the lease be that much older."""
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=timezone.now() - timedelta(seconds=seconds))


def test_taking_an_attempt_starts_a_lease_and_raises_the_token(site: Site) -> None:
    attempt, lease = leased(site)
    assert (attempt.status, attempt.claimed_by, attempt.host, lease.token) == ("running", "w1", site.host, 1)
    assert timedelta(seconds=0) < attempt.lease_until - timezone.now() < timedelta(seconds=2 * settings.HEARTBEAT_S)


def test_an_attempt_is_taken_once(site: Site) -> None:
    attempt, _ = leased(site)
    assert lease_attempt(attempt_id=attempt.pk, host=site.host, worker="w2") is None


def test_the_first_of_the_queue_is_taken_and_a_released_one_keeps_its_place(site: Site) -> None:
    attempts = list(Attempt.objects.filter(result__run=site.new_run()).order_by("id"))
    Attempt.objects.filter(pk=attempts[0].pk).update(
        queue_position=attempts[1].queue_position, queued_at=timezone.now()
    )
    first = lease_next(host=site.host, worker="w")
    assert first == Lease(attempts[1].pk, 1)
    assert lease_next(host=site.host, worker="w") is None
    assert release_attempt(lease=first, because="no disk")
    assert lease_next(host=site.host, worker="w") == Lease(attempts[1].pk, 2)


def test_a_host_of_another_device_class_finds_nothing(site: Site) -> None:
    queued(site)
    other = make_host(device_class=make_device_class(slug="mi300x-spx", architecture="gfx942"))
    assert lease_next(host=other, worker="w") is None


def test_a_host_of_another_device_class_takes_nothing(site: Site) -> None:
    other = make_host(device_class=make_device_class(slug="mi300x-spx", architecture="gfx942"))
    assert lease_attempt(attempt_id=queued(site).pk, host=other, worker="w") is None


def test_a_disabled_host_takes_nothing(site: Site) -> None:
    site.host.is_enabled = False
    assert lease_attempt(attempt_id=queued(site).pk, host=site.host, worker="w") is None


def test_a_host_runs_one_attempt_at_a_time(site: Site) -> None:
    first, second = Attempt.objects.filter(result__run=site.new_run()).order_by("id")
    lease = lease_attempt(attempt_id=first.pk, host=site.host, worker="w1")
    assert lease is not None
    assert lease_attempt(attempt_id=second.pk, host=site.host, worker="w2") is None
    second.refresh_from_db()
    assert (second.status, second.fencing_token) == ("queued", 0)
    assert record_verdict(lease=lease, record=make_record())
    assert lease_attempt(attempt_id=second.pk, host=site.host, worker="w2") is not None


def test_an_attempt_that_does_not_exist_is_nobodys(site: Site) -> None:
    assert lease_attempt(attempt_id=10**9, host=site.host, worker="w") is None


@pytest.mark.django_db(transaction=True)
def test_of_many_claimants_at_once_exactly_one_gets_the_attempt(site: Site) -> None:
    attempt, start = queued(site), threading.Barrier(8)
    taken: list[Lease | None] = []

    def rival(number: int) -> None:
        start.wait()
        taken.append(lease_attempt(attempt_id=attempt.pk, host=site.host, worker=f"w{number}"))
        connection.close()

    threads = [threading.Thread(target=rival, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [lease for lease in taken if lease] == [Lease(attempt.pk, 1)]
    assert len(taken) == 8


def test_a_heartbeat_renews_the_lease(site: Site) -> None:
    attempt, lease = leased(site)
    after(attempt, 5)
    assert heartbeat(lease=lease)
    attempt.refresh_from_db()
    assert attempt.lease_until > timezone.now()


def test_a_verdict_becomes_columns_measurements_and_a_record_on_disk(site: Site) -> None:
    attempt, lease = leased(site)
    record = make_record(flags=(Flag.FUNCTIONAL, Flag.ORDER_DEPENDENT, Flag.HOLD))
    assert record_verdict(lease=lease, record=record)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.compiled, attempt.correct, attempt.is_held) == ("passed", True, True, True)
    assert attempt.flags == ["functional", "order_dependent", "hold"]
    assert (attempt.protocol, attempt.log_speedup, attempt.paper_speedup) == (PROTOCOL, None, None)
    assert read_record(archive.get(attempt.record_digest)) == record
    first = attempt.measurements.order_by("id")[0]
    assert (first.case, first.correct, first.baseline_correct, first.draws) == ("cols=8,rows=4", True, True, 9)
    assert first.clocks == {"functional": {"baseline_ms": 2.1, "candidate_ms": 1.1, "calls": 3}}
    assert first.baseline_t_dev_ms is None
    assert not first.is_eligible


def test_a_case_that_was_not_judged_is_neither_right_nor_wrong(site: Site) -> None:
    attempt, lease = leased(site)
    cases = (make_case("rows=1", timed=False, draws=3, correct=True), make_case("rows=2", timed=False))
    record_verdict(lease=lease, record=make_record(reason="mismatch", cases=cases))
    assert list(attempt.measurements.order_by("id").values_list("correct", flat=True)) == [True, False]


@pytest.mark.parametrize("reason", ["host_fault", "unsupported_feature"])
def test_a_fault_of_ours_gives_no_verdict_on_the_candidate(site: Site, reason: str) -> None:
    attempt, lease = leased(site)
    assert record_verdict(lease=lease, record=make_record(reason=reason, cases=()))
    attempt.refresh_from_db()
    assert (attempt.compiled, attempt.correct, attempt.reason) == (None, None, reason)


def test_a_record_that_contradicts_itself_is_refused(site: Site) -> None:
    attempt, lease = leased(site)
    with pytest.raises(codec.DecodeError):
        record_verdict(lease=lease, record=make_record(message="but it passed"))
    attempt.refresh_from_db()
    assert attempt.status == "running"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_record_with_a_number_that_is_none_is_refused(site: Site, number: float) -> None:
    attempt, lease = leased(site)
    with pytest.raises(ValueError, match="not JSON compliant"):
        record_verdict(lease=lease, record=make_record(cases=(make_case("rows=1", relative_rmse=number),)))
    attempt.refresh_from_db()
    assert attempt.status == "running"


def test_a_record_is_archived_in_the_transaction_that_names_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it, a takedown of the same bytes could remove the file."""
    _, lease = leased(site)
    put, depth, seen = archive.put, len(connection.savepoint_ids), list[int]()
    monkeypatch.setattr(archive, "put", lambda data: (seen.append(len(connection.savepoint_ids)), put(data))[1])
    assert record_verdict(lease=lease, record=make_record())
    assert seen == [depth + 1]


def test_a_stale_token_writes_nothing(site: Site) -> None:
    attempt, stale = leased(site)
    after(attempt, 1)
    requeue_expired()
    fresh = lease_attempt(attempt_id=attempt.pk, host=site.host, worker="w2")
    assert fresh == Lease(attempt.pk, 2)
    assert not heartbeat(lease=stale)
    assert not record_verdict(lease=stale, record=make_record(reason="mismatch"))
    assert not release_attempt(lease=stale, because="late")
    attempt.refresh_from_db()
    assert (attempt.status, attempt.fencing_token, attempt.claimed_by) == ("running", 2, "w2")
    assert not attempt.measurements.exists()
    assert record_verdict(lease=fresh, record=make_record())


def test_a_second_verdict_changes_nothing(site: Site) -> None:
    attempt, lease = leased(site)
    assert record_verdict(lease=lease, record=make_record())
    assert not record_verdict(lease=lease, record=make_record(reason="mismatch"))
    attempt.refresh_from_db()
    assert attempt.status == "passed"
    assert attempt.measurements.count() == 2


def test_our_fault_is_tried_once_more_and_then_errored(
    site: Site, sent: list[tuple[int, str]], django_capture_on_commit_callbacks
) -> None:
    attempt, lease = leased(site)
    with django_capture_on_commit_callbacks(execute=True):
        assert release_attempt(lease=lease, because="no disk")
    attempt.refresh_from_db()
    assert (attempt.status, attempt.requeues, attempt.requeued_because) == ("queued", 1, "no disk")
    assert sent == [(attempt.pk, "cpu")]
    again = lease_attempt(attempt_id=attempt.pk, host=site.host, worker="w1")
    assert again is not None
    assert release_attempt(lease=again, because="no disk")
    attempt.refresh_from_db()
    assert (attempt.status, attempt.reason, attempt.number) == ("errored", "host_fault", 1)
    assert "no disk" in attempt.message


def test_a_worker_that_is_stopped_costs_no_retry(site: Site) -> None:
    attempt, lease = leased(site)
    assert release_attempt(lease=lease, because="stopped", is_fault=False)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.requeues) == ("queued", 0)


def test_a_lease_and_a_sweep_together_take_no_more_than_two_heartbeats() -> None:
    """`python -m tests.chaos.measure` measures it."""
    assert LEASE_BEATS + SWEEP_BEATS <= 2


def test_a_dead_worker_is_noticed_by_its_lease_alone(site: Site, sent: list[tuple[int, str]]) -> None:
    attempt, _ = leased(site)
    assert requeue_expired() == 0
    after(attempt, 1)
    assert requeue_expired() == 1
    attempt.refresh_from_db()
    assert (attempt.status, attempt.requeues) == ("queued", 1)
    assert attempt.requeued_because == "worker w1 stopped responding"
    assert (attempt.started_at, attempt.heartbeat_at, attempt.host, attempt.claimed_by) == (None, None, None, "")


def test_a_host_whose_clock_is_wrong_takes_nobodys_attempt(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt, lease = leased(site)
    now = timezone.now()
    for days in (-1, 1):
        monkeypatch.setattr(timezone, "now", lambda days=days: now + timedelta(days=days))
        assert requeue_expired() == 0
        assert heartbeat(lease=lease)
        attempt.refresh_from_db()
        assert abs(attempt.heartbeat_at - now) < timedelta(minutes=1)
        assert timedelta(0) < attempt.lease_until - attempt.heartbeat_at < timedelta(seconds=2 * settings.HEARTBEAT_S)


def test_a_second_dead_worker_ends_the_attempt(site: Site) -> None:
    attempt, _ = leased(site)
    for _ in range(2):
        after(attempt, 1)
        requeue_expired()
        lease_attempt(attempt_id=attempt.pk, host=site.host, worker="w2")
    attempt.refresh_from_db()
    assert attempt.status == "errored"


def seen(host: Host, *, seconds_ago: float) -> None:
    seen_at = timezone.now() - timedelta(seconds=seconds_ago)
    Host.objects.filter(pk=host.pk).update(seen_at=seen_at, evaluator=VERSION)


def test_an_idle_worker_gets_another_message_for_the_oldest_row_whose_message_is_lost(
    site: Site, sent: list[tuple[int, str]], django_capture_on_commit_callbacks
) -> None:
    attempt = queued(site)
    seen(site.host, seconds_ago=1)
    assert resend_lost_messages() == 0, "the message may still be under way"
    Attempt.objects.update(message_sent_at=timezone.now() - timedelta(seconds=60))
    with django_capture_on_commit_callbacks(execute=True):
        assert resend_lost_messages() == 1
        assert resend_lost_messages() == 0
    assert sent == [(attempt.pk, "cpu")]


def test_messages_of_a_row_that_waits_for_long_stay_few(site: Site) -> None:
    attempt = queued(site)
    submission = factories.make_submission()
    sent = {"attempt": 0, "submission": 0}
    for _ in range(40):  # minutes in which a worker is alive, looks free and takes nothing
        seen(site.host, seconds_ago=1)
        for model in (Attempt, Submission):
            model.objects.update(message_sent_at=Coalesce("message_sent_at", Now()) - timedelta(seconds=60))
        for _ in range(2):  # two sweepers
            sent["attempt"] += resend_lost_messages()
            sent["submission"] += resend_lost_check_messages()
    assert 0 < sent["attempt"] < 25, sent
    assert 0 < sent["submission"] < 25, sent
    attempt.refresh_from_db()
    submission.refresh_from_db()
    assert (attempt.messages_resent, submission.messages_resent) == (sent["attempt"], sent["submission"])


def test_a_message_that_a_disabled_hosts_worker_took_is_sent_again_soon(site: Site) -> None:
    attempt, submission = queued(site), factories.make_submission()
    Host.objects.update(is_enabled=False)
    for model in (Attempt, Submission):
        model.objects.update(messages_resent=9)
    jobs.evaluate_attempt(attempt.pk)
    taken_in_vain(Submission.objects.waiting())
    attempt.refresh_from_db()
    submission.refresh_from_db()
    assert (attempt.status, attempt.messages_resent, submission.messages_resent) == ("queued", 0, 0)


def test_a_submission_that_waits_without_a_worker_has_no_message_sent_again(site: Site) -> None:
    factories.make_submission()
    seen(site.host, seconds_ago=600)
    assert resend_lost_check_messages() == 0


def test_a_message_is_dropped_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = list[dict[str, Any]]()
    monkeypatch.setattr(current_app, "send_task", lambda name, **options: sent.append(options))
    _send(1, "cpu")
    _send_check(1)
    assert [options["expires"] for options in sent] == [3600, 3600]


def test_no_message_is_sent_again_while_the_worker_is_busy_or_gone(site: Site) -> None:
    attempt = queued(site)
    Attempt.objects.update(message_sent_at=None)
    seen(site.host, seconds_ago=600)
    assert resend_lost_messages() == 0
    seen(site.host, seconds_ago=1)
    lease_attempt(attempt_id=attempt.pk, host=site.host, worker="w1")
    assert resend_lost_messages() == 0
