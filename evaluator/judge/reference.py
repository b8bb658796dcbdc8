"""The task's reference.py and relations.py, run in the judge's own process in float64. They are trusted code."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

from evaluator.errors import TaskError
from evaluator.judge.draws import Contents
from evaluator.judge.quantization import quantised_inputs, quantised_name
from evaluator.judge.task_code import task_function
from evaluator.tasks.relations import FILE as RELATIONS
from evaluator.tasks.spec import Case, Output, TaskSpec

SECOND = "variants/second.py"
Implementation = Callable[[Contents], Mapping[str, torch.Tensor]]
Covariance = Callable[[Contents, torch.Tensor, torch.Tensor], Mapping[str, torch.Tensor]]  # of inputs, rows, columns
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
        if any(output.dropout and output.dropout.hidden for output in task.outputs):
            self._covariance: Covariance = task_function(task, file, "covariance")

    def outputs(self, case: Case, contents: Contents) -> dict[str, torch.Tensor]:
        """Return the expected outputs: float64 for floating dtypes, of the declared shapes, on its device.

        Of an output with a contract, the result on quantised inputs as well, under `quantised_name`.

        Raises:
            TaskError: the reference breaks its own contract.
        """
        expected = self._called(case, self.exact(contents))
        for output in self.task.outputs:
            if output.contract is not None:
                honest = self._called(case, quantised_inputs(self.exact(contents), output.contract))
                expected[quantised_name(output.name)] = honest[output.name]
        return expected

    def exact(self, contents: Contents) -> Contents:
        """Return copies in float64; the parts of complex numbers become one number."""
        exact = widened(contents, self._device)
        for item in self.task.inputs:
            value = exact[item.name]
            if item.complex and isinstance(value, torch.Tensor):
                exact[item.name] = torch.view_as_complex(value)
        return exact

    def _called(self, case: Case, inputs: Contents) -> dict[str, torch.Tensor]:
        with torch.no_grad():
            found = {name: _in_parts(value) for name, value in self.implementation(inputs).items()}
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

    def covariance(self, output: Output, contents: Contents, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Return the covariances of elements of one row, [rows, columns, columns], where dropout is hidden.

        Raises:
            TaskError: the reference breaks its own contract.
        """
        with torch.no_grad():
            found = self._covariance(self.exact(contents), rows, columns)[output.name]
        shape = (len(rows), len(columns), len(columns))
        if tuple(found.shape) != shape:
            text = f"covariance of {output.name}: seen {tuple(found.shape)}; expected {shape}"
            raise TaskError([f"{self.task.id}/{self._file}: {text}"])
        return found


def second_implementation(task: TaskSpec) -> Reference:
    """Load a task's second implementation, which only checks the task; in a file of its own it is not in the digest."""
    if (task.folder / SECOND).is_file():
        return Reference(task, file=SECOND)
    return Reference(task, "second_opinion")


def _in_parts(value: torch.Tensor) -> torch.Tensor:
    is_complex = isinstance(value, torch.Tensor) and value.is_complex()
    return torch.view_as_real(value.resolve_conj()) if is_complex else value


def widened(contents: Contents, device: str | torch.device) -> Contents:
    """Return copies with floats in float64; the task's code may write to them in place."""
    return {name: _widened(value, device) for name, value in contents.items()}


def _widened(value: torch.Tensor | int | float | None, device: str | torch.device) -> torch.Tensor | int | float | None:
    if isinstance(value, torch.Tensor):
        value = value.to(device)
        return value.double() if value.dtype.is_floating_point and value.dtype != torch.float64 else value.clone()
    return value
