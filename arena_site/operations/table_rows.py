"""Write the rows of every table as lines of JSON and insert them again; the format is the same on all databases.

Rows bypass `save`, which would set new timestamps, and the services, whose checks they have already passed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection
from django.db.models import Field, JSONField, Model

LEFT_OUT = ("sessions.session",)  # all users have to log in again
BATCH_ROWS = 1000
Fields = list["Field[Any, Any]"]


def tables() -> dict[str, type[Model]]:
    """Return all models except sessions and migrations, by label."""
    models = apps.get_models(include_auto_created=True)
    managed = [model for model in models if model._meta.managed and not model._meta.proxy]
    return {model._meta.label_lower: model for model in managed if model._meta.label_lower not in LEFT_OUT}


def columns(model: type[Model]) -> list[str]:
    return [str(field.column) for field in _fields(model)]


def lines_of(model: type[Model]) -> Iterator[str]:
    """Yield a line of JSON for each row, in the order of the primary key."""
    names = [field.attname for field in _fields(model)]
    rows = model._base_manager.order_by("pk").values_list(*names)
    for row in rows.iterator(chunk_size=BATCH_ROWS):
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=_as_text)


def empty(models: Iterable[type[Model]]) -> None:
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")


def insert(model: type[Model], lines: Iterable[str]) -> int:
    """Insert rows and return their number. Foreign keys are checked at the end of the transaction."""
    fields, quote = _fields(model), connection.ops.quote_name
    names = ", ".join(quote(name) for name in columns(model))
    places = ", ".join(["%s"] * len(fields))
    statement = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({places})"
    rows = (_stored(fields, json.loads(line)) for line in lines)
    count = 0
    with connection.cursor() as cursor:
        while batch := list(islice(rows, BATCH_ROWS)):
            cursor.executemany(statement, batch)
            count += len(batch)
    return count


def reset_sequences(models: Iterable[type[Model]]) -> None:
    """Set sequences to continue after the inserted ids, on databases that need it."""
    statements = connection.ops.sequence_reset_sql(no_style(), list(models))
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _fields(model: type[Model]) -> Fields:
    return [field for field in model._meta.local_concrete_fields if not getattr(field, "generated", False)]


def _as_text(value: Any) -> str:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return base64.b64encode(value).decode() if isinstance(value, bytes | memoryview) else str(value)


def _stored(fields: Fields, row: list[Any]) -> list[Any]:
    pairs = zip(fields, row, strict=True)
    values = (value if isinstance(field, JSONField) else field.to_python(value) for field, value in pairs)
    return [field.get_db_prep_save(value, connection) for field, value in zip(fields, values, strict=True)]
