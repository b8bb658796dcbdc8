"""The one writer of sessions and their iterations: held here by a worker under its claim, or brought by a bundle."""

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
from runs.services.claims import Lease, held
from runs.services.revision import public_changed


@transaction.atomic
def begin_session(*, claim: Lease, agent: str, architecture: str) -> int | None:
    """A running session of the claimed attempt's result, in place of one that was lost. None: the claim is lost.

    Raises:
        RunError: the result has a session that is over.
    """
    attempt = held(claim).first()
    if attempt is None:
        return None
    before = AgentSession.objects.filter(result=attempt.result_id).first()
    if before is not None and before.ended:
        raise RunError(f"{before} is over: its candidate is what is evaluated")
    about = {"agent": agent, "architecture": architecture, "evaluator": VERSION}
    row, is_new = AgentSession.objects.get_or_create(
        result_id=attempt.result_id, defaults={"attempt": attempt, "started_at": _started(claim), **about}
    )
    if not is_new:
        fresh = {"checks": 0, "failed_builds": 0, "tail": "", "abandoned": F("abandoned") + 1}
        AgentSession.objects.filter(pk=row.pk).update(attempt=attempt, started_at=_started(claim), **fresh)
    return row.pk


def session_goes_on(*, claim: Lease, tail: str, checks: int, failed_builds: int) -> None:
    """What it said lately, for whoever watches; nothing once it is over or the claim is lost."""
    running = AgentSession.objects.filter(ended="", attempt__in=held(claim))
    running.update(tail=tail, checks=checks, failed_builds=failed_builds)


def record_session(*, claim: Lease, session: evaluated.SessionRecord, candidate: Candidate) -> bool:
    """Keep a session that is over, and its candidate as the result's. False, and nothing changes: the claim is lost.

    In a secret round it keeps no moment but the day, as the attempt does. Of this host's secrets it keeps none.

    Raises:
        codec.DecodeError: the session contradicts itself.
        RunError: it is of another task or candidate.
    """
    session = redaction.without_secrets(session)
    if problems := evaluated.problems_of(session):
        raise codec.DecodeError(problems)
    attempt = Attempt.objects.select_related("result__task").get(pk=claim.attempt_id)
    result = attempt.result
    if (session.task.digest, session.candidate) != (result.task.digest, candidate.ref()):
        raise RunError("the session is of another task or candidate than the row")
    in_secret = _is_in_secret(claim)
    if in_secret:
        session = replace(session, started_at=today().isoformat(timespec="seconds"))
    text, files = codec.dumps(session).encode(), candidates.kept(candidate)
    with transaction.atomic():
        row = AgentSession.objects.select_for_update().filter(ended="", attempt__in=held(claim)).first()
        if row is None:
            return False
        _write(row, session, text)
        written = candidates.columns(candidate, files)
        Result.objects.filter(pk=result.pk).update(**written)  # no save: who may see it is told when the attempt ends
        if not in_secret:
            public_changed()
    return True


def store_session(result: Result, session: evaluated.SessionRecord, text: bytes) -> AgentSession:
    """One that came with a bundle, within the transaction that makes its run."""
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


def _started(claim: Lease) -> datetime | Now:
    return today() if _is_in_secret(claim) else Now()


def _is_in_secret(claim: Lease) -> bool:
    return Attempt.objects.filter(is_secret(run="result__run__"), pk=claim.attempt_id).exists()
