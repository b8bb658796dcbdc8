"""The row that a command is told by its name, or one line that says which there are."""

from __future__ import annotations

from typing import TypeVar

from django.core.management.base import CommandError
from django.db.models import Model, QuerySet

from runs.models import Suite

Row = TypeVar("Row", bound=Model)
MOST_NAMED = 20
ONE_HOST = "ARENA_HOST says which of them works here"


def row_named(rows: QuerySet[Row], hint: str = "", **named: str) -> Row:
    """`named`: the one column that holds names, and the name.

    Raises:
        CommandError: there is none; `hint` says where names come from.
    """
    [(column, name)] = named.items()
    row = rows.filter(**named).first()
    if row is not None:
        return row
    names = list(rows.order_by(column).values_list(column, flat=True)[: MOST_NAMED + 1])
    known = ", ".join([*names[:MOST_NAMED], *(["…"] if len(names) > MOST_NAMED else [])]) or "none"
    what = f"no {rows.model._meta.verbose_name} is named {name!r}; there are {known}"
    raise CommandError(f"{what} ({hint})" if hint else what)


def current_suite(name: str) -> Suite:
    """Its newest version; raises CommandError as `row_named`."""
    return row_named(Suite.objects.filter(is_current=True), "`manage.py sync_tasks` reads tasks/suites/", name=name)
