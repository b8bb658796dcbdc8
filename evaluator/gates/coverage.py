"""Whether kernels of the candidate's own wrote the outputs of every case: a launch hides no work done elsewhere.

Nothing fails here. A result whose outputs torch wrote is on hold until a person has looked at it.
"""

from __future__ import annotations

from evaluator.gates.context import CaseState, Context
from evaluator.judge.side import Call
from evaluator.records.record import Finding, KernelCoverage

ENOUGH = 0.5  # of the outputs; below it somebody else did most of the work
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
        _find_once(context, Finding(gate, "coverage_unknown", "this host cannot tell which kernels write the outputs"))
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
    elif known and all(coverage.whole is None for _, coverage in known):
        text = "kernels of the candidate run in every case; this host cannot tell which outputs they write"
        _find_once(context, Finding(gate, "coverage_unknown", text))


def _without_kernel(case: str, coverage: KernelCoverage) -> str | None:
    if coverage.launches == 0:
        return f"case {case} runs no kernel of the candidate"
    if coverage.whole is not None and coverage.whole < ENOUGH:
        return f"case {case}: kernels of the candidate write {_percent(coverage.whole)} of the outputs as returned"
    return None


def _partly(case: str, coverage: KernelCoverage) -> list[str]:
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
