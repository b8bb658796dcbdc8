"""Celery's side: a job is the attempt or check that waits longest. It may come twice, late or never without harm."""

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
from runs.models import Host
from runs.worker import evaluation

log = logging.getLogger(__name__)


@shared_task(name=job_messages.EVALUATE, bind=True)  # type: ignore[untyped-decorator]
def evaluate_attempt(self: CeleryTask[Any, Any], attempt_id: int) -> None:
    if _is_told_to_stop():
        return  # but handed one more message: the sweeper sends it again
    host = Host.objects.select_related("device_class").get(name=settings.HOST_NAME)
    worker = f"{self.request.hostname or 'shell'} {os.getpid()}"
    if not evaluation.evaluate_oldest(host=host, worker=worker, is_told_to_stop=_is_told_to_stop):
        log.info("woken for attempt %s: nothing written", attempt_id)


@shared_task(name=job_messages.CHECK)  # type: ignore[untyped-decorator]
def check_submission(submission_id: int) -> None:
    """The oldest that waits, whichever message came."""
    if not intake.check_next():
        log.info("woken for submission %s: nothing to check", submission_id)


def _is_told_to_stop() -> bool:
    return state.should_stop is not None and state.should_stop is not False  # 0 is an exit code
