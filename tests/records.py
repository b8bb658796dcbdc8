"""Records for tests: consistent by default, a keyword changes one thing."""

from __future__ import annotations

import math
import random
from typing import Any

from evaluator.records.calibration import Acceptance, DeviceCalibration
from evaluator.records.measurements import Block, Clock, Ratio, TimingSession
from evaluator.records.reasons import REASONS, Flag, Status
from evaluator.records.record import (
    GATE_NAMES,
    PROTOCOL,
    CandidateRef,
    CaseRecord,
    GateOutcome,
    HostInfo,
    Record,
    SandboxRef,
    TaskRef,
)
from evaluator.tasks.candidate import Candidate
from evaluator.unseen.record import SideOutcome, UnseenCaseRecord, UnseenRecord

CASE_IDS = ("cols=8,rows=4", "cols=9,rows=4")
CALIBRATION = DeviceCalibration(
    device="GPU-1",
    device_class="h100-sxm",
    made_at="2026-11-28T00:00:00+00:00",
    software=f"driver 1, torch 2, triton 3, protocol {PROTOCOL}",
    e0_ns=3_000.0,
    floors={"5-10us": 0.02, "10-50us": 0.002, "50-500us": 0.001},
    floor_sessions=20,
    canary_ns=(30e3, 30e3),
    cache_bytes_per_s=5e12,
    flops_per_s=8e14,
    acceptance=Acceptance(True, 0.002, 0.0001, 20, 3),
)


def make_record(*, reason: str | None = None, **changes: Any) -> Record:
    """A pass on cpu, or with a reason the status that it leads to, turned away by the correctness gate."""
    status = REASONS[reason][0] if reason else Status.PASSED
    ours = status in (Status.ERRORED, Status.NOT_JUDGED)
    gate = None if status is Status.PASSED or ours else "correctness"
    values = {
        "schema": 1,
        "protocol": PROTOCOL,
        "evaluator": "0.1.0",
        "started_at": "2026-11-01T12:00:00+00:00",
        "task": TaskRef("hip2hip/arena/GELU", "a" * 64, "hip2hip"),
        "candidate": CandidateRef("b" * 64, {"gelu.hip": "c" * 64}, "rewrite"),
        "baseline_kind": "source",
        "host": HostInfo("cpu", "cpu-x86_64", "cpu", {"torch": "2.13.0"}),
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


# Case → microseconds of both sides. Made up, in the range of what an H100 shows; no measurement of anything.
GPU_TIMES = {
    "n=1000,rounds=3": (3.71, 3.68),
    "n=524288,rounds=1": (21.2, 2.6),
    "n=8388608,rounds=1": (21.2, 20.9),
    "n=4194304,rounds=1024": (152.2, 101.3),
    "n=4194304,rounds=8192": (1164.3, 1170.1),
}


def make_gpu_record(**changes: Any) -> Record:
    """A synthetic pass on the device clock: cases too short, censored, even, faster and noisy ones."""
    values = {
        "task": TaskRef("triton2triton/arena/synthetic", "a" * 64, "triton2triton"),
        "host": HostInfo("cuda", "h100-sxm", "sm_90", {"card": "synthetic", "torch": "2.11.0+cu130"}),
        "flags": (Flag.CENSORED, Flag.HOST_BOUND, Flag.NOISY),
        "cases": tuple(make_gpu_case(case_id, *times) for case_id, times in GPU_TIMES.items()),
    }
    return make_record(**values | changes)


def make_gpu_case(case_id: str, baseline_us: float, candidate_us: float, **changes: Any) -> CaseRecord:
    """Three sessions, each with one void block beside ten that count; the longest case is noisy."""
    censored, eligible, noisy = candidate_us < 3.0, baseline_us >= 10.0, baseline_us > 1000
    log_ratio, half = math.log(baseline_us / max(candidate_us, 3.0)), 0.031 if noisy else 0.006
    high = None if censored else log_ratio + half
    draw = random.Random(case_id)
    values = {
        "profile": "full",
        "clocks": {
            "t_dev": Clock((baseline_us / 1e3,) * 3, (candidate_us / 1e3,) * 3),
            "t_call": Clock((baseline_us / 1e3 + 0.02,) * 3, (candidate_us / 1e3 + 0.021,) * 3),
            "aka_loop": Clock((baseline_us / 1e3 + 0.017,), (candidate_us / 1e3 + 0.017,)),
            "aka_events": Clock((baseline_us / 1e3 + 0.03,), (candidate_us / 1e3 + 0.02,)),
        },
        "speedup": math.exp(log_ratio),
        "ratio": Ratio(log_ratio, (half / 1.96) ** 2, None, log_ratio - half, high, eligible, censored, noisy),
        "sessions": tuple(_session(draw, baseline_us * 1e3, candidate_us * 1e3) for _ in range(3)),
    }
    return make_case(case_id, **values | changes)


def _session(draw: random.Random, baseline_ns: float, candidate_ns: float) -> TimingSession:
    conditions = {"clock_mhz": 1980, "memory_clock_mhz": 2619, "temperature_c": 44, "power_w": 312.5, "throttled": ""}
    return TimingSession(
        blocks=tuple(_block(draw, index, baseline_ns, candidate_ns) for index in range(11)),
        dropped=0,
        visible=1,
        judged=11,
        conditions=conditions,
        void=None,
    )


def _block(draw: random.Random, index: int, baseline_ns: float, candidate_ns: float) -> Block:
    baseline, candidate = (
        tuple(round(time * draw.uniform(0.99, 1.02), 1) for _ in range(10)) for time in (baseline_ns, candidate_ns)
    )
    void = "the canary's read took 36.5 us, usually 31.0 us" if index == 4 else None
    canary = (36_500.0 if void else 31_000.0, 30_200.0)
    return Block("candidate" if index % 2 else "baseline", baseline, candidate, canary, (1980, 1980), void)


def record_for(task_id: str, digest: str, category: str, candidate: Candidate, **changes: Any) -> Record:
    """What an evaluation of that task and candidate says."""
    return make_record(task=TaskRef(task_id, digest, category), candidate=candidate.ref(), **changes)


def _outcomes(failed: str | None, ours: bool) -> tuple[GateOutcome, ...]:
    position = GATE_NAMES.index(failed) if failed else len(GATE_NAMES) * (not ours)
    outcomes = ["passed"] * position + ["failed"] * bool(failed) + ["not_reached"] * len(GATE_NAMES)
    return tuple(GateOutcome(name, outcome, 0.1) for name, outcome in zip(GATE_NAMES, outcomes, strict=False))


def make_unseen_record(**changes: Any) -> UnseenRecord:
    """Of a cpu: a case in each quadrant."""
    values = {
        "schema": 1,
        "protocol": PROTOCOL,
        "evaluator": "0.1.0",
        "generator": "1",
        "round": "d" * 64,
        "started_at": "2026-11-01T12:00:00+00:00",
        "task": TaskRef("hip2hip/arena/GELU", "a" * 64, "hip2hip"),
        "candidate": CandidateRef("b" * 64, {"gelu.hip": "c" * 64}, "rewrite"),
        "baseline_kind": "source",
        "host": HostInfo("cpu", "cpu-x86_64", "cpu", {"torch": "2.13.0"}),
        "sandbox": SandboxRef("bubblewrap", ("no network",)),
        "flags": (Flag.FUNCTIONAL,),
        "findings": (),
        "cases": (
            make_unseen_case(8, "scale_up"),
            make_unseen_case(7, "alignment", candidate="mismatch"),
            make_unseen_case(1, "edge", baseline="mismatch", candidate="raised"),
            make_unseen_case(3, "scale_down", baseline="out_of_bounds"),
            make_unseen_case(64, "production", baseline="host_fault", candidate="host_fault"),
        ),
        "seconds": {"total": 1.5},
        "log": "",
    }
    return UnseenRecord(**values | changes)


def make_unseen_case(
    rows: int, category: str, *, baseline: str | None = None, candidate: str | None = None, **changes: Any
) -> UnseenCaseRecord:
    """`baseline` and `candidate`: the reason why that side is wrong or unjudged."""
    both = baseline is None and candidate is None
    values = {
        "id": f"cols=8,rows={rows}",
        "axes": {"rows": rows, "cols": 8},
        "profile": "small",
        "category": category,
        "origin": "generated",
        "baseline": make_outcome(baseline),
        "candidate": make_outcome(candidate),
        "clocks": {"functional": Clock((2.0, 2.2, 2.1), (1.0, 1.1, 1.2))} if both else {},
        "ratio": None,
        "sessions": (),
    }
    return UnseenCaseRecord(**values | changes)


def make_outcome(reason: str | None = None, /, **changes: Any) -> SideOutcome:
    values: dict[str, Any] = {"correct": True, "reason": None, "message": None, "draws": 9}
    if reason is not None:
        ours = REASONS[reason][0] in (Status.ERRORED, Status.NOT_JUDGED)
        values = {"correct": None if ours else False, "reason": reason, "message": "It was wrong.", "draws": 0}
    return SideOutcome(**values | {"relative_rmse": 1e-7, "allowed_rmse": 4e-7} | changes)
