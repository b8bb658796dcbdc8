"""Public bundles of other benchmarks: what others claim of their own results."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q

from runs.models import Submission


class ClaimedBundleRow(NamedTuple):
    """A bundle, with its tasks of a known suite: how many it makes claims about, and how many it claims to pass."""

    submission: int
    received_at: datetime
    format: str
    about: dict[str, Any]
    agent: str
    model: str
    licence: str
    claims: int
    tasks: int
    passed: int


def newest(limit: int, offset: int = 0) -> list[ClaimedBundleRow]:
    """Public bundles, newest first."""
    public = Submission.objects.with_public_claims().order_by("-received_at", "-id")
    shown = public.values("pk")[offset : offset + limit]  # only these are counted
    known = Q(claims__is_known=True)
    rows = public.filter(pk__in=shown).annotate(
        tasks=Count("claims__task", distinct=True, filter=known),
        passed=Count("claims__task", distinct=True, filter=known & Q(claims__status="passed")),
    )
    fields = ("id", "received_at", "format", "about", "agent", "model", "licence", "claim_count", "tasks", "passed")
    return [ClaimedBundleRow(*row) for row in rows.values_list(*fields)]
