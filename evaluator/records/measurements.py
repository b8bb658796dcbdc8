"""Measurements of one case: times of both sides on each clock, raw blocks of the ranked clock, and their ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from evaluator.codec import ADDED_LATER

FUNCTIONAL = "functional"  # the clock of a host without a GPU: shown on the result page, part of no metric
T_DEV = "t_dev"  # device time of one call, launch hidden, caches cold: the only clock that ranks
T_CALL = "t_call"  # wall time of one call, back to back, warm, host included: shown, never ranked
T_OUT = "t_out"  # T_dev on the judge's own clock, from outside the candidate's process: it decides what T_dev may claim
# The papers' clocks. AgentKernelArena's: calls in one event pair; an event pair a call. KernelBench-X's: do_bench.
AKA_LOOP, AKA_EVENTS, KBX_DO_BENCH = "aka_loop", "aka_events", "kbx_do_bench"
# The clock of each category's paper: torch2triton is KernelBench-X's, the others are AgentKernelArena's.
PAPER_CLOCKS: Mapping[str, str] = {
    "hip2hip": AKA_LOOP,
    "torch2hip": AKA_LOOP,
    "triton2triton": AKA_EVENTS,
    "torch2triton": KBX_DO_BENCH,
}


@dataclass(frozen=True, slots=True)
class Clock:
    """Times of both sides on one clock, in milliseconds per call."""

    baseline_ms: tuple[float, ...]
    candidate_ms: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Raw readings of one block on T_dev, in the order in which they were taken."""

    first: Literal["baseline", "candidate"]
    baseline_ns: tuple[float, ...]
    candidate_ns: tuple[float, ...]
    canary_ns: tuple[float, float]  # a read and an arithmetic kernel of fixed size, by the trusted side
    clock_mhz: tuple[int | None, int | None]  # SM clock after each side
    void: str | None  # why the block does not count


@dataclass(frozen=True, slots=True)
class TimingSession:
    """One case in one session, with new worker processes on both sides."""

    blocks: tuple[Block, ...]
    dropped: int  # readings that were not positive
    visible: int  # calls of the candidate whose launch outlasted the spacer kernel
    judged: int  # outputs of timed calls that were sampled and correct
    conditions: Mapping[str, float | int | str | None]  # clock_mhz, temperature_c, power_w, throttle
    void: str | None
    # E0 in ns and its standard error, with which times of the blocks become T_dev; None until arena-2, which took none.
    event_pair_ns: tuple[float, float] | None = field(default=None, metadata=ADDED_LATER)

    def used_blocks(self, is_disturbed: bool) -> tuple[Block, ...]:
        """Return the blocks that enter the ratio: all, where too many were void to replace them."""
        return self.blocks if is_disturbed else tuple(block for block in self.blocks if block.void is None)


@dataclass(frozen=True, slots=True)
class Ratio:
    """The case's ratio on T_dev with its 95 % confidence interval; log ratio > 0: the candidate is faster."""

    log_ratio: float
    variance: float | None  # None: a single session without a noise floor has no variance
    df: float | None  # None: the normal distribution
    low: float | None  # None: no bound can be given
    high: float | None
    eligible: bool  # the baseline takes long enough for a meaningful speedup
    censored: bool  # the candidate is faster than can be measured: read "at least"
    noisy: bool


@dataclass(frozen=True, slots=True)
class BaselineTimes:
    """A further baseline on one case, timed against the task's own in one session: medians, and how many times as fast.

    `ratio`: by the protocol's block values, above 1 where it is faster than the task's own baseline.
    """

    clock: str
    time_ms: float
    own_ms: float
    ratio: float


def problems_of_times(clocks: Mapping[str, Clock], ratio: Ratio | None) -> list[str]:
    """Sentences on every broken rule between a case's clocks and its ratio."""
    times = [time for clock in clocks.values() for time in (*clock.baseline_ms, *clock.candidate_ms)]
    problems = ["a time that is not positive"] if any(time <= 0 for time in times) else []
    if any(not clock.baseline_ms or not clock.candidate_ms for clock in clocks.values()):
        problems.append("a clock without times of both sides")
    if (T_DEV in clocks) != (ratio is not None):
        problems.append("a ratio is required where there are times on t_dev, and only there")
    return problems
