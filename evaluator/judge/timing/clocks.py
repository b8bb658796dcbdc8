"""The clocks beside T_dev, on one set of inputs: T_call, wall time of a call with the host in it; the paper's two."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from evaluator.judge.timing.remote import Loop, Stopwatch
from evaluator.judge.timing.session import Pair, SideName
from evaluator.measurements import AKA_EVENTS, AKA_LOOP, T_CALL, Clock
from evaluator.thresholds import LOOP_CALLS, LOOP_NS, PAPER_BUDGET_NS, PAPER_CALLS, PAPER_WARMUPS

SIDES: tuple[SideName, SideName] = ("baseline", "candidate")
TRIAL_CALLS = 10


@dataclass(frozen=True, slots=True)
class OtherClocks:
    """`disagreement`: the candidate's events over the judge's wall clock on the same loop, minus one."""

    clocks: dict[str, Clock]
    disagreement: float


def other_clocks(pair: Pair, *, paper: bool) -> OtherClocks:
    """T_call of both sides on the case that is armed; the paper's passes too where asked for, baseline first."""
    loops = {name: _t_call(pair.wake(name)) for name in SIDES}
    clocks = {T_CALL: _clock({name: [loop.events_ns[0] / calls] for name, (loop, calls) in loops.items()})}
    if paper:
        calls = {name: _paper_calls(loop.events_ns[0] / count) for name, (loop, count) in loops.items()}
        passes = {name: _paper(pair.wake(name), calls[name]) for name in SIDES}
        clocks[AKA_LOOP] = _clock({name: [found[0]] for name, found in passes.items()})
        clocks[AKA_EVENTS] = _clock({name: [found[1]] for name, found in passes.items()})
    loop = loops["candidate"][0]
    return OtherClocks(clocks, loop.events_ns[0] / loop.wall_ns - 1)


def _t_call(watch: Stopwatch) -> tuple[Loop, int]:
    """A loop of at least LOOP_NS on the judge's clock, and its number of calls."""
    trial = watch.loop(TRIAL_CALLS)
    least, most = LOOP_CALLS
    calls = int(min(max(least, LOOP_NS / max(trial.wall_ns / TRIAL_CALLS, 1.0) + 1), most))
    loop = watch.loop(calls)
    if loop.wall_ns < LOOP_NS and calls < most:  # the trial held the cost of a command
        calls = int(min(most, calls * LOOP_NS / loop.wall_ns * 1.1 + 1))
        loop = watch.loop(calls)
    return loop, calls


def _paper(watch: Stopwatch, calls: int) -> tuple[float, float]:
    """Nanoseconds a call: in one pair of events, and the mean of a pair for each call."""
    together = watch.loop(calls, warmups=PAPER_WARMUPS).events_ns[0] / calls
    return together, fmean(watch.loop(calls, warmups=PAPER_WARMUPS, pairs=True).events_ns)


def _paper_calls(call_ns: float) -> int:
    return int(min(PAPER_CALLS, max(1, PAPER_BUDGET_NS / max(call_ns, 1.0))))


def _clock(times_ns: dict[SideName, list[float]]) -> Clock:
    return Clock(*(tuple(time / 1e6 for time in times_ns[name]) for name in SIDES))
