"""Bundles of KernelBench-X whose claims a maintainer let everybody see: runs, and corpora of rounds of refinement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runs.models import Claim, Submission

RUNS, CORPUS = "KernelBench-X", "KernelBench-X corpus"
MOST_BUNDLES = 20


class BundleRow(NamedTuple):
    id: int
    format: str
    declared: dict[str, Any]  # by the submitter
    about: dict[str, Any]


class KernelBenchXClaimRow(NamedTuple):
    """`claimed` as it was written; the recomputed speedup is that of its own times."""

    submission: int
    task: str
    attempt: str
    status: str
    claimed: dict[str, Any]
    claimed_speedup: float | None
    recomputed_speedup: float | None


def bundles() -> list[BundleRow]:
    """Newest first."""
    rows = Submission.objects.filter(is_public=True, format__in=(RUNS, CORPUS)).order_by("-received_at", "-id")
    return [BundleRow(*row) for row in rows.values_list(*BundleRow._fields)[:MOST_BUNDLES]]


def claims_of(submissions: Sequence[int]) -> list[KernelBenchXClaimRow]:
    """Of tasks of the suite; what is in quarantine counts for nothing."""
    rows = Claim.objects.filter(submission__in=submissions, is_known=True).order_by("id")
    return [KernelBenchXClaimRow(*row) for row in rows.values_list(*KernelBenchXClaimRow._fields)]
