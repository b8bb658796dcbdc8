"""Compares the device's work in traced calls with the time that a record claims.

Between a call's kernels the device waits for the host when it is traced, which the ranked clock hides. So the time lies
between `busy`, the union of the work, and `span`, from its first begin to its last end, but for SHARE and SLACK_NS: the
ranked clock includes two events and starts cold, the trace has clocks of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from evaluator.judge.traces import DeviceWork, TracedCall
from evaluator.records.activity import CaseActivity, KernelActivity

SHARE = 0.25
SLACK_NS = 4000.0
LATE_NS, LATE_SHARE = 1000.0, 0.05  # work after the call that is too much: both
MOST_KERNELS = 30  # of a case


def compare_case(case_id: str, t_dev_ns: float, calls: Sequence[TracedCall], names: frozenset[str]) -> CaseActivity:
    """Compare the calls of one case with T_dev. `names`: the kernels of the candidate's sources."""
    busy_ns = median(_busy_ns(call.work) for call in calls)
    span_ns = median(_span_ns(call.work) for call in calls)
    late_ns = median(_busy_ns(call.late) for call in calls)
    kernels = _kernels(calls, names)
    whole_ns = sum(kernel.ns for kernel in kernels)
    own_ns = sum(kernel.ns for kernel in kernels if kernel.is_own)
    problem = _problem(t_dev_ns, busy_ns, span_ns, late_ns)
    return CaseActivity(
        id=case_id,
        t_dev_ns=t_dev_ns,
        calls=len(calls),
        busy_ns=busy_ns,
        span_ns=span_ns,
        late_ns=late_ns,
        own_share=own_ns / whole_ns if whole_ns else None,
        kernels=tuple(kernels[:MOST_KERNELS]),
        verdict="disagree" if problem else "agree",
        text=problem or "the trace and T_dev agree",
    )


def _problem(t_dev_ns: float, busy_ns: float, span_ns: float, late_ns: float) -> str | None:
    """Say by how much the trace and T_dev disagree; None if they agree."""
    if late_ns > LATE_NS and late_ns > LATE_SHARE * t_dev_ns:
        return f"{_us(late_ns)} of work ran only after the call had returned, when its output was read"
    most, least = t_dev_ns * (1 + SHARE) + SLACK_NS, t_dev_ns * (1 - SHARE) - SLACK_NS
    if busy_ns > most:
        return f"the device worked {_us(busy_ns)} a call, {_us(busy_ns - t_dev_ns)} more than T_dev"
    if span_ns < least:
        return f"the device's work spans {_us(span_ns)} a call, {_us(t_dev_ns - span_ns)} less than T_dev"
    return None


def _busy_ns(work: Sequence[DeviceWork]) -> float:
    """Return the time in which anything of it ran."""
    busy_ns, until_ns = 0.0, float("-inf")
    for one in sorted(work, key=lambda one: one.begin_ns):
        busy_ns += max(0.0, one.end_ns - max(one.begin_ns, until_ns))
        until_ns = max(until_ns, one.end_ns)
    return busy_ns


def _span_ns(work: Sequence[DeviceWork]) -> float:
    return max(one.end_ns for one in work) - min(one.begin_ns for one in work) if work else 0.0


def _kernels(calls: Sequence[TracedCall], names: frozenset[str]) -> list[KernelActivity]:
    """Return the device's work by name, per call, the longest first."""
    by_name: Mapping[str, list[DeviceWork]] = {one.name: [] for call in calls for one in call.work}
    for call in calls:
        for one in call.work:
            by_name[one.name].append(one)
    found = [
        KernelActivity(
            name=name,
            launches=len(works) / len(calls),
            ns=sum(one.took_ns for one in works) / len(calls),
            is_own=works[0].is_own(names),
        )
        for name, works in by_name.items()
    ]
    return sorted(found, key=lambda kernel: -kernel.ns)


def _us(ns: float) -> str:
    return f"{ns / 1e3:.1f} us"
