"""Whose turn it is: a number for each attempt, given once when it is queued. The least is claimed first.

A submitter's attempts have consecutive turns, from the turn that the queue of the device class is at: so those of
several submitters come one by one from each, however many somebody has queued before. With equal turns the older one
comes first. Who queues alone sees no difference.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Max, Min, Q
from django.db.models.functions import Coalesce

from runs.models import Attempt, Run
from runs.querysets import AttemptQuerySet

# A verification is on behalf of whoever handed the bundle in, not of the maintainer who began it.
SUBMITTER = Coalesce("result__run__verifies__submission__submitter", "result__run__created_by")


class Turns:
    """Of what one transaction queues."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}

    def take(self, run: Run) -> int:
        """For one more attempt of this run. Only the first of a run asks the rows."""
        turn = self._next[run.pk] if run.pk in self._next else _first(run)
        self._next[run.pk] = turn + 1
        return turn


def _first(run: Run) -> int:
    """Behind its submitter's own attempts, and not before what is evaluated now."""
    queue = Attempt.objects.open().filter(result__run__device_class=run.device_class_id).order_by()
    own = _of_submitter(queue, _submitter_of(run)).aggregate(last=Max("turn"))["last"]
    begin = _begin(queue)
    return begin if own is None else max(begin, own + 1)


def _begin(queue: AttemptQuerySet) -> int:
    """Where the queue is: at the newest of what runs, else at the next that a worker may take."""
    at = queue.aggregate(
        running=Max("turn", filter=Q(status=Attempt.Status.RUNNING)),
        next=Min("turn", filter=Q(status=Attempt.Status.QUEUED, result__run__paused_at__isnull=True)),
    )
    return int(at["next"] or 0) if at["running"] is None else int(at["running"])


def _of_submitter(queue: AttemptQuerySet, user: User | None) -> AttemptQuerySet:
    """Whatever commands queue is of one submitter, who is nobody."""
    of_whom = queue.annotate(submitter=SUBMITTER)
    return of_whom.filter(submitter__isnull=True) if user is None else of_whom.filter(submitter=user.pk)


def _submitter_of(run: Run) -> User | None:
    verified = User.objects.filter(submissions__run=run.verifies).first() if run.verifies else None
    return verified or run.created_by
