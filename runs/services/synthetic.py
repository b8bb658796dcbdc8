"""Synthetic boards for benchmarks of the site: written board by board, removed all at once.

They stand on suites and device classes of their own, so no real board changes, and everything of them is named so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import OuterRef, ProtectedError, Subquery

from evaluator.tasks.suites import suite_digest
from evaluator.unseen.generate import GENERATOR_VERSION
from evaluator.unseen.rounds import secret_digest
from runs import guards, synthetic
from runs.errors import RunError
from runs.models import (
    Agent,
    Attempt,
    AuditEntry,
    Configuration,
    DeviceClass,
    Host,
    Measurement,
    ModelVersion,
    Result,
    Round,
    Run,
    Suite,
    SuiteMembership,
    Task,
    UnseenEvaluation,
    UnseenMeasurement,
)
from runs.services.audit_log import Actor, note
from runs.synthetic import MARK, sha256

FIRST = datetime(2026, 1, 1, tzinfo=UTC)  # each run is published a minute after the one before
RUNS_AT_ONCE = 50  # removed together


@dataclass(frozen=True, slots=True)
class _Place:
    suite: Suite
    tasks: tuple[Task, ...]
    host: Host
    round: Round | None


@transaction.atomic
def seed_synthetic_board(*, number: int, most: int, actor: Actor) -> int:
    """Board `number`, run by run while there is room for `most` measurements; how many were made.

    The first board has a revealed round, on whose unseen cases every candidate was tried.

    Raises:
        RunError: the board is there already, or there is none of this number.
    """
    suite_number, device_number = divmod(number, len(synthetic.ARCHITECTURES))
    if not 0 <= number < synthetic.BOARDS:
        raise RunError(f"there are {synthetic.BOARDS} synthetic boards")
    device = _device(list(synthetic.ARCHITECTURES)[device_number])
    suite = _suite(suite_number)
    if suite.runs.filter(device_class=device).exists():
        raise RunError(f"{suite} on {device} is there already: `manage.py seed_benchmark --remove` first")
    place = _Place(suite, tuple(suite.tasks.order_by("path")), _host(device), _round(suite) if number == 0 else None)
    configurations, made = _configurations(), 0
    for at in range(len(configurations) * synthetic.REPEATS):
        entry, repeat = divmod(at, synthetic.REPEATS)
        answers = list(synthetic.answers(device.slug, suite_number, entry, repeat))
        measured = sum(len(answer.cases) for answer in answers)
        if made + measured > most:
            break
        _write_run(place, configurations[entry], repeat, answers, FIRST + timedelta(minutes=at), actor)
        made += measured
    return made


@transaction.atomic
def remove_synthetic() -> int:
    """Every synthetic row, their trail included; how many runs. No other row changes.

    Raises:
        RunError: something else refers to one of them; nothing is removed.
    """
    runs = list(Run.objects.filter(device_class__slug__in=synthetic.ARCHITECTURES).values_list("pk", flat=True))
    try:
        with guards.lifted():
            for start in range(0, len(runs), RUNS_AT_ONCE):
                _remove_runs(runs[start : start + RUNS_AT_ONCE])
            _remove_what_they_stood_on()
    except ProtectedError as error:
        raise RunError(f"something else refers to synthetic rows: {error.args[0]}") from error
    return len(runs)


def _remove_what_they_stood_on() -> None:
    AuditEntry.objects.filter(round__slug=MARK).delete()
    Round.objects.filter(slug=MARK).delete()
    Suite.objects.filter(name__in=map(_suite_name, range(synthetic.SUITES))).delete()
    Task.objects.filter(source=MARK).delete()
    Configuration.objects.filter(slug__in=_slugs()).delete()
    Agent.objects.filter(slug__in=map(_agent_slug, range(synthetic.AGENTS))).delete()
    ModelVersion.objects.filter(slug__in=map(_model_slug, range(synthetic.MODELS))).delete()
    Host.objects.filter(device_class__slug__in=synthetic.ARCHITECTURES).delete()
    DeviceClass.objects.filter(slug__in=synthetic.ARCHITECTURES).delete()


def _remove_runs(runs: list[int]) -> None:
    AuditEntry.objects.filter(run__in=runs).delete()
    Measurement.objects.filter(attempt__result__run__in=runs).delete()
    UnseenMeasurement.objects.filter(evaluation__attempt__result__run__in=runs).delete()
    UnseenEvaluation.objects.filter(attempt__result__run__in=runs).delete()
    Result.objects.filter(run__in=runs).update(published_attempt=None)
    Attempt.objects.filter(result__run__in=runs).delete()
    Run.objects.filter(pk__in=runs).delete()


def _write_run(
    place: _Place,
    configuration: Configuration,
    repeat: int,
    answers: list[synthetic.Answer],
    at: datetime,
    actor: Actor,
) -> None:
    run = Run.objects.create(
        configuration=configuration,
        suite=place.suite,
        device_class=place.host.device_class,
        repeat=repeat,
        round=place.round,
        state=Run.State.PUBLISHED,
        note="synthetic, made up for a benchmark",
        published_at=at,
    )
    results = Result.objects.bulk_create(
        Result(run=run, task=task, candidate_digest=sha256(place.suite.name, configuration.slug, repeat, task.name))
        for task in place.tasks
    )
    attempts = Attempt.objects.bulk_create(
        _attempt(result, answer, at, place.host) for result, answer in zip(results, answers, strict=True)
    )
    Measurement.objects.bulk_create(
        Measurement(attempt=attempt, **columns)
        for attempt, answer in zip(attempts, answers, strict=True)
        for columns in answer.cases
    )
    if place.round is not None:
        _write_unseen(place.round, attempts, answers, at)
    _publish(run, attempts, at)
    note(AuditEntry.Action.PUBLISH, actor, "synthetic", run=run)


def _publish(run: Run, attempts: list[Attempt], at: datetime) -> None:
    """The entries first: without one that says where to, the database moves no answer."""
    said = {"action": AuditEntry.Action.PUBLISH, "actor_name": MARK, "reason": "synthetic", "run": run, "at": at}
    AuditEntry.objects.bulk_create(
        AuditEntry(result=attempt.result, to_attempt=attempt, **said) for attempt in attempts
    )
    own = Attempt.objects.filter(result=OuterRef("pk")).values("pk")[:1]
    Result.objects.filter(run=run).update(published_attempt=Subquery(own))


def _attempt(result: Result, answer: synthetic.Answer, at: datetime, host: Host) -> Attempt:
    return Attempt(
        result=result,
        number=1,
        queued_at=at,
        started_at=at,
        ended_at=at + timedelta(seconds=30),
        claimed_by=MARK,
        host=host,
        record_digest=sha256("record", result.candidate_digest),  # of no record: the archive has none
        **answer.attempt,
    )


def _write_unseen(round: Round, attempts: list[Attempt], answers: list[synthetic.Answer], at: datetime) -> None:
    tried = [(attempt, answer) for attempt, answer in zip(attempts, answers, strict=True) if answer.unseen]
    evaluations = UnseenEvaluation.objects.bulk_create(
        UnseenEvaluation(
            attempt=attempt,
            round=round,
            state=UnseenEvaluation.State.DONE,
            is_complete=True,
            begun_at=at,
            record_digest=sha256("unseen", attempt.record_digest),
        )
        for attempt, _ in tried
    )
    UnseenMeasurement.objects.bulk_create(
        UnseenMeasurement(evaluation=evaluation, **columns)
        for evaluation, (_, answer) in zip(evaluations, tried, strict=True)
        for columns in answer.unseen
    )


def _device(slug: str) -> DeviceClass:
    about = {
        "title": f"Synthetic {slug.removeprefix(f'{MARK}-')}",
        "architecture": synthetic.ARCHITECTURES[slug],
        "is_functional": False,
    }
    return DeviceClass.objects.get_or_create(slug=slug, defaults=about)[0]


def _host(device: DeviceClass) -> Host:
    about = {"device_class": device, "is_enabled": False, "is_accepted": True, "note": "synthetic: no machine"}
    return Host.objects.get_or_create(name=device.slug, defaults=about)[0]


def _suite(number: int) -> Suite:
    name = _suite_name(number)
    if found := Suite.objects.filter(name=name).first():
        return found
    tasks = Task.objects.bulk_create(Task(**columns) for columns in synthetic.tasks(number))
    digest = suite_digest({task.path: task.digest for task in tasks})
    suite = Suite.objects.create(name=name, version=1, digest=digest, title=f"Synthetic suite {number}")
    SuiteMembership.objects.bulk_create(SuiteMembership(suite=suite, task=task) for task in tasks)
    return suite


def _round(suite: Suite) -> Round:
    return Round.objects.create(
        slug=MARK,
        suite=suite,
        secret=synthetic.ROUND_SECRET,
        secret_hash=secret_digest(synthetic.ROUND_SECRET.encode()),
        generator_version=GENERATOR_VERSION,
        tasks_digest=suite.digest,
        opened_at=FIRST,
        revealed_at=FIRST,
    )


def _configurations() -> list[Configuration]:
    """Each agent with each model, in the order of `_slugs`."""
    if not Configuration.objects.filter(slug__in=_slugs()).exists():
        agents = [
            Agent.objects.create(slug=_agent_slug(n), name=f"Synthetic agent {n}") for n in range(synthetic.AGENTS)
        ]
        models = [
            ModelVersion.objects.create(slug=_model_slug(n), name=f"Synthetic model {n}", identifier=_model_slug(n))
            for n in range(synthetic.MODELS)
        ]
        pairs = zip(_slugs(), ((agent, model) for agent in agents for model in models), strict=True)
        Configuration.objects.bulk_create(
            Configuration(slug=slug, agent=agent, model=model, settings={MARK: True}, settings_digest=sha256(slug))
            for slug, (agent, model) in pairs
        )
    found = Configuration.objects.in_bulk(_slugs(), field_name="slug")
    return [found[slug] for slug in _slugs()]


def _slugs() -> list[str]:
    return [
        f"{MARK}-agent-{agent}-model-{model}" for agent in range(synthetic.AGENTS) for model in range(synthetic.MODELS)
    ]


def _suite_name(number: int) -> str:
    return f"{MARK}-{number}"


def _agent_slug(number: int) -> str:
    return f"{MARK}-agent-{number}"


def _model_slug(number: int) -> str:
    return f"{MARK}-model-{number}"
