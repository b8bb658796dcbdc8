"""What is handed in, verified, audited and reviewed."""

from __future__ import annotations

from typing import Any

from runs.models import (
    Attempt,
    AuditEntry,
    Claim,
    Result,
    ResultAudit,
    Review,
    Run,
    Submission,
    TaskVerdict,
    Verification,
)
from tests.factories.catalog import NOON, numbers, sha256
from tests.factories.results import make_run


def make_submission(**values: Any) -> Submission:
    """Waiting for its check unless told otherwise; with a run it is accepted."""
    number = next(numbers)
    defaults = {
        "digest": sha256(("bundle", number)),
        "file_name": "run.zip",
        "size_bytes": 4096,
        "submitter_name": "sam",
        "declared": {"agent": "Sam's agent", "output_tokens": "120000"},
        "licence": "MIT",
        "consented_at": NOON,
        "received_at": NOON,
        "state": "accepted" if "run" in values else "received",
    }
    submission = Submission.objects.create(**defaults | values)
    AuditEntry.objects.create(actor_name="sam", action="receive", submission=submission)
    return submission


def make_claims(*statuses: str, **values: Any) -> Submission:
    """A bundle of KernelBench with a claim of each status, which a command imported and nobody has published."""
    facts = {"agent": "as the bundle says", "model": "m-9"}
    about = {"suite": "kernelbench-level1", "suite_tasks": 100, "facts": facts, "totals": []}
    imported = {"submitter_name": "import_bundle", "state": "accepted", "format": "KernelBench", "about": about}
    submission = make_submission(**imported | {"claim_count": len(statuses)} | values)
    told = {"is_known": True, "claimed": {"runtime": 1.5}, "claimed_speedup": 2.0}
    for number, status in enumerate(statuses):
        task = f"level1/{number}_Convolution.py"
        Claim.objects.create(submission=submission, task=task, status=status, **told)
    return submission


def make_claimed_pair(**values: Any) -> Claim:
    """The later of two claims of a public corpus of refinement: a wrong kernel, then a right one."""
    submission = make_submission(
        **{"format": "KernelBench-X corpus", "state": "accepted", "claim_count": 2, "is_public": True} | values
    )
    told = {"submission": submission, "task": "Math/abs.py", "is_known": True}
    Claim.objects.create(status="wrong_output", attempt="round_0", message="It is wrong.", **told)
    step = {"previous_attempt": "round_0", "previous_status": "wrong_output", "transition": "rescued", "kinds": "mask"}
    return Claim.objects.create(status="passed", attempt="round_1", claimed_speedup=1.2, **told | step)


def make_verification(claimed: Run, outcomes: list[str], **values: Any) -> Verification:
    """A closed one, with so many of the claimed run's answered tasks as outcomes are given."""
    measured = make_run(
        suite=claimed.suite,
        configuration=claimed.configuration,
        device_class=claimed.device_class,
        status="passed",
        verifies=claimed,
    )
    good = sum(one in ("reproduced", "faster") for one in outcomes)
    counts = {"reproduced_tasks": good, "compared_tasks": len(outcomes), "closed_at": NOON, "verdict": "partly"}
    verification = Verification.objects.create(
        **{"claimed": claimed, "measured": measured, "asked_by_name": "admin"} | counts | values
    )
    pairs = zip(_answers(claimed), _answers(measured), outcomes, strict=False)
    for before, after, outcome in pairs:
        TaskVerdict.objects.create(
            verification=verification, claimed=before, measured=after, outcome=outcome, because="right there and here"
        )
    return verification


def make_audit(result: Result, verdict: str = "suspect", **values: Any) -> ResultAudit:
    attempt = result.published_attempt or result.attempts.last()
    defaults = {"reason": "It looks at its caller.", "place": "kernel.hip:12", "quote": "if (caller == JUDGE)"}
    audit = ResultAudit.objects.create(
        **{"result": result, "attempt": attempt, "verdict": verdict, "auditor_name": "admin"} | defaults | values
    )
    if audit.taken_back_at is None:
        Result.objects.filter(pk=result.pk).update(audit=verdict)
    return audit


def make_review(submission: Submission, **values: Any) -> Review:
    defaults = {"kind": "look_alike", "detail": "Ѕam looks like Sam (sam)", "opened_by_name": "check"}
    return Review.objects.create(submission=submission, **defaults | values)


def _answers(run: Run) -> list[Attempt]:
    return list(Attempt.objects.filter(result__run=run, is_latest=True).order_by("result__task__path"))
