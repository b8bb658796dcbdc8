"""The task under validation, with what several checks share: its references, draws and records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import torch

from evaluator.judge.draws import Contents, Draw, Seed, contents_of, draws_of
from evaluator.judge.reference import Reference, second_implementation
from evaluator.pipeline import Evaluator
from evaluator.records.record import Record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import Case, TaskSpec

Outputs = Mapping[str, torch.Tensor]


class Subject:
    """A task with cached references and records; only with an evaluator can candidates be run."""

    def __init__(self, task: TaskSpec, evaluator: Evaluator | None = None) -> None:
        self.task, self.evaluator = task, evaluator
        self.seed, self.other_seed = Seed(), Seed()
        self._records: dict[str, Record] = {}

    @cached_property
    def reference(self) -> Reference:
        return Reference(self.task)

    @cached_property
    def second(self) -> Reference:
        return second_implementation(self.task)

    @property
    def small_cases(self) -> tuple[Case, ...]:
        return self.task.cases_of(("small",))

    def draws(self) -> Iterator[tuple[Case, Draw, Contents]]:
        """Every small case with each of its draws and the drawn contents."""
        for case in self.small_cases:
            for draw in draws_of(self.task):
                yield case, draw, contents_of(self.task, case, draw, self.seed)

    def record(self, candidate: Candidate) -> Record:
        """The record of one of the task's own candidates, which is evaluated once."""
        assert self.evaluator is not None
        if candidate.label not in self._records:
            self._records[candidate.label] = self.evaluator.evaluate(self.task, candidate)
        return self._records[candidate.label]


def same(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether two tensors are equal to the last bit, with NaN in the same places."""
    return (
        left.dtype == right.dtype
        and torch.equal(left.nan_to_num(0.123), right.nan_to_num(0.123))
        and (not left.dtype.is_floating_point or torch.equal(left.isnan(), right.isnan()))
    )
