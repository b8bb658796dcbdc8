"""The Celery jobs. Each handles the next attempt or check in the queue, so a message may come twice, late or never."""

from __future__ import annotations

import logging
import os
from typing import Any

from celery import Task as CeleryTask
from celery import shared_task
from celery.worker import state
from django.conf import settings

from runs import job_messages
from runs.loading import bundles as intake
from runs.models import Attempt, Host, Submission
from runs.services import messages, webhooks
from runs.worker import evaluation

log = logging.getLogger(__name__)


@shared_task(name=job_messages.EVALUATE, bind=True)  # type: ignore[untyped-decorator]
def evaluate_attempt(self: CeleryTask[Any, Any], attempt_id: int) -> None:
    if _must_stop():
        return  # Celery delivered one more message: the sweeper sends it again
    host = Host.objects.select_related("device_class").get(name=settings.HOST_NAME)
    worker = f"{self.request.hostname or 'shell'} {os.getpid()}"
    if not evaluation.evaluate_next(host=host, worker=worker, must_stop=_must_stop):
        log.info("message for attempt %s: no verdict stored", attempt_id)
        messages.taken_in_vain(Attempt.objects.queued().filter(pk=attempt_id))


@shared_task(name=job_messages.CHECK)  # type: ignore[untyped-decorator]
def check_submission(submission_id: int) -> None:
    """Check the submission that has waited longest, whichever message came."""
    if not intake.check_next():
        log.info("message for submission %s: nothing to check", submission_id)
        messages.taken_in_vain(Submission.objects.waiting().filter(pk=submission_id))


@shared_task(name=job_messages.DELIVER)  # type: ignore[untyped-decorator]
def deliver_webhook(delivery_id: int) -> None:
    if not webhooks.deliver(delivery_id):
        log.info("message for delivery %s: nothing to deliver", delivery_id)


def _must_stop() -> bool:
    return state.should_stop is not None and state.should_stop is not False  # 0 is an exit code
