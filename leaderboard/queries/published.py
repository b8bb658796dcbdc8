"""Tables of papers, as printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

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
    return {slug: rows for slug, (_, rows) in whole_tables(slugs).items()}


def whole_tables(slugs: Sequence[str]) -> dict[str, tuple[PaperTable, list[dict[str, str]]]]:
    """Slug → table, and its rows in printed order, for the tables that are loaded, in the order of `slugs`."""
    of_table = [f"table__{name}" for name in PaperTable._fields[:-1]]
    rows = PublishedRow.objects.filter(table__slug__in=slugs).order_by("position").values_list(*of_table, "cells")
    cells: dict[str, list[dict[str, str]]] = {}
    about: dict[str, list[Any]] = {}
    for *table, row in rows:
        about[table[0]] = table
        cells.setdefault(table[0], []).append(row)
    return {slug: (PaperTable._make((*about[slug], len(cells[slug]))), cells[slug]) for slug in slugs if slug in cells}


def _tables() -> QuerySet[PublishedTable]:
    return PublishedTable.objects.annotate(size=Count("rows"))
