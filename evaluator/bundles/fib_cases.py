"""Workloads of FlashInfer traces as cases: times of both sides, the claimed factor beside the one that follows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from evaluator.bundles.reading import Reading
from evaluator.bundles.submission import CaseClaim

ROUNDING = 1e-3  # relative: writers cut all three numbers
EXCESSIVE = 10.0


@dataclass(frozen=True, slots=True)
class Trace:
    """`evaluation` is None for a workload that belongs to the definition."""

    place: str
    definition: str
    solution: str
    workload: str
    evaluation: Mapping[str, Any] | None

    @property
    def status(self) -> str:
        return str(self.evaluation["status"]) if self.evaluation else ""

    @property
    def hardware(self) -> str:
        return str(inner(self.evaluation, "environment").get("hardware") or "")


def inner(value: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    found = value.get(name) if value else None
    return found if isinstance(found, dict) else {}


def workload_key(workload: Mapping[str, Any]) -> str:
    """The uuid, behind the axes that people read."""
    axes = ",".join(f"{key}={value}" for key, value in sorted(inner(workload, "axes").items()))
    return f"{axes} {workload.get('uuid', json.dumps(workload.get('inputs'), sort_keys=True))}".strip()[:300]


def cases(reading: Reading, group: Sequence[Trace]) -> tuple[CaseClaim, ...]:
    """One a workload; of several evaluations of one the slower counts."""
    found = dict[str, CaseClaim]()
    for trace in group:
        case = _case(reading, trace)
        first = found.setdefault(trace.workload, case)
        if first is not case:
            detail = f"{trace.workload} for {trace.solution}: the slower one counts"
            reading.find("duplicate_case", trace.place, detail, trace.definition)
            found[trace.workload] = max(first, case, key=_slowness)
    return tuple(found.values())


def mean(values: Sequence[float | None]) -> float | None:
    """Over all of them, or None."""
    whole = [value for value in values if value is not None]
    return fmean(whole) if whole and len(whole) == len(values) else None


def _case(reading: Reading, trace: Trace) -> CaseClaim:
    performance, task = inner(trace.evaluation, "performance"), trace.definition
    if not performance:
        return CaseClaim(trace.workload, None, None)
    after, before = (
        reading.time_ms(performance.get(name), f"{trace.place}: {name}", task)
        for name in ("latency_ms", "reference_latency_ms")
    )
    claimed = reading.number(performance.get("speedup_factor"), f"{trace.place}: speedup_factor", task)
    case = CaseClaim(trace.workload, before, after, claimed)
    if claimed is not None and case.speedup and not math.isclose(claimed, case.speedup, rel_tol=ROUNDING):
        detail = f"claimed {claimed:g}, of its times {case.speedup:g}"
        reading.find("speedup_disagrees", f"{trace.place}: speedup_factor", detail, task)
    if claimed is not None and claimed > EXCESSIVE:
        reading.find("excessive_speedup", trace.place, f"{claimed:g}", task)
    return case


def _slowness(case: CaseClaim) -> float:
    """A failed evaluation is slower than any other."""
    return math.inf if case.candidate_ms is None else case.candidate_ms
