"""Rules about rows that pages, the API, dumps and metrics share.

`is_counted`: which results count, those of reference lines too; `may_rank`: which of them enter a ranking.
`is_correct`: which of them count as correct. `visible`: which unseen cases are public. `withheld`: attempts whose
progress is hidden for now, because it would reveal how long their unseen cases took. `is_at_least`: which evaluator
version may take an attempt.
"""

from __future__ import annotations

from datetime import datetime
from typing import Self, TypeVar

from django.db import models
from django.db.models import Count, F, Q, Window
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Coalesce, Now, RowNumber
from django.utils import timezone

ModelRow = TypeVar("ModelRow", bound=models.Model)  # the models import this file, so it cannot name them
NO_VERDICT = ("errored", "not_judged", "cancelled")  # final without a verdict on the candidate
NOTHING = Q(pk__in=())
QUEUE_ORDER = ("queue_position", "queued_at", "id")  # runs/services/queue_order.py assigns positions


def withheld(*, attempt: str = "", run: str = "result__run__") -> Q:
    """Match attempts in a secret round until they are published or the day (UTC) on which they ended is over.

    A candidate could leak its unseen cases by how long it takes on them. So the public sees neither when its attempt
    ends nor when the next one on that host starts. `attempt` and `run` are lookup prefixes that lead to each.
    """
    is_fresh = Q(**{f"{attempt}ended_at__isnull": True}) | Q(**{f"{attempt}ended_at__gte": today()})
    return is_secret(run=run) & Q(**{f"{attempt}published_for__isnull": True}) & is_fresh


def is_secret(*, run: str = "") -> Q:
    """Match runs whose round is not revealed yet. `run` is the lookup prefix."""
    return Q(**{f"{run}round__isnull": False, f"{run}round__revealed_at__isnull": True})


def of_draft_from_elsewhere(*, run: str = "") -> Q:
    """Match drafts that a bundle brought, and our runs that evaluate such a draft again. `run` is the lookup prefix.

    They have pages of their own, and the lists of runs, submissions and open attempts show them. They count and are
    found nowhere else until they are published.
    """
    brought = Q(**{f"{run}origin": "imported", f"{run}state": "draft"})
    return brought | Q(**{f"{run}verifies__state": "draft"})


def is_correct(*, result: str = "") -> Q:
    """Match results that count as correct: one that an audit found hacked does not, whatever its evaluation says.

    `result` is the lookup prefix.
    """
    return Q(**{f"{result}published_attempt__correct": True}) & ~Q(**{f"{result}audit": "hacked"})


def is_counted(*, result: str = "") -> Q:
    """Match published results that count, also of reference lines. `result` is the lookup prefix.

    - the published attempt has a verdict on the candidate (not errored, not judged or cancelled);
    - it was timed by its run's protocol: a task's own script is never ranked beside the judge's timing;
    - it is neither held nor uncalibrated, and no audit found it contaminated or a harness fault.

    One that an audit found hacked counts as what it is, held or not: not correct.
    """
    attempt = f"{result}published_attempt__"
    is_seen = Q(**{f"{attempt}is_held": False}) | Q(**{f"{result}audit": "hacked"})
    is_timed = Q(**{f"{attempt}protocol": F(f"{result}run__protocol"), f"{attempt}is_uncalibrated": False})
    no_verdict = Q(**{f"{attempt}status__in": NO_VERDICT})
    return is_seen & is_timed & ~no_verdict & ~Q(**{f"{result}audit__in": ("contaminated", "harness_fault")})


def as_stated(name: str, *, submission: str = "") -> Coalesce:
    """Return the `agent` or `model` of a submission, as declared, else as its bundle states; NULL where neither does.

    `submission` is the lookup prefix.
    """
    facts = KeyTransform("facts", f"{submission}about")
    found = KeyTextTransform(name, f"{submission}declared"), KeyTextTransform(name, facts)
    return Coalesce(*found, output_field=models.TextField())


def today() -> datetime:
    """Return today's midnight in UTC."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


def is_at_least(version: str, wanted: str) -> bool:
    """Return whether an evaluator version may take what another version queued: only if it is not older.

    An empty version is the oldest.
    """
    here, there = ([int(part) for part in one.split(".") if part.isdecimal()] for one in (version, wanted))
    return here >= there


class RunQuerySet(models.QuerySet[ModelRow]):
    def public(self) -> Self:
        """Runs that leaderboards may show."""
        return self.filter(state="published")

    def with_progress(self, *, public: bool = False) -> Self:
        """Annotate `tasks`, `queued`, `running`, `ended` and, of those, `cancelled`: counts over the latest attempts.

        With `public`, withheld attempts count as queued.
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
            cancelled=Count(
                "results__attempts", filter=latest & Q(results__attempts__status="cancelled") & ~hidden, distinct=True
            ),
        )


class ResultQuerySet(models.QuerySet[ModelRow]):
    def public(self) -> Self:
        """Results with a published attempt, of published runs."""
        return self.filter(run__state="published", published_attempt__isnull=False)

    def may_rank(self) -> Self:
        """Public results that may enter a ranking: those that count, of entries."""
        return self.counted().filter(run__configuration__role="entry")

    def counted(self) -> Self:
        """Public results that count, also of reference lines, which are never ranked."""
        return self.public().filter(is_counted())

    def leaders(self, most: int) -> Self:
        """The `most` fastest results of each task on each device class that may rank, with their `place` from 1."""
        speed = F("published_attempt__cautious_log_speedup")
        timed = self.may_rank().filter(is_correct(), published_attempt__cautious_log_speedup__isnull=False)
        place = Window(RowNumber(), partition_by=("task", "run__device_class"), order_by=(speed.desc(), F("pk").asc()))
        order = ("task__path", "run__device_class__slug", "place")
        return timed.annotate(place=place).filter(place__lte=most).order_by(*order)


class AttemptQuerySet(models.QuerySet[ModelRow]):
    def public(self) -> Self:
        """Attempts whose progress anybody may see."""
        return self.exclude(withheld())

    def newest(self) -> Self:
        return self.filter(is_latest=True)

    def open(self) -> Self:
        return self.filter(status__in=("queued", "running"))

    def queued(self) -> Self:
        """Attempts that wait for a worker, in queue order."""
        return self.filter(status="queued").order_by(*QUEUE_ORDER)

    def ready(self) -> Self:
        """Attempts that a worker may take, in queue order. A paused run's attempts keep their place and wait."""
        return self.queued().filter(result__run__paused_at__isnull=True)

    def expired(self) -> Self:
        """Running attempts whose lease ran out, by the database's clock."""
        return self.filter(status="running", lease_until__lt=Now())


class SubmissionQuerySet(models.QuerySet[ModelRow]):
    def waiting(self) -> Self:
        """Submissions that wait for their check, oldest first."""
        return self.filter(state="received").order_by("received_at", "id")

    def expired(self) -> Self:
        """Submissions whose check's lease ran out, by the database's clock."""
        return self.filter(state="checking", lease_until__lt=Now())

    def with_bytes(self) -> Self:
        """Submissions whose upload is kept: not taken down, and not rejected so long ago that it expired."""
        return self.filter(bytes_removed_at__isnull=True).exclude(outcome="taken_down")

    def with_public_claims(self) -> Self:
        """Submissions with public claims, with their `agent` and `model`: as declared, else as the bundle states."""
        nothing = models.Value("", models.TextField())
        stated = {name: Coalesce(as_stated(name), nothing) for name in ("agent", "model")}
        return self.filter(is_public=True, claim_count__gte=1).annotate(**stated)

    def ever_public(self) -> Self:
        """Submissions whose submitter and outcome are public: their run or claims are, or were, published."""
        return self.filter(Q(run__state__in=("published", "withdrawn")) | Q(is_public=True))


class UnseenEvaluationQuerySet(models.QuerySet[ModelRow]):
    def visible(self) -> Self:
        """Evaluations of revealed rounds. Before the reveal only counts over a whole suite are shown."""
        return self.filter(round__revealed_at__isnull=False)


class UnseenMeasurementQuerySet(models.QuerySet[ModelRow]):
    def visible(self) -> Self:
        """Cases of revealed rounds."""
        return self.filter(evaluation__round__revealed_at__isnull=False)


class AgentSessionQuerySet(models.QuerySet[ModelRow]):
    def visible(self) -> Self:
        """Sessions outside secret rounds: until the reveal nobody sees what an agent wrote there, or when."""
        return self.exclude(is_secret(run="result__run__"))


class IterationQuerySet(models.QuerySet[ModelRow]):
    def visible(self) -> Self:
        """Iterations of sessions outside secret rounds."""
        return self.exclude(is_secret(run="session__result__run__"))
