"""Keeps a claim alive while its attempt is evaluated, and interrupts the evaluation when it must end.

A thread renews the lease. The evaluation runs in the process's main thread, where a signal can raise `Interrupted`:
SIGUSR1 from the thread when the claim is lost (cancelled, or taken over), SIGTERM or SIGINT when the worker must stop.
Never in the middle of a statement: it would leave a connection that answers nothing more.
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

from runs.services import claims
from runs.services.claims import Lease

LOST, STOPS = signal.SIGUSR1, (signal.SIGTERM, signal.SIGINT)
AGAIN, AGAIN_S = signal.SIGALRM, 0.02  # after one that found the database at work
T = TypeVar("T")
log = logging.getLogger(__name__)


class Interrupted(BaseException):
    """Ends an evaluation from outside; no `except Exception` on the way may swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.is_stop = number in STOPS


class Pulse:
    """`Pulse(claim).during(work)` evaluates under a claim; without one, only a stop interrupts."""

    def __init__(self, claim: Lease | None) -> None:
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        if claim is not None:
            beat, name = functools.partial(self._beat, claim), f"pulse-{claim.attempt_id}"
            self._thread = threading.Thread(target=beat, name=name, daemon=True)
        self._handlers: dict[int, Any] = {}
        self._may_interrupt = False
        self._came: int | None = None  # the first signal
        self._stop: int | None = None

    def during(self, work: Callable[[], T]) -> T:
        """What `work` returns.

        Raises:
            Interrupted: the claim is lost or the worker must stop; the worker's own handler sees the signal afterwards.
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
        """Once: what cleans up after an interruption is not interrupted."""
        self._stop = number if number in STOPS else self._stop
        self._came = number if self._came is None else self._came
        if not self._may_interrupt:
            return
        if _asks_the_database(frame):
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
            return
        self._may_interrupt = False
        raise Interrupted(self._came)

    def _beat(self, claim: Lease) -> None:
        begin = monotonic()
        while not self._ended.wait(settings.HEARTBEAT_S):
            if monotonic() - begin > settings.JOB_LIMIT_S:
                log.critical("attempt %s exceeds every budget: the worker ends", claim.attempt_id)
                os._exit(os.EX_TEMPFAIL)
            if not _renewed(claim):
                log.warning("attempt %s: the claim is lost", claim.attempt_id)
                if self._handlers:
                    os.kill(os.getpid(), LOST)
                break
        connection.close()  # this thread's own


def _asks_the_database(frame: FrameType | None) -> bool:
    """Is a frame of Django's database code on the stack? Between the statements of a transaction there is none."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("django.db."):
            return True
        frame = frame.f_back
    return False


def _renewed(claim: Lease) -> bool:
    try:
        return claims.heartbeat(claim=claim)
    except Error as error:  # the lease outlives one missed beat
        log.warning("attempt %s: no heartbeat: %s", claim.attempt_id, error)
        connection.close()
        return True
