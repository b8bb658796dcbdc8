"""One order on every database: what is missing comes first, as SQLite has it and PostgreSQL has not."""

from __future__ import annotations

from django.db.models import F
from django.db.models.expressions import OrderBy


def by(*names: str) -> tuple[OrderBy, ...]:
    return tuple(F(name).asc(nulls_first=True) for name in names)
