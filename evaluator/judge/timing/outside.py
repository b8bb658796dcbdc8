"""T_out, the judge's own clock: device time of a call, seen from outside the process that makes it.

Calls wait on the device behind a hold, which ends when the judge writes a random word, the token, to the shared page.
Where the inputs' contents begin follows from the token on the device, so nothing can be computed before. Each call's
outputs are consumed before the next call, with a digest keyed by the token, and the digests are folded into the word
that ends the judge's reading: late or missing work changes it. From blocks of two lengths follows the time of one call
with all that surrounds it; from the same blocks without calls, in the worker of the baseline, what surrounds it.
"""

from __future__ import annotations

import ctypes
import math
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns

from evaluator.judge.rejection import Rejection
from evaluator.judge.seal import END, MASK, RELEASE, folded, mixed, page_of
from evaluator.judge.timing.remote import RemoteStopwatch
from evaluator.judge.timing.session import SIDES, CaseTimes, Judge, Pair, SideName
from evaluator.judge.timing.slabs import PlannedCall, Slabs
from evaluator.thresholds import (
    LONG_NS,
    T_OUT_BYTES,
    T_OUT_CALLS,
    T_OUT_EMPTY_REPEATS,
    T_OUT_HOLD_NS,
    T_OUT_JUDGED,
    T_OUT_LONG_CALLS,
    T_OUT_NOISE,
    T_OUT_REPEATS,
    T_OUT_SIGMAS,
    T_OUT_TRIES,
)

WAITS = "a call waits for the device to learn how long an output is, so the device cannot be held"
WAIT_NS = 20_000_000_000  # for the end of a block, which takes milliseconds


@dataclass(frozen=True, slots=True)
class OutsideTimes:
    """ns of a call of each side on the judge's clock; or `lacking`: why they cannot be taken.

    `surplus_ns`: the candidate's call on this clock less T_dev. `excess_ns`: how much faster than the baseline the
    candidate is on T_dev, less the same on this clock, which leaves out what a reading adds to both sides, but has the
    baseline's noise. `noise_ns`: how much of either may be noise of this clock.
    """

    baseline_ns: float = 0.0
    candidate_ns: float = 0.0
    surplus_ns: float = 0.0
    excess_ns: float = 0.0
    noise_ns: float = 0.0
    lacking: str | None = None


class _Lacking(Exception):
    """The outside clock cannot be taken; the text says why."""


def outside_times(
    pair: Pair, slabs: Slabs, times: CaseTimes, judge: Judge, *, every_output: bool = False
) -> OutsideTimes:
    """Take T_out of both sides on the armed case; the sides take turns.

    `every_output`: judge all outputs of all long blocks of the candidate, not T_OUT_JUDGED of one that chance picks.

    Raises:
        Rejected: outputs of the candidate are wrong, or do not match its digests.
        BaselineError: the same of the baseline.
    """
    if any(output.varying for output in slabs.task.outputs):
        return OutsideTimes(lacking=WAITS)
    lengths = _lengths(slabs, max(times.baseline_ns, times.candidate_ns))
    readings: dict[SideName, list[float]] = {name: [] for name in SIDES}
    judged = slabs.choose(T_OUT_REPEATS[0])  # the reading whose outputs are judged
    try:
        watch = pair.switch_to("baseline")  # its worker has never loaded the candidate
        nothing_ns = median(_per_call(watch, slabs, lengths, calls=False) for _ in range(T_OUT_EMPTY_REPEATS))
        while len(readings["candidate"]) < T_OUT_REPEATS[1]:
            for name in SIDES:
                is_judged = len(readings[name]) == judged or (every_output and name == "candidate")
                check = _Check(judge, name, every_output) if is_judged else None
                readings[name].append(_per_call(pair.switch_to(name), slabs, lengths, check=check))
            noise_ns = T_OUT_SIGMAS * math.hypot(*map(_standard_error, readings.values()))
            if len(readings["candidate"]) >= T_OUT_REPEATS[0] and noise_ns <= T_OUT_NOISE * times.candidate_ns:
                break
    except _Lacking as lacking:
        return OutsideTimes(lacking=str(lacking))
    baseline_ns, candidate_ns = (median(readings[name]) - nothing_ns for name in SIDES)
    excess_ns = times.baseline_ns - times.candidate_ns - (baseline_ns - candidate_ns)
    return OutsideTimes(baseline_ns, candidate_ns, candidate_ns - times.candidate_ns, excess_ns, noise_ns)


def _lengths(slabs: Slabs, call_ns: float) -> tuple[int, int]:
    """Return the lengths of short and long blocks: the bench keeps the outputs of every call of a block."""
    short, long = T_OUT_LONG_CALLS if call_ns > LONG_NS else T_OUT_CALLS
    room = T_OUT_BYTES // max(1, slabs.output_bytes)
    return (short, long) if room >= long else (1, int(max(2, room)))


@dataclass(frozen=True, slots=True)
class _Check:
    """Which outputs of a block are judged, and by whom."""

    judge: Judge
    side: SideName
    every: bool

    def chosen(self, slabs: Slabs, calls: int) -> Iterable[int]:
        """Return the calls whose outputs are judged, chosen after the block had ended."""
        if self.side == "candidate" and self.every:
            return range(calls)
        return slabs.choose_several(calls, T_OUT_JUDGED if self.side == "candidate" else 1)


def _per_call(
    watch: RemoteStopwatch,
    slabs: Slabs,
    lengths: tuple[int, int],
    *,
    calls: bool = True,
    check: _Check | None = None,
) -> float:
    """Return ns of one call with what surrounds it (without `calls`, of that alone): the slope between two blocks."""
    short, long = lengths
    short_ns = _block(watch, slabs, short, calls=calls, check=None)
    return (_block(watch, slabs, long, calls=calls, check=check) - short_ns) / (long - short)


def _standard_error(values: list[float]) -> float:
    """Return the standard error of the median, from the median deviation: a few hiccups of the host do not count."""
    middle = median(values)
    spread = median(abs(value - middle) for value in values) * 1.4826
    return 1.2533 * spread / math.sqrt(len(values))


def _block(watch: RemoteStopwatch, slabs: Slabs, length: int, *, calls: bool, check: _Check | None) -> int:
    """Run one block; return its ns from the judge's release to the end that it saw."""
    planned = slabs.plan(length)
    for _ in range(T_OUT_TRIES):  # the first call behind a hold may allocate memory or load code: it then waits
        _word(watch, RELEASE).value = 0
        if not watch.enqueue(planned, limit_ns=T_OUT_HOLD_NS, empty=not calls):
            watch.settle(length, 0)
            continue
        token = secrets.randbits(63) + 1
        wall_ns, end = _released(watch, token)
        digests = watch.settle(length, token)
        if digests is None:  # the host was slow, and the hold ended between the worker's reply and the release
            continue
        if not calls:
            return wall_ns
        if end != folded(digests):
            raise watch.wrong(Rejection("forged_reply", "an end of a block that does not follow from its outputs"))
        if check is not None:
            _judge(watch, slabs, planned, token, check)
        return wall_ns
    raise _Lacking("a call waits for the device, or allocates memory, or loads code, so the device cannot be held")


def _released(watch: RemoteStopwatch, token: int) -> tuple[int, int]:
    """End the hold; return the ns until the device showed its end, and the word that it showed."""
    release, end = _word(watch, RELEASE), _word(watch, END)
    begin = perf_counter_ns()
    release.value = token
    while not (seen := end.value):
        if perf_counter_ns() - begin > WAIT_NS:
            raise watch.wrong(Rejection("call_time", "the calls behind the judge's hold did not end"))
    return perf_counter_ns() - begin, seen


def _judge(watch: RemoteStopwatch, slabs: Slabs, planned: list[PlannedCall], token: int, check: _Check) -> None:
    for index in check.chosen(slabs, len(planned)):
        call = slabs.released(index, planned[index], lambda salt: mixed(token + salt & MASK))
        if rejection := check.judge(check.side, slabs.contents(call), watch.pick(index)):
            detail = f"behind the judge's hold, {rejection.detail}"
            raise watch.wrong(Rejection(rejection.reason, detail, rejection.log))


def _word(watch: RemoteStopwatch, offset: int) -> ctypes.c_uint64:
    return ctypes.c_uint64.from_buffer(page_of(watch.worker.mailbox), offset)
