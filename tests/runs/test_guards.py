"""What the database refuses, whoever asks, on SQLite as on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.models import F

from runs import guards, services
from runs.models import Attempt, AuditEntry, Measurement, Result, Run, UnseenMeasurement
from tests.factories import make_attempt, make_round, make_run, make_unseen, publish

pytestmark = pytest.mark.django_db
WRITES: dict[str, Callable[[], object]] = {
    "a verdict": lambda: Attempt.objects.update(status="crashed"),
    "a record": lambda: Attempt.objects.update(record_digest="0" * 64),
    "a speedup": lambda: Attempt.objects.update(log_speedup=1.0, cautious_log_speedup=1.0),
    "a time": lambda: Measurement.objects.update(first_call_ms=0.1),
    "a case": lambda: Measurement.objects.all()._raw_delete("default"),
    "an unseen case": lambda: UnseenMeasurement.objects.update(correct=True),
    "unseen cases": lambda: UnseenMeasurement.objects.all()._raw_delete("default"),
    "a candidate": lambda: Result.objects.update(candidate_digest="0" * 64),
    "a candidate's files": lambda: Result.objects.update(candidate_files={"a.hip": "0" * 64}),
    "a result": lambda: Result.objects.all()._raw_delete("default"),
    "a repeat": lambda: Run.objects.update(repeat=7),
    "a run's state": lambda: Run.objects.update(state="draft", published_at=None),
    "a run": lambda: Run.objects.all()._raw_delete("default"),
    "an entry": lambda: AuditEntry.objects.update(reason="another one"),
    "the trail": lambda: AuditEntry.objects.all()._raw_delete("default"),
}


@pytest.fixture
def public() -> Run:
    run = make_run(state="published", status="passed", round=make_round())
    for attempt in Attempt.objects.all():
        make_unseen(attempt, ("edge", True, False))
    AuditEntry.objects.create(actor_name="test", action="publish", run=run)
    return run


def rows() -> list[object]:
    return [list(model.objects.order_by("pk").values_list()) for model in (Run, Result, Attempt, Measurement)]


@pytest.mark.parametrize("what", WRITES)
def test_the_database_refuses_to_change_or_remove_what_was_published(public: Run, what: str) -> None:
    before = rows()
    with pytest.raises(IntegrityError, match=r"never|written once"), transaction.atomic():
        WRITES[what]()
    assert rows() == before


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
    Result.objects.update(audit="suspect", candidate_files={})  # a takedown
    services.withdraw_run(run=public, actor="test", reason="wrong device")
    Run.objects.update(verification="checked", note="a remark")
    assert Attempt.objects.filter(number=1, result=result).update(message="") == 1, "nobody's answer any more"


def test_a_row_that_is_written_as_it_was_is_not_a_change(public: Run) -> None:
    public.save()
    public.results.first().save()
    Attempt.objects.first().save()
    Attempt.objects.update(fencing_token=F("fencing_token"))


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
    for model, free in guards.STILL_CHANGES.items():
        assert free <= {field.name for field in model._meta.concrete_fields}
        assert issubclass(model, models.Model)


def triggers() -> set[str]:
    of = {"sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'"}
    with connection.cursor() as cursor:
        cursor.execute(of.get(connection.vendor, "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"))
        return {name for (name,) in cursor.fetchall()}
