"""What the sitemap lists: names whose pages are public, and public results with their runs."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Value

from runs.models import Agent, Configuration, ModelVersion, Result, Task


class NameRow(NamedTuple):
    of: str  # task, agent, model or configuration
    key: str  # the path of a task, else a slug


class ListedResult(NamedTuple):
    id: int
    run_id: int
    at: datetime | None  # when its run was published


def names() -> list[NameRow]:
    """All in one question."""
    tasks = Task.objects.filter(is_current=True).order_by().annotate(of=Value("task")).values_list("of", "path")
    slugs = (
        kind.objects.filter(is_public=True).order_by().annotate(of=Value(of)).values_list("of", "slug")
        for of, kind in (("agent", Agent), ("model", ModelVersion), ("configuration", Configuration))
    )
    return [NameRow(*row) for row in tasks.union(*slugs, all=True).order_by("of", "path")]


def results() -> list[ListedResult]:
    rows = Result.objects.public().order_by("-id")
    return [ListedResult(*row) for row in rows.values_list("id", "run_id", "run__published_at")]
