"""Public bundles of one benchmark, with what they state of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runs.models import Submission

MOST_BUNDLES = 20


class BundleRow(NamedTuple):
    id: int
    format: str
    declared: dict[str, Any]  # by the submitter
    about: dict[str, Any]


def bundles(formats: Sequence[str]) -> list[BundleRow]:
    """Public bundles, newest first, MOST_BUNDLES at most."""
    rows = Submission.objects.filter(is_public=True, format__in=formats).order_by("-received_at", "-id")
    return [BundleRow(*row) for row in rows.values_list(*BundleRow._fields)[:MOST_BUNDLES]]
