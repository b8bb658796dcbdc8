"""Rules about rows, stated once, whatever the surface.

`may_rank`: what enters a rank. `visible`: which unseen cases anybody sees. `withheld`: of which attempts nobody sees
yet how they stand, since that would tell how long their unseen cases took. `is_at_least`: which evaluator takes what.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Count, F, Q
from django.db.models.functions import Now
from django.utils import timezone

if TYPE_CHECKING:
    from runs.models import (  # noqa: F401
        AgentSession,
        Attempt,
        Iteration,
        Result,
        Run,
        Submission,
        UnseenEvaluation,
        UnseenMeasurement,
    )

FINAL_BUT_OURS = ("errored", "not_judged", "cancelled")  # say nothing about the candidate: the entry is incomplete
NOTHING = Q(pk__in=())
QUEUE = ("turn", "queued_at", "id")  # its order: runs/services/queue_order.py makes it fair to all submitters


def withheld(*, attempt: str = "", run: str = "result__run__") -> Q:
    """Attempts in a round that is not revealed, until they are published or the day they ended on is over.

    A candidate could say something of its unseen cases by how long it takes with them: so the public learns neither
    when its attempt ends nor when the next one on that host begins. `attempt` and `run` are the ways to either.
    """
    is_fresh = Q(**{f"{attempt}ended_at__isnull": True}) | Q(**{f"{attempt}ended_at__gte": today()})
    return is_secret(run=run) & Q(**{f"{attempt}published_for__isnull": True}) & is_fresh


def is_secret(*, run: str = "") -> Q:
    """Runs whose round is not revealed yet."""
    return Q(**{f"{run}round__isnull": False, f"{run}round__revealed_at__isnull": True})


def today() -> datetime:
    """When it began, in UTC."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


def is_at_least(version: str, wanted: str) -> bool:
    """Whether an evaluator may take what another version queued: it is no older. Nothing said is the oldest."""
    here, there = ([int(part) for part in one.split(".") if part.isdecimal()] for one in (version, wanted))
    return here >= there


class RunQuerySet(models.QuerySet["Run"]):
    def public(self) -> Self:
        """Runs that boards may show."""
        return self.filter(state="published")

    def with_progress(self, *, public: bool = False) -> Self:
        """Each with `tasks`, `queued`, `running` and `ended`: counts over the latest attempts of its results.

        To the public, what is withheld waits.
        """
        latest = Q(results__attempts__is_latest=True)
        hidden = withheld(attempt="results__attempts__", run="") if public else NOTHING
        waits, runs = Q(results__attempts__status="queued"), Q(results__attempts__status="running")
        is_over = Q(results__attempts__ended_at__isnull=False)
        return self.annotate(
            tasks=Count("results", distinct=True),
            queued=Count("results__attempts", filter=latest & (waits | hidden), distinct=True),
            running=Count("results__attempts", filter=latest & runs & ~hidden, distinct=True),
            ended=Count("results__attempts", filter=latest & is_over & ~hidden, distinct=True),
        )


class ResultQuerySet(models.QuerySet["Result"]):
    def public(self) -> Self:
        """Results that pages show as an answer: published, on a run that is public."""
        return self.filter(run__state="published", published_attempt__isnull=False)

    def may_rank(self) -> Self:
        """Public results that may enter a rank.

        - the run is published and the configuration is an entry, not a reference line;
        - the published attempt says something about the candidate (not errored, not judged or cancelled);
        - it was timed by its run's protocol: what a task's own script timed never ranks with arena-1;
        - it is not on hold, not uncalibrated, and no audit found it hacked, contaminated or a fault of the harness.
        """
        return (
            self.public()
            .filter(
                run__configuration__role="entry",
                published_attempt__protocol=F("run__protocol"),
                published_attempt__is_held=False,
                published_attempt__is_uncalibrated=False,
            )
            .exclude(published_attempt__status__in=FINAL_BUT_OURS)
            .exclude(audit__in=("hacked", "contaminated", "harness_fault"))
        )


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def public(self) -> Self:
        """Those of which anybody may see how they stand."""
        return self.exclude(withheld())

    def newest(self) -> Self:
        return self.filter(is_latest=True)

    def open(self) -> Self:
        return self.filter(status__in=("queued", "running"))

    def queued(self) -> Self:
        """What waits for a worker, in the order of the queue."""
        return self.filter(status="queued").order_by(*QUEUE)

    def ready(self) -> Self:
        """What a worker may take, in that order: a paused run's attempts keep their place and wait."""
        return self.queued().filter(result__run__paused_at__isnull=True)

    def dead(self) -> Self:
        """Running under a lease that nobody renewed, by the database's clock."""
        return self.filter(status="running", lease_until__lt=Now())


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def waiting(self) -> Self:
        """What waits for a check, oldest first."""
        return self.filter(state="received").order_by("received_at", "id")

    def dead(self) -> Self:
        """Checked under a lease that ran out, by the database's clock."""
        return self.filter(state="checking", lease_until__lt=Now())

    def told(self) -> Self:
        """Those of which anybody may know whose they are and what came out: run or claims are public, or were."""
        return self.filter(Q(run__state__in=("published", "withdrawn")) | Q(is_public=True))


class UnseenEvaluationQuerySet(models.QuerySet["UnseenEvaluation"]):
    def visible(self) -> Self:
        """What anybody may see: of revealed rounds only. Counts over a suite are the one thing shown before."""
        return self.filter(round__revealed_at__isnull=False)


class UnseenMeasurementQuerySet(models.QuerySet["UnseenMeasurement"]):
    def visible(self) -> Self:
        """The same rule for single cases."""
        return self.filter(evaluation__round__revealed_at__isnull=False)


class AgentSessionQuerySet(models.QuerySet["AgentSession"]):
    def visible(self) -> Self:
        """What anybody may see: nothing that an agent wrote in a round that is not revealed, nor when it did."""
        return self.exclude(is_secret(run="result__run__"))


class IterationQuerySet(models.QuerySet["Iteration"]):
    def visible(self) -> Self:
        """The same rule for single versions."""
        return self.exclude(is_secret(run="session__result__run__"))
