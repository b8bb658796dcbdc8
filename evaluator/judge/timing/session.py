"""One timed session of a case (design §4.6): ABBA blocks, one side frozen while the other runs, outputs sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from statistics import median
from typing import Literal

import torch

from evaluator.backends import Sample
from evaluator.errors import BaselineError, SandboxError
from evaluator.judge.draws import Contents
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import Runner
from evaluator.judge.timing.estimate import block_value
from evaluator.judge.timing.remote import Readings, Rejected, RemoteStopwatch, canary_ns, heat
from evaluator.judge.timing.slabs import PlannedCall, Slabs
from evaluator.records.measurements import Block, TimingSession
from evaluator.sandbox import Worker
from evaluator.thresholds import (
    BLOCK_CALLS,
    BLOCKS,
    CANARIES,
    CANARY_SHARE,
    CLOCK_SHARE,
    DROPPED_SHARE,
    EARLY_JUDGED,
    LEAST_BLOCKS,
    LONG_BLOCK_CALLS,
    LONG_NS,
    REPLACED_BLOCKS,
    WARMUP_CALLS,
)
from evaluator.wording import counted

SideName = Literal["baseline", "candidate"]
Judge = Callable[[SideName, Contents, Mapping[str, torch.Tensor]], Rejection | None]
Enough = Callable[[Sequence[float], float, float], bool]  # from the log ratios of valid blocks and both sides' times
SIDES: tuple[SideName, SideName] = ("baseline", "candidate")
FIRST_CANARIES = 5  # readings of all canaries


class Pair:
    """Both sides of a session. One of them runs while the other is frozen."""

    def __init__(self, baseline: Runner, candidate: Runner, sample: Callable[[], Sample]) -> None:
        self._runners: dict[SideName, Runner] = {"baseline": baseline, "candidate": candidate}
        self.watches = {name: RemoteStopwatch(runner, name == "baseline") for name, runner in self._runners.items()}
        self.sample = sample
        self._running: SideName | None = None

    def switch_to(self, name: SideName) -> RemoteStopwatch:
        """Freeze the other side, then resume this one; return its stopwatch."""
        if self._running != name:
            other = self._runners["candidate" if name == "baseline" else "baseline"]
            other.worker.freeze()
            if self._running is not None:
                self._runners[name].worker.thaw()
            self._running = name
        return self.watches[name]

    def release(self) -> None:
        """Resume both sides, so that they can be closed; a closed sandbox needs no resuming."""
        for runner in self._runners.values():
            with suppress(SandboxError):
                runner.worker.thaw()
        self._running = None

    def canary(self) -> tuple[float, float]:
        """Return the medians of a few canaries, in ns, timed in the baseline's worker, which runs no candidate code."""
        self.switch_to("baseline")
        seen = [canary_ns(self._runners["baseline"].worker) for _ in range(CANARIES)]
        return median(read for read, _ in seen), median(compute for _, compute in seen)

    def heat(self) -> None:
        heat(self.trusted_worker())

    def trusted_worker(self) -> Worker:
        """Return the baseline's worker, running, with the candidate frozen."""
        self.switch_to("baseline")
        return self._runners["baseline"].worker


@dataclass(frozen=True, slots=True)
class CaseTimes:
    """The times of one case in one session, in ns. `values`: log ratios of the valid blocks."""

    session: TimingSession
    values: tuple[float, ...]
    baseline_ns: float
    candidate_ns: float
    outside_ns: float  # device time after the candidate's stop event, minus the baseline's
    canary_ns: tuple[float, float]  # the medians of its first canaries
    crowded: tuple[int, int]  # calls of baseline and candidate with the device not free around them
    is_disturbed: bool  # too many blocks were void to replace them
    overhead_error: float = 0.0  # of the log ratio, from what was taken out for the host's events (overhead.py)


@dataclass(slots=True)
class _Sample:
    call: PlannedCall
    outputs: dict[SideName, dict[str, torch.Tensor]]


def time_case(
    pair: Pair, slabs: Slabs, judge: Judge, wanted: int = BLOCKS, enough: Enough | None = None
) -> CaseTimes | Rejection:
    """Run warm-ups and as many blocks as are wanted, or as are enough; then check sampled outputs of timed calls.

    Raises:
        BaselineError: the baseline's own outputs or times are wrong.
        WorkerError: a worker ended.
    """
    try:
        return _timed_case(pair, slabs, judge, wanted, enough)
    except Rejected as wrong:
        return wrong.rejection


def _timed_case(pair: Pair, slabs: Slabs, judge: Judge, wanted: int, enough: Enough | None) -> CaseTimes | Rejection:
    for name in SIDES:
        pair.switch_to(name).arm(slabs)
    warm = dict[SideName, Readings]()
    for name in SIDES:  # no comprehension: before Python 3.12 clear_frames would not free its closure
        warm[name] = pair.switch_to(name).block(slabs.plan(WARMUP_CALLS))
    calls = min(_block_calls(readings) for readings in warm.values())
    watch = _Watch(pair, slow_hosts={name for name in SIDES if _is_visible(warm[name])})
    readings: dict[SideName, list[Readings]] = {"baseline": [], "candidate": []}
    blocks, counting, samples = list[Block](), list[Block](), list[_Sample]()
    done = False
    while not done and len(blocks) < wanted + REPLACED_BLOCKS:
        block, found, both = _block(pair, slabs, watch, calls, index=len(blocks), first=_first(len(counting)))
        blocks.append(block)
        samples.extend(found)
        for name, reading in both.items():
            readings[name].append(reading)
        counting = [block for block in blocks if block.void is None]
        done = _is_done(counting, wanted, enough)
    if rejection := _judged(samples, slabs, judge):
        return rejection
    return _concluded(pair, blocks, readings, watch.usual_ns, len(samples), disturbed=not done)


def _block_calls(warm: Readings) -> int:
    """Return the number of calls per block, from the times of the warm-up."""
    return LONG_BLOCK_CALLS if median(warm.dev_ns) > LONG_NS else BLOCK_CALLS


def _is_done(counting: list[Block], wanted: int, enough: Enough | None) -> bool:
    """Return whether there are as many valid blocks as wanted, or an even number that is enough."""
    if len(counting) >= wanted or enough is None or len(counting) < LEAST_BLOCKS or len(counting) % 2:
        return len(counting) >= wanted
    times = _positive(counting)
    return enough([_value(block) for block in counting], median(times["baseline"]), median(times["candidate"]))


def _is_visible(readings: Readings) -> bool:
    """Return whether in most calls the host took longer than the device was held back."""
    return 2 * readings.visible > len(readings.dev_ns)


def _first(counting: int) -> SideName:
    """Return the side that goes first in the next block, so that those that count are in the order ABBA."""
    return "candidate" if counting % 2 else "baseline"


class _Watch:
    """Validates blocks by the session's first canaries. `slow_hosts`: sides whose host code is always slow."""

    def __init__(self, pair: Pair, slow_hosts: set[SideName]) -> None:
        self._slow_hosts = slow_hosts
        first = [pair.canary() for _ in range(FIRST_CANARIES)]
        self.usual_ns = (median(read for read, _ in first), median(compute for _, compute in first))

    def void(
        self,
        canary: tuple[float, float],
        conditions: Mapping[SideName, Sample],
        readings: Mapping[SideName, Readings],
    ) -> str | None:
        """Return why a block is void, or None if it counts."""
        for side, found in readings.items():
            if not any(time > 0 for time in found.dev_ns):
                return f"no reading of the {side} is positive"
            if found.crowded:
                return f"the device was not free around {counted(found.crowded, 'call')} of the {side}"
            if _is_visible(found) and side not in self._slow_hosts:
                return f"the host was slow in {found.visible} of {len(found.dev_ns)} calls of the {side}"
        for name, seen, usual in zip(("read", "arithmetic"), canary, self.usual_ns, strict=True):
            if abs(seen / usual - 1) > CANARY_SHARE:
                return f"the canary's {name} took {seen / 1e3:.1f} us, usually {usual / 1e3:.1f} us"
        clocks = [sample.clock_mhz for sample in conditions.values() if sample.clock_mhz]
        if len(clocks) == 2 and max(clocks) / min(clocks) - 1 > CLOCK_SHARE:
            return f"the sides ran at different clocks: {clocks[0]} and {clocks[1]} MHz"
        throttled = sorted({reason for sample in conditions.values() for reason in sample.throttled})
        return f"the device throttled: {', '.join(throttled)}" if throttled else None


def _block(
    pair: Pair, slabs: Slabs, watch: _Watch, calls: int, index: int, first: SideName
) -> tuple[Block, list[_Sample], dict[SideName, Readings]]:
    planned = slabs.plan(calls)
    chosen = slabs.choose_several(calls, EARLY_JUDGED if index < LEAST_BLOCKS else 1)
    order: tuple[SideName, SideName] = ("baseline", "candidate") if first == "baseline" else ("candidate", "baseline")
    readings, conditions = dict[SideName, Readings](), dict[SideName, Sample]()
    samples = [_Sample(planned[one], {}) for one in chosen]
    canary = pair.canary() if first == "baseline" else None
    for name in order:
        if name == "baseline" and canary is None:
            canary = pair.canary()
        stopwatch = pair.switch_to(name)
        readings[name] = stopwatch.block(planned)
        conditions[name] = pair.sample()
        for sample, one in zip(samples, chosen, strict=True):
            if name == "candidate" or (index == 0 and sample is samples[0]):
                sample.outputs[name] = stopwatch.pick(one)
    assert canary is not None
    clocks = (conditions["baseline"].clock_mhz, conditions["candidate"].clock_mhz)
    void = watch.void(canary, conditions, readings)
    return (
        Block(first, readings["baseline"].dev_ns, readings["candidate"].dev_ns, canary, clocks, void),
        samples,
        readings,
    )


def _judged(samples: list[_Sample], slabs: Slabs, judge: Judge) -> Rejection | None:
    """Check the chosen outputs; of the baseline only the first, which shows that the instruments work."""
    for index, sample in enumerate(samples):
        contents = slabs.contents(sample.call)
        if index == 0 and (wrong := judge("baseline", contents, sample.outputs["baseline"])):
            raise BaselineError(f"a timed call of the baseline of {slabs.task.id}: {wrong.of_baseline}")
        if rejection := judge("candidate", contents, sample.outputs["candidate"]):
            return Rejection(rejection.reason, f"in a timed call, {rejection.detail}", rejection.log)
    return None


def _concluded(
    pair: Pair,
    blocks: list[Block],
    readings: dict[SideName, list[Readings]],
    canary_ns: tuple[float, float],
    judged: int,
    disturbed: bool,
) -> CaseTimes | Rejection:
    used = blocks if disturbed else [block for block in blocks if block.void is None]
    positive = _positive(used)
    taken = sum(len(block.baseline_ns) + len(block.candidate_ns) for block in used)
    dropped = taken - sum(len(times) for times in positive.values())
    if not positive["candidate"]:
        return Rejection("impossible_time", "no reading of the candidate is positive")
    if not positive["baseline"]:
        raise BaselineError("no reading of the baseline is positive")
    after = {name: median(t for reading in readings[name] for t in reading.after_ns) for name in readings}
    session = TimingSession(
        blocks=tuple(blocks),
        dropped=dropped,
        visible=sum(reading.visible for reading in readings["candidate"]),
        judged=judged,
        conditions=_conditions(pair.sample()),
        void=_void_session(dropped, taken),
    )
    return CaseTimes(
        session=session,
        values=tuple(_value(block) for block in used if _has_times(block)),
        baseline_ns=median(positive["baseline"]),
        candidate_ns=median(positive["candidate"]),
        outside_ns=after["candidate"] - after["baseline"],
        canary_ns=canary_ns,
        crowded=(
            sum(reading.crowded for reading in readings["baseline"]),
            sum(reading.crowded for reading in readings["candidate"]),
        ),
        is_disturbed=disturbed,
    )


def _conditions(sample: Sample) -> dict[str, float | int | str | None]:
    return {**asdict(sample), "throttled": ", ".join(sample.throttled)}


def _void_session(dropped: int, readings: int) -> str | None:
    share = dropped / readings
    return f"{dropped} of {readings} readings are not positive" if share > DROPPED_SHARE else None


def _positive(blocks: Sequence[Block]) -> dict[SideName, list[float]]:
    """Return all positive readings of each side."""
    return {
        "baseline": [time for block in blocks for time in block.baseline_ns if time > 0],
        "candidate": [time for block in blocks for time in block.candidate_ns if time > 0],
    }


def _has_times(block: Block) -> bool:
    return any(time > 0 for time in block.baseline_ns) and any(time > 0 for time in block.candidate_ns)


def _value(block: Block) -> float:
    return block_value([t for t in block.baseline_ns if t > 0], [t for t in block.candidate_ns if t > 0])
