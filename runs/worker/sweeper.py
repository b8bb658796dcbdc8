"""The sweeper: queues attempts of dead workers again and resends lost messages. Any number of sweepers may run."""

from __future__ import annotations

import logging
import threading

from django.conf import settings
from django.db import Error, connection

from runs.models import Host
from runs.services import hosts, leases, submissions, verification, webhooks

SWEEP_BEATS = 0.2  # with a lease of 1.8 heartbeats, a dead worker is noticed within two
log = logging.getLogger(__name__)


def sweep() -> tuple[int, int]:
    """Sweep once, which also starts and concludes verifications, and tries deliveries to webhooks again.

    Return how many leases had expired and how many messages were sent again.
    """
    expired = leases.requeue_expired() + submissions.requeue_expired_checks()
    sent = leases.resend_lost_messages() + submissions.resend_lost_check_messages()
    verification.conclude_verifications()
    verification.verify_by_policy()
    webhooks.send_due()
    if expired or sent:
        log.warning("%d leases had expired, %d messages were sent again", expired, sent)
    return expired, sent


class Sweeper(threading.Thread):
    """A thread beside a worker that sweeps and records its host's heartbeat."""

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
            except Error as error:  # the database comes back, or the worker fails on its own
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
