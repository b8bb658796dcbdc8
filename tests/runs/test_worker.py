"""Real workers on the filesystem broker, with a fake evaluator: killed, stopped, sent a message twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from runs import job_messages
from runs.models import Attempt, Host
from tests.factories import make_host
from tests.runs.conftest import Site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ROOT = Path(__file__).parents[2]
HEARTBEAT_S = 2  # a lease of 3.6 s: a worker of a busy machine is not taken for dead
DEADLINE_S = 240.0  # nothing takes longer than 10 s on a quiet machine
SEND = job_messages._send  # before the fixture `sent` takes its place

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """start(evaluation_s=…, host=…) → a worker of this test's database, broker and archive."""
    workers: list[subprocess.Popen[bytes]] = []

    def start_worker(evaluation_s: float, host: str = "local") -> subprocess.Popen[bytes]:
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "arena_site.settings",
            "DATABASE_URL": database_url(),
            "ARENA_STATE": str(tmp_path),
            "ARENA_HOST": host,
            "ARENA_EVALUATOR": "tests.runs.fakes.open_fake",
            "ARENA_FAKE_SECONDS": str(evaluation_s),
            "ARENA_HEARTBEAT_S": str(HEARTBEAT_S),
        }
        with (tmp_path / f"worker{len(workers)}.log").open("wb") as log:
            command = [sys.executable, "manage.py", "worker"]
            workers.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log))
        return workers[-1]

    yield start_worker
    for worker in workers:
        worker.kill()
        worker.wait()
    for log in tmp_path.glob("worker*.log"):
        sys.stdout.write(log.read_text(errors="replace"))  # shown by pytest when a test fails
    for message in Path(settings.BROKER_FOLDER).rglob("*.msg"):
        message.unlink()


def database_url() -> str:
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    return f"postgresql://{values['USER']}:{values['PASSWORD']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch, sent: list[tuple[int, str]]) -> None:
    monkeypatch.setattr(job_messages, "_send", SEND)


def wait_until(holds: Callable[[], bool], what: str) -> None:
    until = monotonic() + DEADLINE_S
    while not holds():
        assert monotonic() < until, f"waited too long: {what}"
        sleep(0.02)


def attempts_of(site: Site) -> list[Attempt]:
    return list(Attempt.objects.filter(result__run=site.new_run()).order_by("pk"))


def are_ended(attempts: list[Attempt]) -> bool:
    return not Attempt.objects.open().filter(pk__in=[attempt.pk for attempt in attempts]).exists()


def test_a_killed_worker_costs_its_attempt_one_more_try_and_nothing_else(
    site: Site, broker: None, start: Start
) -> None:
    second = make_host(device_class=site.device_class)
    start(evaluation_s=2.0), start(evaluation_s=2.0, host=second.name)
    wait_until(lambda: not Host.objects.filter(seen_at=None).exists(), "two workers")
    attempts = attempts_of(site)
    running = Attempt.objects.filter(status="running")
    wait_until(running.exists, "a claim")
    victim = running.order_by("started_at")[0]
    os.kill(int(victim.claimed_by.split()[-1]), signal.SIGKILL)
    killed_at = timezone.now()
    wait_until(lambda: are_ended(attempts), "all verdicts")
    again, other = (Attempt.objects.get(pk=attempt.pk) for attempt in sorted(attempts, key=lambda a: a.pk != victim.pk))
    assert (again.status, again.number, again.requeues, again.fencing_token) == ("passed", 1, 1, 2)
    assert "stopped responding" in again.requeued_because
    assert (other.status, other.requeues) == ("passed", 0)
    assert again.measurements.count() == other.measurements.count() == 2
    assert again.ended_at > killed_at


def test_a_stopped_worker_gives_its_attempt_back_and_ends_at_once(site: Site, broker: None, start: Start) -> None:
    worker = start(evaluation_s=2 * DEADLINE_S)
    attempts_of(site)
    wait_until(Attempt.objects.filter(status="running").exists, "a claim")
    worker.terminate()
    assert worker.wait(timeout=DEADLINE_S) == 0
    assert set(Attempt.objects.values_list("status", "requeues")) == {("queued", 0)}


def test_a_worker_survives_lost_and_doubled_messages(site: Site, broker: None, start: Start) -> None:
    doubled, lost = attempts_of(site)
    for message in Path(settings.BROKER_FOLDER).rglob("*.msg"):
        message.unlink()
    job_messages._send(doubled.pk, "cpu")
    job_messages._send(doubled.pk, "cpu")
    Attempt.objects.update(message_sent_at=None)
    start(evaluation_s=0.0)
    wait_until(lambda: are_ended([doubled, lost]), "all verdicts")
    assert set(Attempt.objects.values_list("status", "fencing_token", "requeues")) == {("passed", 1, 0)}
    assert doubled.measurements.count() == lost.measurements.count() == 2
    later = attempts_of(site)
    in_an_hour = timezone.now() + timedelta(hours=1)
    Attempt.objects.open().update(message_sent_at=in_an_hour)  # no sweeper takes a message for lost
    wait_until(lambda: are_ended(later), "all verdicts of the second run")


def test_a_worker_without_a_registered_host_refuses_to_start(site: Site, start: Start) -> None:
    assert start(evaluation_s=0.0, host="nowhere").wait(timeout=DEADLINE_S) == 1


def test_a_second_worker_for_one_device_refuses_to_start(site: Site, start: Start, tmp_path: Path) -> None:
    start(evaluation_s=0.0)
    wait_until(lambda: Host.objects.get(pk=site.host.pk).seen_at is not None, "a worker")
    assert start(evaluation_s=0.0).wait(timeout=DEADLINE_S) == 3
    assert "another worker is running for local" in (tmp_path / "worker1.log").read_text()
