"""Celery's side: one job is one attempt, the oldest that waits. It may arrive twice, late or never without any harm."""

from __future__ import annotations

import logging
import os
from typing import Any

from celery import Task as CeleryTask
from celery import shared_task
from celery.worker import state
from django.conf import settings

from runs import evaluation, wake
from runs.models import Host

log = logging.getLogger(__name__)


@shared_task(name=wake.EVALUATE, bind=True)  # type: ignore[untyped-decorator]
def evaluate_attempt(self: CeleryTask[Any, Any], attempt_id: int) -> None:
    if state.should_stop is not None and state.should_stop is not False:  # 0 is an exit code
        return  # told to stop, but handed one more message: the sweeper sends it again
    host = Host.objects.select_related("device_class").get(name=settings.HOST_NAME)
    worker = f"{self.request.hostname or 'shell'} {os.getpid()}"
    if not evaluation.evaluate_oldest(host=host, worker=worker):
        log.info("woken for attempt %s: nothing written", attempt_id)
