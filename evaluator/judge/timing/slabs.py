"""Contents of timed calls: one slab per input and session; each call gets a random window of it.

Derived inputs have a pool of whole sets instead. Each call gets a random word, which picks a set and says how its
contents change (judge/renewal.py): an output, or a plan made from indices, that was kept from a call with the same set
is wrong.

Both sides get the same windows in a block. No contents repeat, so an output cached from an earlier call is wrong, and
the judge can recompute the contents of any call to check its outputs afterwards.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import torch

from evaluator.judge.derived import drawn_set
from evaluator.judge.draws import Contents, Seed, shape_of, slab_of
from evaluator.judge.renewal import renewed
from evaluator.tasks.derived import pool_sets
from evaluator.tasks.spec import Case, Input, TaskSpec
from evaluator.thresholds import BUFFERS, SLAB_SPARE

Windows = dict[str, int]  # input → the element of its slab where a call's window begins


@dataclass(frozen=True, slots=True)
class PlannedCall:
    buffer: int
    windows: Windows  # of tensors that are not static, which are set once per buffer, and of drawn numbers
    word: int | None = None  # of the renewal of derived inputs, where there are any

    @property
    def plan(self) -> list[int]:
        """The call as the bench takes it."""
        return [self.buffer, *self.windows.values(), *([] if self.word is None else [self.word])]


class Slabs:
    """The contents of one case in one session."""

    def __init__(self, task: TaskSpec, case: Case, seed: Seed, session: int, device: str) -> None:
        self.task, self.case = task, case
        words = f"session {session}"
        plain = [item for item in task.inputs if item.derived is None]
        drawn = {item.name: slab_of(item, task, case, SLAB_SPARE, seed, words, device=device) for item in plain}
        self.tensors = {name: value for name, value in drawn.items() if isinstance(value, torch.Tensor)}
        self._others = {name: value for name, value in drawn.items() if not isinstance(value, torch.Tensor)}
        self.pool = [
            drawn_set(task, case, "standard", seed.generator(case.id, "derived", words, index, device=device))
            for index in range(pool_sets(task, case))
        ]
        self._random = random.Random(seed.number(case.id, "windows", session))
        static = [item for item in task.inputs if item.static and item.name in self.tensors]
        self.static: dict[str, list[int]] = {item.name: [self._begin() for _ in range(BUFFERS)] for item in static}

    def plan(self, calls: int) -> list[PlannedCall]:
        """Return buffers and windows of the next block's calls; no buffer is used twice in a row."""
        planned, last = list[PlannedCall](), -1
        for _ in range(calls):
            last = self._random.choice([index for index in range(BUFFERS) if index != last])
            windows = {name: self._begin() for name in self.tensors if name not in self.static}
            planned.append(PlannedCall(last, windows, self._random.getrandbits(64) if self.pool else None))
        return planned

    def choose(self, count: int) -> int:
        return self._random.randrange(count)

    def choose_several(self, count: int, wanted: int) -> list[int]:
        """Choose that many different ones; all where there are fewer."""
        return self._random.sample(range(count), min(count, wanted))

    def released(self, index: int, call: PlannedCall, word: Callable[[int], int]) -> PlannedCall:
        """Return the index-th call behind a hold. `word(i)` says where the window of the i-th renewal begins; that of
        the derived inputs follows those of a call's slabs.

        The host passes numbers before the hold ends, so they are those that were planned.
        """
        slabs = [item.name for item in self.task.inputs if item.name in call.windows and not item.is_number]
        first = 1 + index * (len(slabs) + bool(self.pool))
        windows = {name: word(first + at) % SLAB_SPARE for at, name in enumerate(slabs)}
        return PlannedCall(call.buffer, call.windows | windows, word(first + len(slabs)) if self.pool else None)

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
        word = call.word or 0
        made = renewed(self.task, self.case, self.pool[word % len(self.pool)], word) if self.pool else {}
        return {
            item.name: made.get(item.name) if item.derived else self._window(item, call) for item in self.task.inputs
        }

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
