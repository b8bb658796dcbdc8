"""Search for agents, models, configurations, tasks and suites by name, and for tasks, suites and results by digest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Case, Q, QuerySet, Value, When

from runs.models import Agent, Configuration, ModelVersion, Result, Suite, Task
from runs.querysets import of_draft_from_elsewhere, withheld


class Hit(NamedTuple):
    """A match. `key` is the part of its page's address, `about` a few words on it."""

    kind: str
    key: str
    name: str
    about: str


class ResultHit(NamedTuple):
    """A result whose candidate or record has the digest."""

    id: int
    task: str
    configuration: str
    run_id: int
    candidate_digest: str
    number: int | None
    record_digest: str | None


Words = Sequence[str]
IS_PUBLIC = Q(is_public=True)


def agents(words: Words, limit: int) -> list[Hit]:
    found = Agent.objects.filter(IS_PUBLIC, _all_in(words, "name", "slug")).order_by("name")
    return [Hit("agent", *row) for row in found.values_list("slug", "name", "kind")[:limit]]


def models(words: Words, limit: int) -> list[Hit]:
    found = ModelVersion.objects.filter(IS_PUBLIC, _all_in(words, "name", "slug", "identifier", "vendor")).order_by(
        "name"
    )
    return [Hit("model", *row) for row in found.values_list("slug", "name", "identifier")[:limit]]


def configurations(words: Words, limit: int) -> list[Hit]:
    names = ("slug", "agent__name", "model__name", "model__identifier")
    found = Configuration.objects.filter(IS_PUBLIC, _all_in(words, *names)).order_by("slug")
    rows = found.values_list("slug", "agent__name", "model__name")[:limit]
    return [Hit("configuration", slug, slug, " · ".join(filter(None, names))) for slug, *names in rows]


def tasks(words: Words, digest: str, limit: int) -> list[Hit]:
    """Current versions by path or description, and any version by digest."""
    condition = Q(is_current=True) & _all_in(words, "path", "description")
    found = Task.objects.filter(condition | _by_digest(digest, "digest")).order_by("-is_current", "category", "path")
    rows = found.values_list("path", "name", "digest", "is_current")[:limit]
    return [Hit("task" if is_current else "older task", path, name, digest) for path, name, digest, is_current in rows]


def suites(words: Words, digest: str, limit: int) -> list[Hit]:
    condition = _all_in(words, "name", "title") | _by_digest(digest, "digest")
    found = Suite.objects.filter(condition).order_by("-is_current", "name", "-version")
    return [
        Hit("suite", f"{row[0]}@{row[1]}", *row[2:])
        for row in found.values_list("name", "version", "title", "digest")[:limit]
    ]


def results(digest: str, limit: int) -> list[ResultHit]:
    """Results by the start of the digest of a candidate, or of a record that is not withheld; newest first.

    Those of drafts from elsewhere are not found.
    """
    if not digest:
        return []
    is_withheld = withheld(attempt="attempts__", run="run__")
    is_unwritten = is_withheld & Q(session__attempt__isnull=False)  # its candidate is new, and not public either
    condition = _by_digest(digest, "candidate_digest") & ~is_unwritten
    condition |= _by_digest(digest, "attempts__record_digest") & ~is_withheld
    found = Result.objects.filter(condition).exclude(of_draft_from_elsewhere(run="run__"))
    rows: QuerySet[Result, Any] = found.order_by("-id", "-attempts__number")
    fields = ("id", "task__path", "run__configuration__slug", "run_id", "candidate_digest", "attempts__number")
    digests = Case(When(is_withheld, then=Value("")), default="attempts__record_digest")
    return [ResultHit(*row) for row in rows.values_list(*fields, digests)[:limit]]


def _all_in(words: Words, *fields: str) -> Q:
    """The condition that each word is in one of the fields; without words it matches nothing."""
    condition = Q(pk__in=[]) if not words else Q()
    for word in words:
        one = Q()
        for field in fields:
            one |= Q(**{f"{field}__icontains": word})
        condition &= one
    return condition


def _by_digest(digest: str, *fields: str) -> Q:
    condition = Q(pk__in=[])
    for field in fields if digest else ():
        condition |= Q(**{f"{field}__startswith": digest})
    return condition
