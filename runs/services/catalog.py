"""Mirrors files as rows: tasks and suites from tasks/, and the papers' tables. Tasks and suites are never removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from django.db import transaction

from evaluator.tasks.roofline import case_work
from evaluator.tasks.spec import TaskSpec
from runs import archive
from runs.code_quality.proxies import proxies_of
from runs.errors import RunError
from runs.models import PublishedRow, PublishedTable, Suite, SuiteMembership, Task


@transaction.atomic
def mirror_tasks(*, specs: Iterable[TaskSpec]) -> dict[str, Task]:
    """Store each task at its digest and mark it as current; return the rows by path.

    A path that is no longer among `specs` keeps its rows, but none is current.
    """
    rows = {}
    for spec in specs:
        Task.objects.filter(path=spec.id).exclude(digest=spec.digest).update(is_current=False)
        rows[spec.id] = Task.objects.update_or_create(path=spec.id, digest=spec.digest, defaults=_columns(spec))[0]
    Task.objects.exclude(path__in=rows).update(is_current=False)
    return rows


@transaction.atomic
def mirror_suite(*, name: str, version: int, digest: str, title: str, tasks: Sequence[Task]) -> Suite:
    """Store a frozen list of tasks, if it is new, and make it the current suite of its name; return its row.

    Raises:
        RunError: this version of the suite is another list of tasks already.
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
    """Store a paper's table as its file has it; loading it again replaces its rows."""
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
        "work": {case.id: asdict(case_work(spec, case)) for case in spec.cases},
        "provenance": dict(spec.provenance),
        "proxies": _proxies(spec),
        "is_plain": spec.is_plain,
        "is_current": True,
    }


def _proxies(spec: TaskSpec) -> dict[str, int]:
    """Return the proxies of the PyTorch module that a task starts from; nothing for one that starts from a kernel."""
    if not spec.starts_from_torch:
        return {}
    (module,) = spec.sources
    return proxies_of((spec.folder / module).read_text(encoding="utf-8"))
