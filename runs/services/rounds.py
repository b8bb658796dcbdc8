"""Rounds of unseen cases: opened with a secret that nobody knows, revealed once and for good."""

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
    """A round over a suite's tasks, with a new secret. Its hash, the generator and the tasks' digest may be told now.

    Raises:
        RunError: there is a round of this name.
        ValidationError: the name is none.
    """
    if Round.objects.filter(slug=slug).exists():
        raise RunError(f"a round is named {slug} already, and none is ever made again")
    return _opened(slug, suite, secrets.token_hex(SECRET_BYTES), actor, reason)


@transaction.atomic
def reveal_round(*, round: Round, actor: Actor, reason: str = "") -> Round:
    """Let everybody see the secret, the cases and everything that became of them. There is no way back.

    Raises:
        RunError: it is revealed already, or attempts of its runs are still open.
    """
    waiting = Attempt.objects.open().filter(result__run__round=round).count()
    if waiting:
        raise RunError(f"{round} has {counted(waiting, 'open attempt')}: wait or cancel")
    if not Round.objects.filter(pk=round.pk, revealed_at__isnull=True).update(revealed_at=timezone.now()):
        raise RunError(f"{round} is revealed already")
    note(AuditEntry.Action.REVEAL, actor, reason, round=round)
    return Round.objects.get(pk=round.pk)


@transaction.atomic
def mirror_round(*, found: rounds.RoundFile, suite: Suite, actor: Actor) -> Round:
    """The row of a round that tasks/rounds/ has, which is revealed; its suite is that of the first time.

    Raises:
        RunError: a round of this name has another secret.
    """
    row = Round.objects.filter(slug=found.name).first()
    if row is None:
        row = _opened(found.name, suite, found.secret.decode(), actor, "tasks/rounds/")
    if row.secret_hash != found.digest:
        raise RunError(f"rounds/{found.name}.yaml has another secret than the round of this name")
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
