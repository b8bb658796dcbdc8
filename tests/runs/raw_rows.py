"""Writes that go past the models, as whoever owns a connection can make them."""

from __future__ import annotations

from django.db import connection, models


def removed(model: type[models.Model]) -> object:
    return model._base_manager.all()._raw_delete("default")


def copied(model: type[models.Model], **values: object) -> models.Model:
    row = model._base_manager.first()
    assert row is not None
    for name, value in {**values, "pk": None}.items():
        setattr(row, name, value)
    row.save(force_insert=True)
    return row


def triggers() -> set[str]:
    of = {"sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'"}
    with connection.cursor() as cursor:
        cursor.execute(of.get(connection.vendor, "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"))
        return {name for (name,) in cursor.fetchall()}


def replace(row: models.Model, **changes: object) -> None:
    """One row in the place of another with the same key, by the database's own words for it."""
    for name, value in changes.items():
        setattr(row, name, value)
    fields, quote = row._meta.concrete_fields, connection.ops.quote_name
    names = [quote(field.column) for field in fields]
    told = f"{quote(row._meta.db_table)} ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})"
    sets = ", ".join(f"{name} = EXCLUDED.{name}" for name in names)
    otherwise = f"INSERT INTO {told} ON CONFLICT (id) DO UPDATE SET {sets}"
    sql = f"INSERT OR REPLACE INTO {told}" if connection.vendor == "sqlite" else otherwise
    with connection.cursor() as cursor:
        cursor.execute(sql, [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields])
