"""By words: boards, entries, tasks, agents, models, devices, suites and claims; by digest: what has one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import compress
from typing import Any, NamedTuple

from django.db.models import Case, CharField, Exists, Max, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Concat

from evaluator.wording import counted
from leaderboard.words import ALL, CATEGORIES, operator_type
from runs.models import (
    Agent,
    Configuration,
    DeviceClass,
    ModelVersion,
    Result,
    Run,
    Submission,
    Suite,
    SuiteMembership,
    Task,
)
from runs.querysets import of_draft_from_elsewhere, withheld

EXACT, BEGINS, CONTAINS, OLD = range(4)  # how close a match is


class Hit(NamedTuple):
    """A match. `key` is the part of its page's address, `about` a few words on it."""

    kind: str
    closeness: int
    key: str
    name: str
    about: str
    digest: str = ""  # of a task


class FoundBoardRow(NamedTuple):
    """A current suite on a device class with public runs, and the categories of its tasks."""

    suite: str
    suite_title: str
    device: str
    device_title: str
    architecture: str
    protocol: str
    newest: datetime  # when its newest run was published
    categories: tuple[str, ...]


class Wanted(NamedTuple):
    """What is searched for: the text, its words, and the text in lower case where it may be a digest."""

    text: str
    words: Sequence[str]
    digest: str


class ResultHit(NamedTuple):
    """A result whose candidate or record has the digest."""

    id: int
    task: str
    configuration: str
    run_id: int
    candidate_digest: str
    number: int | None
    record_digest: str | None


IS_PUBLIC = Q(is_public=True)
LABELS = Case(
    *(When(category=slug, then=Value(label)) for slug, label in CATEGORIES.items() if slug != ALL),
    default=Value(""),
    output_field=CharField(),
)


def boards() -> list[FoundBoardRow]:
    """All current boards under each protocol; words are looked for in their titles, which no column holds."""
    slugs = [slug for slug in CATEGORIES if slug != ALL]
    members = SuiteMembership.objects.filter(suite=OuterRef("suite"))
    has = {f"has_{slug}": Exists(members.filter(task__category=slug)) for slug in slugs}
    rows = Run.objects.public().filter(suite__is_current=True).order_by().annotate(**has)
    names = ("suite__name", "suite__title", "device_class__slug", "device_class__title", "device_class__architecture")
    found = rows.values_list(*names, "protocol", *has).annotate(newest=Max("published_at"))
    return [
        FoundBoardRow._make((*row[:6], row[-1], tuple(compress(slugs, row[6:-1]))))
        for row in found.order_by(*names, "protocol")
    ]


def named(wanted: Wanted, limit: int) -> list[Hit]:
    """Agents, models, devices and suites; in one question, so `limit` is of all together, the closest first."""
    agents = Agent.objects.filter(IS_PUBLIC, _all_in(wanted.words, "name", "slug"))
    models = ModelVersion.objects.filter(IS_PUBLIC, _all_in(wanted.words, "name", "slug", "identifier", "vendor"))
    devices = DeviceClass.objects.filter(IS_PUBLIC, _all_in(wanted.words, "title", "slug", "architecture"))
    suites = Suite.objects.filter(_all_in(wanted.words, "name", "title") | _by_digest(wanted.digest, "digest"))
    versioned = Concat("name", Value("@"), Cast("version", CharField()))
    closeness = Case(When(is_current=False, then=Value(OLD)), default=_closeness(wanted.text, "name", "title"))
    parts = (
        _part(agents, "agent", _closeness(wanted.text, "name", "slug"), "slug", "name", "kind"),
        _part(devices, "device", _closeness(wanted.text, "title", "slug"), "slug", "title", "architecture"),
        _part(models, "model", _closeness(wanted.text, "name", "slug", "identifier"), "slug", "name", "identifier"),
        _part(suites.annotate(versioned=versioned), "suite", closeness, "versioned", "title", "digest"),
    )
    found = parts[0].union(*parts[1:], all=True).order_by("closeness", "of", "name", "slug")
    return [Hit(*row) for row in found[:limit]]


def _part(rows: QuerySet[Any], kind: str, closeness: Case, *fields: str) -> QuerySet[Any, Any]:
    found: QuerySet[Any, Any] = rows.order_by().annotate(of=Value(kind), closeness=closeness)
    return found.values_list("of", "closeness", *fields)


def entries(wanted: Wanted, limit: int) -> list[Hit]:
    """Configurations, by the names of agent and model or their own."""
    names = ("slug", "agent__name", "agent__slug", "model__name", "model__identifier", "model__vendor")
    found = Configuration.objects.filter(IS_PUBLIC, _all_in(wanted.words, *names)).annotate(
        closeness=_closeness(wanted.text, "slug")
    )
    rows = found.order_by("closeness", "slug").values_list("closeness", "slug", "role", "agent__name", "model__name")
    return [
        Hit(role.replace("_", " "), near, slug, " · ".join(filter(None, names)), slug)
        for near, slug, role, *names in rows[:limit]
    ]


def tasks(wanted: Wanted, limit: int) -> list[Hit]:
    """Current versions by path, description, operator or category, and any version by digest."""
    operator = Coalesce(KeyTextTransform("operator_type", "provenance"), Value(""), output_field=TextField())
    named = Q(is_current=True) & _all_in(wanted.words, "path", "description", "operator", "label")
    found = Task.objects.annotate(operator=operator, label=LABELS).filter(named | _by_digest(wanted.digest, "digest"))
    rows = found.annotate(closeness=_closeness(wanted.text, "name", "path")).order_by(
        "-is_current", "closeness", "category", "path"
    )
    fields = ("is_current", "closeness", "path", "name", "label", "operator", "digest")
    return [
        Hit(
            "task" if is_current else "older task",
            near,
            path,
            name,
            " · ".join(filter(None, (label, operator_type(operator)))),
            digest,
        )
        for is_current, near, path, name, label, operator, digest in rows.values_list(*fields)[:limit]
    ]


def claims(wanted: Wanted, limit: int) -> list[Hit]:
    """Public bundles of claims by agent, model, benchmark, suite or a task of theirs, or by digest; newest first."""
    public = Submission.objects.with_public_claims()
    named = _all_in(wanted.words, "agent", "model", "format", "about__suite", "claims__task")
    matching = public.filter(named | _by_digest(wanted.digest, "digest"))
    found = public.filter(pk__in=matching.values("pk")).order_by("-id")
    fields = ("id", "format", "claim_count", "agent", "model")
    rows = found.values_list(*fields)[:limit]
    return [
        Hit(
            "claims",
            CONTAINS,
            str(key),
            " · ".join(filter(None, names)) or form,
            f"{counted(count, 'claim')} of {form}",
        )
        for key, form, count, *names in rows
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


def _closeness(text: str, *fields: str) -> Case:
    """EXACT where a field is the text, BEGINS where one begins with it, else CONTAINS; without regard to case."""
    is_it, begins = Q(), Q()
    for field in fields:
        is_it |= Q(**{f"{field}__iexact": text})
        begins |= Q(**{f"{field}__istartswith": text})
    return Case(When(is_it, then=Value(EXACT)), When(begins, then=Value(BEGINS)), default=Value(CONTAINS))


def _all_in(words: Sequence[str], *fields: str) -> Q:
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
