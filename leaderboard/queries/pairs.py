"""Pairs of neighbouring versions: of public sessions, and of public corpora of refinement from elsewhere.

What a pair of a session shows is what the session's own page shows, and so only of sessions outside secret rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import OuterRef, Q, QuerySet, Subquery

from leaderboard.queries.session_rows import public_sessions
from runs import archive, sessions
from runs.models import Claim, Iteration, Submission
from runs.querysets import as_stated

AT_ONCE = 500  # pairs of one query of the export


class PairRow(NamedTuple):
    """A version of a session and the one that it was made from; the later one is the pair's row."""

    id: int
    previous: int
    number: int
    transition: str
    kinds: str
    status_before: str
    status: str
    message: str
    speedup: float | None
    added: int
    removed: int
    candidate_digest: str
    result: int
    run: int
    task: str
    task_digest: str
    category: str
    suite: str
    device: str
    protocol: str
    configuration: str
    agent: str
    model: str | None
    task_files: dict[str, str]
    editable: list[str]
    session_digest: str
    speedup_before: float | None
    message_before: str


class ClaimPairRow(NamedTuple):
    """Two claims of a corpus that follow one another; the later one is the pair's row."""

    id: int
    submission: int
    task: str
    attempt_before: str
    attempt: str
    transition: str
    kinds: str
    status_before: str
    status: str
    message: str
    claimed_speedup: float | None
    recomputed_speedup: float | None
    files: dict[str, str]
    licence: str
    format: str
    agent: str | None
    model: str | None
    id_before: int | None
    claimed_before: float | None
    recomputed_before: float | None
    files_before: dict[str, str] | None
    message_before: str | None

    @property
    def speedup(self) -> float | None:
        return self.recomputed_speedup or self.claimed_speedup

    @property
    def speedup_before(self) -> float | None:
        return self.recomputed_before or self.claimed_before


_RESULT, _RUN = "session__result__", "session__result__run__"
_PAIR = (
    *("id", "previous", "number", "transition", "kinds", "previous_status", "status", "message", "speedup"),
    *("added", "removed"),
    *("candidate_digest", "session__result_id", f"{_RESULT}run_id", f"{_RESULT}task__path", f"{_RESULT}task__digest"),
    *(f"{_RESULT}task__category", f"{_RUN}suite__name", f"{_RUN}device_class__slug", f"{_RUN}protocol"),
    *(f"{_RUN}configuration__slug", f"{_RUN}configuration__agent__name", f"{_RUN}configuration__model__name"),
    *(f"{_RESULT}task__files", f"{_RESULT}task__editable", "session__digest", "speedup_before", "message_before"),
)
_CLAIM = (
    *("id", "submission_id", "task", "previous_attempt", "attempt", "transition", "kinds", "previous_status"),
    *("status", "message", "claimed_speedup", "recomputed_speedup", "files", "submission__licence"),
    *("submission__format", "stated_agent", "stated_model"),
    *("id_before", "claimed_before", "recomputed_before", "files_before", "message_before"),
)
_SESSION_FILTERS = {"configuration": "result__run__configuration__slug", "task": "result__task__path__icontains"}
_PAIR_FILTERS = {"transition": "transition", "edit": "kinds__contains"}
_CLAIM_FILTERS = _PAIR_FILTERS | {"submission": "submission", "task": "task__icontains"}


def of_sessions(filters: Mapping[str, str], limit: int, offset: int = 0) -> list[PairRow]:
    """Pairs of public sessions, newest first. `error` finds those of which either version ended that way."""
    return _read(_pairs(filters).order_by("-pk")[offset : offset + limit], "-pk")


def of_claims(filters: Mapping[str, str], limit: int, offset: int = 0) -> list[ClaimPairRow]:
    """Pairs of public corpora, in the order of their claims, newest bundle first."""
    rows = _ended(_narrowed(_public_claims(), filters, _CLAIM_FILTERS), filters).order_by("-submission_id", "id")
    return [ClaimPairRow(*row) for row in rows.values_list(*_CLAIM)[offset : offset + limit]]


def of_session(pair: int) -> PairRow | None:
    return next(iter(_read(_pairs({}).filter(pk=pair), "pk")), None)


def of_claim(pair: int) -> ClaimPairRow | None:
    row = _public_claims().filter(pk=pair).values_list(*_CLAIM).first()
    return ClaimPairRow(*row) if row else None


def stream(filters: Mapping[str, str]) -> Iterator[PairRow]:
    """All pairs of public sessions, oldest first, some hundred at a time."""
    after = 0
    while page := _read(_pairs(filters).filter(pk__gt=after).order_by("pk")[:AT_ONCE], "pk"):
        yield from page
        after = page[-1].id


def texts(files: Mapping[str, str]) -> dict[str, str] | None:
    """The text of each file, by path; None where the archive lacks one."""
    try:
        return {path: archive.get(digest).decode("utf-8", "replace") for path, digest in files.items()}
    except archive.ArchiveError:
        return None


def shown(text: str) -> str:
    """What a stranger wrote, as anybody may see it: plain, without secrets and private paths."""
    return sessions.shown(text)


def _pairs(filters: Mapping[str, str]) -> QuerySet[Any]:
    """Later versions. Which sessions are public is asked apart, so that the database can walk along the ids."""
    of = _narrowed(public_sessions(), filters, _SESSION_FILTERS).order_by().values("pk")
    return _ended(_narrowed(Iteration.objects.filter(session__in=of), filters, _PAIR_FILTERS), filters)


def _ended(rows: QuerySet[Any], filters: Mapping[str, str]) -> QuerySet[Any]:
    """Those of the rows that are pairs, and of which either version ended with the error."""
    error = filters.get("error")
    pairs = rows.exclude(transition="")
    return pairs.filter(Q(status=error) | Q(previous_status=error)) if error else pairs


def _narrowed(rows: QuerySet[Any], filters: Mapping[str, str], lookups: Mapping[str, str]) -> QuerySet[Any]:
    return rows.filter(**{lookups[name]: value for name, value in filters.items() if value and name in lookups})


def _read(chosen: QuerySet[Any], order: str) -> list[PairRow]:
    """The chosen pairs with all that is said of them, which is asked of these alone."""
    before = Iteration.objects.filter(session=OuterRef("session"), number=OuterRef("previous")).order_by()
    rows = Iteration.objects.filter(pk__in=chosen.values("pk")).annotate(
        speedup_before=Subquery(before.values("speedup")[:1]), message_before=Subquery(before.values("message")[:1])
    )
    return [PairRow(*row) for row in rows.order_by(order).values_list(*_PAIR)]


def _public_claims() -> QuerySet[Any]:
    public = Submission.objects.with_public_claims().values("pk")
    same = {name: OuterRef(name) for name in ("submission", "task")}
    before = Claim.objects.filter(**same, attempt=OuterRef("previous_attempt")).order_by("id")
    rows: QuerySet[Any] = (
        Claim.objects.filter(submission__in=public)
        .exclude(transition="")
        .annotate(
            stated_agent=as_stated("agent", submission="submission__"),
            stated_model=as_stated("model", submission="submission__"),
            id_before=Subquery(before.values("pk")[:1]),
            claimed_before=Subquery(before.values("claimed_speedup")[:1]),
            recomputed_before=Subquery(before.values("recomputed_speedup")[:1]),
            files_before=Subquery(before.values("files")[:1]),
            message_before=Subquery(before.values("message")[:1]),
        )
    )
    return rows
