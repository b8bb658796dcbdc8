"""Print the addresses that scripts/bench.py measures, with queries, size and CPU time; runs in the benchmark's site."""

from __future__ import annotations

import gc
import gzip
import json
import logging
import sys
from statistics import median
from time import process_time
from typing import Any
from urllib.parse import urlencode

from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import arena_site.wsgi  # noqa: F401  sets Django up as the web server does, garbage collector included
from runs.models import Attempt, Result, Run
from runs.services.revision import public_changed

LISTS = (
    *("tasks", "agents", "runs", "failures", "behaviour", "portability", "cost", "analysis"),
    *("queue", "hosts", "noise", "versions", "metrics", "peaks", "submit", "data", "iterations", "pairs"),
    *("kernelbench-x", "kernelbench-x/paper", "agentkernelarena", "agentkernelarena/paper"),
)
REPEATS, CLIENT = 3, Client(HTTP_HOST="127.0.0.1")


def main() -> None:
    logging.disable()
    run = Run.objects.order_by("id").first()
    right = Result.objects.filter(run=run, published_attempt__status="passed").select_related("task").first()
    assert run is not None
    assert right is not None
    open_attempt(right)
    public_changed()  # the counter exists now
    board = f"{run.suite.name}/all/{run.device_class.slug}/"
    configuration = run.configuration
    agent, model = configuration.agent.slug, configuration.model.slug if configuration.model else ""
    operator = urlencode({"operator": right.task.provenance["operator_type"]})
    pages = {
        "board": f"/board/{board}",
        "board, the paper's": f"/board/{board}?view=paper",
        "board, one category": f"/board/{board.replace('/all/', '/hip2hip/')}",
        "board, one operator": f"/board/{board}?{operator}&ranks=cut",
        "history": f"/history/{board}",
        "board as CSV": f"/api/v1/board/{board}results.csv",
        "board as JSON": f"/api/v1/board/{board}",
        "distribution": f"/distribution/{board}",
        "attribution": f"/attribution/{board}",
        "efficiency": f"/efficiency/{board}",
        "quality": f"/quality/{board}",
        "iterations of a board": f"/iterations/{board}",
        "compare": f"/compare/{board}",
        "generalization": f"/generalization/{board}",
        "same, one category": f"/generalization/{board.replace('/all/', '/hip2hip/')}",
        "unseen cases": "/generalization/",
        "task": f"/task/{right.task.path}/",
        "run": f"/run/{run.pk}/",
        "result": f"/result/{right.pk}/",
        "agent": f"/agent/{agent}/",
        "model": f"/model/{model}/",
        "configuration": f"/configuration/{configuration.slug}/",
        "home": "/",
        "search": "/search/?q=synthetic",
        "feed": "/feed.atom",
        "schema": "/api/v1/schema.json",
        "results as rows": "/api/v1/rows/results/",
        **{name: f"/{name}/" for name in LISTS},
        "tasks, one operator": f"/tasks/?{operator}",
    }
    sys.stdout.write(json.dumps([looked_at(name, address) for name, address in pages.items()]))


def open_attempt(result: Result) -> None:
    """Queue another attempt at the result, if none is: its pages then change without a public change."""
    if not result.attempts.open().exists():
        result.attempts.update(is_latest=False)
        Attempt.objects.create(result=result, number=result.attempts.count() + 1, queued_at=timezone.now())


def looked_at(name: str, address: str) -> dict[str, Any]:
    with CaptureQueriesContext(connection) as asked:
        response = CLIENT.get(address)
        body = response.getvalue()
    assert response.status_code == 200, (address, response.status_code)
    return {
        "name": name,
        "address": address,
        "queries": len(asked),
        "bytes_gz": len(gzip.compress(body, 6)),
        "is_html": not address.startswith(("/api/", "/feed")),
        "cpu_cold_ms": median(cpu_ms(address, is_cold=True) for _ in range(REPEATS)),
        "cpu_warm_ms": median(cpu_ms(address) for _ in range(REPEATS)),
    }


def cpu_ms(address: str, *, is_cold: bool = False) -> float:
    """Return the CPU time of a request without a server, with empty caches or not; garbage is collected before it."""
    if is_cold:
        for cache in caches.all():
            cache.clear()
    gc.collect()
    if not is_cold:
        CLIENT.get(address)  # at most a second ago
    since = process_time()
    CLIENT.get(address).getvalue()
    return 1000 * (process_time() - since)


main()
