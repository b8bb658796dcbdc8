"""Renews a lease while its attempt is evaluated, and interrupts the evaluation when it must end.

A thread renews the lease. The evaluation runs in the process's main thread, where a signal raises `Interrupted`:
SIGUSR1 from the thread when the lease is lost (cancelled, or expired and taken by another worker), SIGTERM or SIGINT
when the worker must stop. It is never raised during a database statement, which would leave the connection unusable.
"""

from __future__ import annotations

import functools
import logging
import os
import signal
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error, connection

from runs.services import leases
from runs.services.leases import Lease

LOST, STOPS = signal.SIGUSR1, (signal.SIGTERM, signal.SIGINT)
AGAIN, AGAIN_S = signal.SIGALRM, 0.02  # tries again after a signal that arrived during a statement
T = TypeVar("T")
log = logging.getLogger(__name__)


class Interrupted(BaseException):
    """Ends an evaluation from outside. A BaseException, so that no `except Exception` swallows it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.is_stop = number in STOPS


class Heartbeat:
    """`Heartbeat(lease).during(work)` works under a lease. With None, only a stop of the worker interrupts."""

    def __init__(self, lease: Lease | None) -> None:
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        if lease is not None:
            beat, name = functools.partial(self._beat, lease), f"heartbeat-{lease.attempt_id}"
            self._thread = threading.Thread(target=beat, name=name, daemon=True)
        self._handlers: dict[int, Any] = {}
        self._may_interrupt = False
        self._came: int | None = None  # the first signal
        self._stop: int | None = None

    def during(self, work: Callable[[], T]) -> T:
        """Call `work` and return its result.

        Raises:
            Interrupted: the lease is lost or the worker must stop. The worker's own handler gets a stop afterwards.
        """
        try:
            try:
                self._begin()
                self._may_interrupt = True
                if self._came is not None:
                    raise Interrupted(self._came)
                return work()
            finally:
                self._may_interrupt = False
        finally:  # a signal may raise once, between any two steps above, but not here
            self._end()

    def _begin(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in (LOST, *STOPS, AGAIN):
                self._handlers[number] = signal.signal(number, self._interrupt)
        if self._thread is not None:
            self._thread.start()

    def _end(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._handlers:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if self._stop is not None:
            os.kill(os.getpid(), self._stop)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise `Interrupted` once, so that cleaning up is not interrupted."""
        self._stop = number if number in STOPS else self._stop
        self._came = number if self._came is None else self._came
        if not self._may_interrupt:
            return
        if _is_in_database_code(frame):
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
            return
        self._may_interrupt = False
        raise Interrupted(self._came)

    def _beat(self, lease: Lease) -> None:
        begin = monotonic()
        while not self._ended.wait(settings.HEARTBEAT_S):
            if monotonic() - begin > settings.JOB_LIMIT_S:
                log.critical("attempt %s exceeds the time limit of a job: the worker exits", lease.attempt_id)
                os._exit(os.EX_TEMPFAIL)
            if not _renewed(lease):
                log.warning("attempt %s: the lease is lost", lease.attempt_id)
                if self._handlers:
                    os.kill(os.getpid(), LOST)
                break
        connection.close()  # this thread's own


def _is_in_database_code(frame: FrameType | None) -> bool:
    """Return whether Django's database code is on the stack. Between statements of a transaction it is not."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("django.db."):
            return True
        frame = frame.f_back
    return False


def _renewed(lease: Lease) -> bool:
    try:
        return leases.heartbeat(lease=lease)
    except Error as error:  # a lease survives one missed heartbeat
        log.warning("attempt %s: no heartbeat: %s", lease.attempt_id, error)
        connection.close()
        return True
