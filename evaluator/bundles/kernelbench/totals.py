"""Compares an analysis of KernelBench, such as fast_p, with the same numbers recomputed from the results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.bundles.parsed import ParsedClaim, Total
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import kernelbench_tasks
from evaluator.records.reasons import Status

TOTAL_COUNTS = ("total_count", "total_eval", "compiled_count", "correct_count")
ANALYSIS_MARK = b'"fast_p"'
ROUNDING = 6e-3  # relative: rates and means are written with two or three digits
FAST = ("0.5", "0.8", "1.0", "1.5", "2.0")  # thresholds of fast_p


def totals(reading: Reading, claims: Sequence[ParsedClaim], levels: Sequence[str]) -> tuple[Total, ...]:
    """Claimed and recomputed totals over the first sample of each problem, which is what the benchmark counts."""
    found = list[Total]()
    for path in sorted(reading.files):
        if not path.endswith(".json") or ANALYSIS_MARK not in reading.files[path][:65536]:
            continue
        raw = reading.mapping(path)
        mine = [level for level in levels if raw.get("level") in (None, int(level), level)]
        tasks = tuple(task for level in mine for task in kernelbench_tasks(level))
        judged = [claim for claim in claims if claim.claimed and claim.attempt == "sample 0"]
        own = _recomputed_totals([claim for claim in judged if not levels or claim.task in tasks], len(tasks))
        fast = raw.get("fast_p")
        fields = {**raw, **{f"fast_{key}": value for key, value in (fast if isinstance(fast, dict) else {}).items()}}
        for name, value in reading.claimed(fields, tuple(own)).items():
            found.append(Total(name, value, own[name]))
            _compare_total(reading, f"{path}: {name}", name, value, own[name])
        if tasks and isinstance(raw.get("total_count"), int) and raw["total_count"] != len(tasks):
            reading.find("total_not_suite", f"{path}: total_count", f"{raw['total_count']} instead of {len(tasks)}")
    return tuple(found)


def _compare_total(reading: Reading, place: str, name: str, claimed: object, own: float | None) -> None:
    """Note a claimed total that differs, except a mean speedup that cannot be recomputed without a baseline."""
    if not isinstance(claimed, int | float) or isinstance(claimed, bool):
        return
    if own is None and name == "geo_mean_speedup":
        return
    if own is None or not math.isclose(
        claimed, own, rel_tol=ROUNDING, abs_tol=ROUNDING if name not in TOTAL_COUNTS else 0
    ):
        reading.find("total_disagrees", place, f"{name}: claimed {claimed:g}, of the rows {own}")


def _recomputed_totals(claims: Sequence[ParsedClaim], tasks: int) -> Mapping[str, float | None]:
    """Totals with rates over the level's problems, or over the problems in the bundle if the level is not stated."""
    compiled = sum(claim.claimed.get("compiled") is True for claim in claims)
    correct = sum(claim.claimed.get("correctness") is True for claim in claims)
    speedups = [claim.recomputed_speedup for claim in claims if claim.recomputed_speedup]
    whole = tasks or len(claims)
    own: dict[str, Any] = {"total_count": whole, "total_eval": len(claims)}
    own |= {"compiled_count": compiled, "correct_count": correct}
    own |= {"compilation_rate": compiled / whole, "correctness_rate": correct / whole} if whole else {}
    own["geo_mean_speedup"] = math.exp(math.fsum(map(math.log, speedups)) / len(speedups)) if speedups else None
    passed = sum(claim.status is Status.PASSED for claim in claims)
    own |= {"fast_0.0": passed / whole} if whole else {}
    is_timed = len(speedups) == passed
    own |= {f"fast_{p}": sum(s > float(p) for s in speedups) / whole for p in FAST} if is_timed and whole else {}
    return own
