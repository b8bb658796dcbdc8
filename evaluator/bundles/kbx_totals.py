"""summary.json of KernelBench-X beside the same numbers from the run's own rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from evaluator.bundles.reading import Reading
from evaluator.bundles.submission import Claim, Total
from evaluator.bundles.tasklists import tasks_of

SUMMARY = "summary.json"
SUITE = "kernelbenchx-176"


def method(reading: Reading) -> dict[str, object]:
    """The agent is what the output folder was called."""
    return {"agent": _summary(reading)[1].get("method")}


def totals(reading: Reading, claims: Sequence[Claim]) -> tuple[Total, ...]:
    path, raw = _summary(reading)
    own = _own(claims)
    said = reading.claimed(raw, tuple(own))
    for name, value in said.items():
        mine = own[name]
        if isinstance(value, int | float) and (mine is None or abs(value - mine) > 6e-4):
            reading.find("total_disagrees", f"{path}: {name}", f"claimed {value:g}, of the rows {mine}")
    if "total" in said and said["total"] != len(tasks_of(SUITE)):
        reading.find("total_not_suite", f"{path}: total", f"{said['total']} instead of {len(tasks_of(SUITE))}")
    return tuple(Total(name, value, own[name]) for name, value in said.items())


def _own(claims: Sequence[Claim]) -> Mapping[str, float | None]:
    """By the source's rules, over the tasks that the run holds."""
    flags = [claim.claimed for claim in claims]
    timed = [claim for claim in claims if claim.claimed.get("perf_ok") is True]
    speedups = [claim.claimed_speedup for claim in timed if claim.claimed_speedup]
    stages = ("call_ok", "exe_ok", "perf_ok")
    return {
        "total": len(claims),
        "call_pass": sum(row.get("call_ok") is True for row in flags),
        "exe_pass": sum(row.get("call_ok") is True and row.get("exe_ok") is True for row in flags),
        "perf_pass": sum(all(row.get(name) is True for name in stages) for row in flags),
        "avg_speedup_per_task": fmean(speedups) if speedups else None,
    }


def _summary(reading: Reading) -> tuple[str, Mapping[str, Any]]:
    path = next(reading.named(SUMMARY), None)
    return (path, reading.mapping(path)) if path else (SUMMARY, {})
