"""What the database refuses, whoever asks, on SQLite as on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.models import F

from runs import guards
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
from runs.services import publishing, takedowns
from tests.factories import (
    NOON,
    make_attempt,
    make_round,
    make_run,
    make_session,
    make_submission,
    make_suite,
    make_task,
    make_unseen,
    publish,
)
from tests.runs.raw_rows import copied, removed, replace, triggers

pytestmark = pytest.mark.django_db
KEPT = (Run, Result, Attempt, Measurement, UnseenEvaluation, UnseenMeasurement, AgentSession, Iteration, AuditEntry)
WRITES: dict[str, Callable[[], object]] = {
    "a verdict": lambda: Attempt.objects.update(status="crashed"),
    "a record": lambda: Attempt.objects.update(record_digest="0" * 64),
    "a speedup": lambda: Attempt.objects.update(log_speedup=1.0, cautious_log_speedup=1.0),
    "a time": lambda: Measurement.objects.update(first_call_ms=0.1),
    "a case": lambda: removed(Measurement),
    "an evaluation": lambda: UnseenEvaluation.objects.update(record_digest="0" * 64),
    "evaluations": lambda: removed(UnseenEvaluation),
    "an unseen case": lambda: UnseenMeasurement.objects.update(correct=True),
    "unseen cases": lambda: removed(UnseenMeasurement),
    "a cost": lambda: AgentSession.objects.update(cost_usd=0.01),
    "a session": lambda: removed(AgentSession),
    "an iteration": lambda: Iteration.objects.update(speedup=9.0),
    "iterations": lambda: removed(Iteration),
    "a candidate": lambda: Result.objects.update(candidate_digest="0" * 64),
    "a candidate's files": lambda: Result.objects.update(candidate_files={"a.hip": "0" * 64}),
    "an answer": lambda: Result.objects.update(published_attempt=None),
    "a result": lambda: removed(Result),
    "a repeat": lambda: Run.objects.update(repeat=7),
    "a run's state": lambda: Run.objects.update(state="draft", published_at=None),
    "a run": lambda: removed(Run),
    "an entry": lambda: AuditEntry.objects.update(reason="another one"),
    "the audit log": lambda: removed(AuditEntry),
}
FIRST = Attempt.objects.filter(number=1)
OF_THE_FIRST: dict[str, Callable[[], object]] = {
    "a record": lambda: FIRST.update(record_digest="0" * 64),
    "a speedup": lambda: FIRST.update(log_speedup=1.0, cautious_log_speedup=1.0),
    "an attempt": lambda: FIRST.all()._raw_delete("default"),
    "a new case": lambda: copied(Measurement, case="n=1"),
    **{name: WRITES[name] for name in ("a time", "a case", "an unseen case", "unseen cases", "an evaluation")},
}
ADDITIONS: dict[str, Callable[[], object]] = {
    "a case": lambda: copied(Measurement, case="n=1"),
    "an unseen case": lambda: copied(UnseenMeasurement, case="n=1"),
    "an iteration": lambda: copied(Iteration, number=99),
    "an answer": lambda: copied(Result, published_attempt=Attempt.objects.last(), task=make_task()),
    "a draft's cases": lambda: Measurement.objects.filter(attempt__result__run=draft()).update(
        attempt=Attempt.objects.earliest("pk")
    ),
    "a draft's iterations": lambda: Iteration.objects.filter(session__result__run=draft()).update(
        session=AgentSession.objects.earliest("pk")
    ),
    "an evaluation": lambda: make_unseen(published_without_more(), ("edge", True, True)),
    "a session": lambda: make_session(published_without_more().result),
}


@pytest.fixture
def public() -> Run:
    run = make_run(status="passed", round=make_round())
    for attempt in Attempt.objects.all():
        make_unseen(attempt, ("edge", True, False))
        make_session(attempt.result)
        publish(attempt)
    Run.objects.update(state="published", published_at=NOON)
    AuditEntry.objects.create(actor_name="test", action="publish", run=run)
    run.refresh_from_db()
    return run


def draft() -> Run:
    """One measurement, and a session with one version, of names that nothing else has."""
    run = make_run(status="passed", suite=make_suite([make_task()]))
    session = make_session(run.results.get())
    session.iterations.filter(number=2).delete()
    session.iterations.update(number=99)
    Measurement.objects.filter(attempt__result__run=run).update(case="n=1")
    return run


def published_without_more() -> Attempt:
    """Of a run with a round, though never evaluated on it, and of no agent's session."""
    return publish(make_run(status="passed", round=make_round()).results.first().attempts.first())


def rows() -> list[object]:
    return [list(model._base_manager.order_by("pk").values_list()) for model in KEPT]


@pytest.mark.parametrize("what", WRITES)
def test_the_database_refuses_to_change_or_remove_what_was_published(public: Run, what: str) -> None:
    before = rows()
    with pytest.raises(IntegrityError, match=r"never|written once"), transaction.atomic():
        WRITES[what]()
    assert rows() == before


@pytest.mark.parametrize("what", ADDITIONS)
def test_the_database_refuses_to_add_to_what_was_published(public: Run, what: str) -> None:
    with (
        pytest.raises(IntegrityError, match=r"nothing is ever added|never changed|only after an entry"),
        transaction.atomic(),
    ):
        ADDITIONS[what]()


@pytest.mark.parametrize("what", OF_THE_FIRST)
def test_a_replaced_published_attempt_stays_unchanged(public: Run, what: str) -> None:
    """It may be public again."""
    before = rows()[3:]
    old = {result.pk: result.published_attempt_id for result in public.results.all()}
    for result in public.results.all():
        make_attempt(result=result, status="wrong_output", measured=False)
    publishing.publish_results(results=public.results.all(), actor="test")
    with pytest.raises(IntegrityError, match=r"never|nothing is ever"), transaction.atomic():
        OF_THE_FIRST[what]()
    publishing.undo_results(results=public.results.all(), actor="test", reason="The newer one is wrong.")
    assert {result.pk: result.published_attempt_id for result in public.results.all()} == old
    assert rows()[3:8] == before[:5], "measurements, unseen cases and sessions"


def test_what_was_withdrawn_stays_unchanged(public: Run) -> None:
    publishing.withdraw_run(run=public, actor="test", reason="wrong device")
    for what in WRITES:
        with pytest.raises(IntegrityError, match="never"), transaction.atomic():
            WRITES[what]()


def test_a_published_attempt_changes_only_to_the_one_in_the_newest_entry(public: Run) -> None:
    result = public.results.first()
    old, new = result.published_attempt, make_attempt(result=result, status="passed")
    with pytest.raises(IntegrityError, match="only after an entry of the audit log"), transaction.atomic():
        Result.objects.filter(pk=result.pk).update(published_attempt=new)
    publishing.publish_results(results=[result], actor="test")
    with pytest.raises(IntegrityError, match="only after an entry of the audit log"), transaction.atomic():
        Result.objects.filter(pk=result.pk).update(published_attempt=old)


def test_nothing_takes_the_place_of_a_row(public: Run) -> None:
    """REPLACE removes on SQLite what it is in the way of; PostgreSQL says DO UPDATE."""
    entry, case = AuditEntry.objects.first(), Measurement.objects.first()
    assert entry is not None
    assert case is not None
    elsewhere = make_run(status="passed").results.first().attempts.first()
    for row, changes in ((entry, {"actor_name": "somebody else"}), (case, {"attempt": elsewhere, "case": "n=1"})):
        with pytest.raises(IntegrityError, match="never"), transaction.atomic():
            replace(row, **changes)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL knows no REPLACE")
def test_an_entry_is_not_replaced_by_whoever_connects_otherwise_either(public: Run) -> None:
    """As a shell of SQLite's own, which fires no trigger of DELETE for it."""
    entry = AuditEntry.objects.first()
    assert entry is not None
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA recursive_triggers=OFF")
        try:
            with pytest.raises(IntegrityError, match="never replaced"), transaction.atomic():
                replace(entry, actor_name="somebody else")
        finally:
            cursor.execute("PRAGMA recursive_triggers=ON")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no TRUNCATE")
@pytest.mark.parametrize("table", [*(model._meta.db_table for model in KEPT), "runs_suite", "auth_user"])
def test_rows_are_never_removed_all_at_once(public: Run, table: str) -> None:
    """Nor where another table is emptied that they refer to."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(IntegrityError, match="never removed all at once"), transaction.atomic():
            cursor.execute(f"TRUNCATE {table} CASCADE")


def test_a_session_may_change_until_it_is_over() -> None:
    """As long as it runs, and where nobody's answer came of it."""
    run = make_run(status="passed")
    session = make_session(run.results.first())
    AgentSession.objects.update(turns=7)
    assert session.delete()[1]["runs.Iteration"] == 2


def test_what_is_not_published_may_still_change() -> None:
    run = make_run(status="passed", round=make_round())
    for attempt in Attempt.objects.all():
        make_unseen(attempt, ("edge", True, True))
    for what in ("a record", "a speedup", "a time", "a candidate", "a candidate's files", "a repeat", "unseen cases"):
        WRITES[what]()
    assert run.delete()[1]["runs.Measurement"] == 3


def test_what_must_still_change_may(public: Run) -> None:
    result = public.results.first()
    Attempt.objects.update(is_held=True, is_latest=False)
    publish(make_attempt(result=result, status="wrong_output"))
    Result.objects.update(audit="suspect")
    publishing.withdraw_run(run=public, actor="test", reason="wrong device")
    Run.objects.update(note="a remark")


def test_a_takedown_removes_sources_and_sessions_and_nothing_else_does(public: Run) -> None:
    with guards.lifted():
        Result.objects.update(candidate_files={"kernel.hip": "0" * 64})
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        Result.objects.update(candidate_files={})
    takedowns.take_down(submission=make_submission(run=public), actor="test", reason="not ours to give")
    assert not AgentSession.objects.exists()
    assert not Iteration.objects.exists()
    assert {str(files) for files in Result.objects.values_list("candidate_files", flat=True)} == {"{}"}
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        Result.objects.update(candidate_files={"kernel.hip": "0" * 64})


def test_a_row_that_is_written_as_it_was_is_not_a_change(public: Run) -> None:
    public.save()
    public.results.first().save()
    Attempt.objects.first().save()
    Attempt.objects.update(fencing_token=F("fencing_token"))
    AgentSession.objects.first().save()


def test_the_guards_are_there_for_every_event_and_come_back_after_a_migration(public: Run) -> None:
    expected = {guard.name for guard in guards.guards()}
    assert triggers() == expected
    guards.drop()
    assert triggers() == set()
    call_command("migrate", verbosity=0)
    assert triggers() == expected


def test_they_are_lifted_for_one_transaction_only(public: Run) -> None:
    with guards.lifted():
        Run.objects.update(repeat=7)
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        Run.objects.update(repeat=8)


def test_every_column_of_a_guarded_row_is_either_guarded_or_named(public: Run) -> None:
    """A new column is guarded by itself; a name that is no column any more is noticed here."""
    for model, free in guards.MUTABLE.items():
        assert free <= {field.name for field in model._meta.concrete_fields}
        assert issubclass(model, models.Model)
