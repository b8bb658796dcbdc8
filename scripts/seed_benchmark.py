"""Fill an empty database with synthetic leaderboards, always the same ones, for `make bench`.

They have suites and device classes of their own, and all of their names say synthetic. Published results cannot be
removed, so a database with runs is refused.

usage: DATABASE_URL=… scripts/seed_benchmark.py MEASUREMENTS [--tasks N]   at most this many, after `manage.py migrate`
exit codes: 0 done, 1 the database has runs already, 2 usage
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

import django

django.setup()

from django.db import transaction
from django.db.models import OuterRef, Subquery

from evaluator.tasks.suites import suite_digest
from evaluator.unseen.rounds import secret_digest
from evaluator.wording import counted
from runs.models import (
    Attempt,
    AuditEntry,
    Configuration,
    Host,
    Measurement,
    Result,
    Round,
    Run,
    Suite,
    Task,
    UnseenEvaluation,
    UnseenMeasurement,
)
from runs.verdicts import unseen_columns
from scripts import synthetic
from scripts.synthetic import MARK, MOST_MEASUREMENTS, TASKS, most_of_a_run, sha256
from scripts.up import say
from tests import factories

FIRST = datetime(2026, 1, 1, tzinfo=UTC)  # runs are published one minute apart


@dataclass(frozen=True, slots=True)
class SyntheticBoard:
    """The rows that the runs of a leaderboard refer to."""

    number: int  # of the suite
    suite: Suite
    tasks: tuple[Task, ...]
    host: Host
    round: Round | None


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Make synthetic leaderboards in an empty database.")
    parser.add_argument("measurements", type=int, help=f"one run of each suite to {MOST_MEASUREMENTS}")
    parser.add_argument("--tasks", type=int, default=TASKS, metavar="N", help=f"of each suite, by default {TASKS}")
    chosen = parser.parse_args(arguments)
    most, tasks = chosen.measurements, chosen.tasks
    if tasks < TASKS:
        parser.error(f"--tasks: seen {tasks}; expected {TASKS} or more")
    if not most_of_a_run(tasks) <= most <= MOST_MEASUREMENTS:
        parser.error(f"measurements: seen {most}; expected {most_of_a_run(tasks)} to {MOST_MEASUREMENTS}")
    if Run.objects.exists():
        say("this database already has runs; synthetic leaderboards need an empty one", to=sys.stderr)
        return 1
    made, boards = seed(most, tasks)
    say(f"{counted(made, 'synthetic measurement')} on {counted(boards, 'leaderboard')}")
    return 0


def seed(most: int, tasks: int = TASKS) -> tuple[int, int]:
    """Write leaderboards, each in its own transaction, while there is room for another run.

    The first has a revealed round with results of every candidate on unseen cases.

    Returns:
        (number of measurements, number of leaderboards)
    """
    hosts, configurations = _hosts(), _configurations()
    made = boards = 0
    for number in range(synthetic.SUITES):
        for host in hosts:
            if most - made < most_of_a_run(tasks):
                return made, boards
            with transaction.atomic():
                suite = _suite(number, tasks)
                round = _round(suite) if boards == 0 else None
                place = SyntheticBoard(number, suite, tuple(suite.tasks.order_by("path")), host, round)
                made += _write_board(place, configurations, most - made)
            boards += 1
    return made, boards


def _write_board(place: SyntheticBoard, configurations: list[Configuration], most: int) -> int:
    made = 0
    for at in range(len(configurations) * synthetic.REPEATS):
        entry, repeat = divmod(at, synthetic.REPEATS)
        drawn = list(synthetic.results(place.host.device_class.slug, place.number, entry, repeat, len(place.tasks)))
        measured = sum(len(one.cases) for one in drawn)
        if made + measured > most:
            break
        _write_run(place, configurations[entry], repeat, drawn, FIRST + timedelta(minutes=at))
        made += measured
    return made


def _write_run(
    place: SyntheticBoard,
    configuration: Configuration,
    repeat: int,
    drawn: list[synthetic.SyntheticResult],
    at: datetime,
) -> None:
    run = factories.make_run(
        with_results=False,
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
        _attempt(result, one, at, place.host) for result, one in zip(results, drawn, strict=True)
    )
    Measurement.objects.bulk_create(
        Measurement(attempt=attempt, **columns)
        for attempt, one in zip(attempts, drawn, strict=True)
        for columns in one.cases
    )
    if place.round is not None:
        _write_unseen(place.round, attempts, drawn, at)
    _publish(run, attempts, at)


def _publish(run: Run, attempts: list[Attempt], at: datetime) -> None:
    """Publish a run. Audit entries are written first, as the database only allows transitions that have one."""
    values = {"action": AuditEntry.Action.PUBLISH, "actor_name": MARK, "reason": "synthetic", "run": run, "at": at}
    AuditEntry.objects.bulk_create(
        AuditEntry(result=attempt.result, to_attempt=attempt, **values) for attempt in attempts
    )
    own = Attempt.objects.filter(result=OuterRef("pk")).values("pk")[:1]
    Result.objects.filter(run=run).update(published_attempt=Subquery(own))
    AuditEntry.objects.create(**values)


def _attempt(result: Result, one: synthetic.SyntheticResult, at: datetime, host: Host) -> Attempt:
    return Attempt(
        result=result,
        number=1,
        queued_at=at,
        started_at=at,
        ended_at=at + timedelta(seconds=30),
        claimed_by=MARK,
        host=host,
        record_digest=sha256("record", result.candidate_digest),  # there is no such record in the archive
        **one.attempt,
    )


def _write_unseen(round: Round, attempts: list[Attempt], drawn: list[synthetic.SyntheticResult], at: datetime) -> None:
    tried = [(attempt, one) for attempt, one in zip(attempts, drawn, strict=True) if one.unseen]
    cases = [[UnseenMeasurement(**columns) for columns in one.unseen] for _, one in tried]
    evaluations = UnseenEvaluation.objects.bulk_create(
        UnseenEvaluation(
            attempt=attempt,
            round=round,
            state=UnseenEvaluation.State.DONE,
            is_complete=True,
            begun_at=at,
            record_digest=sha256("unseen", attempt.record_digest),
            **unseen_columns(own),
        )
        for (attempt, _), own in zip(tried, cases, strict=True)
    )
    for evaluation, own in zip(evaluations, cases, strict=True):
        for case in own:
            case.evaluation = evaluation
    UnseenMeasurement.objects.bulk_create([case for own in cases for case in own])


def _hosts() -> list[Host]:
    """Make a host of each device class."""
    classes = [
        factories.make_device_class(
            slug=slug,
            title=f"Synthetic {slug.removeprefix(f'{MARK}-')}",
            architecture=architecture,
            is_functional=False,
        )
        for slug, architecture in synthetic.ARCHITECTURES.items()
    ]
    about = {"is_enabled": False, "is_accepted": True, "note": "synthetic: no machine"}
    return [factories.make_host(name=device.slug, device_class=device, **about) for device in classes]


def _suite(number: int, of: int) -> Suite:
    """Make the suite of this number, which all device classes share."""
    name = f"{MARK}-{number}"
    if found := Suite.objects.filter(name=name).first():
        return found
    tasks = [factories.make_task(**columns) for columns in synthetic.tasks(number, of)]
    digest = suite_digest({task.path: task.digest for task in tasks})
    return factories.make_suite(tasks, name=name, digest=digest, title=f"Synthetic suite {number}")


def _round(suite: Suite) -> Round:
    return factories.make_round(
        slug=MARK,
        suite=suite,
        secret=synthetic.ROUND_SECRET,
        secret_hash=secret_digest(synthetic.ROUND_SECRET.encode()),
        tasks_digest=suite.digest,
        opened_at=FIRST,
        revealed_at=FIRST,
    )


def _configurations() -> list[Configuration]:
    """Make a configuration of each agent with each model."""
    agents = [
        factories.make_agent(slug=f"{MARK}-agent-{n}", name=f"Synthetic agent {n}") for n in range(synthetic.AGENTS)
    ]
    models = [
        factories.make_model_version(
            slug=f"{MARK}-model-{n}", name=f"Synthetic model {n}", identifier=f"{MARK}-model-{n}"
        )
        for n in range(synthetic.MODELS)
    ]
    return [
        factories.make_configuration(
            slug=f"{agent.slug}-{model.slug.removeprefix(f'{MARK}-')}",
            agent=agent,
            model=model,
            settings={MARK: True},
        )
        for agent in agents
        for model in models
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
