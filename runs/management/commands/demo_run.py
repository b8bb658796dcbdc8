"""Runs the demo: three reference agents on the smoke suite, evaluated by this host's worker and published."""

from __future__ import annotations

from time import monotonic, sleep
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import F, Q
from django.utils import timezone

from evaluator.agents import DEMO_AGENTS, produce
from evaluator.errors import EvaluatorError
from evaluator.records.record import PROTOCOL
from runs import candidates
from runs.errors import RunError
from runs.management.named import ONE_HOST, current_suite, row_named
from runs.models import Attempt, Configuration, Host, Round, Run, Suite
from runs.services import publishing, run_actions

ACTOR = "demo_run"
ROUND = "demo"  # a revealed round in tasks/rounds/
GENERALIZES = ("rewrite",)  # agents evaluated on unseen cases, too, which takes about three times as long
POLL_S = 0.3
SILENCE_S = 60.0  # without a heartbeat of the worker
START_S = 900.0  # a worker's first start prepares the toolchains


class Command(BaseCommand):
    help = (
        "Runs baseline, expert and rewrite on a suite, waits for the results and publishes them, unless it has before."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--suite", default="smoke")

    def handle(self, *args: Any, **options: Any) -> None:
        host = row_named(Host.objects.select_related("device_class"), ONE_HOST, name=settings.HOST_NAME)
        suite = current_suite(options["suite"])
        try:
            runs = [_run_of(agent, suite, host) for agent in DEMO_AGENTS]
        except (RunError, EvaluatorError) as error:
            raise CommandError(f"the demo cannot start: {error}") from error
        drafts = [run for run in runs if run.state == Run.State.DRAFT]
        if not drafts:
            self.stdout.write(f"the demo has already run on {suite}")
            return
        self._wait_for(drafts, host)
        try:
            for run in drafts:
                publishing.publish_run(run=run, actor=ACTOR)
        except RunError as error:
            raise CommandError(f"the demo's results cannot be published: {error}") from error
        self._check_statuses(drafts)

    def _wait_for(self, runs: list[Run], host: Host) -> None:
        """Wait until all attempts have ended, printing a line for each."""
        begin, began_at, reported = monotonic(), timezone.now(), set[int]()
        attempts = Attempt.objects.newest().filter(result__run__in=runs)
        total = attempts.count()
        while True:
            for attempt in (
                attempts.filter(ended_at__isnull=False)
                .exclude(pk__in=reported)
                .select_related("result__task", "result__run__configuration")
            ):
                reported.add(attempt.pk)
                self._report(attempt, f"[{len(reported):2}/{total}] {monotonic() - begin:4.0f} s")
            if len(reported) == total:
                return
            host.refresh_from_db()
            if host.quarantined_at:
                raise CommandError(f"{host} is quarantined: {host.quarantine_reason}")
            seen_at = host.seen_at if host.seen_at and host.seen_at > began_at else None
            if (timezone.now() - (seen_at or began_at)).total_seconds() > (SILENCE_S if seen_at else START_S):
                raise CommandError(f"no worker is running for {host}: check the worker's log")
            sleep(POLL_S)

    def _report(self, attempt: Attempt, prefix: str) -> None:
        result = attempt.result
        self.stdout.write(
            f"{prefix}  {result.run.configuration.slug:9} {result.task.path:40} {attempt.get_status_display()}"
        )
        self.stdout.flush()

    def _check_statuses(self, runs: list[Run]) -> None:
        """Compare each result's status with the expected one, which is known for these agents."""
        wrong = []
        for run in runs:
            for result in run.results.select_related("task", "published_attempt"):
                produced = produce(run.configuration.agent.slug, candidates.spec_of(result.task), run.repeat)
                seen = result.published_attempt.status if result.published_attempt else "nothing"
                if produced.expected and seen != produced.expected.value:
                    expected = produced.expected.value
                    wrong.append(f"{run.configuration}: {result.task.path}: expected {expected}, seen {seen}")
        if wrong:
            raise CommandError("not every result has the expected status:\n" + "\n".join(wrong))
        self.stdout.write("every result has the expected status; the runs are published")


def _run_of(agent: str, suite: Suite, host: Host) -> Run:
    """Return the demo's run of an agent: the existing one, else a new one.

    A withdrawn run counts, so that it does not come back, and so does one that somebody else published.
    """
    configuration = Configuration.objects.select_related("agent").filter(slug=agent).first()
    if configuration is None:
        raise RunError(f"no configuration is named {agent!r}")
    place = {"suite": suite, "device_class": host.device_class, "protocol": PROTOCOL}
    wanted: dict[str, Any] = {"configuration": configuration, **place, "repeat": 0}
    known = Run.objects.filter(Q(note=ACTOR, created_by=None) | Q(state=Run.State.PUBLISHED), **wanted)
    run = known.order_by(F("published_at").desc(nulls_last=True)).first()
    if run is not None:
        return run
    return run_actions.create_run(
        configuration=configuration,
        suite=suite,
        device_class=host.device_class,
        written=candidates.written_by(configuration, suite, repeat=0),
        round=Round.objects.filter(slug=ROUND).first() if agent in GENERALIZES else None,
        actor=ACTOR,
        note=ACTOR,
    )
