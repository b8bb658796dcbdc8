"""Public bundles of KernelBench-X: runs, and corpora of refinement rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runs.models import Claim, Submission, Task

RUNS, CORPUS = "KernelBench-X", "KernelBench-X corpus"
MOST_BUNDLES = 20
SOURCE = "kernelbenchx"  # of our tasks after the benchmark's


class BundleRow(NamedTuple):
    id: int
    format: str
    declared: dict[str, Any]  # by the submitter
    about: dict[str, Any]


class KernelBenchXClaimRow(NamedTuple):
    """A claim. `claimed` is as written; the recomputed speedup follows from its own times."""

    submission: int
    task: str
    attempt: str
    status: str
    claimed: dict[str, Any]
    claimed_speedup: float | None
    recomputed_speedup: float | None
    code_quality: dict[str, Any] | None  # measured here from its source


def bundles() -> list[BundleRow]:
    """Public bundles, newest first, MOST_BUNDLES at most."""
    rows = Submission.objects.filter(is_public=True, format__in=(RUNS, CORPUS)).order_by("-received_at", "-id")
    return [BundleRow(*row) for row in rows.values_list(*BundleRow._fields)[:MOST_BUNDLES]]


def claims_of(submissions: Sequence[int]) -> list[KernelBenchXClaimRow]:
    """Claims on tasks of the suite, without those in quarantine."""
    rows = Claim.objects.filter(submission__in=submissions, is_known=True).order_by("id")
    return [KernelBenchXClaimRow(*row) for row in rows.values_list(*KernelBenchXClaimRow._fields)]


def native_tasks() -> list[tuple[str, str, dict[str, str]]]:
    """Path, name and provenance of every current task after one of the benchmark's."""
    rows = Task.objects.filter(is_current=True, source=SOURCE).order_by("path")
    return list(rows.values_list("path", "name", "provenance"))
