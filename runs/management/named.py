"""Finds the row that a command's argument names."""

from __future__ import annotations

from typing import TypeVar

from django.core.management.base import CommandError
from django.db.models import Model, QuerySet

from runs.models import Suite

Row = TypeVar("Row", bound=Model)
MOST_NAMED = 20
ONE_HOST = "set ARENA_HOST to the one that this machine is"


def row_named(rows: QuerySet[Row], hint: str = "", **named: str) -> Row:
    """Return the row whose column has this name; `named` is that one pair.

    Raises:
        CommandError: there is none. It lists the names there are; `hint` says where they come from.
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
    """Return the newest version of a suite.

    Raises:
        CommandError: as `row_named`.
    """
    return row_named(Suite.objects.filter(is_current=True), "`manage.py sync_tasks` reads tasks/suites/", name=name)
