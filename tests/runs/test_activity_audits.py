"""Audits by activity: the queue lists each task's three fastest results, and a report becomes part of an audit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluator import codec
from evaluator.records.activity import ActivityReport, CaseActivity, KernelActivity
from evaluator.records.record import TaskRef
from runs import guards
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, Result, Run
from runs.services import audits
from tests import factories
from tests.records import make_record
from tests.runs.test_submission_pages import logged_in

pytestmark = pytest.mark.django_db


def timed_run(log_speedup: float, like: Run | None = None) -> Run:
    same = {} if like is None else {"suite": like.suite, "device_class": like.device_class}
    run = factories.make_run(state="published", status="passed", **same)
    with guards.lifted():
        Attempt.objects.filter(result__run=run).update(log_speedup=log_speedup, cautious_log_speedup=log_speedup)
    return run


def report_on(result: Result) -> ActivityReport:
    kernel = KernelActivity("softmax_kernel", 1.0, 100_000.0, is_own=True)
    case = CaseActivity("n=1", 60e3, 10, 100e3, 101e3, 0.0, 1.0, (kernel,), "disagree", "40.0 us more than T_dev")
    task = TaskRef(result.task.path, result.task.digest, result.task.category)
    record = make_record()
    return ActivityReport(
        1, record.started_at, task, result.candidate_digest, record.started_at, record.host, "kineto", (case,)
    )


def upload(client: Client, result: Result, data: bytes) -> bytes:
    file = SimpleUploadedFile("activity.json", data)
    asked = {"verdict": "suspect", "reason": "More work than time.", "activity": file}
    return client.post(f"/review/result/{result.pk}/audit/", asked, follow=True).content


def test_the_three_fastest_of_each_task_and_device_lead() -> None:
    first = timed_run(0.1)
    runs = [first, *(timed_run(speed, first) for speed in (0.4, 0.3, 0.2))]
    elsewhere = timed_run(0.05)
    factories.make_run(state="published", status="passed", suite=first.suite, device_class=first.device_class)
    for task in first.suite.tasks.all():
        leaders = Result.objects.leaders(3).filter(task=task, run__device_class=first.device_class)
        assert [(one.run_id, one.place) for one in leaders] == [(runs[1].pk, 1), (runs[2].pk, 2), (runs[3].pk, 3)]
    assert Result.objects.leaders(3).filter(run=elsewhere).exists()


def test_a_result_that_may_not_rank_does_not_lead() -> None:
    run = timed_run(0.4)
    result = run.results.first()
    audits.audit_result(result=result, verdict="contaminated", reason="It is.", actor="admin")
    assert not Result.objects.leaders(3).filter(pk=result.pk).exists()


def test_a_page_beside_the_queue_offers_the_command_and_says_what_was_traced() -> None:
    result = timed_run(0.4).results.first()
    client, _ = logged_in("review_submission", "audit_result")
    page = client.get("/review/fastest/").content.decode()
    assert f"python -m evaluator audit {result.task.path}/record.json --out activity.json" in page
    assert f"/run/{result.run_id}/records.zip" in page
    assert "traced" not in page
    upload(client, result, codec.dumps(report_on(result)).encode())
    assert "traced" in client.get("/review/fastest/").content.decode()


def test_a_report_is_published_with_its_audit_and_in_the_audit_log() -> None:
    result = timed_run(0.4).results.first()
    client, _ = logged_in("review_submission", "audit_result")
    upload(client, result, codec.dumps(report_on(result)).encode())
    audit = result.audits.get()
    assert audit.has_activity
    assert audit.quote.startswith("activity trace: disagree (")
    assert "40.0 us more than T_dev" in audit.quote
    assert AuditEntry.objects.get(action="audit").reason.startswith("suspect (activity trace: disagree): More work")
    assert "40.0 us more than T_dev" in Client().get(f"/result/{result.pk}/").content.decode()


def test_a_report_on_another_candidate_is_refused() -> None:
    run = timed_run(0.4)
    result = run.results.first()
    report = replace(report_on(result), candidate="f" * 64)
    with pytest.raises(RunError, match="of another task or candidate"):
        audits.audit_result(result=result, verdict="clean", reason="Fine.", activity=report, actor="admin")
    assert not result.audits.exists()


def test_a_report_from_the_future_changes_nothing() -> None:
    result = timed_run(0.4).results.first()
    client, _ = logged_in("review_submission", "audit_result")
    report = replace(report_on(result), made_at="2099-01-01T00:00:00+00:00")
    assert b"which is in the future" in upload(client, result, codec.dumps(report).encode())
    assert not result.audits.exists()


@pytest.mark.parametrize("data", [b"{}", b"not JSON", b"\xff\xfe", b"[" * 5000])
def test_a_file_that_is_no_report_changes_nothing(data: bytes) -> None:
    result = timed_run(0.4).results.first()
    client, _ = logged_in("review_submission", "audit_result")
    assert b"This is no activity report" in upload(client, result, data)
    assert not result.audits.exists()


def test_a_report_quotes_no_lines_for_hacked() -> None:
    result = timed_run(0.4).results.first()
    with pytest.raises(RunError, match="quote the lines"):
        audits.audit_result(result=result, verdict="hacked", reason="It is.", activity=report_on(result), actor="admin")
