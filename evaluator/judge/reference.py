"""The task's reference.py, run in the judge's own process in float64. It is trusted code."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any, cast

import torch

from evaluator.errors import TaskError
from evaluator.judge.draws import Contents
from evaluator.tasks.spec import Case, Output, TaskSpec

SECOND = "variants/second.py"
Implementation = Callable[[Contents], Mapping[str, torch.Tensor]]


class Reference:
    """A task's `reference` function, loaded once; or another function or file with the same interface."""

    def __init__(
        self, task: TaskSpec, function: str = "reference", device: str = "cpu", file: str = "reference.py"
    ) -> None:
        self.task, self._device, self._file = task, device, file
        spec = importlib.util.spec_from_file_location(f"reference_{task.digest[:12]}", task.folder / file)
        if spec is None or spec.loader is None:
            raise TaskError([f"{task.id}/{file}: cannot be imported"])
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self._module = module
        self.implementation: Implementation = self._function(function, "inputs")
        if any(output.dropout and output.dropout.hidden for output in task.outputs):
            self._covariance = self._function("covariance", "inputs, rows, columns")

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
            shape = output.reference_shape(case)
            seen = found.get(output.name)
            if not isinstance(seen, torch.Tensor) or tuple(seen.shape) != shape:
                seen_shape = tuple(seen.shape) if isinstance(seen, torch.Tensor) else seen
                problems.append(f"{self.task.id}/{self._file}: {output.name}: seen {seen_shape}; expected {shape}")
        if problems:
            raise TaskError(problems)
        return {output.name: found[output.name] for output in self.task.outputs}

    def covariance(self, output: Output, contents: Contents, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Return the covariances of elements of one row, [rows, columns, columns], where dropout is hidden.

        Raises:
            TaskError: the reference breaks its own contract.
        """
        exact = {name: _widened(value, self._device) for name, value in contents.items()}
        with torch.no_grad():
            found: torch.Tensor = self._covariance(exact, rows, columns)[output.name]
        shape = (len(rows), len(columns), len(columns))
        if tuple(found.shape) != shape:
            text = f"covariance of {output.name}: seen {tuple(found.shape)}; expected {shape}"
            raise TaskError([f"{self.task.id}/{self._file}: {text}"])
        return found

    def _function(self, name: str, parameters: str) -> Callable[..., Any]:
        function = getattr(self._module, name, None)
        if not callable(function):
            raise TaskError([f"{self.task.id}/{self._file}: no function {name}({parameters})"])
        return cast(Callable[..., Any], function)


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
