"""Clocks besides T_dev, on one set of inputs: T_call, the wall time of a call including the host; the papers' own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, median

from evaluator.judge.timing.remote import RemoteStopwatch
from evaluator.judge.timing.session import SIDES, Pair, SideName
from evaluator.records.measurements import AKA_EVENTS, AKA_LOOP, KBX_DO_BENCH, T_CALL, Clock
from evaluator.thresholds import (
    CLOCKS_AGREE,
    KBX_CLEARED_BYTES,
    KBX_ESTIMATE_CALLS,
    KBX_MEASURED_NS,
    KBX_WARMUP_NS,
    LOOP_CALLS,
    LOOP_NS,
    LOOPS,
    PAPER_BUDGET_NS,
    PAPER_CALLS,
    PAPER_WARMUPS,
)


@dataclass(frozen=True, slots=True)
class OtherClocks:
    """`disagreement`: time by events / time by the judge's wall clock − 1, for the same loop; baseline, candidate."""

    clocks: dict[str, Clock]
    disagreement: tuple[float, float]


def other_clocks(pair: Pair, *, paper: bool, kernelbench_x: bool = False) -> OtherClocks:
    """Measure T_call of both sides on the armed case, and if asked AgentKernelArena's clocks and KernelBench-X's.

    The baseline goes first. A clock that has no time of one side is left out.
    """
    loops = {name: _t_call(pair.switch_to(name)) for name in SIDES}
    clocks = {T_CALL: _clock({name: [found.call_ns] for name, found in loops.items()})}
    if paper:
        calls = {name: _paper_calls(found.call_ns) for name, found in loops.items()}
        passes = {name: _paper(pair.switch_to(name), calls[name]) for name in SIDES}
        clocks[AKA_LOOP] = _clock({name: [found[0]] for name, found in passes.items()})
        clocks[AKA_EVENTS] = _clock({name: [found[1]] for name, found in passes.items()})
    if kernelbench_x:
        medians = {name: do_bench_ns(pair.switch_to(name)) for name in SIDES}
        known: dict[SideName, list[float]] = {name: [found] for name, found in medians.items() if found is not None}
        if len(known) == len(SIDES):
            clocks[KBX_DO_BENCH] = _clock(known)
    return OtherClocks(clocks, (loops["baseline"].disagreement, loops["candidate"].disagreement))


def do_bench_ns(watch: RemoteStopwatch) -> float | None:
    """Return the median of an event pair a call on the armed case as Triton's do_bench takes it, by the trusted bench.

    None where a reading is not positive: a median over the others would be another clock.
    """
    first = watch.loop(KBX_ESTIMATE_CALLS, warmups=1, cleared_bytes=KBX_CLEARED_BYTES)
    estimate_ns = first.events_ns[0] / KBX_ESTIMATE_CALLS  # clearing the buffer is a part of it
    warmups, calls = (_calls_within(time_ns, estimate_ns) for time_ns in (KBX_WARMUP_NS, KBX_MEASURED_NS))
    times = watch.loop(calls, warmups=warmups, pairs=True, cleared_bytes=KBX_CLEARED_BYTES).events_ns
    return median(times) if len(times) == calls else None


def _calls_within(time_ns: float, call_ns: float) -> int:
    """Return how many calls fit. No device clears the buffer so fast that more than LOOP_CALLS would."""
    return max(1, int(min(time_ns / call_ns, LOOP_CALLS[1])))


@dataclass(frozen=True, slots=True)
class _Call:
    call_ns: float
    disagreement: float


def _t_call(watch: RemoteStopwatch) -> _Call:
    """Measure a loop of at least LOOP_NS minus a short loop, which removes the cost of the command itself.

    A hiccup of the host makes the clocks disagree once, a forged clock always: the loop with the best agreement counts.
    """
    least, most = LOOP_CALLS
    short = watch.loop(least)
    calls = int(min(max(2 * least, LOOP_NS * least / max(short.events_ns[0], 1.0)), most))
    found = list[_Call]()
    while len(found) < LOOPS:
        loop = watch.loop(calls)
        if loop.events_ns[0] < LOOP_NS and calls < most:  # the first calls were slow
            calls = int(min(most, calls * LOOP_NS / max(loop.events_ns[0], 1.0) * 1.1 + 1))
            continue
        events_ns, wall_ns = loop.events_ns[0] - short.events_ns[0], loop.wall_ns - short.wall_ns
        found.append(_Call(loop.events_ns[0] / calls, events_ns / wall_ns - 1 if wall_ns > 0 else math.inf))
        if abs(found[-1].disagreement) <= CLOCKS_AGREE:
            break
        short = watch.loop(least)  # the hiccup may have been in the short loop
    closest = min(found, key=lambda call: abs(call.disagreement))
    return _Call(median(call.call_ns for call in found), closest.disagreement)


def _paper(watch: RemoteStopwatch, calls: int) -> tuple[float, float]:
    """Return nanoseconds per call: with one pair of events around all calls, and the mean with a pair for each."""
    together = watch.loop(calls, warmups=PAPER_WARMUPS).events_ns[0] / calls
    return together, fmean(watch.loop(calls, warmups=PAPER_WARMUPS, pairs=True).events_ns)


def _paper_calls(call_ns: float) -> int:
    return int(min(PAPER_CALLS, max(1, PAPER_BUDGET_NS / max(call_ns, 1.0))))


def _clock(times_ns: dict[SideName, list[float]]) -> Clock:
    return Clock(*(tuple(time / 1e6 for time in times_ns[name]) for name in SIDES))
