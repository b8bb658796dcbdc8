"""Compares summary.json of KernelBench-X with the same numbers recomputed from the run's own rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from evaluator.bundles.kernelbenchx.golden import SUITE
from evaluator.bundles.parsed import ParsedClaim, Total
from evaluator.bundles.reading import LARGEST, Reading
from evaluator.bundles.tasklists import tasks_of

SUMMARY = "summary.json"


def method(reading: Reading) -> dict[str, object]:
    """The agent, which is the name of the run's output folder."""
    return {"agent": _summary(reading)[1].get("method")}


def totals(reading: Reading, claims: Sequence[ParsedClaim]) -> tuple[Total, ...]:
    path, raw = _summary(reading)
    own = _recomputed(claims)
    claimed = reading.claimed(raw, tuple(own))
    for name, value in claimed.items():
        mine = own[name]
        tolerance = 0.051 if name.endswith("_rate") else 6e-4  # written with one and with three decimals
        if isinstance(value, int | float) and (mine is None or abs(value - mine) > tolerance):
            reading.find("total_disagrees", f"{path}: {name}", f"claimed {value:g}, of the rows {mine}")
    if "total" in claimed and claimed["total"] != len(tasks_of(SUITE)):
        reading.find("total_not_suite", f"{path}: total", f"{claimed['total']} instead of {len(tasks_of(SUITE))}")
    return tuple(Total(name, value, own[name]) for name, value in claimed.items())


def _recomputed(claims: Sequence[ParsedClaim]) -> Mapping[str, float | None]:
    """Totals by the benchmark's rules, over the tasks in the run."""
    flags = [claim.claimed for claim in claims]
    timed = [claim for claim in claims if claim.claimed.get("perf_ok") is True]
    speedups = [claim.claimed_speedup for claim in timed if claim.claimed_speedup]
    stages = ("call_ok", "exe_ok", "perf_ok")
    passed = {
        "call": sum(row.get("call_ok") is True for row in flags),
        "exe": sum(row.get("call_ok") is True and row.get("exe_ok") is True for row in flags),
        "perf": sum(all(row.get(name) is True for name in stages) for row in flags),
    }
    return {
        "total": len(claims),
        **{f"{stage}_pass": count for stage, count in passed.items()},
        **{f"{stage}_rate": 100 * count / len(claims) if claims else None for stage, count in passed.items()},
        "avg_speedup": _global(timed),
        "avg_speedup_global": _global(timed),
        "avg_speedup_per_task": fmean(speedups) if speedups else None,
    }


def _global(timed: Sequence[ParsedClaim]) -> float | None:
    """Σ golden / Σ candidate over the timed tasks, where a golden time is speedup times runtime."""
    pairs = [(claim.claimed_speedup, claim.claimed.get("runtime_ms")) for claim in timed]
    whole = [
        (s, t) for s, t in pairs if s and isinstance(t, int | float) and not isinstance(t, bool) and 0 < t < LARGEST
    ]
    total = math.fsum(time for _, time in whole)
    return math.fsum(speedup * time for speedup, time in whole) / total if total else None


def _summary(reading: Reading) -> tuple[str, Mapping[str, Any]]:
    path = next(reading.named(SUMMARY), None)
    return (path, reading.mapping(path)) if path else (SUMMARY, {})
