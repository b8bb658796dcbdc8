"""What the database itself refuses, whoever asks: to change or remove what was published, or an entry of the trail.

Triggers, on SQLite as on PostgreSQL. They come back after each `migrate`, since SQLite rebuilds a table to change it
and forgets the old one's triggers. What has to pass them says so (`lifted`): a migration, the removal of synthetic
boards. Whoever owns the database can drop them; nobody who writes rows gets past them by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.apps import AppConfig
from django.db import connection, models, transaction
from django.db.models.signals import post_migrate, pre_migrate

from runs.models import Attempt, AuditEntry, Measurement, Result, Run, UnseenMeasurement

WAS_PUBLIC = "OLD.state IN ('published', 'withdrawn')"
IS_ANSWER = "OLD.published_attempt_id IS NOT NULL"
STILL_CHANGES: dict[type[models.Model], set[str]] = {
    Run: {"state", "published_at", "paused_at", "note", "verification", "reproduced_tasks", "verified_tasks"},
    Result: {"published_attempt", "audit", "candidate_files"},
    Attempt: {"is_latest", "is_held"},  # a newer attempt, and the decision of a review
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses the event on a row while `condition` holds, in SQL over OLD and NEW."""

    model: type[models.Model]
    event: str  # UPDATE or DELETE
    condition: str
    sentence: str

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    @property
    def name(self) -> str:
        return f"guard_{self.table}_{self.event.lower()}"


def watch(app: AppConfig) -> None:
    pre_migrate.connect(_drop_before, sender=app, dispatch_uid="guards")
    post_migrate.connect(_create_after, sender=app, dispatch_uid="guards")


@contextmanager
def lifted() -> Iterator[None]:
    """One transaction without guards; others wait for its end, or never notice."""
    with transaction.atomic():
        drop()
        yield
        if connection.vendor == "postgresql":  # foreign keys wait for the end, and a waiting check bars CREATE TRIGGER
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        create()


def create() -> None:
    drop()
    with connection.cursor() as cursor:
        for guard in guards():
            for statement in _statements(guard):
                cursor.execute(statement)


def drop() -> None:
    """Those there are: before the first migration not even their tables exist."""
    tables = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for guard in guards():
            if guard.table in tables:
                on = f" ON {guard.table}" if connection.vendor == "postgresql" else ""
                cursor.execute(f"DROP TRIGGER IF EXISTS {guard.name}{on}")


def guards() -> tuple[Guard, ...]:
    trail, answer = "an entry of the trail is written once", "what was published is never"
    return (
        Guard(AuditEntry, "UPDATE", "1 = 1", f"{trail}, never changed"),
        Guard(AuditEntry, "DELETE", "1 = 1", f"{trail}, never removed"),
        Guard(Run, "UPDATE", f"{WAS_PUBLIC} AND (NEW.state = 'draft' OR {_changes(Run)})", f"{answer} changed"),
        Guard(Run, "DELETE", WAS_PUBLIC, f"{answer} removed, but withdrawn"),
        Guard(Result, "UPDATE", f"{IS_ANSWER} AND ({_changes(Result)} OR {_other_files()})", f"{answer} changed"),
        Guard(Result, "DELETE", IS_ANSWER, f"{answer} removed"),
        Guard(Attempt, "UPDATE", f"({_changes(Attempt)}) AND {_answers('OLD.id')}", f"{answer} changed"),
        Guard(Attempt, "DELETE", _answers("OLD.id"), f"{answer} removed"),
        Guard(Measurement, "UPDATE", _answers("OLD.attempt_id"), f"{answer} changed"),
        Guard(Measurement, "DELETE", _answers("OLD.attempt_id"), f"{answer} removed"),
        Guard(UnseenMeasurement, "UPDATE", _answers_unseen(), f"{answer} changed"),
        Guard(UnseenMeasurement, "DELETE", _answers_unseen(), f"{answer} removed"),
    )


def _answers(attempt: str) -> str:
    return f"EXISTS (SELECT 1 FROM runs_result WHERE published_attempt_id = {attempt})"


def _answers_unseen() -> str:
    its_attempt = "(SELECT attempt_id FROM runs_unseenevaluation WHERE id = OLD.evaluation_id)"
    return _answers(its_attempt)


def _other_files() -> str:
    """A takedown removes a candidate's sources; nothing puts others in their place."""
    return f"OLD.candidate_files {_differs()} NEW.candidate_files AND CAST(NEW.candidate_files AS text) <> '{{}}'"


def _changes(model: type[models.Model]) -> str:
    """That a column which may not changes."""
    columns = [field.column for field in model._meta.concrete_fields if field.name not in STILL_CHANGES[model]]
    return " OR ".join(f"OLD.{column} {_differs()} NEW.{column}" for column in columns)


def _differs() -> str:
    """Inequality that knows NULL."""
    return "IS DISTINCT FROM" if connection.vendor == "postgresql" else "IS NOT"


def _statements(guard: Guard) -> tuple[str, ...]:
    head = f"CREATE TRIGGER {guard.name} BEFORE {guard.event} ON {guard.table} FOR EACH ROW"
    if connection.vendor == "sqlite":
        return (f"{head} WHEN {guard.condition} BEGIN SELECT RAISE(ABORT, '{guard.sentence}'); END",)
    row = "NEW" if guard.event == "UPDATE" else "OLD"
    function = (
        f"CREATE OR REPLACE FUNCTION {guard.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {guard.condition} THEN RAISE integrity_constraint_violation USING MESSAGE = '{guard.sentence}'; END IF; "
        f"RETURN {row}; END $$"
    )
    return function, f"{head} EXECUTE FUNCTION {guard.name}()"


def _drop_before(using: str, **about: Any) -> None:
    if using == connection.alias:
        drop()


def _create_after(using: str, **about: Any) -> None:
    if using == connection.alias:
        create()
