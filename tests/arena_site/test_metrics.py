"""/metrics: its counts, its access control, and that it reveals nothing unpublished."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from arena_site.monitoring import metrics
from tests import factories

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-the-scraper-0123456789abcdef"
ROOT = Path(__file__).parents[2]

OF_THE_HOST = ("arena_request", "arena_disk", "python_", "process_")


def scraped(**headers: str) -> dict[str, float]:
    """Return name with labels → value."""
    response = Client().get("/metrics", headers=headers)
    assert response.status_code == 200
    lines = [line for line in response.content.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_requests_are_counted_by_route_and_status_and_timed() -> None:
    name = 'arena_request_seconds_count{method="GET",route="run/<row:run>/",status="404"}'
    before = scraped().get(name, 0)
    Client().get("/run/999999/"), Client().get("/run/999998/?q=planted")
    after = scraped()
    assert after[name] == before + 2
    bucket = name.replace("_count{", '_bucket{le="+Inf",')
    assert after[bucket] == after[name]
    labels = " ".join(after)
    assert "planted" not in labels
    assert "999999" not in labels


def test_a_clients_input_makes_no_metric_label() -> None:
    Client().get("/no/such/planted/"), Client().generic("PLANTED", "/")
    Client().get("/static/planted.css")
    found = str(scraped())
    assert "planted" not in found.lower()
    assert 'route="unknown"' in found
    assert 'route="static"' in found
    assert 'method="other"' in found


def test_rows_are_counted_at_the_time_of_the_request() -> None:
    run = factories.make_run(suite=factories.make_suite())
    first, second, third = run.results.all()
    factories.make_attempt(result=first, status="passed", fencing_token=2, requeues=1)
    factories.make_attempt(result=second)
    running = {"lease_until": timezone.now(), "started_at": timezone.now(), "fencing_token": 1, "claimed_by": "w"}
    factories.make_attempt(result=third, status="running", **running)
    factories.make_host(name="near", seen_at=timezone.now() - timedelta(seconds=7))
    factories.make_host(name="new")
    found = scraped()
    assert found['arena_queue_attempts{architecture="cpu"}'] == 1
    assert found['arena_running_attempts{architecture="cpu"}'] == 1
    assert found['arena_attempts{status="passed"}'] == 1
    assert (found["arena_leases_total"], found["arena_requeues_total"], found["arena_hosts"]) == (3, 1, 2)
    seen = 'arena_host_seen_seconds{architecture="cpu",host="near",state="working"}'
    assert 7 <= found[seen] < 600
    assert not any('host="new"' in name for name in found)


@pytest.mark.parametrize("status", ["running", "passed", "wrong_output"])
def test_unpublished_results_are_not_in_the_metrics(status: str) -> None:
    run = factories.make_run(suite=factories.make_suite([factories.make_task()]))
    run.round = factories.make_round(suite=run.suite, revealed_at=None)
    run.save()
    attempt = factories.make_attempt(result=run.results.get())
    waiting = {name: value for name, value in scraped().items() if not name.startswith(OF_THE_HOST)}
    attempt.delete()
    now = timezone.now()
    values = {"fencing_token": 1, "claimed_by": "w"}
    values |= {"lease_until": now, "started_at": now} if status == "running" else {"ended_at": now}
    factories.make_attempt(result=run.results.get(), status=status, **values)
    assert waiting['arena_queue_attempts{architecture="cpu"}'] == 1
    assert {name: scraped().get(name) for name in waiting} == waiting


@pytest.mark.parametrize(
    ("remote", "headers"),
    [
        ("203.0.113.7", {}),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.7"}),
        ("127.0.0.1", {"Forwarded": "for=203.0.113.7"}),
        ("127.0.0.1", {"X-Real-IP": "127.0.0.1"}),
        ("", {}),
    ],
)
def test_without_a_token_only_this_host_can_read_it(remote: str, headers: dict[str, str]) -> None:
    assert Client(REMOTE_ADDR=remote).get("/metrics", headers=headers).status_code == 404
    assert Client(REMOTE_ADDR="::1").get("/metrics").status_code == 200


def test_behind_a_proxy_it_cannot_be_read_without_a_token(settings: object) -> None:
    settings.HTTPS = True  # type: ignore[attr-defined]
    assert Client().get("/metrics").status_code == 404


def test_with_a_token_only_its_holders_can_read_it(settings: object) -> None:
    settings.METRICS_TOKEN = TOKEN  # type: ignore[attr-defined]
    assert scraped(Authorization=f"Bearer {TOKEN}")
    for wrong in ("", TOKEN, f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", "Bearer ü"):
        assert Client().get("/metrics", headers={"Authorization": wrong}).status_code == 404


@pytest.mark.slow
def test_metrics_are_summed_over_the_processes_of_a_server(tmp_path: Path) -> None:
    """As with gunicorn: the parent imports the metrics, and its children count."""
    code = """
import os
import django
django.setup()
from arena_site.monitoring import metrics
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
for _ in range(2):
    if os.fork() == 0:
        metrics.REQUESTS.labels("a/", "GET", "200").observe(0.1)
        os._exit(0)
    os.wait()
registry = CollectorRegistry()
MultiProcessCollector(registry)
print(generate_latest(registry).decode())
"""
    env = {metrics.FOLDER: str(tmp_path), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert re.search(r"arena_request_seconds_count\{[^}]*\} 2\.0", ended.stdout)
