"""The database's rules for submissions, verifications and audits, whoever writes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, models, transaction

from runs import guards
from runs.models import ApiToken, AuditEntry, Claim, ResultAudit, Review, Run, Submission, TaskVerdict, Verification
from tests import factories
from tests.factories import NOON

pytestmark = pytest.mark.django_db


def refused(row: models.Model, constraint: str, change: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        type(row)._default_manager.filter(pk=row.pk).update(**change)


def imported() -> Run:
    return factories.make_run(status="passed", origin="imported", bundle_digest=factories.sha256(object()))


REJECTED = {"state": "rejected", "problem_count": 1}


@pytest.mark.parametrize(
    ("constraint", "values", "change"),
    [
        ("submission_(state_is_known|run_iff_accepted)", {}, {"state": "lost", "outcome": ""}),
        ("submission_run_iff_accepted", {}, {"state": "accepted"}),
        ("submission_run_iff_accepted", {}, {"claim_count": 1}),
        ("submission_run_iff_accepted", {}, {"state": "closed", "outcome": "verified"}),
        ("submission_problems_when_rejected", REJECTED, {"problem_count": 0}),
        ("submission_problems_when_rejected", {}, {"problem_count": 1}),
        ("submission_outcome_iff_closed", {}, {"outcome": "taken_down"}),
        ("submission_outcome_iff_closed", {}, {"state": "closed", "claim_count": 1}),
        ("submission_lease_iff_checking", {}, {"lease_until": NOON}),
        ("submission_lease_iff_checking", {}, {"state": "checking", "checks": 1}),
        ("submission_licence_is_known", {}, {"licence": "mine"}),
    ],
)
def test_it_refuses_a_submission_whose_fields_contradict(
    constraint: str, values: dict[str, Any], change: dict[str, Any]
) -> None:
    refused(factories.make_submission(**values), constraint, change)


def test_bytes_and_a_key_of_a_submitter_are_unique() -> None:
    user = factories.make_user()
    first = factories.make_submission(submitter=user, idempotency_key="k")
    refused(factories.make_submission(), "digest", {"digest": first.digest})
    other = factories.make_submission(submitter=user)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=other.pk).update(idempotency_key="k")
    assert factories.make_submission(submitter=factories.make_user(), idempotency_key="k")


def test_a_run_that_verifies_is_ours_and_on_no_board() -> None:
    measured = factories.make_verification(imported(), ["reproduced"]).measured
    name = "run_verification_is_ours_and_never_published"
    refused(measured, name, {"state": "published", "published_at": NOON})
    refused(measured, name, {"origin": "imported", "bundle_digest": "d" * 64, "trust": "claimed"})


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("verification_verdict_iff_closed", {"verdict": ""}),
        ("verification_verdict_iff_closed", {"closed_at": None}),
        ("verification_counts_are_shares", {"reproduced_tasks": 9}),
    ],
)
def test_it_refuses_a_verification_whose_fields_contradict(constraint: str, change: dict[str, Any]) -> None:
    refused(factories.make_verification(imported(), ["reproduced"]), constraint, change)


def test_one_verification_of_a_run_is_open_at_a_time() -> None:
    run = imported()
    factories.make_verification(run, [], verdict="", closed_at=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.make_verification(run, [], verdict="", closed_at=None)
    assert factories.make_verification(run, [])


def test_it_refuses_a_verdict_on_a_task_without_outcome_or_reason_and_a_second_one() -> None:
    verdict = factories.make_verification(imported(), ["reproduced"]).tasks.get()
    refused(verdict, "taskverdict_outcome_is_known", {"outcome": "fine"})
    refused(verdict, "taskverdict_has_a_reason", {"because": ""})
    verdict.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        verdict.save(force_insert=True)
    assert TaskVerdict.objects.count() == 1


def test_it_refuses_an_audit_without_verdict_or_reason() -> None:
    audit = factories.make_audit(imported().results.first())
    refused(audit, "resultaudit_verdict_is_known", {"verdict": "none"})
    refused(audit, "resultaudit_has_a_reason", {"reason": ""})
    assert ResultAudit.objects.get().verdict == "suspect"


def test_it_refuses_a_review_that_contradicts_itself() -> None:
    review = factories.make_review(factories.make_submission())
    refused(review, "review_about_one_thing", {"kind": "appeal"})
    refused(review, "review_about_one_thing", {"submission": None})
    refused(review, "review_says_something", {"detail": ""})
    refused(review, "review_decision_iff_closed", {"closed_at": NOON})
    refused(review, "review_decision_iff_closed", {"decision": "It is."})
    audit = factories.make_audit(imported().results.first())
    factories.make_review(review.submission, kind="appeal", audit=audit)
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.make_review(review.submission, kind="appeal", audit=audit)
    assert Review.objects.count() == 2


def test_it_refuses_a_token_of_no_scope_or_no_time() -> None:
    token = ApiToken.objects.create(
        user=factories.make_user(), name="ci", digest="a" * 64, expires_at=NOON + timedelta(days=9_000)
    )
    refused(token, "apitoken_scope_is_known", {"scope": "everything"})
    refused(token, "apitoken_expires_after_it_was_made", {"expires_at": token.created_at})


def test_it_refuses_a_claim_of_an_unknown_status() -> None:
    claim = Claim.objects.create(submission=factories.make_submission(), task="t", is_known=True, status="passed")
    refused(claim, "claim_status_is_known", {"status": "fine"})


def test_an_entry_of_a_submission_is_about_nothing_else() -> None:
    entry = AuditEntry.objects.get(submission=factories.make_submission())
    guards.drop()  # what refuses every change
    refused(entry, "auditentry_about_one_thing", {"submission": None})
    refused(entry, "auditentry_about_one_thing", {"host": factories.make_host()})
    refused(entry, "auditentry_about_one_thing", {"action": "publish", "run": imported()})
    assert Verification.objects.count() == 0
