"""The task's reference.py, run in the judge's own process in float64. It is trusted code."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

from evaluator.errors import TaskError
from evaluator.judge.draws import Contents
from evaluator.judge.task_code import load_module
from evaluator.tasks.spec import Case, TaskSpec

SECOND = "variants/second.py"
Implementation = Callable[[Contents], Mapping[str, torch.Tensor]]


class Reference:
    """A task's `reference` function, loaded once; or another function or file with the same interface."""

    def __init__(
        self, task: TaskSpec, function: str = "reference", device: str = "cpu", file: str = "reference.py"
    ) -> None:
        self.task, self._device, self._file = task, device, file
        implementation = getattr(load_module(task, file), function, None)
        if not callable(implementation):
            raise TaskError([f"{task.id}/{file}: no function {function}(inputs)"])
        self.implementation: Implementation = implementation

    def outputs(self, case: Case, contents: Contents) -> dict[str, torch.Tensor]:
        """Return the expected outputs: float64 for floating dtypes, of the declared shapes, on its device.

        Raises:
            TaskError: the reference breaks its own contract.
        """
        exact = {name: _widened(value, self._device) for name, value in contents.items()}
        with torch.no_grad():
            found = dict(self.implementation(exact))
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


def _widened(value: torch.Tensor | int | float | None, device: str) -> torch.Tensor | int | float | None:
    """Return a copy with floats in float64; a reference may write to it in place."""
    if isinstance(value, torch.Tensor):
        value = value.to(device)
        return value.double() if value.dtype.is_floating_point and value.dtype != torch.float64 else value.clone()
    return value
