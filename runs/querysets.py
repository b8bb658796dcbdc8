"""Rules about rows, stated once. `may_rank` is the one predicate of what enters a rank, whatever the surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Count, F, Q
from django.db.models.functions import Now

if TYPE_CHECKING:
    from runs.models import Attempt, Result, Run, UnseenEvaluation, UnseenMeasurement  # noqa: F401

FINAL_BUT_OURS = ("errored", "not_judged", "cancelled")  # say nothing about the candidate: the entry is incomplete


class RunQuerySet(models.QuerySet["Run"]):
    def public(self) -> Self:
        """Runs that boards may show."""
        return self.filter(state="published")

    def with_progress(self) -> Self:
        """Each with `tasks`, `queued`, `running` and `ended`: counts over the latest attempts of its results."""
        latest = Q(results__attempts__is_latest=True)
        return self.annotate(
            tasks=Count("results", distinct=True),
            queued=Count("results__attempts", filter=latest & Q(results__attempts__status="queued"), distinct=True),
            running=Count("results__attempts", filter=latest & Q(results__attempts__status="running"), distinct=True),
            ended=Count(
                "results__attempts", filter=latest & Q(results__attempts__ended_at__isnull=False), distinct=True
            ),
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
    def newest(self) -> Self:
        return self.filter(is_latest=True)

    def open(self) -> Self:
        return self.filter(status__in=("queued", "running"))

    def queued(self) -> Self:
        """What waits for a worker, oldest first."""
        return self.filter(status="queued").order_by("queued_at", "id")

    def dead(self) -> Self:
        """Running under a lease that nobody renewed, by the database's clock."""
        return self.filter(status="running", lease_until__lt=Now())


class UnseenEvaluationQuerySet(models.QuerySet["UnseenEvaluation"]):
    def visible(self) -> Self:
        """What anybody may see: of revealed rounds only. Counts over a suite are the one thing shown before."""
        return self.filter(round__revealed_at__isnull=False)


class UnseenMeasurementQuerySet(models.QuerySet["UnseenMeasurement"]):
    def visible(self) -> Self:
        """The same rule for single cases."""
        return self.filter(evaluation__round__revealed_at__isnull=False)
