"""Audits: hacked counts as not correct at once, clean ends a hold, and the submitter may reply."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from runs import guards
from runs.errors import RunError
from runs.models import AuditEntry, Result, ResultAudit, Run
from runs.querysets import is_correct
from runs.services import audits
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return factories.make_run(state="published", status="passed")


def test_hacked_counts_as_not_correct_at_once_and_the_history_stays(run: Run) -> None:
    result = run.results.first()
    assert result is not None
    audits.audit_result(result=result, verdict="interesting", reason="A new idea.", actor="admin")
    assert Result.objects.may_rank().filter(is_correct(), pk=result.pk).exists()
    audits.audit_result(result=result, verdict="hacked", reason="It is not.", quote="if judged: …", actor="admin")
    assert Result.objects.may_rank().filter(~is_correct(), pk=result.pk).exists()
    assert list(result.audits.values_list("verdict", flat=True)) == ["hacked", "interesting"]
    assert AuditEntry.objects.filter(action="audit", run=run, result=result).count() == 2


def test_clean_ends_a_hold_and_its_flag_stays(run: Run) -> None:
    result = run.results.first()
    assert result is not None
    attempt = result.published_attempt
    attempt.is_held, attempt.flags = True, ["functional", "hold"]
    with guards.lifted():
        attempt.save()
    assert not Result.objects.may_rank().filter(pk=result.pk).exists()
    audits.audit_result(result=result, verdict="clean", reason="It only looks odd.", actor="admin")
    assert Result.objects.may_rank().filter(pk=result.pk).exists()
    attempt.refresh_from_db()
    assert attempt.flags == ["functional", "hold"]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"verdict": "none", "reason": "x"}, "choose one of"),
        ({"verdict": "clean", "reason": " "}, "give a reason"),
        ({"verdict": "hacked", "reason": "x"}, "quote the lines"),
    ],
)
def test_an_audit_needs_a_verdict_a_reason_and_quoted_lines(run: Run, values: dict[str, str], why: str) -> None:
    with pytest.raises(RunError, match=why):
        audits.audit_result(result=run.results.first(), actor="admin", **values)
    assert not ResultAudit.objects.exists()


def test_the_submitter_replies_once_and_in_time_and_a_maintainer_decides(run: Run) -> None:
    sam, eve = factories.make_user(), factories.make_user()
    run.origin, run.trust, run.bundle_digest = "imported", "claimed", "b" * 64
    with guards.lifted():
        run.save()
    factories.make_submission(run=run, submitter=sam)
    audit = audits.audit_result(result=run.results.first(), verdict="suspect", reason="Odd.", actor="admin")
    with pytest.raises(RunError, match="only the submitter"):
        audits.reply_to_audit(audit=audit, text="No.", actor=eve)
    review = audits.reply_to_audit(audit=audit, text="It is a lookup table.", actor=sam)
    with pytest.raises(RunError, match="replied to this audit already"):
        audits.reply_to_audit(audit=audit, text="And more.", actor=sam)
    audits.decide_review(review=review, decision="It is.", actor="admin")
    with pytest.raises(RunError, match="decided already"):
        audits.decide_review(review=review, decision="It is not.", actor="admin")
    late = audits.audit_result(result=run.results.last(), verdict="suspect", reason="Odd.", actor="admin")
    late.reply_until = timezone.now() - timedelta(seconds=1)
    late.save()
    with pytest.raises(RunError, match="time to reply is over"):
        audits.reply_to_audit(audit=late, text="Too late.", actor=sam)
