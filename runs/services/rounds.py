"""Rounds of unseen cases: opened with a random secret, and revealed once, for good."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.utils import timezone

from evaluator.unseen import rounds
from evaluator.unseen.generate import GENERATOR_VERSION
from evaluator.unseen.rounds import secret_digest
from evaluator.wording import counted
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, Round, Suite
from runs.services.audit_log import Actor, note

SECRET_BYTES = 32


@transaction.atomic
def open_round(*, slug: str, suite: Suite, actor: Actor, reason: str = "") -> Round:
    """Open a round over a suite's tasks with a new secret. Its hash, the generator and the tasks' digest are public.

    Raises:
        RunError: there is a round of this name.
        ValidationError: the name is invalid.
    """
    if Round.objects.filter(slug=slug).exists():
        raise RunError(f"there is a round named {slug} already")
    return _opened(slug, suite, secrets.token_hex(SECRET_BYTES), actor, reason)


@transaction.atomic
def reveal_round(*, round: Round, actor: Actor, reason: str = "") -> Round:
    """Make the secret, the unseen cases and all their outcomes public, for good.

    Raises:
        RunError: the round is revealed already, or an attempt of its runs is open.
    """
    waiting = Attempt.objects.open().filter(result__run__round=round).count()
    if waiting:
        raise RunError(f"{round} has {counted(waiting, 'open attempt')}: wait for them or cancel them")
    if not Round.objects.filter(pk=round.pk, revealed_at__isnull=True).update(revealed_at=timezone.now()):
        raise RunError(f"{round} is revealed already")
    note(AuditEntry.Action.REVEAL, actor, reason, round=round)
    return Round.objects.get(pk=round.pk)


@transaction.atomic
def mirror_round(*, found: rounds.RoundFile, suite: Suite, actor: Actor) -> Round:
    """Store a revealed round of tasks/rounds/, if it is new; return its row. A known round keeps its suite.

    Raises:
        RunError: the round of this name has another secret.
    """
    row = Round.objects.filter(slug=found.name).first()
    if row is None:
        row = _opened(found.name, suite, found.secret.decode(), actor, "tasks/rounds/")
    if row.secret_hash != found.digest:
        raise RunError(f"rounds/{found.name}.yaml has another secret than this site's round of that name")
    return row if row.is_revealed else reveal_round(round=row, actor=actor, reason="tasks/rounds/")


def _opened(slug: str, suite: Suite, secret: str, actor: Actor, reason: str) -> Round:
    row = Round(
        slug=slug,
        suite=suite,
        secret=secret,
        secret_hash=secret_digest(secret.encode()),
        generator_version=GENERATOR_VERSION,
        tasks_digest=suite.digest,
    )
    row.full_clean()
    row.save()
    note(AuditEntry.Action.OPEN, actor, reason, round=row)
    return row
