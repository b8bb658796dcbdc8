"""Stores agent sessions and their iterations: those that a worker runs under its lease, and those of bundles."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from evaluator import VERSION, codec
from evaluator.records import sessions as evaluated
from evaluator.tasks.candidate import Candidate
from runs import archive, candidates, redaction, sessions
from runs.errors import RunError
from runs.models import AgentSession, Attempt, Iteration, Result
from runs.querysets import is_secret, today
from runs.services.leases import Lease, leased
from runs.services.revision import public_changed


@transaction.atomic
def begin_session(*, lease: Lease, agent: str, architecture: str) -> int | None:
    """Store a running session for the leased attempt's result, replacing one that was lost; return its id.

    Return None if the lease is lost.

    Raises:
        RunError: the result has a session that has ended.
    """
    attempt = leased(lease).first()
    if attempt is None:
        return None
    before = AgentSession.objects.filter(result=attempt.result_id).first()
    if before is not None and before.ended:
        raise RunError(f"{before} has ended: its candidate is evaluated")
    about = {"agent": agent, "architecture": architecture, "evaluator": VERSION}
    row, is_new = AgentSession.objects.get_or_create(
        result_id=attempt.result_id, defaults={"attempt": attempt, "started_at": _started(lease), **about}
    )
    if not is_new:
        fresh = {"checks": 0, "failed_builds": 0, "tail": "", "abandoned": F("abandoned") + 1}
        AgentSession.objects.filter(pk=row.pk).update(attempt=attempt, started_at=_started(lease), **fresh)
    return row.pk


def update_session(*, lease: Lease, tail: str, checks: int, failed_builds: int) -> None:
    """Store the latest output and counts of a running session; do nothing if it has ended or the lease is lost."""
    running = AgentSession.objects.filter(ended="", attempt__in=leased(lease))
    running.update(tail=tail, checks=checks, failed_builds=failed_builds)


def record_session(*, lease: Lease, session: evaluated.SessionRecord, candidate: Candidate) -> bool:
    """Store a session that has ended, and its candidate as the result's. Return False if the lease is lost.

    In a secret round only the day is stored, as with the attempt. This host's secrets are taken out.

    Raises:
        codec.DecodeError: the session contradicts itself.
        RunError: the session is of another task or candidate.
    """
    session = redaction.without_secrets(session)
    if problems := evaluated.problems_of(session):
        raise codec.DecodeError(problems)
    attempt = Attempt.objects.select_related("result__task").get(pk=lease.attempt_id)
    result = attempt.result
    if (session.task.digest, session.candidate) != (result.task.digest, candidate.ref()):
        raise RunError("the session is of another task or candidate than the row")
    in_secret = _is_in_secret(lease)
    if in_secret:
        session = replace(session, started_at=today().isoformat(timespec="seconds"))
    text = codec.dumps(session).encode()
    with transaction.atomic():
        row = AgentSession.objects.select_for_update().filter(ended="", attempt__in=leased(lease)).first()
        if row is None:
            return False
        _write(row, session, text)
        written = candidates.columns(candidate, candidates.archive_sources(candidate))
        Result.objects.filter(pk=result.pk).update(**written)  # no signal: in a secret round the change stays hidden
        if not in_secret:
            public_changed()
    return True


def store_session(result: Result, session: evaluated.SessionRecord, text: bytes) -> AgentSession:
    """Store a session of a bundle, in the caller's transaction."""
    row = AgentSession(result=result, started_at=datetime.fromisoformat(session.started_at))
    _write(row, session, text)
    return row


def _write(row: AgentSession, session: evaluated.SessionRecord, text: bytes) -> None:
    for name, value in sessions.columns(session).items():
        setattr(row, name, value)
    row.digest = archive.put(text)
    row.prompt_digest = archive.put(session.prompt.encode()) if session.prompt is not None else ""
    row.save()
    Iteration.objects.bulk_create(sessions.iterations(row, session))


def _started(lease: Lease) -> datetime | Now:
    return today() if _is_in_secret(lease) else Now()


def _is_in_secret(lease: Lease) -> bool:
    return Attempt.objects.filter(is_secret(run="result__run__"), pk=lease.attempt_id).exists()
