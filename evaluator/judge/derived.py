"""Sets of derived inputs, made by the task's inputs.py in the judge's own process. It is trusted code.

`draw(axes, name, generator)` returns a tensor for each derived input that the case has: `axes` holds the case's values
by name, and `name` is standard, outlier or one of the task's special sets. All chance comes from the generator, which
is seeded from the judge's secret and lives on the device where the tensors belong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import torch

from evaluator.errors import TaskError
from evaluator.judge.task_code import task_function
from evaluator.tasks.derived import FILE
from evaluator.tasks.spec import AxisValue, Case, Input, TaskSpec

DerivedSet = dict[str, torch.Tensor]
Draw = Callable[[Mapping[str, AxisValue], str, torch.Generator], Mapping[str, torch.Tensor]]


def drawn_set(task: TaskSpec, case: Case, name: str, generator: torch.Generator) -> DerivedSet:
    """Return one set, in the task's order: contiguous tensors as declared, on the generator's device.

    Raises:
        TaskError: inputs.py breaks its own contract; the error has every problem.
    """
    with torch.no_grad():
        drawn = _function(task)(dict(case.axes), name, generator)
    if not isinstance(drawn, Mapping):
        raise TaskError([f"{task.id}/{FILE}: {case.id}, {name}: seen {drawn!r:.200}; expected tensors by name"])
    found = dict(drawn)
    wanted = [item for item in task.derived if item.when is None or case.value(item.when)]
    where = f"{task.id}/{FILE}: {case.id}, {name}"
    problems = [f"{where}: {extra}: no derived input of this case" for extra in found.keys() - {i.name for i in wanted}]
    made = DerivedSet()
    for item in wanted:
        value = _as_declared(found.get(item.name), item, task, case)
        if isinstance(value, str):
            problems.append(f"{where}: {item.name}: {value}")
        else:
            made[item.name] = value.to(generator.device)
    problems += [f"{where}: {problem}" for problem in _wrong_offsets(made, wanted)]
    if problems:
        raise TaskError(problems)
    return made


_functions: dict[tuple[Path, str], Draw] = {}


def _function(task: TaskSpec) -> Draw:
    """Return the function of the task's inputs.py, which is loaded once for each folder and digest."""
    key = (task.folder, task.digest)
    if key not in _functions:
        _functions[key] = task_function(task, FILE, "draw")
    return _functions[key]


def _as_declared(value: object, item: Input, task: TaskSpec, case: Case) -> torch.Tensor | str:
    """Return the tensor in the declared dtype, or what is wrong with it."""
    shape = tuple(int(extent.value(case.numbers)) for extent in item.shape)
    dtype: torch.dtype = getattr(torch, task.dtype_of(item.dtype, case))
    if not isinstance(value, torch.Tensor) or tuple(value.shape) != shape:
        seen = tuple(value.shape) if isinstance(value, torch.Tensor) else value
        return f"seen {seen}; expected {shape}"
    if value.dtype == dtype:
        return value.contiguous()
    if _kind(value.dtype) != _kind(dtype):
        return f"seen {value.dtype}; expected {dtype}"
    cast = value.to(dtype)
    if _kind(dtype) == "integer" and not torch.equal(cast.to(value.dtype), value):
        return f"seen values from {int(value.min())} to {int(value.max())}; expected what fits into {dtype}"
    return cast.contiguous()


def _wrong_offsets(made: DerivedSet, items: Sequence[Input]) -> Iterator[str]:
    """Yield what is wrong with offsets: where runs would end before they begin, or lie outside of what they divide."""
    for owner in items:
        if owner.derived is None or not owner.derived.offsets or owner.name not in made:
            continue
        lengths = [
            made[item.name].shape[0]
            for item in items
            if item.derived and item.derived.segments == owner.name and item.name in made
        ]
        offsets = made[owner.name].long()
        most = min(lengths, default=int(offsets.max()))
        if bool((offsets.diff() < 0).any()) or int(offsets.min()) < 0 or int(offsets.max()) > most:
            expected = f"none below the one before, from 0 to at most {most}"
            yield f"{owner.name}: seen offsets {offsets[:8].tolist()} …; expected {expected}"


def _kind(dtype: torch.dtype) -> str:
    return "float" if dtype.is_floating_point else "bool" if dtype == torch.bool else "integer"
