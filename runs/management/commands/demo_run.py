"""The demo: the reference agents on the smoke suite, evaluated by this host's worker, told as it goes, published."""

from __future__ import annotations

from time import monotonic, sleep
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import F, Q
from django.utils import timezone

from evaluator.agents import REFERENCE_AGENTS, produce
from evaluator.errors import EvaluatorError
from runs import candidates
from runs.errors import RunError
from runs.management.named import ONE_HOST, current_suite, row_named
from runs.models import Attempt, Configuration, Host, Round, Run, Suite
from runs.services import entries, publishing

ACTOR = "demo_run"
ROUND = "demo"  # revealed, in tasks/rounds/
GENERALIZES = ("rewrite",)  # on unseen cases, too: they take about three times as long as the seen ones
POLL_S = 0.3
SILENCE_S = 60.0  # without a sign of life of the worker
START_S = 900.0  # a worker's first start prepares the toolchains


class Command(BaseCommand):
    help = "Runs baseline, expert and rewrite on a suite, waits for the results and publishes them. Does it once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--suite", default="smoke")

    def handle(self, *args: Any, **options: Any) -> None:
        host = row_named(Host.objects.select_related("device_class"), ONE_HOST, name=settings.HOST_NAME)
        suite = current_suite(options["suite"])
        try:
            runs = [_run_of(agent, suite, host) for agent in REFERENCE_AGENTS]
        except (RunError, EvaluatorError) as error:
            raise CommandError(f"the demo cannot start: {error}") from error
        drafts = [run for run in runs if run.state == Run.State.DRAFT]
        if not drafts:
            self.stdout.write(f"the demo's results on {suite} are there already: nothing is evaluated again")
            return
        self._wait_for(drafts, host)
        try:
            for run in drafts:
                publishing.publish_run(run=run, actor=ACTOR)
        except RunError as error:
            raise CommandError(f"the demo's results cannot be published: {error}") from error
        self._judge_ourselves(drafts)

    def _wait_for(self, runs: list[Run], host: Host) -> None:
        """One line for each attempt that ends."""
        begin, began_at, told = monotonic(), timezone.now(), set[int]()
        attempts = Attempt.objects.newest().filter(result__run__in=runs)
        total = attempts.count()
        while True:
            for attempt in (
                attempts.filter(ended_at__isnull=False)
                .exclude(pk__in=told)
                .select_related("result__task", "result__run__configuration")
            ):
                told.add(attempt.pk)
                self._tell(attempt, f"[{len(told):2}/{total}] {monotonic() - begin:4.0f} s")
            if len(told) == total:
                return
            host.refresh_from_db()
            if host.quarantined_at:
                raise CommandError(f"{host} is quarantined: {host.quarantine_reason}")
            seen_at = host.seen_at if host.seen_at and host.seen_at > began_at else None
            if (timezone.now() - (seen_at or began_at)).total_seconds() > (SILENCE_S if seen_at else START_S):
                raise CommandError(f"no worker works for {host}: its log says why")
            sleep(POLL_S)

    def _tell(self, attempt: Attempt, prefix: str) -> None:
        result = attempt.result
        self.stdout.write(
            f"{prefix}  {result.run.configuration.slug:9} {result.task.path:40} {attempt.get_status_display()}"
        )
        self.stdout.flush()

    def _judge_ourselves(self, runs: list[Run]) -> None:
        """These agents are known, so each result's status is, too."""
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
    """The demo's run of an agent: the one that is there, else a new one.

    One that somebody withdrew counts, so that it does not come back; so does one that somebody else published.
    """
    configuration = Configuration.objects.select_related("agent").filter(slug=agent).first()
    if configuration is None:
        raise RunError(f"no configuration is named {agent!r}")
    wanted = {"configuration": configuration, "suite": suite, "device_class": host.device_class, "repeat": 0}
    known = Run.objects.filter(Q(note=ACTOR, created_by=None) | Q(state=Run.State.PUBLISHED), **wanted)
    run = known.order_by(F("published_at").desc(nulls_last=True)).first()
    if run is not None:
        return run
    return entries.create_run(
        configuration=configuration,
        suite=suite,
        device_class=host.device_class,
        written=candidates.written_by(configuration, suite, repeat=0),
        round=Round.objects.filter(slug=ROUND).first() if agent in GENERALIZES else None,
        actor=ACTOR,
        note=ACTOR,
    )
