"""Tells a worker that a row waits. Only a hint: the row is the queue, and the sweeper sends lost hints again."""

from __future__ import annotations

import functools
import logging

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

EVALUATE = "runs.evaluate_attempt"  # the job's name: its module stands above the services that queue it
log = logging.getLogger(__name__)


def on_commit(*, attempt_id: int, queue: str) -> None:
    """Send the message once the row can be seen by everybody; not at all if the transaction fails."""
    transaction.on_commit(functools.partial(_send, attempt_id, queue))


def _send(attempt_id: int, queue: str) -> None:
    try:
        current_app.send_task(EVALUATE, args=[attempt_id], queue=queue)
    except (OperationalError, OSError) as error:
        log.warning("attempt %s waits for the sweeper, the broker does not answer: %s", attempt_id, error)
