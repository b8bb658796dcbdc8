"""Tables of papers, as printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, QuerySet

from runs.models import PublishedRow, PublishedTable


class PaperTable(NamedTuple):
    slug: str
    title: str
    citation: str
    url: str
    device: str
    clock: str
    note: str
    columns: list[dict[str, str]]
    size: int


def tables() -> list[PaperTable]:
    return [PaperTable(*row) for row in _tables().order_by("url", "id").values_list(*PaperTable._fields)]


def table(slug: str) -> PaperTable | None:
    row = _tables().filter(slug=slug).values_list(*PaperTable._fields).first()
    return PaperTable(*row) if row else None


def cells_of(slug: str) -> list[dict[str, str]]:
    """Rows of a table, in printed order."""
    return list(PublishedRow.objects.filter(table__slug=slug).order_by("position").values_list("cells", flat=True))


def cells_of_all(slugs: Sequence[str]) -> dict[str, list[dict[str, str]]]:
    """Slug → rows in printed order, for the tables that are loaded."""
    found: dict[str, list[dict[str, str]]] = {}
    rows = PublishedRow.objects.filter(table__slug__in=slugs).order_by("table", "position")
    for slug, cells in rows.values_list("table__slug", "cells"):
        found.setdefault(slug, []).append(cells)
    return found


def _tables() -> QuerySet[PublishedTable]:
    return PublishedTable.objects.annotate(size=Count("rows"))
