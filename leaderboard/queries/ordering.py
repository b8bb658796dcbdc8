"""An order that is the same on every database: nulls first, as in SQLite but not in PostgreSQL."""

from __future__ import annotations

from django.db.models import F
from django.db.models.expressions import OrderBy


def by(*names: str) -> tuple[OrderBy, ...]:
    return tuple(F(name).asc(nulls_first=True) for name in names)
