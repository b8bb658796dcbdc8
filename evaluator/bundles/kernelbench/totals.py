"""KernelBench's own analysis of a run beside the same numbers from its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.bundles.parsed import ParsedClaim, Total
from evaluator.bundles.reading import Reading
from evaluator.records.reasons import Status

COUNTS = ("total_count", "total_eval", "compiled_count", "correct_count")
MARK = b'"fast_p"'
ROUNDING = 6e-3  # relative: rates and means are written with two or three digits


def totals(reading: Reading, claims: Sequence[ParsedClaim], tasks: int) -> tuple[Total, ...]:
    """Of the first sample of each problem, as the source counts."""
    found = list[Total]()
    for path in sorted(reading.files):
        if not path.endswith(".json") or MARK not in reading.files[path][:65536]:
            continue
        raw = reading.mapping(path)
        own = _own([claim for claim in claims if claim.attempt == "sample 0"], tasks)
        fast = raw.get("fast_p")
        said = {**raw, **{f"fast_{key}": value for key, value in (fast if isinstance(fast, dict) else {}).items()}}
        for name, value in reading.claimed(said, tuple(own)).items():
            found.append(Total(name, value, own[name]))
            _compare(reading, f"{path}: {name}", name, value, own[name])
        if tasks and isinstance(raw.get("total_count"), int) and raw["total_count"] != tasks:
            reading.find("total_not_suite", f"{path}: total_count", f"{raw['total_count']} instead of {tasks}")
    return tuple(found)


def _compare(reading: Reading, place: str, name: str, said: object, own: float | None) -> None:
    """A number that only a baseline gives is no disagreement where there is none."""
    if not isinstance(said, int | float) or isinstance(said, bool) or (own is None and name == "geo_mean_speedup"):
        return
    if own is None or not math.isclose(said, own, rel_tol=ROUNDING, abs_tol=ROUNDING if name not in COUNTS else 0):
        reading.find("total_disagrees", place, f"{name}: claimed {said:g}, of the rows {own}")


def _own(claims: Sequence[ParsedClaim], tasks: int) -> Mapping[str, float | None]:
    """Rates over the level's problems; without a level over those that are there."""
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


FAST = ("0.5", "0.8", "1.0", "1.5", "2.0")
