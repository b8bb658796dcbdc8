"""Runs with their results, attempts, measurements and sessions of agents."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from evaluator import VERSION, codec
from evaluator.records.record import PROTOCOL, Record, TaskRef
from evaluator.tasks.candidate import Candidate
from runs import archive, verdicts
from runs.models import AgentSession, Attempt, AuditEntry, Measurement, Result, Run, Task
from runs.services.sessions import store_session
from tests import agent_sessions
from tests.factories.catalog import NOON, make_configuration, make_device_class, make_suite, numbers, sha256


def make_run(*, with_results: bool = True, status: str | None = None, **values: Any) -> Run:
    """A draft with a result for each task; `status` gives each an attempt, which is published if the run is."""
    makers = {"configuration": make_configuration, "suite": make_suite, "device_class": make_device_class}
    values |= {name: make() for name, make in makers.items() if name not in values}
    if values.get("origin", "run_here") != "run_here":
        values.setdefault("trust", "claimed")
    if values.get("state", "draft") != "draft":
        values.setdefault("published_at", NOON)
    run = Run.objects.create(**{"protocol": PROTOCOL} | values)
    for task in run.suite.tasks.all() if with_results else ():
        result = make_result(run=run, task=task)
        if status is not None:
            attempt = make_attempt(result=result, status=status)
            if run.state == "published":
                publish(attempt)
    return run


def make_result(*, run: Run, task: Task, **values: Any) -> Result:
    digest = sha256(("candidate", next(numbers)))
    return Result.objects.create(**{"run": run, "task": task, "candidate_digest": digest} | values)


def make_attempt(*, result: Result, status: str = "queued", measured: bool = True, **values: Any) -> Attempt:
    """The result's newest attempt; a judged one with measurements of the task's cases."""
    number = next(numbers)
    before = result.attempts.order_by("-number").first()
    if before is not None:
        result.attempts.update(is_latest=False)
    defaults: dict[str, Any] = {"number": before.number + 1 if before else 1, "queued_at": NOON, "status": status}
    defaults |= _fields_of(status, number)
    if "record_digest" in defaults:
        defaults["protocol"] = result.run.protocol
    attempt = Attempt.objects.create(result=result, **defaults | values)
    if measured and attempt.record_digest:
        make_measurements(attempt)
    return attempt


def make_recorded_attempt(*, result: Result, record: Record, **values: Any) -> Attempt:
    """An attempt that ended with this record, which lies in the archive."""
    digest = archive.put(codec.dumps(record).encode())
    columns = verdicts.attempt_columns(record, result.task.work) | {"record_digest": digest}
    attempt = make_attempt(result=result, measured=False, **columns | values)
    Measurement.objects.bulk_create(verdicts.measurements(attempt, record))
    return attempt


def make_measurements(attempt: Attempt) -> list[Measurement]:
    passed = attempt.status == "passed"
    clocks = {"functional": {"baseline_ms": 2.0, "candidate_ms": 1.5, "calls": 3}} if passed else {}
    return Measurement.objects.bulk_create(
        Measurement(
            attempt=attempt,
            case=case["id"],
            profile=case["profile"],
            correct=attempt.correct,
            baseline_correct=True,
            draws=9 if passed else 0,
            relative_rmse=1e-7,
            allowed_rmse=4e-7,
            baseline_rmse=1e-7,
            first_call_ms=12.0,
            clocks=clocks,
        )
        for case in attempt.result.task.cases
    )


def make_session(result: Result, **changes: Any) -> AgentSession:
    """Of the agent that wrote a result's candidate, as if it had come with a bundle; with an attempt: held here."""
    task, attempt = result.task, changes.pop("attempt", None)
    candidate = Candidate({path: f"// {result.pk}\n".encode() for path in task.editable}, "chat_loop")
    told = agent_sessions.make_session(TaskRef(task.path, task.digest, task.category), candidate)
    told = replace(told, **changes)
    row = store_session(result, told, codec.dumps(told).encode())
    AgentSession.objects.filter(pk=row.pk).update(attempt=attempt)
    return AgentSession.objects.get(pk=row.pk)


def publish(attempt: Attempt) -> Attempt:
    """As a publish action would leave the rows."""
    result = attempt.result
    about = {"run": result.run, "result": result, "from_attempt": result.published_attempt, "to_attempt": attempt}
    at = result.run.published_at or NOON
    AuditEntry.objects.create(actor_name="test", action="publish", at=at, **about)
    Result.objects.filter(pk=attempt.result_id).update(published_attempt=attempt)
    return attempt


def _fields_of(status: str, number: int) -> dict[str, Any]:
    """What the constraints ask for in each status."""
    later = NOON + timedelta(seconds=30)
    if status == "queued":
        return {}
    if status == "running":
        return {
            "started_at": NOON,
            "heartbeat_at": NOON,
            "lease_until": later,
            "fencing_token": 1,
            "claimed_by": "worker-1",
        }
    if status == "cancelled":
        return {"ended_at": later}
    judged = {"started_at": NOON, "ended_at": later, "fencing_token": 1, "claimed_by": "worker-1"}
    judged |= {"record_digest": sha256(("record", number)), "evaluator": VERSION}
    if status == "passed":
        return judged | {"compiled": True, "correct": True, "flags": ["functional"]}
    if status in ("errored", "not_judged"):
        return judged | {"reason": "host_fault", "message": "The host failed."}
    gate = {"build_failed": "compile", "tampered": "source", "not_produced": "source"}.get(status, "correctness")
    compiled = gate == "correctness"
    return judged | {"compiled": compiled, "correct": False, "gate": gate} | {"reason": status, "message": "It failed."}
