"""Refuses a database that another version of ArenaBoard made, before a query fails at a missing column."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader

OURS = ("people", "runs")
EXIT_CODE = 3  # after which systemd does not start a unit again


def incompatibility() -> str | None:
    """Return why this version cannot work with the database, as a sentence; None if it can.

    Raises:
        DatabaseError: the database cannot be read.
    """
    loader = MigrationLoader(connection)
    applied = sorted(key for key in loader.applied_migrations if key[0] in OURS)
    unknown = ["/".join(key) for key in applied if key not in loader.disk_migrations]
    if not unknown:
        return None
    missing = unknown[0] + (f" and {len(unknown) - 1} more" if unknown[1:] else "")
    is_file = connection.vendor == "sqlite"
    set_aside = f"move {connection.settings_dict['NAME']} away" if is_file else "name a new database in DATABASE_URL"
    return (
        f"another version of ArenaBoard made this database, and this one cannot migrate it (missing here: {missing}): "
        f"run that version, or stop the site, {set_aside} and run `make up` or `manage.py migrate` again; the new "
        "database is empty, and bundles can be imported into it again"
    )


def refuse_incompatible(**_: Any) -> None:
    """Raise if another version made the database. Receives `pre_migrate`; worker and web processes call it at start.

    Raises:
        CommandError: another version made the database.
    """
    if (why := incompatibility()) is not None:
        raise CommandError(why, returncode=EXIT_CODE)
