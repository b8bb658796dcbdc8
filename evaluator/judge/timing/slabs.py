"""Contents of timed calls: one slab per input and session; each call gets a random window of it.

Both sides get the same windows in a block. No contents repeat, so an output cached from an earlier call is wrong, and
the judge can recompute the contents of any call to check its outputs afterwards.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import torch

from evaluator.judge.draws import Contents, Seed, shape_of, slab_of
from evaluator.tasks.spec import Case, Input, TaskSpec
from evaluator.thresholds import BUFFERS, SLAB_SPARE

Windows = dict[str, int]  # input → the element of its slab where a call's window begins


@dataclass(frozen=True, slots=True)
class PlannedCall:
    buffer: int
    windows: Windows  # of tensors that are not static, which are set once per buffer, and of drawn numbers


class Slabs:
    """The contents of one case in one session."""

    def __init__(self, task: TaskSpec, case: Case, seed: Seed, session: int, device: str) -> None:
        self.task, self.case = task, case
        words = f"session {session}"
        drawn = {item.name: slab_of(item, task, case, SLAB_SPARE, seed, words, device=device) for item in task.inputs}
        self.tensors = {name: value for name, value in drawn.items() if isinstance(value, torch.Tensor)}
        self._others = {name: value for name, value in drawn.items() if not isinstance(value, torch.Tensor)}
        self._random = random.Random(seed.number(case.id, "windows", session))
        static = [item for item in task.inputs if item.static and item.name in self.tensors]
        self.static: dict[str, list[int]] = {item.name: [self._begin() for _ in range(BUFFERS)] for item in static}

    def plan(self, calls: int) -> list[PlannedCall]:
        """Return buffers and windows of the next block's calls; no buffer is used twice in a row."""
        planned, last = list[PlannedCall](), -1
        for _ in range(calls):
            last = self._random.choice([index for index in range(BUFFERS) if index != last])
            windows = {name: self._begin() for name in self.tensors if name not in self.static}
            planned.append(PlannedCall(last, windows))
        return planned

    def choose(self, count: int) -> int:
        return self._random.randrange(count)

    def released(self, index: int, call: PlannedCall, word: Callable[[int], int]) -> PlannedCall:
        """Return the index-th call behind a hold: `word(i)` says where the window of the i-th renewal begins.

        The host passes numbers before the hold ends, so they are those that were planned.
        """
        renewed = [item.name for item in self.task.inputs if item.name in call.windows and not item.is_number]
        first = 1 + index * len(renewed)
        windows = {name: word(first + at) % SLAB_SPARE for at, name in enumerate(renewed)}
        return PlannedCall(call.buffer, call.windows | windows)

    @property
    def output_bytes(self) -> int:
        """The size of one call's outputs."""
        total = 0
        for item in self.task.outputs:
            count = math.prod(int(extent.value(self.case.numbers)) for extent in item.shape)
            total += count * getattr(torch, self.task.dtype_of(item.dtype, self.case)).itemsize
        return total

    def contents(self, call: PlannedCall) -> Contents:
        """Return the contents of a call's inputs, in the task's order and shapes."""
        return {item.name: self._window(item, call) for item in self.task.inputs}

    def example(self) -> Contents:
        """Return contents of no particular call, from which the layout of a case follows."""
        return self.contents(PlannedCall(0, {name: 0 for name in self.tensors if name not in self.static}))

    def _window(self, item: Input, call: PlannedCall) -> torch.Tensor | int | float | None:
        if item.name not in self.tensors:
            return self._others[item.name]
        begin = self.static[item.name][call.buffer] if item.name in self.static else call.windows[item.name]
        if item.is_number:
            return self.tensors[item.name][begin].item()
        shape = shape_of(item, self.case)
        return self.tensors[item.name][begin : begin + torch.Size(shape).numel()].view(shape)

    def _begin(self) -> int:
        return self._random.randrange(SLAB_SPARE)
