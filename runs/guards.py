"""What the database itself refuses, whoever asks: to change or remove what was ever public, to add to it, or to touch
an entry of the trail.

What was ever public is what the trail says was published: a result's answer moves only after an entry that says where
to, and entries stay. So neither a withdrawal nor a newer answer sets anything free. Triggers, on SQLite as on
PostgreSQL; SQLite fires that of DELETE for what REPLACE removes only where a connection asks for it
(`recursive_triggers`, arena_site/environment.py). They come back after each `migrate`, since SQLite rebuilds a table to
change it and forgets the old one's triggers. What has to pass them says so (`lifted`): a restored backup. Whoever owns
the database can drop them; nobody who writes rows gets past them by mistake.
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
IS_ANSWERED = "OLD.published_attempt_id IS NOT NULL"  # and stays so
ALWAYS = "1 = 1"
STILL_CHANGES: dict[type[models.Model], set[str]] = {
    Run: {"state", "published_at", "paused_at", "note", "verification", "reproduced_tasks", "verified_tasks"},
    Result: {"published_attempt", "audit", "candidate_files"},
    Attempt: {"is_latest", "is_held"},  # a newer attempt, and the decision of a review
    AgentSession: set(),
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses the event on a row while `condition` holds, in SQL over OLD and NEW."""

    model: type[models.Model]
    event: str  # INSERT, UPDATE or DELETE; TRUNCATE, where there is such a thing, is of no row
    condition: str
    sentence: str
    about: str = ""  # of two with the same event

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
    rows = (*_of_the_trail(), *_of_runs(), *_of_measurements(), *_of_sessions())
    if connection.vendor != "postgresql":
        return rows
    at_once = "rows that may have been public are never removed all at once"
    return (*rows, *(Guard(model, "TRUNCATE", ALWAYS, at_once) for model in {guard.model: None for guard in rows}))


def _of_the_trail() -> Iterator[Guard]:
    once = "an entry of the trail is written once"
    is_there = f"EXISTS (SELECT 1 FROM {AuditEntry._meta.db_table} WHERE id = NEW.id)"
    yield Guard(AuditEntry, "INSERT", is_there, f"{once}, never replaced")
    yield Guard(AuditEntry, "UPDATE", ALWAYS, f"{once}, never changed")
    yield Guard(AuditEntry, "DELETE", ALWAYS, f"{once}, never removed")


def _of_runs() -> Iterator[Guard]:
    """Runs, their results and attempts."""
    changed, removed = "what was published is never changed", "what was published is never removed"
    by_the_trail = "what is published moves by an entry of the trail alone, never without"
    of_a_result = f"{_changes(Result)} OR {_other_files()} OR NEW.published_attempt_id IS NULL"
    elsewhere = f"NEW.published_attempt_id {_differs()}"
    moves = f"NEW.published_attempt_id IS NOT NULL AND {elsewhere} OLD.published_attempt_id"
    yield Guard(Run, "UPDATE", f"{WAS_PUBLIC} AND (NEW.state = 'draft' OR {_changes(Run)})", changed)
    yield Guard(Run, "DELETE", WAS_PUBLIC, f"{removed}, but withdrawn")
    yield Guard(Result, "INSERT", "NEW.published_attempt_id IS NOT NULL", by_the_trail)
    yield Guard(Result, "UPDATE", f"{IS_ANSWERED} AND ({of_a_result})", changed)
    yield Guard(Result, "UPDATE", f"{moves} AND {elsewhere} {_last_said()}", by_the_trail, "answer")
    yield Guard(Result, "DELETE", IS_ANSWERED, removed)
    yield Guard(Attempt, "UPDATE", f"({_changes(Attempt)}) AND {_were_public('OLD.id')}", changed)
    yield Guard(Attempt, "DELETE", _were_public("OLD.id"), removed)


def _of_measurements() -> Iterator[Guard]:
    """What hangs on an attempt, and on its evaluation on unseen cases."""
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


def _of_sessions() -> Iterator[Guard]:
    """A session of a result that was public, once it is over, and its versions; a takedown removes them."""
    its_result = "(SELECT result_id FROM runs_agentsession WHERE id = {row}.session_id)"
    is_over = f"(OLD.ended <> '' OR OLD.result_id <> NEW.result_id) AND ({_changes(AgentSession)})"
    for model, result, changes in ((AgentSession, "{row}.result_id", is_over), (Iteration, its_result, ALWAYS)):
        old, new = result.format(row="OLD"), result.format(row="NEW")
        yield Guard(model, "INSERT", _are_answered(new), "to what was published nothing is ever added")
        yield Guard(model, "UPDATE", f"{changes} AND {_are_answered(old, new)}", "what was published is never changed")
        gone = f"{_are_answered(old)} AND NOT {_is_taken_down(old)}"
        yield Guard(model, "DELETE", gone, "what was published is never removed, but taken down")


def _were_public(*attempts: str) -> str:
    """By the trail; a rerun's entry names its attempt, too."""
    said = f"({_is_one('to_attempt_id', attempts)}) AND action = 'publish'"
    return f"EXISTS (SELECT 1 FROM runs_auditentry WHERE {said})"


def _last_said() -> str:
    """Where the newest entry about a result's publication says that its answer is."""
    said = "result_id = NEW.id AND action = 'publish'"
    return f"(SELECT to_attempt_id FROM runs_auditentry WHERE {said} ORDER BY id DESC LIMIT 1)"


def _are_answered(*results: str) -> str:
    which = _is_one("id", results)
    return f"EXISTS (SELECT 1 FROM runs_result WHERE ({which}) AND published_attempt_id IS NOT NULL)"


def _is_one(column: str, values: tuple[str, ...]) -> str:
    """SQLite builds a table for IN: half of what the guard costs each measurement of an import."""
    return " OR ".join(f"{column} = {value}" for value in values)


def _is_taken_down(result: str) -> str:
    its_run = f"(SELECT run_id FROM runs_result WHERE id = {result})"
    return f"EXISTS (SELECT 1 FROM runs_submission WHERE run_id = {its_run} AND outcome = 'taken_down')"


def _other_files() -> str:
    """A takedown removes a candidate's sources; nothing else does, and nothing puts others in their place."""
    is_removed = f"CAST(NEW.candidate_files AS text) = '{{}}' AND {_is_taken_down('OLD.id')}"
    return f"OLD.candidate_files {_differs()} NEW.candidate_files AND NOT ({is_removed})"


def _changes(model: type[models.Model]) -> str:
    """That a column which may not changes."""
    columns = [field.column for field in model._meta.concrete_fields if field.name not in STILL_CHANGES[model]]
    return " OR ".join(f"OLD.{column} {_differs()} NEW.{column}" for column in columns)


def _differs() -> str:
    """Inequality that knows NULL."""
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
