"""Whether kernels of the candidate's own wrote the outputs of every case: a launch hides no work done elsewhere.

A CPU host notes launches and stores in every call. On a GPU one call of each case is traced, which shows whose kernels
ran, and for how long. Nothing fails here: a result whose outputs a library computed is on hold until a person has
looked at it.
"""

from __future__ import annotations

from contextlib import suppress

from evaluator.gates.context import CaseState, Context
from evaluator.gates.plain.own_kernels import own_kernels
from evaluator.judge.draws import Draw
from evaluator.judge.side import Call
from evaluator.judge.traces import LIVE, TRACED_DRAW, TracedCall, TraceUnreadable, kineto_calls, traced
from evaluator.records.record import Finding, KernelCoverage
from evaluator.sandbox import WorkerError

ENOUGH = 0.5  # of the outputs, or of the device's time; below it somebody else did most of the work
LITTLE = 0.1  # of the device's time: beside what takes so much longer, a kernel may be there for show
NO_TRACE = "no trace of the candidate's calls could be read, so nothing tells whose kernels write the outputs"
ROUNDING = 1e-3  # a smaller rest is not worth a finding


def note_coverage(state: CaseState, call: Call) -> None:
    """Keep what kernels did in the call of this case in which they did least."""
    if call.coverage is None:
        return
    now, before = call.coverage, state.coverage or call.coverage
    state.coverage = KernelCoverage(
        launches=min(before.launches, now.launches),
        written={name: _least(before.written.get(name), share) for name, share in now.written.items()},
        copied=tuple(dict.fromkeys((*before.copied, *now.copied))),
        whole=_least(before.whole, _whole(call)),
    )


def trace_coverage(context: Context) -> None:
    """Trace one call of each case, and note the share of the device's time that kernels of the candidate's own take.

    Every source is traced: the lists do not see that `x + x` adds tensors. Where the trace cannot be had, the coverage
    stays unknown.
    """
    runner, states = context.runner, list(context.cases.values())
    if runner is None or context.backend.name not in LIVE or context.is_library_line:
        return
    draw = Draw("standard", "standard", TRACED_DRAW)
    calls = ((state.case, context.contents(state.case, draw)) for state in states)
    with context.spending("coverage"), suppress(WorkerError, TraceUnreadable):
        found, names = kineto_calls(traced(runner, calls), len(context.task.outputs)), own_kernels(runner.side.files)
        for state, call in zip(states, found, strict=False):
            state.coverage = _of_trace(call, names)


def _of_trace(call: TracedCall, names: frozenset[str]) -> KernelCoverage:
    kernels = [one for one in call.work if one.kind == "kernel"]  # red zones copy and fill
    own, whole_ns = [one.took_ns for one in kernels if one.is_own(names)], sum(one.took_ns for one in kernels)
    return KernelCoverage(len(own), written={}, busy=sum(own) / whole_ns if whole_ns else None)


def _whole(call: Call) -> float | None:
    """Return the share of all outputs' bytes that kernels wrote; small outputs may come from elsewhere."""
    assert call.coverage is not None
    known = [(share, call.outputs[name].nbytes) for name, share in call.coverage.written.items() if share is not None]
    return sum(share * size for share, size in known) / sum(size for _, size in known) if known else None


def check_coverage(context: Context, gate: str) -> None:
    """Hold a result with a case whose outputs kernels of its own did not write; find what they wrote in part."""
    if context.is_library_line:
        return
    covered = [(state.case.id, state.coverage) for state in context.cases.values()]
    if any(coverage is None for _, coverage in covered):
        text = NO_TRACE if context.backend.name in LIVE else "this host cannot tell which kernels write the outputs"
        _find_once(context, Finding(gate, "coverage_unknown", text))
    if names := sorted({name for _, coverage in covered if coverage for name in coverage.copied}):
        text = f"torch copies {', '.join(names)} from what kernels of the candidate wrote"
        _find_once(context, Finding(gate, "copied_output", text))
    known = [(name, coverage) for name, coverage in covered if coverage is not None]
    without = [_without_kernel(name, coverage) for name, coverage in known]
    if texts := [text for text in without if text]:
        if not any(finding.code == "no_kernel" for finding in context.held):
            context.hold(Finding(gate, "no_kernel", _with_others(texts)))
    elif texts := [text for name, coverage in known for text in _partly(name, coverage)]:
        _find_once(context, Finding(gate, "partly_written", _with_others(texts)))
    elif known and all(not coverage.shares for _, coverage in known):
        text = "kernels of the candidate run in every case; this host cannot tell which outputs they write"
        _find_once(context, Finding(gate, "coverage_unknown", text))


def _without_kernel(case: str, coverage: KernelCoverage) -> str | None:
    if coverage.launches == 0:
        return f"case {case} runs no kernel of the candidate"
    if coverage.whole is not None and coverage.whole < ENOUGH:
        return f"case {case}: kernels of the candidate write {_percent(coverage.whole)} of the outputs as returned"
    if coverage.busy is not None and coverage.busy < LITTLE:
        return _share_of_time(case, coverage.busy)
    return None


def _share_of_time(case: str, share: float) -> str:
    return f"case {case}: kernels of the candidate take {_percent(share)} of the device's time"


def _partly(case: str, coverage: KernelCoverage) -> list[str]:
    if coverage.busy is not None:
        return [_share_of_time(case, coverage.busy)] if coverage.busy < ENOUGH else []
    return [
        f"case {case}: kernels of the candidate write {_percent(share)} of {name} as returned"
        for name, share in coverage.written.items()
        if share is not None and share < 1 - ROUNDING
    ]


def _with_others(texts: list[str]) -> str:
    return texts[0] + (f"; and {len(texts) - 1} more like it" if texts[1:] else "")


def _find_once(context: Context, finding: Finding) -> None:
    if not any(other.code == finding.code for other in context.findings):
        context.findings.append(finding)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _least(one: float | None, other: float | None) -> float | None:
    known = [share for share in (one, other) if share is not None]
    return min(known) if known else None
