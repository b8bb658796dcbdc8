"""Sends workers the messages that a row is waiting.

A message is only a hint: the rows are the queue, and the sweeper sends lost messages again (runs/services/messages.py).
"""

from __future__ import annotations

import functools
import logging

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

EVALUATE = "runs.evaluate_attempt"  # a name, not an import: the job's module imports the services that queue it
CHECK, CHECKS = "runs.check_submission", "checks"  # a job, and the queue that every worker listens on
DELIVER = "runs.deliver_webhook"
HINT_S = 3600  # workers drop older messages: meanwhile the sweeper has sent others to whoever was free
log = logging.getLogger(__name__)


def send_evaluate_on_commit(*, attempt_id: int, queue: str) -> None:
    """Send the message that an attempt waits, after the transaction commits; not at all if it fails."""
    transaction.on_commit(functools.partial(_send, attempt_id, queue))


def send_check_on_commit(*, submission_id: int) -> None:
    """Send the message that a submission waits for its check, after the transaction commits; any worker takes it."""
    transaction.on_commit(functools.partial(_send_check, submission_id))


def send_deliver_on_commit(*, delivery_id: int) -> None:
    """Send the message that a delivery to a webhook is due, after the transaction commits; any worker takes it."""
    transaction.on_commit(functools.partial(_send_deliver, delivery_id))


def _send(attempt_id: int, queue: str) -> None:
    try:
        current_app.send_task(EVALUATE, args=[attempt_id], queue=queue, expires=HINT_S)
    except (OperationalError, OSError) as error:
        log.warning("attempt %s waits for the sweeper: the broker does not respond: %s", attempt_id, error)


def _send_check(submission_id: int) -> None:
    try:
        current_app.send_task(CHECK, args=[submission_id], queue=CHECKS, expires=HINT_S)
    except (OperationalError, OSError) as error:
        log.warning("submission %s waits for the sweeper: the broker does not respond: %s", submission_id, error)


def _send_deliver(delivery_id: int) -> None:
    try:
        current_app.send_task(DELIVER, args=[delivery_id], queue=CHECKS, expires=HINT_S)
    except (OperationalError, OSError) as error:
        log.warning("delivery %s waits for the sweeper: the broker does not respond: %s", delivery_id, error)
