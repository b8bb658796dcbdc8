"""`make bench` fails if it cannot measure, and reports missed budgets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "scripts"))

import bench  # noqa: E402

FAST = bench.Load(p50_ms=8.0, p95_ms=20.0, requests_a_second=1000.0, errors=0)
PAGE = {"name": "board", "address": "/", "queries": 5, "bytes_gz": 20_000, "is_html": True}
PAGE |= {"cpu_cold_ms": 150.0, "cpu_warm_ms": 1.0}


def test_without_wrk_it_stops_with_an_error(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "bench.py"), "--measurements", "1000"]
    done = subprocess.run(command, env=os.environ | {"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert "nothing was measured, because wrk is missing" in done.stderr


def test_a_page_within_every_budget_misses_none() -> None:
    assert bench.missed_by(bench.BenchPage(**PAGE), FAST, FAST, [100.0] * 20) == []


@pytest.mark.parametrize(
    ("page", "load", "cold_ms", "said"),
    [
        ({}, {"p95_ms": 50.5}, 100.0, "board: warm p95 50 ms > 50"),
        ({}, {}, 301.0, "board: cold p95 301 ms > 300"),
        ({"queries": 7}, {}, 100.0, "board: 7 queries > 6"),
        ({"bytes_gz": 60_001}, {}, 100.0, "board: 60001 bytes gz > 60000"),
        ({}, {"errors": 1}, 100.0, "board: 1 errors under load"),
    ],
    ids=["warm", "cold", "queries", "bytes", "errors"],
)
def test_each_budget_can_be_missed(page: dict, load: dict, cold_ms: float, said: str) -> None:
    found = bench.Load(**{name: getattr(FAST, name) for name in FAST.__slots__} | load)
    assert bench.missed_by(bench.BenchPage(**PAGE | page), found, FAST, [cold_ms] * 20) == [said]


def test_a_page_that_is_slow_only_while_something_changes_is_missed_too() -> None:
    slow = bench.Load(p50_ms=8.0, p95_ms=51.0, requests_a_second=1000.0, errors=0)
    assert bench.missed_by(bench.BenchPage(**PAGE), FAST, slow, [100.0] * 20) == ["board: changing p95 51 ms > 50"]
