"""The task's reference.py and relations.py, run in the judge's own process in float64. They are trusted code."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

from evaluator.errors import TaskError
from evaluator.judge.draws import Contents
from evaluator.judge.task_code import task_function
from evaluator.tasks.relations import FILE as RELATIONS
from evaluator.tasks.spec import Case, TaskSpec

SECOND = "variants/second.py"
Implementation = Callable[[Contents], Mapping[str, torch.Tensor]]
Relations = Callable[[Contents, Contents, Contents], Mapping[str, torch.Tensor]]  # of inputs, outputs, reference


class Reference:
    """A task's `reference` function, loaded once; or another function or file with the same interface.

    `relations`: what judges outputs that are not unique, if the task has any.
    """

    def __init__(
        self, task: TaskSpec, function: str = "reference", device: str = "cpu", file: str = "reference.py"
    ) -> None:
        self.task, self._device, self._file = task, device, file
        self.implementation: Implementation = task_function(task, file, function)
        self.relations: Relations | None = task_function(task, RELATIONS, "relations") if task.relations else None

    def outputs(self, case: Case, contents: Contents) -> dict[str, torch.Tensor]:
        """Return the expected outputs: float64 for floating dtypes, of the declared shapes, on its device.

        Raises:
            TaskError: the reference breaks its own contract.
        """
        with torch.no_grad():
            found = dict(self.implementation(widened(contents, self._device)))
        problems = []
        for output in self.task.outputs:
            seen = found.get(output.name)
            if not isinstance(seen, torch.Tensor) or not output.allows(case, seen.shape):
                seen_shape = tuple(seen.shape) if isinstance(seen, torch.Tensor) else seen
                wanted = f"{'at most ' if output.varying else ''}{output.reference_shape(case)}"
                problems.append(f"{self.task.id}/{self._file}: {output.name}: seen {seen_shape}; expected {wanted}")
        if problems:
            raise TaskError(problems)
        return {output.name: found[output.name] for output in self.task.outputs}


def second_implementation(task: TaskSpec) -> Reference:
    """Load a task's second implementation, which only checks the task; in a file of its own it is not in the digest."""
    if (task.folder / SECOND).is_file():
        return Reference(task, file=SECOND)
    return Reference(task, "second_opinion")


def widened(contents: Contents, device: str | torch.device) -> Contents:
    """Return copies with floats in float64; the task's code may write to them in place."""
    return {name: _widened(value, device) for name, value in contents.items()}


def _widened(value: torch.Tensor | int | float | None, device: str | torch.device) -> torch.Tensor | int | float | None:
    if isinstance(value, torch.Tensor):
        value = value.to(device)
        return value.double() if value.dtype.is_floating_point and value.dtype != torch.float64 else value.clone()
    return value
