"""Rows that only mirror files: tasks and suites as tasks/ has them, the published tables. Nothing is ever removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from evaluator.tasks.spec import TaskSpec
from runs import archive
from runs.errors import RunError
from runs.models import PublishedRow, PublishedTable, Suite, SuiteMembership, Task


@transaction.atomic
def mirror_tasks(*, specs: Iterable[TaskSpec]) -> dict[str, Task]:
    """Give each task a row at its digest and mark it as the current one; rows by path.

    A path that is not among `specs` any more keeps its rows, none of them current.
    """
    rows = {}
    for spec in specs:
        Task.objects.filter(path=spec.id).exclude(digest=spec.digest).update(is_current=False)
        rows[spec.id] = Task.objects.update_or_create(path=spec.id, digest=spec.digest, defaults=_columns(spec))[0]
    Task.objects.exclude(path__in=rows).update(is_current=False)
    return rows


@transaction.atomic
def mirror_suite(*, name: str, version: int, digest: str, title: str, tasks: Sequence[Task]) -> Suite:
    """The row of a frozen list of tasks, made the first time; it becomes the current one of its name.

    Raises:
        RunError: this version stands for another list already.
    """
    suite = Suite.objects.filter(digest=digest, name=name).first()
    if suite is None:
        if Suite.objects.filter(name=name, version=version).exists():
            raise RunError(f"{name}@{version} is another list of tasks already: freeze it as a new version")
        suite = Suite.objects.create(name=name, version=version, digest=digest, title=title, is_current=False)
        SuiteMembership.objects.bulk_create(SuiteMembership(suite=suite, task=task) for task in tasks)
    Suite.objects.filter(name=name, is_current=True).exclude(pk=suite.pk).update(is_current=False)
    suite.is_current, suite.title = True, title or suite.title
    suite.save(update_fields=["is_current", "title"])
    return suite


@transaction.atomic
def store_published_table(
    *, slug: str, about: Mapping[str, object], rows: Sequence[Mapping[str, str]]
) -> PublishedTable:
    """A paper's table as the file has it now; loading it again replaces its rows."""
    table, _ = PublishedTable.objects.update_or_create(slug=slug, defaults=dict(about))
    table.rows.all().delete()
    PublishedRow.objects.bulk_create(
        PublishedRow(table=table, position=position, cells=dict(cells)) for position, cells in enumerate(rows, 1)
    )
    return table


def _columns(spec: TaskSpec) -> dict[str, object]:
    _, source, name = spec.id.split("/", 2)
    sources = {path: archive.put((spec.folder / path).read_bytes()) for path in spec.sources}
    return {
        "category": spec.category,
        "source": source,
        "name": name,
        "description": spec.description,
        "editable": list(spec.editable),
        "files": sources,
        "cases": [{"id": case.id, "profile": case.profile, "axes": dict(case.axes)} for case in spec.cases],
        "provenance": dict(spec.provenance),
        "is_current": True,
    }
