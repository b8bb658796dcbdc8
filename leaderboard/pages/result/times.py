"""What was timed of a result: every clock of every case, the ratio on the device clock, the raw sessions behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.records.measurements import AKA_EVENTS, AKA_LOOP, FUNCTIONAL, T_CALL, T_DEV, TimingSession
from evaluator.records.record import Record
from evaluator.thresholds import ELIGIBLE_E0, ELIGIBLE_NS
from leaderboard.formatting import milliseconds
from leaderboard.queries.results import MeasurementRow

CLOCKS = {  # in the order of pages
    T_DEV: "Device time of one call, launch hidden, caches cold. The only clock that ranks.",
    T_CALL: "Wall time of one call, back to back, warm, host included. Shown beside it; ranks nothing.",
    AKA_LOOP: "The paper's for HIP to HIP and PyTorch to HIP: 100 calls in one pair of events, divided by 100.",
    AKA_EVENTS: "The paper's for Triton to Triton: the mean of a pair of events around each of 100 calls.",
    FUNCTIONAL: "Functional times: a CPU stands in for the GPU. They show that both sides ran; no metric uses them.",
}


@dataclass(frozen=True, slots=True)
class ClockTimes:
    """Medians of both sides in milliseconds per call. On the clock `functional` they compare nothing."""

    clock: str
    baseline_ms: float
    candidate_ms: float
    log_ratio: float | None  # above 0: the candidate is faster; on t_dev the one of the blocks


@dataclass(frozen=True, slots=True)
class CaseRatio:
    """The ratio on t_dev with its interval at 95 %, as the protocol has it."""

    log_ratio: float
    variance: float | None
    df: float | None
    low: float | None
    high: float | None
    is_eligible: bool
    why_not_eligible: str | None
    is_censored: bool
    is_noisy: bool


@dataclass(frozen=True, slots=True)
class RawBlock:
    """As the record has it: nanoseconds, SM clocks of baseline and candidate in MHz."""

    first: str
    baseline_ns: tuple[float, ...]
    candidate_ns: tuple[float, ...]
    canary_ns: tuple[float, ...]
    clock_mhz: tuple[int | None, ...]
    void: str | None


@dataclass(frozen=True, slots=True)
class CaseSession:
    """One case in one session of fresh workers, with the device's state at its end."""

    case: str
    number: int
    blocks: tuple[RawBlock, ...]
    dropped: int  # readings that were not positive
    visible: int  # calls that took longer on the host than the device was held
    judged: int  # outputs of timed calls that were drawn and were right
    clock_mhz: int | None
    memory_clock_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    throttled: str
    void: str | None


def clocks(row: MeasurementRow) -> tuple[ClockTimes, ...]:
    """Every clock the case was timed on, the ranked one first."""
    found = dict(row.clocks)
    if row.baseline_t_dev_ms is not None:
        found[T_DEV] = {"baseline_ms": row.baseline_t_dev_ms, "candidate_ms": row.candidate_t_dev_ms}
    names = [*(name for name in CLOCKS if name in found), *sorted(set(found) - set(CLOCKS))]
    return tuple(_clock(name, found[name], row.log_ratio) for name in names)


def ratio(row: MeasurementRow) -> CaseRatio | None:
    """None where the case was not timed on the device clock."""
    if row.log_ratio is None or row.baseline_t_dev_ms is None:
        return None
    return CaseRatio(
        row.log_ratio,
        row.log_ratio_variance,
        row.log_ratio_df,
        row.log_ratio_low,
        row.log_ratio_high,
        row.is_eligible,
        None if row.is_eligible else _too_short(row.baseline_t_dev_ms),
        row.is_censored,
        row.is_noisy,
    )


def sessions(record: Record | None) -> tuple[CaseSession, ...]:
    """In the order of the record's cases."""
    cases = record.cases if record else ()
    return tuple(_session(case.id, number, one) for case in cases for number, one in enumerate(case.sessions, 1))


def void_blocks(found: Sequence[CaseSession]) -> list[tuple[CaseSession, int, str]]:
    """(session, number of the block, why it counts for nothing)."""
    return [(one, n, block.void) for one in found for n, block in enumerate(one.blocks, 1) if block.void]


def _clock(name: str, medians: Mapping[str, Any], log_ratio: float | None) -> ClockTimes:
    baseline_ms, candidate_ms = float(medians["baseline_ms"]), float(medians["candidate_ms"])
    if name == FUNCTIONAL:
        return ClockTimes(name, baseline_ms, candidate_ms, None)
    own = log_ratio if name == T_DEV else math.log(baseline_ms / candidate_ms)
    return ClockTimes(name, baseline_ms, candidate_ms, own)


def _too_short(baseline_ms: float) -> str:
    takes = f"the baseline takes {milliseconds(baseline_ms)}"
    if baseline_ms * 1e6 < ELIGIBLE_NS:
        return f"{takes}, and a speed means something from {milliseconds(ELIGIBLE_NS / 1e6)} on"
    return f"{takes}, less than {ELIGIBLE_E0:.0f} empty pairs of events on its host"


def _session(case: str, number: int, one: TimingSession) -> CaseSession:
    state: Mapping[str, Any] = one.conditions
    return CaseSession(
        case=case,
        number=number,
        blocks=tuple(
            RawBlock(b.first, b.baseline_ns, b.candidate_ns, b.canary_ns, b.clock_mhz, b.void) for b in one.blocks
        ),
        dropped=one.dropped,
        visible=one.visible,
        judged=one.judged,
        clock_mhz=state.get("clock_mhz"),
        memory_clock_mhz=state.get("memory_clock_mhz"),
        temperature_c=state.get("temperature_c"),
        power_w=state.get("power_w"),
        throttled=str(state.get("throttled") or ""),
        void=one.void,
    )
