"""Workloads of FlashInfer traces as cases: times of both sides, the claimed factor beside the one that follows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from evaluator.bundles.parsed import CaseClaim
from evaluator.bundles.reading import Reading

ROUNDING = 1e-3  # relative: writers cut all three numbers
EXCESSIVE = 10.0
COLD, LEAST_CASES = 0.1, 4  # of the median speedup; so many cases before a first one can stand out


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


class WorkloadGroup:
    """One solution for one definition: what its traces have said so far. A trace is forgotten once it is added."""

    def __init__(self, place: str) -> None:
        self.place, self.log, self.first_failure = place, "", ""
        self.passed = self.evaluated = 0
        self._cases = dict[str, CaseClaim]()

    def add(self, reading: Reading, trace: Trace) -> None:
        """Of several evaluations of one workload the slower counts."""
        self.evaluated += 1
        if trace.status == "PASSED":
            self.passed += 1
        else:
            self.first_failure = self.first_failure or trace.status
        self.log = self.log or str((trace.evaluation or {}).get("log") or "")
        case = _case(reading, trace)
        first = self._cases.setdefault(trace.workload, case)
        if first is not case:
            detail = f"{trace.workload} for {trace.solution}: the slower one counts"
            reading.find("duplicate_case", trace.place, detail, trace.definition)
            self._cases[trace.workload] = max(first, case, key=_slowness)

    @property
    def workloads(self) -> set[str]:
        return set(self._cases)

    def cases(self, reading: Reading, task: str) -> tuple[CaseClaim, ...]:
        """All of them, once the last trace is read; what only shows between them is noted."""
        cases = tuple(self._cases.values())
        speedups = [case.speedup for case in cases if case.speedup is not None]
        if len(speedups) >= LEAST_CASES and speedups[0] < COLD * median(speedups):
            reading.find("cold_start", self.place, f"{speedups[0]:g} beside {median(speedups):g}", task)
        if len(speedups) > 1 and all(case.baseline_ms == case.candidate_ms for case in cases):
            reading.find("copied_baseline", self.place, f"all {len(cases)} workloads of {task}", task)
        return cases


def inner(value: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    found = value.get(name) if value else None
    return found if isinstance(found, dict) else {}


def workload_key(workload: Mapping[str, Any]) -> str:
    """The uuid, behind the axes that people read."""
    axes = ",".join(f"{key}={value}" for key, value in sorted(inner(workload, "axes").items()))
    return f"{axes} {workload.get('uuid', json.dumps(workload.get('inputs'), sort_keys=True))}".strip()[:300]


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
