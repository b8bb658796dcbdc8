"""Rows for tests: plain functions, each value with a default that a keyword changes. They write below services."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from evaluator import VERSION, codec
from evaluator.candidate import Candidate
from evaluator.records import Record, TaskRef
from runs import archive, verdicts
from runs.models import (
    Agent,
    AgentSession,
    Attempt,
    AuditEntry,
    Calibration,
    Configuration,
    DeviceClass,
    Host,
    Measurement,
    ModelVersion,
    PublishedRow,
    PublishedTable,
    Result,
    ResultAudit,
    Review,
    Round,
    Run,
    Submission,
    Suite,
    SuiteMembership,
    Task,
    TaskVerdict,
    UnseenEvaluation,
    UnseenMeasurement,
    Verification,
)
from runs.services.sessions import store_session
from tests import agent_sessions

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
_numbers = itertools.count(1)


def sha256(text: object) -> str:
    return hashlib.sha256(str(text).encode()).hexdigest()


def make_task(**values: Any) -> Task:
    number = next(_numbers)
    category = values.get("category", "hip2hip")
    name = values.setdefault("name", f"kernel{number}")
    values = {
        "path": f"{category}/arena/{name}",
        "digest": sha256(("task", number)),
        "category": category,
        "source": "arena",
        "description": f"Computes {name}.",
        "editable": [f"{name}.hip"],
        "cases": [{"id": "cols=8,rows=4", "profile": "small", "axes": {"rows": 4, "cols": 8}}],
    } | values
    return Task.objects.create(**values)


def make_suite(tasks: list[Task] | None = None, **values: Any) -> Suite:
    """`tasks` defaults to one new task of each category."""
    number = next(_numbers)
    if tasks is None:
        tasks = [make_task(category=category) for category in ("hip2hip", "torch2hip", "triton2triton")]
    values = {"name": f"suite-{number}", "version": 1, "digest": sha256(("suite", number))} | values
    suite = Suite.objects.create(**values)
    SuiteMembership.objects.bulk_create(SuiteMembership(suite=suite, task=task) for task in tasks)
    return suite


def make_agent(**values: Any) -> Agent:
    number = next(_numbers)
    return Agent.objects.create(**{"slug": f"agent-{number}", "name": f"Agent {number}"} | values)


def make_model_version(**values: Any) -> ModelVersion:
    number = next(_numbers)
    defaults = {"slug": f"model-{number}", "name": f"Model {number}", "identifier": f"model-{number}-20261101"}
    return ModelVersion.objects.create(**defaults | values)


def make_configuration(**values: Any) -> Configuration:
    number = next(_numbers)
    defaults = {"slug": f"configuration-{number}", "settings_digest": sha256(values.get("settings", {}))}
    if "agent" not in values:
        values["agent"] = make_agent()
    if "model" not in values:
        values["model"] = make_model_version()
    return Configuration.objects.create(**defaults | values)


def make_device_class(**values: Any) -> DeviceClass:
    """The cpu class unless told otherwise; the same slug twice is the same row."""
    defaults = {"title": "x86-64 CPU", "architecture": "cpu", "is_functional": True}
    slug = values.pop("slug", "cpu-x86_64")
    return DeviceClass.objects.get_or_create(slug=slug, defaults=defaults | values)[0]


def make_host(**values: Any) -> Host:
    if "device_class" not in values:
        values["device_class"] = make_device_class()
    return Host.objects.create(**{"name": f"host-{next(_numbers)}"} | values)


def make_calibration(**values: Any) -> Calibration:
    figures = {"e0_ns": 1300.0, "aa_sd": 0.003, "aa_bias": 0.0004, "aa_sessions": 20, "aa_cases": 4, "floors": {}}
    if "host" not in values:
        values["host"] = make_host()
    return Calibration.objects.create(**{"made_at": NOON, "is_accepted": True, "figures": figures} | values)


def make_run(*, with_results: bool = True, status: str | None = None, **values: Any) -> Run:
    """A draft with a result for each task; `status` gives each an attempt, which is published if the run is."""
    makers = {"configuration": make_configuration, "suite": make_suite, "device_class": make_device_class}
    values |= {name: make() for name, make in makers.items() if name not in values}
    if values.get("state", "draft") != "draft":
        values.setdefault("published_at", NOON)
    run = Run.objects.create(**values)
    for task in run.suite.tasks.all() if with_results else ():
        result = make_result(run=run, task=task)
        if status is not None:
            attempt = make_attempt(result=result, status=status)
            if run.state == "published":
                publish(attempt)
    return run


def make_result(*, run: Run, task: Task, **values: Any) -> Result:
    digest = sha256(("candidate", next(_numbers)))
    return Result.objects.create(**{"run": run, "task": task, "candidate_digest": digest} | values)


def make_attempt(*, result: Result, status: str = "queued", measured: bool = True, **values: Any) -> Attempt:
    """The result's newest attempt; a judged one with measurements of the task's cases."""
    number = next(_numbers)
    before = result.attempts.order_by("-number").first()
    if before is not None:
        result.attempts.update(is_latest=False)
    defaults: dict[str, Any] = {"number": before.number + 1 if before else 1, "queued_at": NOON, "status": status}
    attempt = Attempt.objects.create(result=result, **defaults | _fields_of(status, number) | values)
    if measured and attempt.record_digest:
        make_measurements(attempt)
    return attempt


def make_recorded_attempt(*, result: Result, record: Record, **values: Any) -> Attempt:
    """An attempt that ended with this record, which lies in the archive."""
    digest = archive.put(codec.dumps(record).encode())
    columns = verdicts.attempt_columns(record) | {"record_digest": digest}
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


def make_user(**values: Any) -> User:
    return User.objects.create_user(f"user-{next(_numbers)}", **values)


def make_submission(**values: Any) -> Submission:
    """Waiting for its check unless told otherwise; with a run it is accepted."""
    number = next(_numbers)
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
    Result.objects.filter(pk=result.pk).update(audit=verdict)
    return audit


def make_review(submission: Submission, **values: Any) -> Review:
    defaults = {"kind": "look_alike", "detail": "Ѕam looks like Sam (sam)", "opened_by_name": "check"}
    return Review.objects.create(submission=submission, **defaults | values)


def make_round(**values: Any) -> Round:
    """Revealed unless told otherwise."""
    number = next(_numbers)
    if "suite" not in values:
        values["suite"] = make_suite()
    secret = sha256(("secret", number))
    defaults = {"slug": f"round-{number}", "secret": secret, "secret_hash": sha256(secret), "opened_at": NOON}
    defaults |= {"generator_version": "arena-unseen-1", "tasks_digest": sha256(("tasks", number))}
    return Round.objects.create(**defaults | {"revealed_at": NOON + timedelta(days=91)} | values)


Outcome = tuple[str, bool | None, bool | None]  # config category, baseline, candidate; None: our evaluation failed


def make_unseen(attempt: Attempt, *outcomes: Outcome, log_ratio: float | None = None) -> UnseenEvaluation:
    """A complete evaluation in its run's round; `log_ratio` is that of every case on which both sides are right."""
    is_complete = all(None not in sides for _, *sides in outcomes)
    evaluation = UnseenEvaluation.objects.create(
        attempt=attempt,
        round=attempt.result.run.round,
        state="done",
        is_complete=is_complete,
        begun_at=NOON,
        record_digest=sha256(("unseen record", next(_numbers))),
    )
    UnseenMeasurement.objects.bulk_create(
        _unseen_measurement(evaluation, number, *outcome, log_ratio) for number, outcome in enumerate(outcomes, 1)
    )
    return evaluation


def publish(attempt: Attempt) -> Attempt:
    """As a publish action would leave the rows."""
    Result.objects.filter(pk=attempt.result_id).update(published_attempt=attempt)
    return attempt


def make_published_table(rows: int = 2, **values: Any) -> PublishedTable:
    number = next(_numbers)
    columns = [{"key": "category", "label": "Category"}, {"key": "agent", "label": "Agent"}]
    defaults = {
        "slug": f"table-{number}",
        "title": f"Table {number}",
        "citation": "A paper, 2026",
        "url": "https://arxiv.org/abs/2605.16819",
        "columns": columns,
    }
    table = PublishedTable.objects.create(**defaults | values)
    PublishedRow.objects.bulk_create(
        PublishedRow(table=table, position=position, cells={"category": "hip2hip", "agent": f"Agent {position}"})
        for position in range(1, rows + 1)
    )
    return table


def _answers(run: Run) -> list[Attempt]:
    return list(Attempt.objects.filter(result__run=run, is_latest=True).order_by("result__task__path"))


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
    judged |= {"record_digest": sha256(("record", number)), "evaluator": VERSION, "protocol": "arena-1"}
    if status == "passed":
        return judged | {"compiled": True, "correct": True, "flags": ["functional"]}
    if status in ("errored", "not_judged"):
        return judged | {"reason": "host_fault", "message": "The host failed."}
    gate = {"build_failed": "compile", "tampered": "source", "not_produced": "source"}.get(status, "correctness")
    compiled = gate == "correctness"
    return judged | {"compiled": compiled, "correct": False, "gate": gate} | {"reason": status, "message": "It failed."}


def _unseen_measurement(
    evaluation: UnseenEvaluation,
    number: int,
    category: str,
    baseline: bool | None,
    candidate: bool | None,
    log_ratio: float | None,
) -> UnseenMeasurement:
    is_timed = bool(baseline and candidate and log_ratio is not None)
    return UnseenMeasurement(
        evaluation=evaluation,
        case=f"cols={100 + number},rows=4",
        category=category,
        profile="small",
        origin="generated",
        is_error=baseline is None or candidate is None,
        baseline_correct=baseline,
        correct=candidate,
        baseline_reason="" if baseline else "mismatch",
        reason="" if candidate else "mismatch",
        message="" if candidate else f"In case cols={100 + number}, 7 elements are wrong.",
        log_ratio=log_ratio if is_timed else None,
        is_eligible=is_timed,
    )
