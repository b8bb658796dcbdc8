"""Records for tests: consistent by default, a keyword changes one thing."""

from __future__ import annotations

from typing import Any

from evaluator.candidate import Candidate
from evaluator.measurements import Clock
from evaluator.records import (
    GATE_NAMES,
    REASONS,
    CandidateRef,
    CaseRecord,
    Flag,
    GateOutcome,
    Host,
    Record,
    SandboxRef,
    Status,
    TaskRef,
)

CASE_IDS = ("cols=8,rows=4", "cols=9,rows=4")


def make_record(*, reason: str | None = None, **changes: Any) -> Record:
    """A pass on cpu, or with a reason the status that it leads to, turned away by the correctness gate."""
    status = REASONS[reason][0] if reason else Status.PASSED
    ours = status in (Status.ERRORED, Status.NOT_JUDGED)
    gate = None if status is Status.PASSED or ours else "correctness"
    values = {
        "schema": 1,
        "protocol": "arena-1",
        "evaluator": "0.1.0",
        "started_at": "2026-11-01T12:00:00+00:00",
        "task": TaskRef("hip2hip/arena/GELU", "a" * 64, "hip2hip"),
        "candidate": CandidateRef("b" * 64, {"gelu.hip": "c" * 64}, "rewrite"),
        "baseline_kind": "source",
        "host": Host("cpu", "cpu-x86_64", "cpu", {"torch": "2.13.0"}),
        "sandbox": SandboxRef("bubblewrap", ("no network",)),
        "status": status,
        "gate": gate,
        "reason": reason,
        "message": "It was turned away." if reason else None,
        "flags": (Flag.FUNCTIONAL,) if status is Status.PASSED else (),
        "findings": (),
        "gates": _outcomes(gate, ours),
        "cases": tuple(make_case(case_id, timed=status is Status.PASSED) for case_id in CASE_IDS),
        "isa": (),
        "isa_checked": {},
        "seconds": {"total": 1.5},
        "log": "",
    }
    return Record(**values | changes)


def make_case(case_id: str, *, timed: bool = True, **changes: Any) -> CaseRecord:
    clocks = {"functional": Clock((2.0, 2.2, 2.1), (1.0, 1.1, 1.2))} if timed else {}
    values = {
        "id": case_id,
        "axes": {"rows": 4, "cols": 8},
        "profile": "small",
        "split": "seen",
        "correct": timed,
        "draws": 9 if timed else 0,
        "relative_rmse": 1e-7,
        "allowed_rmse": 4e-7,
        "baseline_rmse": 1e-7,
        "first_call_ms": 12.0,
        "clocks": clocks,
        "speedup": None,
    }
    return CaseRecord(**values | changes)


def record_for(task_id: str, digest: str, category: str, candidate: Candidate, **changes: Any) -> Record:
    """What an evaluation of that task and candidate says."""
    return make_record(task=TaskRef(task_id, digest, category), candidate=candidate.ref(), **changes)


def _outcomes(failed: str | None, ours: bool) -> tuple[GateOutcome, ...]:
    position = GATE_NAMES.index(failed) if failed else len(GATE_NAMES) * (not ours)
    outcomes = ["passed"] * position + ["failed"] * bool(failed) + ["not_reached"] * len(GATE_NAMES)
    return tuple(GateOutcome(name, outcome, 0.1) for name, outcome in zip(GATE_NAMES, outcomes, strict=False))
