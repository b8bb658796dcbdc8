"""A worker's side of an attempt, and the sweeper's. Every change is one conditional UPDATE that counts its rows.

Leases begin and end by the database's clock: hosts whose clocks disagree still agree on who is dead.

queued → running   claim_oldest, claim_attempt: the fencing token rises, a lease starts
running → running  heartbeat renews the lease
running → final    record_verdict, only with the newest token
running → queued   release_attempt (our fault) or requeue_dead (a dead worker): once, then errored
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
from evaluator.records import record as records
from evaluator.records.reasons import REASONS
from evaluator.records.record import Record
from runs import archive, job_messages, redaction, verdicts
from runs.models import Attempt, Host, UnseenEvaluation
from runs.querysets import AttemptQuerySet, is_at_least, is_secret, today
from runs.services.measured import insert_measurements

LEASE_BEATS = 1.8  # and a sweep each 0.2 beats: a dead worker is noticed within two
IDLE_S = 3.0  # so long a message may be under way to an idle worker before it counts as lost
MAX_REQUEUES = 1
RIVALS = 100  # so many hosts of one class may look at once; whoever finds nothing is woken again
BECAUSE_CHARACTERS = 300
NOT_STARTED: Mapping[str, Any] = {"started_at": None, "heartbeat_at": None, "lease_until": None}
NOBODY: Mapping[str, Any] = {"claimed_by": "", "host": None}
SECRET = is_secret(run="result__run__")


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write one attempt's verdict, until a newer claim takes it away."""

    attempt_id: int
    token: int


def claim_oldest(*, host: Host, worker: str) -> Lease | None:
    """Take the attempt whose turn it is among those for this host's device class, whichever message woke its worker.

    What a rival is just about to take is passed over (SKIP LOCKED), not waited for. SQLite has one writer at a time.
    """
    waiting = _waiting_for(host, VERSION)
    if not waiting:
        return None
    free = Attempt.objects.queued().filter(pk__in=waiting).select_for_update(of=("self",), skip_locked=True)
    with transaction.atomic():
        attempt_id = free.values_list("pk", flat=True).first()
        return None if attempt_id is None else claim_attempt(attempt_id=attempt_id, host=host, worker=worker)


@transaction.atomic
def claim_attempt(*, attempt_id: int, host: Host, worker: str) -> Lease | None:
    """Take a queued attempt.

    None if it is not queued, its run is paused or for another device class, it wants a newer evaluator, or the host may
    not claim or runs another.
    """
    ready = Attempt.objects.ready().filter(pk=attempt_id, result__run__device_class=host.device_class_id)
    wanted = ready.values_list("wanted_evaluator", flat=True).first()
    if not host.may_claim or wanted is None or not is_at_least(VERSION, wanted):
        return None
    try:
        with transaction.atomic():
            taken = _start(attempt_id, host, worker)
    except IntegrityError:  # attempt_one_running_per_host
        return None
    if not taken:
        return None
    return Lease(attempt_id, Attempt.objects.values_list("fencing_token", flat=True).get(pk=attempt_id))


def heartbeat(*, claim: Lease) -> bool:
    """Renew the lease. False: the claim is lost, so stop and write nothing."""
    return bool(held(claim).update(heartbeat_at=Now(), lease_until=_lease_end()))


def record_verdict(*, claim: Lease, record: Record) -> bool:
    """Store the record and what it says, without this host's secrets. False, and nothing is written to the rows, if the
    claim is lost.

    Raises:
        codec.DecodeError: the record contradicts itself.
    """
    record = redaction.without_secrets(record)
    if problems := records.problems_of(record):
        raise codec.DecodeError(problems)
    secret = Attempt.objects.filter(SECRET, pk=claim.attempt_id).exists()
    if secret:
        record = replace(record, started_at=today().isoformat(timespec="seconds"))
    digest = archive.put(codec.dumps(record).encode())
    columns = verdicts.attempt_columns(record) | _ended(secret)
    with transaction.atomic():
        written = held(claim).update(record_digest=digest, **columns)
        if written:
            attempt = Attempt.objects.get(pk=claim.attempt_id)
            insert_measurements(verdicts.measurements(attempt, record))
    return bool(written)


def release_attempt(*, claim: Lease, because: str, is_fault: bool = True) -> bool:
    """Give up a claim: after a fault of ours back into the queue the first time, errored the second.

    A worker that was told to stop is no fault and does not count.
    """
    return _give_back(held(claim), claim.attempt_id, because, counts=is_fault)


def requeue_dead() -> int:
    """Give back every attempt whose worker stopped renewing its lease; how many."""
    given_back = 0
    for attempt in Attempt.objects.dead():
        still_dead = Attempt.objects.filter(pk=attempt.pk).dead()
        given_back += _give_back(still_dead, attempt.pk, f"worker {attempt.claimed_by} stopped answering")
    return given_back


def wake_forgotten() -> int:
    """Send messages again that were lost with a crash: for each idle worker one, for what it would take."""
    woken = 0
    for host, others in _idle_hosts():
        would_take = _waiting_for(host, host.evaluator)[: 1 + others]
        for attempt_id in _lost(would_take).values_list("pk", flat=True):
            woken += _wake_again(attempt_id, host.device_class.architecture)
    return woken


def held(claim: Lease) -> AttemptQuerySet:
    """The attempt, while this claim is its newest."""
    return Attempt.objects.filter(pk=claim.attempt_id, status=Attempt.Status.RUNNING, fencing_token=claim.token)


def _idle_hosts() -> list[tuple[Host, int]]:
    """One of each kind that lives and runs nothing, and how many more there are of its kind."""
    alive_since = Now() - timedelta(seconds=3 * settings.HEARTBEAT_S)
    alive = Host.objects.filter(is_enabled=True, quarantined_at__isnull=True, seen_at__gte=alive_since)
    idle = alive.exclude(attempts__status=Attempt.Status.RUNNING).select_related("device_class")
    kinds: dict[tuple[int, str], list[Host]] = {}
    for host in idle:
        kinds.setdefault((host.device_class_id, host.evaluator), []).append(host)
    return [(hosts[0], len(hosts) - 1) for hosts in kinds.values()]


def _waiting_for(host: Host, version: str) -> list[int]:
    """What a worker of this version may take for the host, in the order of the queue."""
    rows = Attempt.objects.ready().filter(result__run__device_class=host.device_class_id)
    waiting = rows.values_list("pk", "wanted_evaluator")[:RIVALS]
    return [attempt_id for attempt_id, wanted in waiting if is_at_least(version, wanted)]


@transaction.atomic
def _wake_again(attempt_id: int, queue: str) -> bool:
    """Unless another sweeper was faster."""
    is_lost = bool(_lost([attempt_id]).update(woken_at=Now()))
    if is_lost:
        job_messages.on_commit(attempt_id=attempt_id, queue=queue)
    return is_lost


def _lost(attempt_ids: list[int]) -> AttemptQuerySet:
    """Those whose message cannot be under way any more."""
    return Attempt.objects.filter(pk__in=attempt_ids).exclude(woken_at__gt=Now() - timedelta(seconds=IDLE_S))


def _start(attempt_id: int, host: Host, worker: str) -> int:
    """Only the row's own columns in WHERE: PostgreSQL checks them again after waiting for a rival's UPDATE."""
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
def _give_back(held: AttemptQuerySet, attempt_id: int, because: str, *, counts: bool = True) -> bool:
    """`held` is the attempt, if it still is as the caller saw it. Why is public, so it holds no secret."""
    because = redaction.shown(because)
    requeued = held.filter(requeues__lte=MAX_REQUEUES - counts).update(
        status=Attempt.Status.QUEUED,
        requeues=F("requeues") + int(counts),
        requeued_because=because[:BECAUSE_CHARACTERS],
        woken_at=Now(),
        **NOT_STARTED,
        **NOBODY,
    )
    if requeued:
        if not counts:  # a stop is no reason to give the unseen cases up
            UnseenEvaluation.objects.filter(attempt=attempt_id, state=UnseenEvaluation.State.RUNNING).delete()
        architecture = Attempt.objects.values_list("result__run__device_class__architecture", flat=True)
        job_messages.on_commit(attempt_id=attempt_id, queue=architecture.get(pk=attempt_id))
        return True
    status, sentence = REASONS["host_fault"]
    ended = _ended(Attempt.objects.filter(SECRET, pk=attempt_id).exists())
    message = sentence.format(detail=because)
    return bool(held.update(status=status.value, reason="host_fault", message=message, **ended))


def _ended(in_secret: bool) -> dict[str, Any]:
    """When it ended; in a secret round only the day, since the rest tells how long the unseen cases took."""
    if not in_secret:
        return {"ended_at": Now(), "lease_until": None}
    return {**NOT_STARTED, "ended_at": today(), "requeues": 0, "requeued_because": ""}


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=LEASE_BEATS * settings.HEARTBEAT_S)
