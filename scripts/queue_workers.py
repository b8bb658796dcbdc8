"""The workers of queue_simulation.py: threads that lease attempts, wait for the evaluation's time, and store a verdict.

usage: scripts/queue_workers.py FIRST COUNT EVALUATION_S
       prints "ready", begins when its input ends, prints its measurements as JSON
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from time import perf_counter, sleep
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

import django

django.setup()

from celery import current_app
from django.db import OperationalError, connection

from runs import candidates
from runs.models import Attempt, Host, Result
from runs.services import leases
from runs.services.leases import Lease
from scripts.up import say
from tests.records import record_for

IDLE_S = 0.02
T = TypeVar("T")


@dataclass
class Spent:
    """The measurements of one thread on its claims and verdicts."""

    claim_s: list[float] = field(default_factory=list)
    verdict_s: list[float] = field(default_factory=list)
    claim_statements: int = 0
    verdict_statements: int = 0
    misses: int = 0  # nothing claimed although results were queued
    messages: int = 0
    locked: int = 0  # calls retried because the database was locked


def work(numbers: range, evaluation_s: float) -> None:
    spent = [Spent() for _ in numbers]
    threads = [
        threading.Thread(target=one_worker, args=(number, evaluation_s, one))
        for number, one in zip(numbers, spent, strict=True)
    ]
    say("ready")
    sys.stdin.read()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say(json.dumps([vars(one) for one in spent]))


def one_worker(number: int, evaluation_s: float, spent: Spent) -> None:
    """Take messages, claim, evaluate and store, until the queue is empty."""
    host = Host.objects.select_related("device_class").get(name=f"simulated-{number}")
    with messages() as take:
        while True:
            spent.messages += take()
            lease, took_s, statements = timed(lambda: leases.lease_next(host=host, worker=f"w{number}"), spent)
            if lease is not None:
                spent.claim_s.append(took_s)
                spent.claim_statements += statements
                evaluate(lease, evaluation_s, spent)
            elif Attempt.objects.queued().exists():
                spent.misses += 1
                sleep(IDLE_S)
            else:
                break
    connection.close()


def evaluate(lease: Lease, evaluation_s: float, spent: Spent) -> None:
    result = Result.objects.select_related("task").get(attempts=lease.attempt_id)
    sleep(evaluation_s)
    record = record_for(result.task.path, result.task.digest, result.task.category, candidates.candidate_of(result))
    _, took_s, statements = timed(lambda: leases.record_verdict(lease=lease, record=record), spent)
    spent.verdict_s.append(took_s)
    spent.verdict_statements += statements


def timed(call: Callable[[], T], spent: Spent) -> tuple[T, float, int]:
    """Return the result of a call, its seconds and statements. It is retried when SQLite's 20 s for a lock are over."""
    begin = perf_counter()
    while True:
        with contextlib.suppress(OperationalError), counted_statements() as statements:
            return call(), perf_counter() - begin, statements[0]
        spent.locked += 1


@contextlib.contextmanager
def messages() -> Iterator[Callable[[], int]]:
    """Yield take(), which returns 1 if there was a message for a worker; rows are claimed in any case."""
    with current_app.connection_for_read() as link, contextlib.closing(link.SimpleQueue("cpu", no_ack=True)) as queue:

        def take() -> int:
            try:
                queue.get(block=False)
            except Empty:
                return 0
            return 1

        yield take


@contextlib.contextmanager
def counted_statements() -> Iterator[list[int]]:
    """Yield [number of statements], counted in this thread within the context."""
    found = [0]

    def count(execute: Any, *arguments: Any) -> Any:
        found[0] += 1
        return execute(*arguments)

    with connection.execute_wrapper(count):
        yield found


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    work(range(first, first + count), float(sys.argv[3]))
