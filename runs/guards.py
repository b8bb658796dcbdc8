"""Database triggers that protect what was ever public, and the audit log, whoever writes.

They refuse to change, remove or add to what was published, and to change or remove an entry of the audit log. What was
published is what the audit log says: a result's published attempt can change only after an entry that names the new
one. So neither a withdrawal nor a newer attempt unprotects anything.

There are triggers on SQLite and on PostgreSQL. SQLite fires DELETE triggers for rows that REPLACE removes only on
connections that set `recursive_triggers`, as this site's database settings do. They are created again after each
`migrate`, because SQLite rebuilds a table to change it and drops its triggers. Restoring a backup has to bypass them
and says so (`lifted`). The owner of the database can drop them; code that writes rows cannot get past them by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.apps import AppConfig
from django.db import connection, models, transaction
from django.db.models.signals import post_migrate, pre_migrate

from runs.models import (
    AgentSession,
    Attempt,
    AuditEntry,
    Iteration,
    Measurement,
    Result,
    Run,
    UnseenEvaluation,
    UnseenMeasurement,
)

WAS_PUBLIC = "OLD.state IN ('published', 'withdrawn')"
IS_PUBLISHED = "OLD.published_attempt_id IS NOT NULL"  # withdrawn or not: the column is never emptied
ALWAYS = "1 = 1"
MUTABLE: dict[type[models.Model], set[str]] = {
    Run: {"state", "published_at", "paused_at", "note", "trust", "reproduced_tasks", "verified_tasks"},
    Result: {"published_attempt", "audit", "candidate_files", "code_quality"},
    # A newer attempt; the decision of an audit; sums over what stays, for rows from before there were such sums.
    Attempt: {"is_latest", "is_held", "work_ms", "work_bytes", "work_flops"},
    AgentSession: set(),
}


@dataclass(frozen=True, slots=True)
class Guard:
    """A trigger that refuses an event on a row while `condition`, in SQL over OLD and NEW, holds."""

    model: type[models.Model]
    event: str  # INSERT, UPDATE or DELETE of a row; TRUNCATE of a table, on PostgreSQL
    condition: str
    sentence: str
    about: str = ""  # tells two guards of the same event apart

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    @property
    def name(self) -> str:
        return "_".join(filter(None, ("guard", self.table, self.event.lower(), self.about)))


def watch(app: AppConfig) -> None:
    pre_migrate.connect(_drop_before, sender=app, dispatch_uid="guards")
    post_migrate.connect(_create_after, sender=app, dispatch_uid="guards")


@contextmanager
def lifted() -> Iterator[None]:
    """Run one transaction without guards. Other connections never see the database without them."""
    with transaction.atomic():
        drop()
        yield
        if connection.vendor == "postgresql":  # a deferred check that is pending bars CREATE TRIGGER
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
    """Drop the guards of all tables that exist; before the first migration none do."""
    tables = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for guard in guards():
            if guard.table in tables:
                on = f" ON {guard.table}" if connection.vendor == "postgresql" else ""
                cursor.execute(f"DROP TRIGGER IF EXISTS {guard.name}{on}")


def guards() -> tuple[Guard, ...]:
    rows = (*_audit_log_guards(), *_run_guards(), *_measurement_guards(), *_session_guards())
    if connection.vendor != "postgresql":
        return rows
    at_once = "rows that may have been public are never removed all at once"
    return (*rows, *(Guard(model, "TRUNCATE", ALWAYS, at_once) for model in {guard.model: None for guard in rows}))


def _audit_log_guards() -> Iterator[Guard]:
    once = "an entry of the audit log is written once"
    is_there = f"EXISTS (SELECT 1 FROM {AuditEntry._meta.db_table} WHERE id = NEW.id)"
    yield Guard(AuditEntry, "INSERT", is_there, f"{once}, never replaced")
    yield Guard(AuditEntry, "UPDATE", ALWAYS, f"{once}, never changed")
    yield Guard(AuditEntry, "DELETE", ALWAYS, f"{once}, never removed")


def _run_guards() -> Iterator[Guard]:
    """Return the guards of runs, their results and attempts."""
    changed, removed = "what was published is never changed", "what was published is never removed"
    needs_entry = "the published attempt changes only after an entry of the audit log"
    is_removed = f"CAST(NEW.candidate_files AS text) = '{{}}' AND {_is_taken_down('OLD.id')}"  # only by a takedown
    other_files = f"OLD.candidate_files {_differs()} NEW.candidate_files AND NOT ({is_removed})"
    result_changes = f"{_changes(Result)} OR {other_files} OR NEW.published_attempt_id IS NULL"
    publications = "result_id = NEW.id AND action = 'publish'"
    last_entry = f"(SELECT to_attempt_id FROM runs_auditentry WHERE {publications} ORDER BY id DESC LIMIT 1)"
    elsewhere = f"NEW.published_attempt_id {_differs()}"
    moves = f"NEW.published_attempt_id IS NOT NULL AND {elsewhere} OLD.published_attempt_id"
    yield Guard(Run, "UPDATE", f"{WAS_PUBLIC} AND (NEW.state = 'draft' OR {_changes(Run)})", changed)
    yield Guard(Run, "DELETE", WAS_PUBLIC, f"{removed}: withdraw it instead")
    yield Guard(Result, "INSERT", "NEW.published_attempt_id IS NOT NULL", needs_entry)
    yield Guard(Result, "UPDATE", f"{IS_PUBLISHED} AND ({result_changes})", changed)
    yield Guard(Result, "UPDATE", f"{moves} AND {elsewhere} {last_entry}", needs_entry, "attempt")
    yield Guard(Result, "DELETE", IS_PUBLISHED, removed)
    yield Guard(Attempt, "UPDATE", f"({_changes(Attempt)}) AND {_were_public('OLD.id')}", changed)
    yield Guard(Attempt, "DELETE", _were_public("OLD.id"), removed)


def _measurement_guards() -> Iterator[Guard]:
    """Return the guards of rows that belong to an attempt or to its evaluation on unseen cases."""
    its_attempt = "(SELECT attempt_id FROM runs_unseenevaluation WHERE id = {row}.evaluation_id)"
    for model, attempt in (
        (Measurement, "{row}.attempt_id"),
        (UnseenEvaluation, "{row}.attempt_id"),
        (UnseenMeasurement, its_attempt),
    ):
        old, new = attempt.format(row="OLD"), attempt.format(row="NEW")
        yield Guard(model, "INSERT", _were_public(new), "to what was published nothing is ever added")
        yield Guard(model, "UPDATE", _were_public(old, new), "what was published is never changed")
        yield Guard(model, "DELETE", _were_public(old), "what was published is never removed")


def _session_guards() -> Iterator[Guard]:
    """Return the guards of ended sessions, and their iterations, of results that were public; takedowns remove them."""
    its_result = "(SELECT result_id FROM runs_agentsession WHERE id = {row}.session_id)"
    is_over = f"(OLD.ended <> '' OR OLD.result_id <> NEW.result_id) AND ({_changes(AgentSession)})"
    for model, result, changes in ((AgentSession, "{row}.result_id", is_over), (Iteration, its_result, ALWAYS)):
        old, new = result.format(row="OLD"), result.format(row="NEW")
        yield Guard(model, "INSERT", _are_published(new), "to what was published nothing is ever added")
        yield Guard(model, "UPDATE", f"{changes} AND {_are_published(old, new)}", "what was published is never changed")
        gone = f"{_are_published(old)} AND NOT {_is_taken_down(old)}"
        yield Guard(model, "DELETE", gone, "what was published is never removed, except by a takedown")


def _were_public(*attempts: str) -> str:
    """Return SQL: was one of these attempts published? Entries of reruns name an attempt, too, so the action counts."""
    published = f"({_is_one('to_attempt_id', attempts)}) AND action = 'publish'"
    return f"EXISTS (SELECT 1 FROM runs_auditentry WHERE {published})"


def _are_published(*results: str) -> str:
    which = _is_one("id", results)
    return f"EXISTS (SELECT 1 FROM runs_result WHERE ({which}) AND published_attempt_id IS NOT NULL)"


def _is_one(column: str, values: tuple[str, ...]) -> str:
    """Return SQL: equal to one of the values. For IN, SQLite builds a table, half of a guard's cost in an import."""
    return " OR ".join(f"{column} = {value}" for value in values)


def _is_taken_down(result: str) -> str:
    its_run = f"(SELECT run_id FROM runs_result WHERE id = {result})"
    return f"EXISTS (SELECT 1 FROM runs_submission WHERE run_id = {its_run} AND outcome = 'taken_down')"


def _changes(model: type[models.Model]) -> str:
    """Return SQL: does a column change that must not?"""
    columns = [field.column for field in model._meta.concrete_fields if field.name not in MUTABLE[model]]
    return " OR ".join(f"OLD.{column} {_differs()} NEW.{column}" for column in columns)


def _differs() -> str:
    """Return the NULL-safe inequality operator."""
    return "IS DISTINCT FROM" if connection.vendor == "postgresql" else "IS NOT"


def _statements(guard: Guard) -> tuple[str, ...]:
    of_each = "STATEMENT" if guard.event == "TRUNCATE" else "ROW"
    head = f"CREATE TRIGGER {guard.name} BEFORE {guard.event} ON {guard.table} FOR EACH {of_each}"
    if connection.vendor == "sqlite":
        return (f"{head} WHEN {guard.condition} BEGIN SELECT RAISE(ABORT, '{guard.sentence}'); END",)
    row = {"DELETE": "OLD", "TRUNCATE": "NULL"}.get(guard.event, "NEW")
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
