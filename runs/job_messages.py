"""Tells a worker that a row waits. Only a hint: the row is the queue, and the sweeper sends lost hints again."""

from __future__ import annotations

import functools
import logging

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

EVALUATE = "runs.evaluate_attempt"  # the job's name: its module stands above the services that queue it
CHECK, CHECKS = "runs.check_submission", "checks"  # and the queue on which every worker listens
log = logging.getLogger(__name__)


def on_commit(*, attempt_id: int, queue: str) -> None:
    """Send the message once the row can be seen by everybody; not at all if the transaction fails."""
    transaction.on_commit(functools.partial(_send, attempt_id, queue))


def check_on_commit(*, submission_id: int) -> None:
    """The same for a submission that waits for a check: any worker takes it."""
    transaction.on_commit(functools.partial(_send_check, submission_id))


def _send(attempt_id: int, queue: str) -> None:
    try:
        current_app.send_task(EVALUATE, args=[attempt_id], queue=queue)
    except (OperationalError, OSError) as error:
        log.warning("attempt %s waits for the sweeper, the broker does not answer: %s", attempt_id, error)


def _send_check(submission_id: int) -> None:
    try:
        current_app.send_task(CHECK, args=[submission_id], queue=CHECKS)
    except (OperationalError, OSError) as error:
        log.warning("submission %s waits for the sweeper, the broker does not answer: %s", submission_id, error)
