"""Leases of attempts: how workers take, keep and finish them, and how the sweeper recovers those of dead workers.

Every change is one conditional UPDATE that counts its rows. Leases begin and end by the database's clock, so hosts
whose clocks differ agree on which have expired.

queued → running   lease_next, lease_attempt: the fencing token rises, a lease starts
running → running  heartbeat renews the lease
running → final    record_verdict, only with the newest token
running → queued   release_attempt (a fault of ours) or requeue_expired (a dead worker): once, then errored
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from evaluator import VERSION, codec
from evaluator.inside.excerpts import cut
from evaluator.records import record as records
from evaluator.records.reasons import REASONS
from evaluator.records.record import Record
from runs import archive, job_messages, redaction, verdicts
from runs.models import Attempt, Host, UnseenEvaluation
from runs.querysets import AttemptQuerySet, is_at_least, is_secret, today
from runs.services import messages
from runs.services.measurements import insert_measurements

LEASE_BEATS = 1.8  # with a sweep every 0.2 beats, a dead worker is noticed within two
MAX_REQUEUES = 1
RIVALS = 100  # hosts of one class that may look at the same time; one that finds nothing gets another message
BECAUSE_CHARACTERS = 300
NOT_STARTED: Mapping[str, Any] = {"started_at": None, "heartbeat_at": None, "lease_until": None}
NO_WORKER: Mapping[str, Any] = {"claimed_by": "", "host": None}
SECRET = is_secret(run="result__run__")


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write one attempt's verdict, until it expires and another worker takes the attempt."""

    attempt_id: int
    token: int


def lease_next(*, host: Host, worker: str) -> Lease | None:
    """Take the first attempt in the queue of this host's device class, whichever message the worker received.

    An attempt that another worker is just taking is skipped (SKIP LOCKED). SQLite has one writer at a time.
    """
    waiting = _waiting_for(host, VERSION)
    if not waiting:
        return None
    free = Attempt.objects.queued().filter(pk__in=waiting).select_for_update(of=("self",), skip_locked=True)
    with transaction.atomic():
        attempt_id = free.values_list("pk", flat=True).first()
        return None if attempt_id is None else lease_attempt(attempt_id=attempt_id, host=host, worker=worker)


@transaction.atomic
def lease_attempt(*, attempt_id: int, host: Host, worker: str) -> Lease | None:
    """Take a queued attempt.

    Return None if it is not queued, its run is paused or for another device class, it needs a newer evaluator, or the
    host may take no work or runs another attempt.
    """
    ready = Attempt.objects.ready().filter(pk=attempt_id, result__run__device_class=host.device_class_id)
    wanted = ready.values_list("wanted_evaluator", flat=True).first()
    if not host.may_take_work or wanted is None or not is_at_least(VERSION, wanted):
        return None
    try:
        with transaction.atomic():
            taken = _start(attempt_id, host, worker)
    except IntegrityError:  # attempt_one_running_per_host
        return None
    if not taken:
        return None
    return Lease(attempt_id, Attempt.objects.values_list("fencing_token", flat=True).get(pk=attempt_id))


def heartbeat(*, lease: Lease) -> bool:
    """Renew the lease. Return False if it is lost: stop then, and write nothing."""
    return bool(leased(lease).update(heartbeat_at=Now(), lease_until=_lease_end()))


def record_verdict(*, lease: Lease, record: Record) -> bool:
    """Store the record, without this host's secrets, and its verdict and measurements.

    Return False, and change no rows, if the lease is lost.

    Raises:
        codec.DecodeError: the record contradicts itself.
    """
    record = redaction.without_secrets(record)
    if problems := records.problems_of(record):
        raise codec.DecodeError(problems)
    secret = Attempt.objects.filter(SECRET, pk=lease.attempt_id).exists()
    if secret:
        record = replace(record, started_at=today().isoformat(timespec="seconds"))
    text = codec.dumps(record).encode()
    work = Attempt.objects.filter(pk=lease.attempt_id).values_list("result__task__work", flat=True).first()
    columns = verdicts.attempt_columns(record, work) | _ended(secret)
    with transaction.atomic():
        written = leased(lease).update(record_digest=archive.put(text), **columns)
        if written:
            attempt = Attempt.objects.get(pk=lease.attempt_id)
            insert_measurements(verdicts.measurements(attempt, record))
    return bool(written)


def release_attempt(*, lease: Lease, because: str, is_fault: bool = True) -> bool:
    """Give up a lease. After a fault the attempt is queued again the first time, and errored the second.

    A worker that is stopped is not a fault (`is_fault=False`) and does not count. Return False if the lease is lost.
    """
    return _requeue_or_end(leased(lease), lease.attempt_id, because, counts=is_fault)


def requeue_expired() -> int:
    """Queue every attempt whose lease has expired again, or end it as errored; return how many."""
    count = 0
    for attempt in Attempt.objects.expired():
        still_expired = Attempt.objects.filter(pk=attempt.pk).expired()
        count += _requeue_or_end(still_expired, attempt.pk, f"worker {attempt.claimed_by} stopped responding")
    return count


def resend_lost_messages() -> int:
    """Send a message again for each attempt that an idle worker could take, in case it was lost; return how many."""
    sent = 0
    for host, others in _idle_hosts():
        would_take = _waiting_for(host, host.evaluator)[: 1 + others]
        for attempt in Attempt.objects.filter(pk__in=would_take):
            sent += _send_again(attempt, host.device_class.architecture)
    return sent


def leased(lease: Lease) -> AttemptQuerySet[Attempt]:
    """Return the attempt as a query that matches only while the lease is valid."""
    return Attempt.objects.filter(pk=lease.attempt_id, status=Attempt.Status.RUNNING, fencing_token=lease.token)


def _idle_hosts() -> list[tuple[Host, int]]:
    """Return one idle host of each device class and evaluator version, and how many more there are like it."""
    kinds: dict[tuple[int, str], list[Host]] = {}
    for host in messages.free_workers().select_related("device_class"):
        kinds.setdefault((host.device_class_id, host.evaluator), []).append(host)
    return [(hosts[0], len(hosts) - 1) for hosts in kinds.values()]


def _waiting_for(host: Host, version: str) -> list[int]:
    """Return ids of attempts that a worker of this evaluator version may take for the host, in queue order."""
    rows = Attempt.objects.ready().filter(result__run__device_class=host.device_class_id)
    waiting = rows.values_list("pk", "wanted_evaluator")[:RIVALS]
    return [attempt_id for attempt_id, wanted in waiting if is_at_least(version, wanted)]


@transaction.atomic
def _send_again(attempt: Attempt, queue: str) -> bool:
    """Send the message, unless it is still under way or another sweeper has sent it."""
    is_lost = messages.may_send_again(attempt)
    if is_lost:
        job_messages.send_evaluate_on_commit(attempt_id=attempt.pk, queue=queue)
    return is_lost


def _start(attempt_id: int, host: Host, worker: str) -> int:
    """Start a lease; return the number of changed rows.

    WHERE uses only the row's own columns: PostgreSQL checks them again after waiting for another worker's UPDATE.
    """
    return Attempt.objects.filter(pk=attempt_id, status=Attempt.Status.QUEUED).update(
        status=Attempt.Status.RUNNING,
        fencing_token=F("fencing_token") + 1,
        claimed_by=worker,
        host=host,
        started_at=Now(),
        heartbeat_at=Now(),
        lease_until=_lease_end(),
    )


@transaction.atomic
def _requeue_or_end(attempts: AttemptQuerySet[Attempt], attempt_id: int, because: str, *, counts: bool = True) -> bool:
    """Queue the attempt again or end it; `attempts` matches it only while it is as the caller saw it.

    `because` is public, so secrets are taken out.
    """
    because = redaction.redacted(because)
    requeued = attempts.filter(requeues__lte=MAX_REQUEUES - counts).update(
        status=Attempt.Status.QUEUED,
        requeues=F("requeues") + int(counts),
        requeued_because=cut(because, BECAUSE_CHARACTERS),
        message_sent_at=Now(),
        messages_resent=0,
        **NOT_STARTED,
        **NO_WORKER,
    )
    if requeued:
        if not counts:  # a worker that is stopped does not cost the attempt its unseen cases
            UnseenEvaluation.objects.filter(attempt=attempt_id, state=UnseenEvaluation.State.RUNNING).delete()
        architecture = Attempt.objects.values_list("result__run__device_class__architecture", flat=True)
        job_messages.send_evaluate_on_commit(attempt_id=attempt_id, queue=architecture.get(pk=attempt_id))
        return True
    status, sentence = REASONS["host_fault"]
    ended = _ended(Attempt.objects.filter(SECRET, pk=attempt_id).exists())
    message = sentence.format(detail=because)
    return bool(attempts.update(status=status.value, reason="host_fault", message=message, **ended))


def _ended(in_secret: bool) -> dict[str, Any]:
    """Return the columns of an ended attempt.

    In a secret round only the day is stored: exact times would reveal how long the unseen cases took.
    """
    if not in_secret:
        return {"ended_at": Now(), "lease_until": None}
    return {**NOT_STARTED, "ended_at": today(), "requeues": 0, "requeued_because": ""}


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=LEASE_BEATS * settings.HEARTBEAT_S)
