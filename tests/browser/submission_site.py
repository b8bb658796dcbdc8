"""A run that was handed in, published, evaluated again and audited; and one of another benchmark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import log

from runs.models import Claim, Submission
from tests import factories

OUTCOMES = ["reproduced", "faster", "slower", "failed", "not_comparable", "reproduced"]


def make_submission_places() -> list[str]:
    device = factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)
    suite = factories.make_suite([factories.make_task() for _ in OUTCOMES], name="handed-in")
    configuration = factories.make_configuration(agent=factories.make_agent(name="Sam's agent"))
    handed_in = {"origin": "imported", "bundle_digest": "b" * 64, "state": "published"}
    run = factories.make_run(suite=suite, device_class=device, configuration=configuration, **handed_in)
    for number, result in enumerate(run.results.order_by("task__path")):
        factories.publish(factories.make_attempt(result=result, status="passed", **_speed(1.2 + number / 10)))
    findings = [{"code": "within_noise", "place": "records/GELU.json", "task": None, "text": "It is within noise."}]
    submission = factories.make_submission(
        run=run, submitter=factories.make_user(), findings=findings, format="ArenaBoard"
    )
    factories.make_verification(run, OUTCOMES, reproduced_tasks=3, compared_tasks=5)
    until = datetime.now(UTC) + timedelta(days=10)
    factories.make_audit(run.results.order_by("task__path").last(), reply_until=until)
    back = {
        "taken_back_at": factories.NOON,
        "taken_back_by_name": "max",
        "taken_back_because": "Another result.",
    }
    factories.make_audit(run.results.order_by("task__path").first(), "hacked", **back)
    factories.make_review(
        submission, decision="Two people, two agents.", closed_at=factories.NOON, closed_by_name="admin"
    )
    factories.make_review(submission, kind="duplicate", detail="hip2hip/arena/kernel1: the candidate of another")
    _kernelbench_x()
    return ["/submit/", f"/submission/{submission.pk}/", f"/submission/{_claims().pk}/", "/audits/"]


def _claims() -> Submission:
    claimed = {"claim_count": 3, "is_public": True, "state": "accepted", "format": "KernelBench"}
    submission = factories.make_submission(submitter=factories.make_user(), **claimed)
    for number, is_known in enumerate((True, True, False)):
        Claim.objects.create(
            submission=submission,
            task=f"level1/{number}_a_rather_long_name_of_a_kernel",
            is_known=is_known,
            status="passed" if number else "wrong_output",
            message="" if number else "Output mismatch in trial 3.",
            claimed_speedup=1.25 if number else None,
        )
    return submission


def _kernelbench_x() -> None:
    """A run and a corpus of rounds, which stand on the page of KernelBench-X."""
    told = {"declared": {"agent": "Refiner", "model": "A model"}, "claim_count": 4, "is_public": True}
    for kind, attempts in (("KernelBench-X", ("",)), ("KernelBench-X corpus", ("round_0", "round_1"))):
        submission = factories.make_submission(format=kind, state="accepted", **told)
        for number, attempt in enumerate(attempts):
            for task in ("Activation/gelu.py", "Quantization/matmul_w8a8.py"):
                is_right = number > 0 or task.startswith("A")
                Claim.objects.create(
                    submission=submission,
                    task=task,
                    attempt=attempt,
                    is_known=True,
                    status="passed" if is_right else "wrong_output",
                    claimed={"call_ok": True, "exe_ok": is_right, "runtime_ms": 1.5},
                    claimed_speedup=1.25 if is_right else None,
                )


def _speed(value: float) -> dict[str, float]:
    at = log(value)
    ends = {"log_speedup_low": at - 0.02, "log_speedup_high": at + 0.02}
    return {"log_speedup": at, "cautious_log_speedup": at} | ends
