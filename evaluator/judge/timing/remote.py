"""The judge's side of a worker's stopwatch. Readings are untrusted: their form is checked here, plausibility later."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter_ns

import torch

from evaluator.errors import BaselineError, SandboxError
from evaluator.judge.layout import Layout, layout_of
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.side import LOAD_S, Runner, output_rejection
from evaluator.judge.timing.slabs import PlannedCall, Slabs
from evaluator.sandbox import BadReply, Worker, WorkerError
from evaluator.thresholds import BUFFERS, CANARY_READ_WORDS, CANARY_ROUNDS, DROPPED_SHARE, LONG_BLOCK_CALLS

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
    """The stopwatch in one runner's worker. Methods raise WorkerError, or BaselineError if the runner is `trusted`."""

    def __init__(self, runner: Runner, trusted: bool) -> None:
        self._runner, self._worker, self._trusted = runner, runner.worker, trusted
        self._layout: Layout | None = None

    def arm(self, slabs: Slabs) -> None:
        """Send a case's layout and slabs; the worker makes buffers and prepares static inputs."""
        task = slabs.task
        self._layout = layout_of(task, slabs.case, slabs.example())
        fields = {"inputs": list(self._layout.inputs), "outputs": list(self._layout.outputs), "style": task.entry.style}
        self._ask("arm", timeout_s=LOAD_S, **fields)
        for name, slab in slabs.tensors.items():
            dtype = str(slab.dtype).removeprefix("torch.")
            self._worker.mailbox.tensor(0, list(slab.shape), slab.dtype).copy_(slab)
            self._ask("slab", timeout_s=LOAD_S, name=name, offset=0, count=slab.numel(), dtype=dtype)
        self._ask("ready", timeout_s=task.limits.first_call_s, buffers=BUFFERS, windows=slabs.static)

    def block(self, calls: Sequence[PlannedCall]) -> Readings:
        reply = self._ask("block", timeout_s=self._limit_s(len(calls)), calls=[asdict(call) for call in calls])
        if (problem := reply.get("problem")) is not None:
            raise self._wrong(output_rejection(problem))
        flags = [self._list(reply, name, len(calls), bool) for name in ("visible", "crowded")]
        return Readings(
            dev_ns=tuple(self._list(reply, "dev_ns", len(calls), float)),
            after_ns=tuple(self._list(reply, "after_ns", len(calls), float)),
            visible=int(sum(flags[0])),
            crowded=int(sum(flags[1])),
        )

    def pick(self, index: int) -> dict[str, torch.Tensor]:
        """Return the outputs of one call of the last block."""
        assert self._layout is not None
        self._ask("pick", timeout_s=self._runner.side.task.limits.call_s, index=index)
        return self._layout.read_outputs(self._worker, self._runner.side.device)

    def loop(self, calls: int, *, warmups: int = 0, pairs: bool = False) -> Loop:
        """Time a loop of calls: with `pairs` one reading per call, else one for all calls together."""
        limit_s = self._limit_s(calls + warmups)
        begin = perf_counter_ns()
        reply = self._ask("loop", timeout_s=limit_s, warmups=warmups, calls=calls, pairs=pairs)
        wall_ns = perf_counter_ns() - begin
        times = tuple(self._list(reply, "events_ns", calls if pairs else 1, float))
        positive = tuple(time for time in times if time > 0)
        if len(positive) < (1 - DROPPED_SHARE) * len(times):
            raise self._wrong(Rejection("impossible_time", f"a loop of {calls} calls took {min(times):.0f} ns"))
        return Loop(positive, wall_ns)

    def _limit_s(self, calls: int) -> float:
        """Return the time limit: a few calls may each take their limit; larger numbers are chosen to take under 1 s."""
        return self._runner.side.task.limits.call_s * min(calls, LONG_BLOCK_CALLS) + PATIENCE_S

    def _wrong(self, rejection: Rejection) -> Exception:
        if not self._trusted:
            return Rejected(rejection)
        return BaselineError(f"the baseline of {self._runner.side.task.id}: {rejection.of_baseline}")

    def _ask(self, what: str, timeout_s: float, **fields: object) -> dict[str, object]:
        try:
            return self._worker.call("time", timeout_s=timeout_s, what=what, **fields)
        except WorkerError as error:
            if not self._trusted:
                raise
            raise BaselineError(
                f"the baseline of {self._runner.side.task.id}: {rejection_of(error).of_baseline}"
            ) from error

    def _list(self, reply: dict[str, object], name: str, count: int, kind: type) -> list[float]:
        values = reply.get(name)
        if not isinstance(values, list) or len(values) != count or not all(_is(value, kind) for value in values):
            raise BadReply("block", f"{name}: {str(values)[:80]}, expected {count} values", self._worker.output())
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


def heat(worker: Worker) -> None:
    """Run about 50 ms of arithmetic on the whole device."""
    _ask_ours(worker, "heat", rounds=1_000_000)


def _ask_ours(worker: Worker, what: str, **fields: object) -> dict[str, object]:
    try:
        return worker.call("time", timeout_s=LOAD_S, what=what, **fields)
    except WorkerError as error:
        raise SandboxError(f"the device failed at {what}: {error}") from error


def _is(value: object, kind: type) -> bool:
    if kind is bool:
        return isinstance(value, bool)
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
