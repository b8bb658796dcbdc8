"""A worker with scripted replies, for tests of the judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import torch

from evaluator.inside.channel import SharedMemory, sealed_memory
from evaluator.judge.layout import mailbox_bytes
from evaluator.judge.seal import digest_of, leave_key, seal_of
from evaluator.judge.side import Runner
from evaluator.tasks.spec import TaskSpec


@dataclass
class ScriptedWorker:
    """Replies like inside/bench.py, with a seal; doubles its input; `dev_ns` is the time of a call."""

    task: TaskSpec
    dev_ns: Callable[[int], float] = lambda _: 20_000.0
    after_ns: float = 5_000.0
    loop_ns: float = 25_000.0
    loops: list[float] = field(default_factory=list)
    visible: Callable[[int], bool] = lambda _: False
    crowded: Callable[[int], bool] = lambda _: False
    canary_ns: Callable[[int], tuple[float, float]] = lambda _: (30_000.0, 30_000.0)
    empty_ns: Sequence[float] = (3_000.0,) * 20
    factor: Callable[[int], float] = lambda _: 2.0
    reply: Mapping[str, object] = field(default_factory=dict)
    calls: int = 0
    canaries: int = 0
    frozen: bool = False
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        size = mailbox_bytes(self.task, self.task.cases)
        self.mailbox = SharedMemory(sealed_memory(size), size)
        self.key = leave_key(self.mailbox)
        self._slabs: dict[str, torch.Tensor] = {}
        self._kept: list[torch.Tensor] = []

    def freeze(self) -> None:
        self.frozen = True

    def thaw(self) -> None:
        self.frozen = False

    def output(self) -> str:
        return ""

    def call(self, op: str, *, timeout_s: float, what: str = "", **fields: Any) -> dict[str, object]:
        assert not self.frozen, f"{what} was asked of a frozen worker"
        self.log.append(what)
        answer: dict[str, object] = getattr(self, f"_{what}")(**fields)
        return {**answer, **(self.reply if what == "block" else {})}

    def _arm(self, inputs: list[dict[str, Any]], outputs: list[dict[str, Any]], style: str) -> dict[str, object]:
        self._inputs, self._outputs = inputs, outputs
        return {}

    def _slab(self, name: str, offset: int, size: int) -> dict[str, object]:
        self._slabs[name] = self.mailbox.tensor(offset, [size // 4], torch.float32).clone()
        return {}

    def _ready(self, buffers: int, windows: list[list[int]]) -> dict[str, object]:
        return {}

    def _block(self, nonce: int, calls: list[list[int]]) -> dict[str, object]:
        self._kept, times = [], []
        for _, begin in calls:
            count = self._inputs[0]["shape"][0]
            self._kept.append(self._slabs["x"][begin : begin + count] * self.factor(self.calls))
            times.append(self.dev_ns(self.calls))
            self.calls += 1
        crowded = [self.crowded(self.calls)] * len(calls)
        visible = [self.visible(self.calls)] * len(calls)
        after = [self.after_ns] * len(calls)
        key = seal_of(self.key, [nonce])
        digests = [digest_of([output], key, index) for index, output in enumerate(self._kept)]
        readings = zip(times, after, visible, crowded, digests, strict=True)
        words = [nonce, *(word for call in calls for word in call)]
        words += [word for dev, then, seen, full, digest in readings for word in (dev, then, seen | full << 1, digest)]
        told = {"dev_ns": times, "after_ns": after, "visible": visible, "crowded": crowded, "problem": None}
        return told | {"digests": digests, "seal": seal_of(self.key, words)}

    def _pick(self, index: int) -> dict[str, object]:
        spec = self._outputs[0]
        self.mailbox.tensor(spec["offset"], spec["shape"], torch.float32).copy_(self._kept[index])
        return {}

    def _canary(self, read_words: int, rounds: int) -> dict[str, object]:
        self.canaries += 1
        return {"times_ns": list(self.canary_ns(self.canaries))}

    def _empty(self, count: int) -> dict[str, object]:
        return {"times_ns": list(self.empty_ns[:count])}

    def _heat(self, rounds: int) -> dict[str, object]:
        return {}

    def _loop(self, nonce: int, warmups: int, calls: int, pairs: bool, cleared_bytes: int) -> dict[str, object]:
        times = self.loops or ([self.loop_ns] * calls if pairs else [self.loop_ns * calls])
        words = [nonce, warmups, calls, int(pairs), cleared_bytes, *times]
        return {"events_ns": times, "seal": seal_of(self.key, words)}


def runner_of(worker: ScriptedWorker) -> Runner:
    """Return a runner as far as timing needs one."""
    return cast(
        Runner, SimpleNamespace(worker=worker, key=worker.key, side=SimpleNamespace(task=worker.task, device="cpu"))
    )
