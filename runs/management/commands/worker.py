"""Run the worker of one host: a Celery worker of one process for attempts and checks, with a sweeper beside it."""

from __future__ import annotations

import fcntl
import logging
from pathlib import Path
from typing import IO, Any

from celery import current_app
from celery.signals import worker_ready, worker_shutdown
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluator.errors import HostError
from evaluator.state import remove_orphans
from runs import compatibility
from runs.job_messages import CHECKS
from runs.management.named import ONE_HOST, row_named
from runs.models import Host
from runs.worker import evaluation
from runs.worker.sweeper import Sweeper


class Command(BaseCommand):
    help = "Evaluates attempts for the host that ARENA_HOST names (default: local) until it is stopped."

    def handle(self, *args: Any, **options: Any) -> None:
        compatibility.refuse_incompatible()
        host = row_named(Host.objects.select_related("device_class"), ONE_HOST, name=settings.HOST_NAME)
        lock = _locked(Path(settings.STATE) / f"worker-{host.name}.lock")
        if lock is None:
            raise CommandError(f"another worker is running for {host}: each device has one worker", returncode=3)
        with lock:
            remove_orphans()
            self._work_for(host)

    def _work_for(self, host: Host) -> None:
        try:
            evaluation.prepare(host)
        except HostError as error:
            raise CommandError(f"this machine cannot work as {host}: {error}") from error
        sweeper = Sweeper(host)
        worker_ready.connect(lambda **_: sweeper.start(), weak=False)
        worker_shutdown.connect(lambda **_: sweeper.end(), weak=False)
        try:
            current_app.worker_main(_arguments(host))
        finally:
            evaluation.close_evaluator()


def _locked(path: Path) -> IO[str] | None:
    """Return the open file, locked until it is closed; None if another process holds the lock."""
    file = path.open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _arguments(host: Host) -> list[str]:
    """Return Celery's arguments.

    The pool is solo: without a fork, database connections are not shared and a stop reaches the evaluation at once.
    """
    level = logging.getLevelName(logging.getLogger().getEffectiveLevel())
    name, queues = f"{host.name}@%h", f"{host.device_class.architecture},{CHECKS}"
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return ["--quiet", "worker", "--pool", "solo", "--queues", queues, "--hostname", name, "--loglevel", level, *quiet]
