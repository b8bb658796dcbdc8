"""The rules that the database holds, whoever writes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import DataError, IntegrityError, transaction

from evaluator.backends import KNOWN
from evaluator.records.reasons import REASONS, Status
from evaluator.records.record import PROTOCOL
from runs.models import (
    Attempt,
    AuditEntry,
    Configuration,
    DeviceClass,
    Host,
    Measurement,
    Round,
    Run,
    Task,
    UnseenEvaluation,
    UnseenMeasurement,
)
from runs.models.attempts import FAILED
from runs.models.hosts import BACKENDS
from tests.factories import (
    NOON,
    make_attempt,
    make_configuration,
    make_host,
    make_round,
    make_run,
    make_task,
    publish,
)

pytestmark = pytest.mark.django_db


def test_every_status_of_a_record_is_a_status_of_an_attempt() -> None:
    ours = {"queued", "running", "cancelled"}
    assert set(Attempt.Status.values) == ours | {status.value for status in Status}
    assert set(FAILED) == {status.value for status, _ in REASONS.values()}


def test_every_architecture_has_a_backend_that_the_evaluator_knows() -> None:
    assert set(BACKENDS) == set(DeviceClass.Architecture.values)
    assert set(BACKENDS.values()) <= set(KNOWN)


@pytest.mark.parametrize("status", Attempt.Status.values)
def test_the_factory_makes_an_attempt_of_every_status(status: str) -> None:
    result = make_run().results.first()
    assert make_attempt(result=result, status=status).status == status


@pytest.mark.parametrize(
    ("constraint", "status", "change"),
    [
        ("attempt_lease_iff_running", "running", {"lease_until": None}),
        ("attempt_lease_iff_running", "running", {"claimed_by": ""}),
        ("attempt_lease_iff_running", "running", {"fencing_token": 0}),
        ("attempt_lease_iff_running", "queued", {"lease_until": NOON}),
        ("attempt_ended_iff_final", "passed", {"ended_at": None}),
        ("attempt_ended_iff_final", "queued", {"ended_at": NOON}),
        ("attempt_reason_iff_failed", "crashed", {"reason": ""}),
        ("attempt_reason_iff_failed", "crashed", {"message": ""}),
        ("attempt_reason_iff_failed", "passed", {"message": "It failed."}),
        ("attempt_record_iff_judged", "passed", {"record_digest": "", "protocol": ""}),
        ("attempt_record_iff_judged", "queued", {"record_digest": "a" * 64, "protocol": PROTOCOL}),
        ("attempt_compiled_and_correct_iff", "wrong_output", {"correct": None}),
        ("attempt_compiled_and_correct_iff", "cancelled", {"compiled": True}),
        ("attempt_compiled_and_correct_iff", "errored", {"compiled": False, "correct": False}),
        ("attempt_speedup_only_when_passed", "wrong_output", {"paper_speedup": 2.0}),
        ("attempt_speedup_only_when_passed", "passed", {"paper_speedup": 0.0}),
        ("attempt_speedup_only_when_passed", "crashed", {"log_speedup": 0.1, "cautious_log_speedup": 0.1}),
        ("attempt_cautious_iff_log_speedup", "passed", {"log_speedup": 0.1}),
        ("attempt_interval_around", "passed", {"log_speedup_low": 0.1}),
        (
            "attempt_interval_around",
            "passed",
            {"log_speedup": 0.1, "cautious_log_speedup": 0.1, "log_speedup_low": 0.2},
        ),
        ("attempt_protocol_iff_record", "passed", {"protocol": ""}),
        ("attempt_protocol_iff_record", "queued", {"protocol": PROTOCOL}),
        ("attempt_correct_iff_passed", "passed", {"correct": False}),
        ("attempt_correct_iff_passed", "tampered", {"correct": True}),
        ("attempt_status_is_known", "passed", {"status": "fine", "correct": False}),
        ("attempt_requeued_at_most_once", "queued", {"requeues": 2}),
    ],
)
def test_it_refuses_an_attempt_whose_fields_contradict(constraint: str, status: str, change: dict[str, Any]) -> None:
    attempt = make_attempt(result=make_run().results.first(), status=status)
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(**change)


def test_a_result_has_one_open_and_one_latest_attempt() -> None:
    result = make_run().results.first()
    make_attempt(result=result)
    with pytest.raises(IntegrityError), transaction.atomic():
        make_attempt(result=result)
    with pytest.raises(IntegrityError), transaction.atomic():
        Attempt.objects.create(
            result=result, number=2, status="cancelled", queued_at=NOON, ended_at=NOON + timedelta(seconds=1)
        )


@pytest.mark.parametrize("repeat", [32768, -1])
def test_a_repeat_is_a_small_number(repeat: int) -> None:
    """PostgreSQL's column is small by itself."""
    run = make_run()
    with pytest.raises((IntegrityError, DataError), match=r"repeat|out of range"), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(repeat=repeat)


def test_two_runs_of_one_repeat_are_not_published_at_once() -> None:
    first = make_run(state="published")
    same = {"configuration": first.configuration, "suite": first.suite, "device_class": first.device_class}
    second = make_run(**same)
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=second.pk).update(state="published", published_at=NOON)


def test_an_attempt_is_published_for_one_result_only() -> None:
    first, second, _ = make_run().results.all()
    attempt = publish(make_attempt(result=first, status="passed"))
    second.published_attempt = attempt
    with pytest.raises(IntegrityError), transaction.atomic():
        second.save()


def test_a_task_has_one_current_digest() -> None:
    task = make_task()
    with pytest.raises(IntegrityError), transaction.atomic():
        make_task(path=task.path, name=task.name)
    with pytest.raises(IntegrityError), transaction.atomic():
        Task.objects.filter(pk=task.pk).update(digest="ABC")


def test_a_configuration_without_a_model_is_unique_too() -> None:
    first = make_configuration(model=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        Configuration.objects.create(slug="again", agent=first.agent, settings_digest=first.settings_digest)


TIMED = {"baseline_t_dev_ms": 1.0, "candidate_t_dev_ms": 0.9, "log_ratio": 0.1}


def test_a_measurement_bears_an_interval_with_one_end(db: None) -> None:
    attempt = make_attempt(result=make_run().results.first(), status="passed")
    assert Measurement.objects.filter(attempt=attempt).update(**TIMED, log_ratio_low=0.05, is_censored=True) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"baseline_t_dev_ms": 1.0},
        {"baseline_t_dev_ms": 1.0, "candidate_t_dev_ms": 0.0, "log_ratio": 0.0},
        {"baseline_t_dev_ms": 1.0, "candidate_t_dev_ms": 1.0},
        {"log_ratio_variance": 0.1},
        {"is_eligible": True},
        {"is_noisy": True},
        {"is_censored": True},
        {"log_ratio_low": 0.1},
        {**TIMED, "log_ratio_low": 0.2},
        {**TIMED, "log_ratio_high": 0.0},
        {"split": "hidden"},
    ],
)
def test_it_refuses_a_measurement_whose_fields_contradict(change: dict[str, Any]) -> None:
    attempt = make_attempt(result=make_run().results.first(), status="passed")
    with pytest.raises(IntegrityError), transaction.atomic():
        Measurement.objects.filter(attempt=attempt).update(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"state": "published"},
        {"trust": "claimed"},
        {"trust": "reproduced", "origin": "imported", "bundle_digest": "a" * 64},
        {"trust": "reproduced", "reproduced_tasks": 3, "verified_tasks": 3},
        {"reproduced_tasks": 1, "verified_tasks": 3},
        {"origin": "rumour"},
    ],
)
def test_it_refuses_a_run_whose_fields_contradict(change: dict[str, Any]) -> None:
    run = make_run(with_results=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(**change)


@pytest.mark.parametrize("change", [{"quarantined_at": NOON}, {"quarantine_reason": "broken"}])
def test_a_quarantine_has_a_moment_and_a_reason(change: dict[str, Any]) -> None:
    host = make_host()
    with pytest.raises(IntegrityError, match="host_quarantine_has_a_reason"), transaction.atomic():
        Host.objects.filter(pk=host.pk).update(**change)


@pytest.mark.parametrize("action", ["publish", "lift", "reveal"])
def test_an_audit_entry_is_about_one_kind_of_thing(action: str) -> None:
    about = {"host": make_host()} if action == "publish" else {"run": make_run()}
    with pytest.raises(IntegrityError, match="auditentry_about_one_thing"), transaction.atomic():
        AuditEntry.objects.create(action=action, actor_name="test", **about)


def make_unseen_rows() -> UnseenMeasurement:
    evaluation = UnseenEvaluation.objects.create(
        attempt=make_attempt(result=make_run().results.first(), status="passed"),
        round=make_round(),
        begun_at=NOON,
        state="done",
        is_complete=True,
        record_digest="a" * 64,
    )
    both = {"baseline_correct": True, "correct": True}
    return UnseenMeasurement.objects.create(
        evaluation=evaluation, case="n=1", category="edge", profile="small", origin="generated", **both
    )


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("state_is_known", {"state": "fine", "record_digest": "", "is_complete": False}),
        ("record_iff_done", {"record_digest": ""}),
        ("record_iff_done", {"state": "refused"}),
        ("record_iff_done", {"state": "running", "record_digest": ""}),
        ("message_iff_errored", {"message": "It failed."}),
        ("message_iff_errored", {"state": "errored", "record_digest": "", "is_complete": False}),
    ],
)
def test_it_refuses_an_unseen_evaluation_whose_fields_contradict(constraint: str, change: dict[str, Any]) -> None:
    evaluation = make_unseen_rows().evaluation
    with pytest.raises(IntegrityError, match=f"unseenevaluation_{constraint}"), transaction.atomic():
        UnseenEvaluation.objects.filter(pk=evaluation.pk).update(**change)


def test_an_attempt_has_one_unseen_evaluation_and_each_case_once() -> None:
    row = make_unseen_rows()
    with pytest.raises(IntegrityError), transaction.atomic():
        UnseenEvaluation.objects.create(attempt=row.evaluation.attempt, round=row.evaluation.round, begun_at=NOON)
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("category_is_known", {"category": "sideways"}),
        ("error_iff_a_side_has_no_verdict", {"is_error": True}),
        ("error_iff_a_side_has_no_verdict", {"correct": None, "reason": "host_fault"}),
        ("reason_unless_right", {"correct": False}),
        ("reason_unless_right", {"baseline_correct": False}),
        ("reason_unless_right", {"is_error": True, "correct": None}),
        ("reason_unless_right", {"reason": "mismatch"}),
        ("ratio_only_where_both_pass", {"correct": False, "reason": "mismatch", "log_ratio": 0.1}),
        ("ratio_only_where_both_pass", {"baseline_correct": False, "baseline_reason": "mismatch", "log_ratio": 0.1}),
        ("ratio_only_where_both_pass", {"is_eligible": True}),
        ("ratio_only_where_both_pass", {"log_ratio_variance": 0.1}),
        ("variance_not_negative", {"log_ratio": 0.1, "log_ratio_variance": -0.1}),
        ("interval_around_the_ratio", {"log_ratio": 0.1, "log_ratio_low": 0.2}),
        ("interval_around_the_ratio", {"log_ratio": 0.1, "log_ratio_high": 0.0}),
    ],
)
def test_it_refuses_an_unseen_case_whose_fields_contradict(constraint: str, change: dict[str, Any]) -> None:
    row = make_unseen_rows()
    with pytest.raises(IntegrityError, match=f"unseenmeasurement_{constraint}"), transaction.atomic():
        UnseenMeasurement.objects.filter(pk=row.pk).update(**change)


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("hashes_are_sha256", {"secret_hash": "ABC"}),
        ("hashes_are_sha256", {"tasks_digest": ""}),
        ("has_a_secret", {"secret": "too short"}),
        ("revealed_after_it_was_opened", {"revealed_at": NOON - timedelta(days=9999)}),
    ],
)
def test_it_refuses_a_round_whose_fields_contradict(constraint: str, change: dict[str, Any]) -> None:
    row = make_round()
    with pytest.raises(IntegrityError, match=f"round_{constraint}"), transaction.atomic():
        Round.objects.filter(pk=row.pk).update(**change)


@pytest.mark.parametrize("change", [{"origin": "imported"}, {"bundle_digest": "a" * 64}])
def test_what_is_imported_has_a_bundle_and_nothing_else_has(change: dict[str, Any]) -> None:
    run = make_run(with_results=False)
    with pytest.raises(IntegrityError, match="run_bundle_iff_imported"), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(**change)


def test_a_bundle_is_one_run() -> None:
    make_run(with_results=False, origin="imported", bundle_digest="a" * 64)
    with pytest.raises(IntegrityError), transaction.atomic():
        make_run(with_results=False, origin="imported", bundle_digest="a" * 64)
