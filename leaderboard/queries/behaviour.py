"""How agents worked, as far as rows tell: counts of public answers, and the labels of the candidates handed in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Count, Q

from leaderboard import strategies
from runs import archive
from runs.models import Result

MOST = 500  # candidates whose sources are read for one page, the newest; labelling one took 5 ms of CPU, once


class AnswerRow(NamedTuple):
    """Results of public runs, of one category. What says nothing about the candidate is not judged."""

    configuration: str
    agent: str
    model: str | None
    role: str
    category: str
    answers: int
    handed_in: int
    judged: int
    build_failed: int
    passed: int


class CandidateRow(NamedTuple):
    """A candidate of a published answer. `log_speedup` as metrics take it; None where there is no speed."""

    result_id: int
    configuration: str
    agent: str
    model: str | None
    candidate_files: dict[str, str]
    task_files: dict[str, str]
    log_speedup: float | None
    is_functional: bool
    status: str
    audit: str
    is_held: bool
    is_uncalibrated: bool
    protocol: str
    run_protocol: str


def answers(**wanted: str) -> list[AnswerRow]:
    entry = (*_ENTRY, "run__configuration__role", "task__category")
    published = "published_attempt__"
    rows = Result.objects.filter(run__state="published", **_narrowed(wanted)).values_list(*entry)
    found = rows.annotate(
        answers=Count("id"),
        handed_in=Count("id", filter=~Q(candidate_digest="")),
        judged=Count("id", filter=Q(**{f"{published}compiled__isnull": False})),
        build_failed=Count("id", filter=Q(**{f"{published}status": "build_failed"})),
        passed=Count("id", filter=Q(**{f"{published}status": "passed"})),
    )
    return [AnswerRow(*row) for row in found.order_by(*_ENTRY[1:], _ENTRY[0], "task__category")]


def candidates(**wanted: str) -> list[CandidateRow]:
    """The newest ones of which files are kept."""
    rows = Result.objects.public().filter(**_narrowed(wanted)).exclude(candidate_files={})
    fields = (
        *("id", *_ENTRY, "candidate_files", "task__files", "published_attempt__cautious_log_speedup"),
        *("run__device_class__is_functional", "published_attempt__status", "audit", "published_attempt__is_held"),
        *("published_attempt__is_uncalibrated", "published_attempt__protocol", "run__protocol"),
    )
    return [CandidateRow(*row) for row in rows.order_by("-run__published_at", "-id").values_list(*fields)[:MOST]]


def labels(candidate_files: Mapping[str, str], task_files: Mapping[str, str]) -> frozenset[str] | None:
    """What the candidate does that the baseline does not; None where the archive lost a source."""
    try:
        return _labels(tuple(sorted(candidate_files.items())), tuple(sorted(task_files.items())))
    except archive.ArchiveError:
        return None


_ENTRY = ("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name")
_Files = tuple[tuple[str, str], ...]  # path and digest


@lru_cache(maxsize=20_000)
def _labels(candidate: _Files, baseline: _Files) -> frozenset[str]:
    """Kept by digests, which name contents for ever."""
    return strategies.labels(_texts(candidate), _texts(baseline))


def _texts(files: _Files) -> dict[str, str]:
    return {path: archive.get(digest).decode("utf-8", "replace") for path, digest in files}


def _narrowed(wanted: Mapping[str, str]) -> dict[str, str]:
    ways = {
        "suite": "run__suite__name",
        "device": "run__device_class__slug",
        "configuration": "run__configuration__slug",
        "category": "task__category",
    }
    return {ways[name]: value for name, value in wanted.items() if value}
