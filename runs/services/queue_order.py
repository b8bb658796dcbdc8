"""Positions in the queue, assigned once when an attempt is queued. Workers take the lowest position first.

A submitter's attempts get consecutive positions, starting from where the queue of the device class is now. So
submitters take turns, however many attempts one of them has queued before. At equal positions the older attempt goes
first.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Max, Min, Q
from django.db.models.functions import Coalesce

from runs.models import Attempt, Run
from runs.querysets import AttemptQuerySet

# A verification counts for the submitter of the bundle, not for the maintainer who started it.
SUBMITTER = Coalesce("result__run__verifies__submission__submitter", "result__run__created_by")


class QueuePositions:
    """Assigns positions to the attempts that one transaction queues."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}

    def next_for(self, run: Run) -> int:
        """Return the position of the run's next attempt. Only a run's first call queries the database."""
        position = self._next[run.pk] if run.pk in self._next else _first(run)
        self._next[run.pk] = position + 1
        return position


def _first(run: Run) -> int:
    """Return the first free position behind the submitter's own attempts, and not before what runs now."""
    queue = Attempt.objects.open().filter(result__run__device_class=run.device_class_id).order_by()
    verified = User.objects.filter(submissions__run=run.verifies).first() if run.verifies else None
    own = _of_submitter(queue, verified or run.created_by).aggregate(last=Max("queue_position"))["last"]
    begin = _begin(queue)
    return begin if own is None else max(begin, own + 1)


def _begin(queue: AttemptQuerySet[Attempt]) -> int:
    """Return where the queue is: the highest position that runs, else the next that a worker may take."""
    at = queue.aggregate(
        running=Max("queue_position", filter=Q(status=Attempt.Status.RUNNING)),
        next=Min("queue_position", filter=Q(status=Attempt.Status.QUEUED, result__run__paused_at__isnull=True)),
    )
    return int(at["next"] or 0) if at["running"] is None else int(at["running"])


def _of_submitter(queue: AttemptQuerySet[Attempt], user: User | None) -> AttemptQuerySet[Any]:
    """Filter the attempts of one submitter. Runs made by commands belong together, to None."""
    of_whom = queue.annotate(submitter=SUBMITTER)
    return of_whom.filter(submitter__isnull=True) if user is None else of_whom.filter(submitter=user.pk)
