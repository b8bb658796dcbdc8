"""The depth of each queue, and the expected wait by the formula that the page prints."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from leaderboard.pages.hosts.queue import expected_wait
from tests import factories
from tests.factories import NOON


def s(*values: float) -> list[timedelta]:
    return [timedelta(seconds=value) for value in values]


@pytest.mark.parametrize(
    ("queued", "left", "at_work", "wait_s"),
    [
        (0, [], 1, 0),  # idle
        (0, [20], 2, 0),  # one of two is idle
        (0, [20], 1, 20),  # what is left of the one that runs
        (3, [20], 1, 110),  # 3 × 30 + 20
        (3, [20, 10], 2, 60),  # (3 × 30 + 30) / 2
        (4, [], 2, 60),  # just started: both about to take one
    ],
)
def test_the_expected_wait_is_what_the_formula_says(
    queued: int, left: list[float], at_work: int, wait_s: float
) -> None:
    assert expected_wait(queued, s(*left), at_work, timedelta(seconds=30)) == timedelta(seconds=wait_s)


def test_the_mean_is_of_what_the_newest_attempts_of_the_queue_took(suite, page) -> None:
    now = datetime.now(UTC)
    factories.make_host(seen_at=now)
    done = factories.make_run(suite=suite)
    for number, result in enumerate(done.results.all(), 1):
        factories.make_attempt(result=result, status="passed", ended_at=NOON + timedelta(seconds=10 * number))
    open_run = factories.make_run(suite=suite)
    first, *others = open_run.results.all()
    started = {"started_at": now - timedelta(seconds=15), "host": None}
    factories.make_attempt(result=first, status="running", **started)
    for result in others:
        factories.make_attempt(result=result)
    [queue] = page("/queue/").queues
    assert (queue.queued, queue.running, queue.hosts, queue.measured, queue.mean_s) == (5, 1, 1, 6, 35.0)
    assert 5 * 35 < queue.expected_wait_s <= 5 * 35 + 20, "what is left shrinks while the test runs"


def test_what_is_paused_waits_and_counts_apart(suite, page, client) -> None:
    factories.make_run(suite=suite, status="queued", paused_at=NOON)
    shown = page("/queue/")
    [queue] = shown.queues
    assert (queue.queued, queue.paused, queue.expected_wait_s) == (0, 6, None)
    assert {one.is_paused for one in shown.open_attempts} == {True}
    assert "its run is paused" in client.get("/queue/").content.decode()


def test_the_page_prints_its_formula_and_data_has_it(suite, client) -> None:
    assert "Expected wait of a new attempt =" in client.get("/queue/").content.decode()
    data = client.get("/api/v1/queue/").json()
    assert data["formula"].startswith("Expected wait")
    csv = b"".join(client.get("/api/v1/queue/queues.csv").streaming_content)
    assert csv.startswith(b"architecture,queued,paused,running,hosts,mean_s,expected_wait_s")


def test_what_is_secret_is_in_no_mean(suite, page) -> None:
    round = factories.make_round(suite=suite, revealed_at=None)
    run = factories.make_run(suite=suite, round=round)
    now = datetime.now(UTC)
    for result in run.results.all():
        factories.make_attempt(result=result, status="passed", started_at=now - timedelta(seconds=90), ended_at=now)
    factories.make_host(seen_at=now)
    [queue] = page("/queue/").queues
    assert (queue.measured, queue.mean_s) == (0, None)
