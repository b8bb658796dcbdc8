"""Inserts rows of measurements fast: a bundle may have a million."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from runs.models import Measurement


def insert_measurements(rows: Sequence[Measurement]) -> None:
    """Insert the rows with one prepared statement.

    With `bulk_create`, a quarter of an import's time went into building statements.
    """
    fields = [field for field in Measurement._meta.concrete_fields if not field.primary_key]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO {connection.ops.quote_name(Measurement._meta.db_table)} ({columns}) VALUES ({places})"
    with connection.cursor() as cursor:
        cursor.executemany(
            sql, [[field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields] for row in rows]
        )
