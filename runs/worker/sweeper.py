"""Sweeps every second or so: dead claims go back into the queue, lost messages are sent again. Any number may run."""

from __future__ import annotations

import logging
import threading

from django.conf import settings
from django.db import Error, connection

from runs.models import Host
from runs.services import claims, hosts, submissions, verification

SWEEP_BEATS = 0.2  # with a lease of 1.8 beats, a dead worker is noticed within two
log = logging.getLogger(__name__)


def sweep() -> tuple[int, int]:
    """One round: how many claims were given back, how many workers were woken. What was verified is concluded."""
    given_back = claims.requeue_dead() + submissions.requeue_dead_checks()
    woken = claims.wake_forgotten() + submissions.wake_forgotten_checks()
    verification.conclude_verifications()
    verification.verify_by_policy()
    if given_back or woken:
        log.warning("%d dead claims given back, %d messages sent again", given_back, woken)
    return given_back, woken


class Sweeper(threading.Thread):
    """Beside a worker: sweeps, and gives its host's sign of life."""

    def __init__(self, host: Host) -> None:
        super().__init__(name="sweeper", daemon=True)
        self._host, self._ended = host, threading.Event()

    def run(self) -> None:
        rounds = 0
        while True:
            try:
                if rounds % round(1 / SWEEP_BEATS) == 0:
                    hosts.host_seen(host=self._host)
                sweep()
            except Error as error:  # the database comes back, or the worker fails by itself
                log.warning("no sweep: %s", error)
                connection.close()
            rounds += 1
            if self._ended.wait(SWEEP_BEATS * settings.HEARTBEAT_S):
                break
        connection.close()  # this thread's own

    def end(self) -> None:
        self._ended.set()
        if self.is_alive():
            self.join()
