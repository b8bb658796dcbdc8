"""Changes of what is public, from the audit log: runs and claims published or withdrawn, results replaced, rounds."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Case, Expression, F, Q, TextField, When
from django.db.models.functions import Coalesce

from runs.models import AuditEntry
from runs.querysets import as_stated


class ChangeRow(NamedTuple):
    id: int
    at: datetime
    action: str
    reason: str
    run_id: int | None
    agent: str | None
    model: str | None
    suite: str | None
    version: int | None
    device: str | None
    task: str | None
    from_status: str | None
    to_status: str | None
    round: str | None
    round_suite: str | None
    submission_id: int | None  # whose claims changed
    claims_of: str | None  # the benchmark; None, like their agent, once the claims are withdrawn


def newest(limit: int, **of_run: str) -> list[ChangeRow]:
    """Changes, newest first, of all runs or of those with these values.

    Publishing a run is one change, not one for each of its results.

    By id, which grows with the moment: so the database reads a few entries from the end and sorts none.
    """
    of_a_run = Q(action__in=("publish", "withdraw"), run__state__in=("published", "withdrawn"))
    alone = Q(result__isnull=True) | Q(from_attempt__isnull=False) | Q(at__gt=F("run__published_at"))
    of_claims = Q(action="publish", submission__is_public=True) | Q(action="withdraw", submission__isnull=False)
    rows = AuditEntry.objects.filter(of_a_run & alone | of_claims | Q(action="reveal")).order_by("-id")
    rows = rows.filter(**{f"run__{name}": value for name, value in of_run.items()})
    fields = (
        *("id", "at", "action", "reason", "run_id", _agent_or("agent"), _agent_or("model")),
        *("run__suite__name", "run__suite__version", "run__device_class__title"),
        *("result__task__path", "from_attempt__status", "to_attempt__status", "round__slug", "round__suite__name"),
        *("submission_id", _if_public(F("submission__format"))),
    )
    return [ChangeRow(*row) for row in rows.values_list(*fields)[:limit]]


def _agent_or(name: str) -> Coalesce:
    """The name of the run's agent or model, else what public claims state of theirs."""
    stated = _if_public(as_stated(name, submission="submission__"))
    return Coalesce(F(f"run__configuration__{name}__name"), stated, output_field=TextField())


def _if_public(value: F | Expression) -> Case:
    return Case(When(submission__is_public=True, then=value))
