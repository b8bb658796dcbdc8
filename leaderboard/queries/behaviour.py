"""Agent behaviour: counts of public results, their sessions, and labels of the submitted candidates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, Sum

from leaderboard import strategies
from leaderboard.queries.ordering import by
from runs import archive
from runs.models import AgentSession, Iteration, Result
from runs.querysets import AgentSessionQuerySet, IterationQuerySet, is_correct

MOST = 500  # candidates whose sources are read for one page, the newest; labelling one took 5 ms of CPU, once


class BehaviourRow(NamedTuple):
    """Counts of results of public runs in one category. `evaluated`: those that say something about the candidate."""

    configuration: str
    agent: str
    model: str | None
    role: str
    category: str
    results: int
    submitted: int
    evaluated: int
    build_failed: int
    passed: int


class CandidateRow(NamedTuple):
    """A candidate of a public result. `log_speedup` is the one that metrics use; None where there is no speed."""

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


class SessionsRow(NamedTuple):
    """Sessions of public results that ended in one way. Each sum is over the sessions that report it.

    `own_check_passed`: the submitted version had passed the session's own check, and has a central verdict.
    """

    configuration: str
    agent: str
    model: str | None
    category: str
    ended: str
    sessions: int
    checks: int
    failed_builds: int
    turns_reported: int  # sessions
    turns: int | None
    tool_calls_reported: int
    tool_calls: int | None
    seconds: float
    own_check_passed: int
    then_failed: int  # of these, how many failed the central evaluation, or were found hacked
    then_failed_result: int | None  # the newest of these


class VersionsRow(NamedTuple):
    """Versions that were checked in those sessions, by outcome."""

    configuration: str
    category: str
    status: str
    versions: int
    first_versions: int  # how many of them were the first of their session


def sessions(**filters: str) -> list[SessionsRow]:
    shown: AgentSessionQuerySet[AgentSession] = AgentSession.objects.visible()
    rows = shown.exclude(ended="").filter(**_public_lookups("result__", filters)).alias(own_check=_OWN_CHECK)
    entry = tuple(f"result__{name}" for name in (*_ENTRY, "task__category"))
    evaluated = Q(own_check=True, result__published_attempt__compiled__isnull=False)
    then_failed = evaluated & ~is_correct(result="result__")
    found = rows.values_list(*entry, "ended").annotate(
        sessions=Count("id"),
        all_checks=Sum("checks"),
        all_failed=Sum("failed_builds"),
        turns_reported=Count("turns"),
        all_turns=Sum("turns"),
        tool_calls_reported=Count("tool_calls"),
        all_calls=Sum("tool_calls"),
        all_seconds=Sum("seconds"),
        own_check_passed=Count("id", filter=evaluated),
        then_failed=Count("id", filter=then_failed),
        then_failed_result=Max("result_id", filter=then_failed),
    )
    return [SessionsRow(*row) for row in found.order_by(*by(*entry[1:3], entry[0], entry[3], "ended"))]


def versions(**filters: str) -> list[VersionsRow]:
    shown: IterationQuerySet[Iteration] = Iteration.objects.visible()
    rows = shown.exclude(session__ended="").filter(**_public_lookups("session__result__", filters))
    entry = ("session__result__run__configuration__slug", "session__result__task__category", "status")
    found = rows.values_list(*entry).annotate(versions=Count("id"), first_versions=Count("id", filter=Q(number=1)))
    return [VersionsRow(*row) for row in found.order_by(*entry)]


def results(**filters: str) -> list[BehaviourRow]:
    entry = (*_ENTRY, "run__configuration__role", "task__category")
    published = "published_attempt__"
    rows = Result.objects.filter(run__state="published", **_lookups(filters)).values_list(*entry)
    found = rows.annotate(
        results=Count("id"),
        submitted=Count("id", filter=~Q(candidate_digest="")),
        evaluated=Count("id", filter=Q(**{f"{published}compiled__isnull": False})),
        build_failed=Count("id", filter=Q(**{f"{published}status": "build_failed"})),
        passed=Count("id", filter=is_correct()),
    )
    return [BehaviourRow(*row) for row in found.order_by(*by(*_ENTRY[1:], _ENTRY[0], "task__category"))]


def candidates(**filters: str) -> list[CandidateRow]:
    """The newest candidates whose files are stored, MOST at most."""
    rows = Result.objects.public().filter(**_lookups(filters)).exclude(candidate_files={})
    fields = (
        *("id", *_ENTRY, "candidate_files", "task__files", "published_attempt__cautious_log_speedup"),
        *("run__device_class__is_functional", "published_attempt__status", "audit", "published_attempt__is_held"),
        *("published_attempt__is_uncalibrated", "published_attempt__protocol", "run__protocol"),
    )
    return [CandidateRow(*row) for row in rows.order_by("-run__published_at", "-id").values_list(*fields)[:MOST]]


def labels(candidate_files: Mapping[str, str], task_files: Mapping[str, str]) -> frozenset[str] | None:
    """Labels of what the candidate does and the baseline does not; None where the archive lacks a source."""
    try:
        return _labels(tuple(sorted(candidate_files.items())), tuple(sorted(task_files.items())))
    except archive.ArchiveError:
        return None


_ENTRY = ("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name")
_OWN_CHECK = Exists(  # the submitted version passed where the agent had it checked
    Iteration.objects.filter(
        session=OuterRef("pk"), status="passed", candidate_digest=OuterRef("result__candidate_digest")
    )
)
_Files = tuple[tuple[str, str], ...]  # path and digest


@lru_cache(maxsize=20_000)
def _labels(candidate: _Files, baseline: _Files) -> frozenset[str]:
    """Cached by digest, and the content of a digest never changes."""
    return strategies.labels(_texts(candidate), _texts(baseline))


def _texts(files: _Files) -> dict[str, str]:
    return {path: archive.get(digest).decode("utf-8", "replace") for path, digest in files}


def _public_lookups(prefix: str, filters: Mapping[str, str]) -> dict[str, object]:
    """The condition of `Result.objects.public()` and the filters, as lookups that start with `prefix`."""
    public = {f"{prefix}run__state": "published", f"{prefix}published_attempt__isnull": False}
    return public | {f"{prefix}{name}": value for name, value in _lookups(filters).items()}


def _lookups(filters: Mapping[str, str]) -> dict[str, str]:
    lookups = {
        "suite": "run__suite__name",
        "device": "run__device_class__slug",
        "configuration": "run__configuration__slug",
        "protocol": "run__protocol",
        "category": "task__category",
    }
    return {lookups[name]: value for name, value in filters.items() if value}
