"""Whatever dies, stops, hangs or is repeated: no result is lost or doubled, and all end in time.

Queue, database, broker and workers are real processes; only the evaluation is a fake.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import nullcontext, suppress
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from unittest import mock

import pytest
from django.db import Error, connection, transaction
from django.db.models.functions import Now

from runs import archive, job_messages
from runs.models import Attempt, Host
from tests.chaos.conftest import RecordOutcome
from tests.chaos.disks import SmallDisk, small_disk
from tests.chaos.places import HEARTBEAT_S, Place
from tests.runs.conftest import Site

pytestmark = pytest.mark.slow
DEADLINE_S = 240.0  # nothing takes longer than 15 s on a quiet machine
BOTH = pytest.mark.parametrize("place", ["servers", "files"], indirect=True)
SERVERS = pytest.mark.parametrize("place", ["servers"], indirect=True)
_repeats = count(1)


@BOTH
@pytest.mark.parametrize("moment", ["claimed", "evaluating", "saving"])
def test_a_worker_is_killed(place: Place, site: Site, record_outcome: RecordOutcome, moment: str) -> None:
    victim = begin(place, chaos=moment, evaluation_s=60.0 if moment == "evaluating" else 0.5)
    attempt = queue(site)
    if moment == "evaluating":
        kill(claimed(attempt))
    wait_until(lambda: victim.poll() is not None, "the victim's end")
    begun = monotonic()
    allow("second")
    ended = settled(attempt)
    record_outcome(f"{ended.status} by another worker", monotonic() - begun)
    assert (ended.status, ended.fencing_token, ended.requeues, ended.host.name) == ("passed", 2, 1, "second")
    assert "stopped responding" in ended.requeued_because


@BOTH
def test_a_worker_is_killed_when_it_has_finished_and_acknowledged_nothing(
    place: Place, site: Site, record_outcome: RecordOutcome
) -> None:
    victim, begun = begin(place, chaos="finished"), monotonic()
    attempt = queue(site)
    wait_until(lambda: victim.poll() is not None, "the victim's end")
    allow("second")
    later = settled(queue(site))
    ended = settled(attempt)
    record_outcome(f"{ended.status} once, by the dead worker", monotonic() - begun)
    assert (ended.status, ended.fencing_token, ended.requeues, ended.host.name) == ("passed", 1, 0, "local")
    assert later.host.name == "second"


@BOTH
def test_a_worker_is_frozen_and_wakes_up_too_late(place: Place, site: Site, record_outcome: RecordOutcome) -> None:
    frozen, begun = begin(place, chaos="held"), monotonic()
    attempt = queue(site)
    claimed(attempt)
    freeze(frozen)
    allow("second")
    ended = settled(attempt)
    Host.objects.filter(name="second").update(is_enabled=False)
    place.gate.touch()
    frozen.send_signal(signal.SIGCONT)
    later = settled(queue(site))  # behind its verdict, which is ready and comes too late
    record_outcome(f"{ended.status} by another worker, the late verdict counts for nothing", monotonic() - begun)
    again = settled(attempt)
    assert later.host.name == "local"
    assert (again.status, again.fencing_token, again.host.name) == ("passed", 2, "second")
    assert (again.record_digest, again.ended_at) == (ended.record_digest, ended.ended_at)


@BOTH
def test_a_message_is_delivered_many_times(place: Place, site: Site, record_outcome: RecordOutcome) -> None:
    begin(place, evaluation_s=0.5)
    allow("second")
    begun, attempt = monotonic(), queue(site)
    for _ in range(9):
        place.send(attempt.pk, "cpu")
    ended = settled(attempt)
    seconds = monotonic() - begun
    last = settled(queue(site))  # behind all the copies
    record_outcome(f"{ended.status}, claimed once", seconds)
    assert settled(attempt).fencing_token == ended.fencing_token == last.fencing_token == 1


@BOTH
def test_a_worker_of_an_older_version(place: Place, site: Site, record_outcome: RecordOutcome) -> None:
    begin(place, chaos="version=0.0.9")
    begun, attempt = monotonic(), queue(site)
    sleep(2.0)
    waiting = fresh(attempt)
    assert (waiting.status, waiting.fencing_token) == ("queued", 0)
    assert Host.objects.get(name="local").evaluator == "0.0.9"
    allow("second")
    ended = settled(attempt)
    record_outcome(f"{ended.status} by the newer worker, the older one takes nothing", monotonic() - begun)
    assert (ended.status, ended.fencing_token, ended.host.name) == ("passed", 1, "second")


@SERVERS
@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_is_hours_off(place: Place, site: Site, record_outcome: RecordOutcome, hours: int) -> None:
    long_s = 2.5 * HEARTBEAT_S  # longer than a lease
    begin(place, chaos=f"clock={3600 * hours}", evaluation_s=long_s)
    begun, attempt = monotonic(), queue(site)
    claimed(attempt)
    allow("second")  # its sweeper's clock is right
    ended = [settled(attempt), settled(queue(site))]
    record_outcome("passed, no lease expired", monotonic() - begun)
    assert [(one.status, one.fencing_token, one.requeues) for one in ended] == [("passed", 1, 0)] * 2
    assert ended[0].host.name == "local"


@SERVERS
def test_the_broker_stops_and_comes_back(place: Place, site: Site, record_outcome: RecordOutcome) -> None:
    assert place.broker is not None
    begin(place, evaluation_s=2.0)
    running = queue(site)
    claimed(running)
    place.broker.stop()
    begun, unsent = monotonic(), queue(site)
    ended = settled(running)
    sleep(1.0)
    assert fresh(unsent).status == "queued"
    place.broker.start()
    restarted, late = monotonic(), settled(unsent)
    record_outcome(
        f"both passed, the unsent one {monotonic() - restarted:.1f} s after the restart", monotonic() - begun
    )
    assert [(one.status, one.fencing_token, one.requeues) for one in (ended, late)] == [("passed", 1, 0)] * 2


@SERVERS
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["orderly", "crash"])
def test_the_database_stops_and_comes_back(
    place: Place, site: Site, record_outcome: RecordOutcome, how: signal.Signals
) -> None:
    assert place.database is not None
    begin(place, evaluation_s=1.5)
    allow("second")
    attempts = [queue(site) for _ in range(3)]
    claimed(attempts[0])
    place.database.stop(how)
    begun = monotonic()
    connection.close()
    sleep(2.5)  # meanwhile the evaluation ends, and heartbeats fail
    place.database.start()
    ended = [settled(attempt) for attempt in attempts]
    tokens = [one.fencing_token for one in ended]
    record_outcome(
        f"all passed, the running one {'kept its lease' if tokens[0] == 1 else 'again'}", monotonic() - begun
    )
    assert [one.status for one in ended] == ["passed"] * 3
    assert max(tokens) <= 2


@SERVERS
def test_the_disk_of_the_archive_is_full(
    place: Place, site: Site, record_outcome: RecordOutcome, tmp_path: Path, settings: Any
) -> None:
    with small_disk(tmp_path / "archive") as disk:
        settings.ARCHIVE_FOLDER = tmp_path / "archive"
        worker = begin(place, chaos="held", ARENA_ARCHIVE=str(tmp_path / "archive"))
        attempt = queue(site)
        claimed(attempt)
        disk.fill(worker)
        place.gate.touch()
        begun = monotonic()
        wait_until(lambda: fresh(attempt).requeues == 1, "a verdict that finds no place")
        disk.free(worker)
        ended = settled(attempt)
        record_outcome(f"{ended.status} once there was room again ({disk.kind})", monotonic() - begun)
        assert (ended.status, ended.fencing_token, ended.requeues) == ("passed", 2, 1)
        assert "OSError" in ended.requeued_because
        assert not list((tmp_path / "archive").rglob("*.part"))
        place.end_workers()  # before the disk goes


@SERVERS
def test_a_full_disk_costs_no_attempt_that_waits(
    place: Place, site: Site, record_outcome: RecordOutcome, tmp_path: Path, settings: Any
) -> None:
    with small_disk(tmp_path / "archive") as disk:
        if not isinstance(disk, SmallDisk):
            pytest.skip(f"how much room there is shows on a disk only: {disk.kind}")
        settings.ARCHIVE_FOLDER = tmp_path / "archive"
        worker = begin(place, ARENA_ARCHIVE=str(tmp_path / "archive"))
        attempt = queue(site, is_sent=False)
        disk.fill(worker)
        place.send(attempt.pk, "cpu")
        begun = monotonic()
        sleep(2.0)
        assert (fresh(attempt).status, fresh(attempt).fencing_token) == ("queued", 0)
        disk.free(worker)
        ended = settled(attempt)
        record_outcome(f"{ended.status} once there was room, waited until then", monotonic() - begun)
        assert (ended.status, ended.fencing_token, ended.requeues) == ("passed", 1, 0)
        place.end_workers()


# --- what the cases share ---


def begin(place: Place, **worker: object) -> subprocess.Popen[bytes]:
    """Start a worker of the host `local`; that of `second` is running but may take nothing yet."""
    Host.objects.filter(name="second").update(is_enabled=False)
    place.rescue()
    process = place.start("local", **worker)  # type: ignore[arg-type]

    def are_ready() -> bool:
        assert process.poll() is None, "the worker has ended before it was ready"
        return not Host.objects.filter(name__in=("local", "second"), seen_at=None).exists()

    wait_until(are_ready, "two workers")
    return process


def allow(host: str) -> None:
    Host.objects.filter(name=host).update(is_enabled=True)


def queue(site: Site, is_sent: bool = True) -> Attempt:
    """Queue a new run; return its attempt, and send its message unless the test does."""
    with nullcontext() if is_sent else mock.patch.object(job_messages, "_send"):
        return Attempt.objects.get(result__run=site.new_run(repeat=next(_repeats)))


def claimed(attempt: Attempt) -> Attempt:
    wait_until(lambda: fresh(attempt).status == "running", "a claim")
    return fresh(attempt)


def kill(attempt: Attempt) -> None:
    os.kill(int(attempt.claimed_by.split()[-1]), signal.SIGKILL)


def freeze(worker: subprocess.Popen[bytes]) -> None:
    """Freeze a worker between writes: within a write it would keep a SQLite file locked."""
    with transaction.atomic():
        worker.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, worker.pid, os.WSTOPPED | os.WNOWAIT)


def fresh(attempt: Attempt) -> Attempt:
    return Attempt.objects.select_related("host").get(pk=attempt.pk)


def settled(attempt: Attempt) -> Attempt:
    """Wait until the attempt has ended; check that it is the only one of its result, with its record archived."""
    wait_until(lambda: fresh(attempt).ended_at is not None, "an end")
    ended = fresh(attempt)
    assert list(ended.result.attempts.values_list("pk", flat=True)) == [attempt.pk]
    assert ended.measurements.count() == len({one.case for one in ended.measurements.all()}) == 2
    assert archive.get(ended.record_digest)
    assert not Attempt.objects.filter(status="running", lease_until__lt=Now(), host=ended.host).exists()
    return ended


def wait_until(holds: Callable[[], bool], what: str, deadline_s: float = DEADLINE_S) -> None:
    """Wait for a condition, ignoring database outages."""
    until = monotonic() + deadline_s
    while True:
        with suppress(Error):
            if holds():
                return
            assert monotonic() < until, f"waited too long: {what}"
            sleep(0.05)
            continue
        connection.close()
        assert monotonic() < until, f"waited too long for the database: {what}"
        sleep(0.2)
