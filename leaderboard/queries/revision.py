"""The counter of changes to what is public."""

from __future__ import annotations

from django.db import connection

from runs.models import AuditEntry, Revision

# Asked before every kept page, where the ORM's way to the same text would take a third of the time.
_SQL = f"SELECT number, (SELECT MAX(id) FROM {AuditEntry._meta.db_table}) FROM {Revision._meta.db_table}"


def revision() -> str:
    """Another text after each change: an entry of the trail comes with its change, the counter right after it."""
    with connection.cursor() as cursor:
        cursor.execute(_SQL)
        number, newest = cursor.fetchone() or (0, 0)
    return f"{number}-{newest or 0}"
