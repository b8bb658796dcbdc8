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

import django

django.setup()
logging.disable()

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from runs.models import Result, Run  # noqa: E402

REPEATS, CLIENT = 5, Client(HTTP_HOST="127.0.0.1")
DAY = "since=2001-01-{:02d}"  # a filter that excludes nothing


def main() -> None:
    run = Run.objects.order_by("id").first()
    right = Result.objects.filter(run=run, published_attempt__status="passed").select_related("task").first()
    assert run is not None
    assert right is not None
    board = f"{run.suite.name}/all/{run.device_class.slug}/"
    pages = [
        looked_at("board", f"/board/{board}", DAY, is_board=True),
        looked_at("board, the paper's", f"/board/{board}?view=paper", DAY, is_board=True),
        looked_at("board, one category", f"/board/{board.replace('/all/', '/hip2hip/')}", DAY, is_board=True),
        looked_at("board as CSV", f"/api/v1/board/{board}results.csv", DAY),
        looked_at("board as JSON", f"/api/v1/board/{board}", DAY),
        looked_at("distribution", f"/distribution/{board}", DAY),
        looked_at("compare", f"/compare/{board}", "cold={}"),
        looked_at("generalization", f"/generalization/{board}", "cold={}"),
        looked_at("task", f"/task/{right.task.path}/", "cold={}"),
        looked_at("run", f"/run/{run.pk}/", "cold={}"),
        looked_at("result", f"/result/{right.pk}/", "cold={}"),
        looked_at("home", "/", "cold={}"),
        looked_at("tasks", "/tasks/", "cold={}"),
        looked_at("runs", "/runs/", "cold={}"),
        looked_at("failures", "/failures/", "cold={}"),
    ]
    sys.stdout.write(json.dumps(pages))


def looked_at(name: str, address: str, query: str, *, is_board: bool = False) -> dict[str, Any]:
    with CaptureQueriesContext(connection) as asked:
        response = CLIENT.get(address)
        body = response.getvalue()
    assert response.status_code == 200, (address, response.status_code)
    cold = f"{address}{'&' if '?' in address else '?'}{query}"
    return {
        "name": name,
        "address": address,
        "queries": len(asked),
        "bytes_gz": len(gzip.compress(body, 6)),
        "cold": cold,
        "is_board": is_board,
        "is_html": not address.startswith("/api/"),
        "cpu_cold_ms": median(cpu_ms(cold.format(number)) for number in range(1, REPEATS + 1)),
        "cpu_warm_ms": median(cpu_ms(address) for _ in range(REPEATS)),
    }


def cpu_ms(address: str) -> float:
    """Return the CPU time of a request without a server; garbage is collected before it."""
    gc.collect()
    since = process_time()
    CLIENT.get(address).getvalue()
    return 1000 * (process_time() - since)


main()
