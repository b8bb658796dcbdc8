"""The judge's side of a worker's bench. Readings are untrusted: form and seal are checked here, plausibility later."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import TypeVar

import torch

from evaluator.errors import BaselineError, SandboxError
from evaluator.judge.layout import Layout, layout_of
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.seal import digest_of, seal_of
from evaluator.judge.side import LOAD_S, Runner, output_rejection
from evaluator.judge.timing.slabs import PlannedCall, Slabs
from evaluator.sandbox import BadReply, Worker, WorkerError
from evaluator.thresholds import (
    BUFFERS,
    CANARY_READ_WORDS,
    CANARY_ROUNDS,
    DROPPED_SHARE,
    LONG_BLOCK_CALLS,
    SLAB_SPARE,
)

Value = TypeVar("Value", bool, int, float)
PATIENCE_S = 30.0  # in addition to the calls themselves


class Rejected(Exception):
    """Carries the Rejection of a timed call to the session, which returns it."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.sentence)
        self.rejection = rejection


@dataclass(frozen=True, slots=True)
class Readings:
    """The readings of one side in one block, in the order of calls, in nanoseconds."""

    dev_ns: tuple[float, ...]  # between start and stop event
    after_ns: tuple[float, ...]  # from the stop event until the device could be filled again
    visible: int  # calls that the host was still enqueueing when the device was released
    crowded: int  # calls around which the device could not be filled


@dataclass(frozen=True, slots=True)
class Loop:
    """Times of a loop of calls: by the worker's events, and by the judge's own clock around the command."""

    events_ns: tuple[float, ...]
    wall_ns: float


class RemoteStopwatch:
    """The bench in one runner's worker. Methods raise WorkerError, or BaselineError if the runner is `trusted`."""

    def __init__(self, runner: Runner, trusted: bool) -> None:
        self._runner, self._trusted = runner, trusted
        assert runner.key is not None, "a runner without a bench has no clock"
        self.worker, self._key = runner.worker, runner.key
        self._layout: Layout | None = None
        self._digests: list[int] = []  # of the outputs of each call of the last block
        self._digest_key = 0

    def arm(self, slabs: Slabs) -> None:
        """Send a case's layout and slabs; the worker makes buffers and prepares static inputs."""
        task = slabs.task
        self._layout = layout_of(task, slabs.case, slabs.example())
        fields = {"inputs": list(self._layout.inputs), "outputs": list(self._layout.outputs), "style": task.entry.style}
        self._ask("arm", timeout_s=LOAD_S, **fields)
        for name, slab in slabs.tensors.items():
            self._send(name, slab)
        for index, made in enumerate(slabs.pool):
            for name, part in made.items():
                self._send(name, part, index=index, sets=len(slabs.pool))
        windows = list(slabs.static.values())
        self._ask("ready", timeout_s=task.limits.first_call_s, buffers=BUFFERS, windows=windows)

    def _send(self, name: str, slab: torch.Tensor, **place: int) -> None:
        self.worker.mailbox.tensor(0, list(slab.shape), slab.dtype).copy_(slab)
        self._ask("slab", timeout_s=LOAD_S, name=name, offset=0, size=slab.nbytes, **place)

    def block(self, calls: Sequence[PlannedCall]) -> Readings:
        nonce, plan = secrets.randbits(64), [call.plan for call in calls]
        reply = self._ask("block", timeout_s=self._limit_s(len(calls)), nonce=nonce, calls=plan)
        if (problem := reply.get("problem")) is not None:
            raise self.wrong(output_rejection(problem))
        dev_ns, after_ns = (self._list(reply, name, len(calls), float) for name in ("dev_ns", "after_ns"))
        visible, crowded = (self._list(reply, name, len(calls), bool) for name in ("visible", "crowded"))
        digests = self._list(reply, "digests", len(calls), int)
        self._check_seal(
            reply,
            [nonce, *(word for call in plan for word in call)],
            *(
                [dev, after, seen | full << 1, digest]
                for dev, after, seen, full, digest in zip(dev_ns, after_ns, visible, crowded, digests, strict=True)
            ),
        )
        self._digests, self._digest_key = digests, seal_of(self._key, [nonce])
        return Readings(tuple(dev_ns), tuple(after_ns), visible=sum(visible), crowded=sum(crowded))

    def pick(self, index: int) -> dict[str, torch.Tensor]:
        """Return the outputs of one call of the last block, as they were when the bench copied them."""
        assert self._layout is not None
        reply = self._ask("pick", timeout_s=self._runner.side.task.limits.call_s, index=index)
        outputs = self._layout.read_outputs(self.worker, self._runner.side.device, reply.get("lengths"))
        if outputs is not None:
            varying = [bool(spec["varying"]) for spec in self._layout.outputs]
            if digest_of(list(outputs.values()), self._digest_key, index, varying) == self._digests[index]:
                return outputs
        raise self.wrong(Rejection("forged_reply", "outputs that are not those of the timed call"))

    def enqueue(self, calls: Sequence[PlannedCall], *, limit_ns: int, empty: bool = False) -> bool:
        """Enqueue calls behind a hold that the judge ends; return False if it ended by itself before they all were."""
        plan = {"calls": [call.plan for call in calls], "spare": SLAB_SPARE, "limit_ns": limit_ns, "empty": empty}
        reply = self._ask("enqueue", timeout_s=self._limit_s(len(calls)), **plan)
        if (problem := reply.get("problem")) is not None:
            raise self.wrong(output_rejection(problem))
        return reply.get("expired") is False

    def settle(self, calls: int, token: int) -> list[int] | None:
        """Return the digests of a released block's calls; None if its hold had ended by itself before the release."""
        nonce = secrets.randbits(64)
        reply = self._ask("settle", timeout_s=self._limit_s(calls), nonce=nonce, calls=calls)
        self._digests, self._digest_key = self._list(reply, "digests", calls, int), token
        self._check_seal(reply, [nonce, calls], self._digests)
        return None if reply.get("expired") is not False else self._digests

    def wrong(self, rejection: Rejection) -> Exception:
        """Return the exception that carries it: Rejected, or BaselineError of a trusted worker."""
        if not self._trusted:
            return Rejected(rejection)
        return BaselineError(f"the baseline of {self._runner.side.task.id}: {rejection.of_baseline}")

    def loop(self, calls: int, *, warmups: int = 0, pairs: bool = False, cleared_bytes: int = 0) -> Loop:
        """Time a loop of calls: with `pairs` one reading per call, else one for all calls together.

        Before each call but the warm-ups, and outside of its pair, the worker clears a buffer of `cleared_bytes`.
        """
        limit_s, nonce = self._limit_s(calls + warmups), secrets.randbits(64)
        plan = {"warmups": warmups, "calls": calls, "pairs": pairs, "cleared_bytes": cleared_bytes}
        begin = perf_counter_ns()
        reply = self._ask("loop", timeout_s=limit_s, nonce=nonce, **plan)
        wall_ns = perf_counter_ns() - begin
        times = tuple(self._list(reply, "events_ns", calls if pairs else 1, float))
        self._check_seal(reply, [nonce, *map(int, plan.values())], times)
        positive = tuple(time for time in times if time > 0)
        if len(positive) < (1 - DROPPED_SHARE) * len(times):
            raise self.wrong(Rejection("impossible_time", f"a loop of {calls} calls took {min(times):.0f} ns"))
        return Loop(positive, wall_ns)

    def _limit_s(self, calls: int) -> float:
        """Return the time limit: a few calls may each take their limit; larger numbers are chosen to take under 1 s."""
        return self._runner.side.task.limits.call_s * min(calls, LONG_BLOCK_CALLS) + PATIENCE_S

    def _ask(self, what: str, timeout_s: float, **fields: object) -> dict[str, object]:
        try:
            return self.worker.call("time", timeout_s=timeout_s, what=what, **fields)
        except WorkerError as error:
            if not self._trusted:
                raise
            raise BaselineError(
                f"the baseline of {self._runner.side.task.id}: {rejection_of(error).of_baseline}"
            ) from error

    def _check_seal(self, reply: dict[str, object], *parts: Iterable[float]) -> None:
        """Raise unless the bench sealed exactly these readings, for exactly this command."""
        if reply.get("seal") != seal_of(self._key, (word for part in parts for word in part)):
            raise self.wrong(Rejection("forged_reply", "readings without the bench's seal"))

    def _list(self, reply: dict[str, object], name: str, count: int, kind: type[Value]) -> list[Value]:
        values = reply.get(name)
        if not isinstance(values, list) or len(values) != count or not all(_is(value, kind) for value in values):
            raise BadReply("block", f"{name}: {str(values)[:80]}, expected {count} values", self.worker.output())
        return values


def canary_ns(worker: Worker) -> tuple[float, float]:
    """Time a read and an arithmetic kernel of fixed size, in a trusted worker; nanoseconds.

    Raises:
        SandboxError: the reply makes no sense.
    """
    reply = _ask_ours(worker, "canary", read_words=CANARY_READ_WORDS, rounds=CANARY_ROUNDS)
    match reply.get("times_ns"):
        case [float() as read, float() as compute] if read > 0 and compute > 0:
            return read, compute
    raise SandboxError(f"the canary replied {reply}")


def empty_pairs_ns(worker: Worker, count: int) -> list[float]:
    """Return readings of E0: ns between two events around an empty kernel, in a trusted worker.

    Raises:
        SandboxError: the reply makes no sense.
    """
    times = _ask_ours(worker, "empty", count=count).get("times_ns")
    if isinstance(times, list) and times and all(_is(time, float) and time > 0 for time in times):
        return list(times)
    raise SandboxError(f"the empty kernel took {times!r:.100} ns")


def heat(worker: Worker) -> None:
    """Run about 50 ms of arithmetic on the whole device."""
    _ask_ours(worker, "heat", rounds=1_000_000)


def _ask_ours(worker: Worker, what: str, **fields: object) -> dict[str, object]:
    try:
        return worker.call("time", timeout_s=LOAD_S, what=what, **fields)
    except WorkerError as error:
        raise SandboxError(f"the device failed at {what}: {error}") from error


def _is(value: object, kind: type) -> bool:
    return type(value) is kind and (not isinstance(value, float) or math.isfinite(value))
