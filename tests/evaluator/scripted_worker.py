"""A worker with scripted replies, for tests of the judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from evaluator.inside.channel import SharedMemory, sealed_memory
from evaluator.judge.layout import mailbox_bytes
from evaluator.tasks.spec import TaskSpec


@dataclass
class ScriptedWorker:
    """Replies like inside/gpu/commands.py; doubles its input; `dev_ns` is the time of a call."""

    task: TaskSpec
    dev_ns: Callable[[int], float] = lambda _: 20_000.0
    after_ns: float = 5_000.0
    loop_ns: float = 25_000.0
    loops: list[float] = field(default_factory=list)
    visible: Callable[[int], bool] = lambda _: False
    crowded: Callable[[int], bool] = lambda _: False
    canary_ns: Callable[[int], tuple[float, float]] = lambda _: (30_000.0, 30_000.0)
    factor: Callable[[int], float] = lambda _: 2.0
    reply: Mapping[str, object] = field(default_factory=dict)
    calls: int = 0
    canaries: int = 0
    frozen: bool = False
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        size = mailbox_bytes(self.task, self.task.cases)
        self.mailbox = SharedMemory(sealed_memory(size), size)
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

    def _slab(self, name: str, offset: int, count: int, dtype: str) -> dict[str, object]:
        self._slabs[name] = self.mailbox.tensor(offset, [count], getattr(torch, dtype)).clone()
        return {}

    def _ready(self, buffers: int, windows: dict[str, list[int]]) -> dict[str, object]:
        return {}

    def _block(self, calls: list[dict[str, Any]]) -> dict[str, object]:
        self._kept, times = [], []
        for call in calls:
            begin, count = call["windows"]["x"], self._inputs[0]["shape"][0]
            self._kept.append(self._slabs["x"][begin : begin + count] * self.factor(self.calls))
            times.append(self.dev_ns(self.calls))
            self.calls += 1
        crowded = [self.crowded(self.calls)] * len(calls)
        visible = [self.visible(self.calls)] * len(calls)
        after = [self.after_ns] * len(calls)
        return {"dev_ns": times, "after_ns": after, "visible": visible, "crowded": crowded, "problem": None}

    def _pick(self, index: int) -> dict[str, object]:
        spec = self._outputs[0]
        self.mailbox.tensor(spec["offset"], spec["shape"], torch.float32).copy_(self._kept[index])
        return {}

    def _canary(self, read_words: int, rounds: int) -> dict[str, object]:
        self.canaries += 1
        return {"times_ns": list(self.canary_ns(self.canaries))}

    def _loop(self, warmups: int, calls: int, pairs: bool) -> dict[str, object]:
        if self.loops:
            return {"events_ns": self.loops}
        return {"events_ns": [self.loop_ns] * calls if pairs else [self.loop_ns * calls]}
