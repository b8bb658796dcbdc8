"""Take out of T_dev what an empty pair of events costs on this host, and leave what it costs on the class's reference.

The pair is read before each case in the baseline's worker, with the candidate frozen: the candidate's own worker could
say what it likes. Work that it left on the device could still lengthen the pair, so the calibration's pair bounds it.
Only the difference from the frozen pair of the device class is taken out: some of the pair is the launch of a kernel,
which every kernel has, and without it short kernels would seem many times as fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from evaluator.judge.rejection import Rejection
from evaluator.judge.timing.estimate import block_value
from evaluator.judge.timing.remote import empty_pairs_ns
from evaluator.judge.timing.session import CaseTimes, Enough, Judge, Pair, time_case
from evaluator.judge.timing.slabs import Slabs
from evaluator.records.measurements import Block, TimingSession
from evaluator.thresholds import (
    BLOCKS,
    E0_DRIFT_NS,
    E0_NOISE_NS,
    E0_READINGS,
    E0_SHARE,
    E0_SHARE_ERROR,
    LEAST_LEFT_NS,
    REFERENCE_E0_NS,
)


@dataclass(frozen=True, slots=True)
class EventPair:
    """E0 before one case of a session: the median of its readings, and the standard error of that."""

    ns: float
    error_ns: float

    @classmethod
    def of(cls, readings_ns: Sequence[float]) -> EventPair:
        middle = median(readings_ns)
        spread = median(abs(one - middle) for one in readings_ns) * 1.4826  # of a normal distribution: its sd
        return cls(middle, 1.2533 * spread / math.sqrt(len(readings_ns)))

    def why_void(self, calibrated_ns: float | None) -> str | None:
        """Return why a session with this pair does not count, or None: what is taken out must be known."""
        if not (math.isfinite(self.ns) and self.ns > 0 and self.error_ns <= E0_NOISE_NS):
            return f"an empty pair of events took {self.ns:.0f} ns, known to {self.error_ns:.0f} ns only"
        if calibrated_ns is not None and abs(self.ns - calibrated_ns) > E0_DRIFT_NS:
            return f"an empty pair of events took {self.ns:.0f} ns, on this device usually {calibrated_ns:.0f} ns"
        return None

    def excess_ns(self, reference_ns: float) -> tuple[float, float]:
        """Return what a time on this host has beyond one on the reference, and the error of that."""
        more_ns = self.ns - reference_ns
        return E0_SHARE * more_ns, math.hypot(E0_SHARE * self.error_ns, E0_SHARE_ERROR * more_ns)


def read_event_pair(pair: Pair) -> EventPair:
    """Read E0 in the baseline's worker.

    Raises:
        SandboxError: the readings make no sense.
    """
    return EventPair.of(empty_pairs_ns(pair.trusted_worker(), E0_READINGS))


def time_as_on_reference(
    pair: Pair, slabs: Slabs, judge: Judge, device_class: str, blocks: int = BLOCKS, enough: Enough | None = None
) -> CaseTimes | Rejection:
    """Time the blocks of a case; its times are those of a host with the class's pair."""
    event_pair = read_event_pair(pair)
    found = time_case(pair, slabs, judge, blocks, enough)
    return found if isinstance(found, Rejection) else as_on_reference(found, event_pair, device_class)


def as_on_reference(times: CaseTimes, found: EventPair, device_class: str) -> CaseTimes:
    """Return the times as they would be on a host with the class's pair. The blocks keep the readings as they were.

    A time as short as what is taken out becomes LEAST_LEFT_NS, and so is too short to be eligible, or censored.
    A class without a frozen pair keeps all its times as they are: nothing is eligible there.
    """
    session = replace(times.session, event_pair_ns=(found.ns, found.error_ns))
    reference_ns = REFERENCE_E0_NS.get(device_class)
    if reference_ns is None:
        return replace(times, session=session)
    excess_ns, error_ns = found.excess_ns(reference_ns)
    baseline_ns, candidate_ns = _left((times.baseline_ns, times.candidate_ns), excess_ns)
    values = _values(session, times.is_disturbed, excess_ns)
    void = session.void or found.why_void(None)
    if not values:
        void = void or "no block has positive readings of both sides"
    return replace(
        times,
        session=replace(session, void=void),
        values=values,
        baseline_ns=baseline_ns,
        candidate_ns=candidate_ns,
        overhead_error=error_ns * abs(1 / candidate_ns - 1 / baseline_ns),
    )


def _values(session: TimingSession, is_disturbed: bool, excess_ns: float) -> tuple[float, ...]:
    found = [value_of(block, excess_ns) for block in session.used_blocks(is_disturbed)]
    return tuple(value for value in found if value is not None)


def value_of(block: Block, excess_ns: float) -> float | None:
    """Return the log ratio of a block without the excess; None without positive readings of both sides."""
    sides = [_left(times, excess_ns) for times in (block.baseline_ns, block.candidate_ns)]
    return block_value(*sides) if all(sides) else None


def _left(times_ns: Sequence[float], excess_ns: float) -> list[float]:
    """Return what is left of the positive readings; to drop short ones would make the rest look slow."""
    return [max(time - excess_ns, LEAST_LEFT_NS) for time in times_ns if time > 0]
