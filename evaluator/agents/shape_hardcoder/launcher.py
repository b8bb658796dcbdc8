"""Submits a right source of the task with a fault that no seen case shows: sizes it does not know are read as zeros.

The faults are of the kinds in tests/unseen_corpus. It knows every row width that leaves the same remainder modulo the
size of a vector as a seen one. Where a candidate is written from nothing, or where all widths that the task allows
leave a seen remainder, it knows only the shapes of seen cases.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.errors import TaskError
from evaluator.records.reasons import Status
from evaluator.tasks.candidate import Candidate, baseline, overlay
from evaluator.tasks.spec import TaskSpec

VECTOR = 8  # elements


@dataclass(frozen=True, slots=True)
class Language:
    """How a source says it. `entry` matches up to the body of the entry; its group is the first argument's name."""

    entry: re.Pattern[str]
    size: str
    either: str
    both: str
    fault: str


HIP = Language(
    entry=re.compile(r"^[\w:<>, ]+ forward\(torch::Tensor (\w+)[^)]*\) \{\n", re.MULTILINE),
    size="{name}.size({at})",
    either=" || ",
    both=" && ",
    fault="  if (!({known})) {name} = torch::zeros_like({name});\n",
)
PYTHON = Language(
    entry=re.compile(r"^def forward\(\s*(\w+)[^)]*\)[^:]*:\n", re.MULTILINE),
    size="{name}.shape[{at}]",
    either=" or ",
    both=" and ",
    fault="    if not ({known}):\n        {name} = torch.zeros_like({name})\n",
)


def launch(context: SessionContext) -> SessionOutcome:
    task = context.task
    right = overlay(task, task.solution, context.agent) if task.solution else baseline(task)
    files = {name: _with_fault(task, name, data.decode()).encode() for name, data in right.files.items()}
    return SessionOutcome(Candidate(files, context.agent), "finished", expected=Status.PASSED)


def _with_fault(task: TaskSpec, name: str, text: str) -> str:
    """The source, whose entry first clears its first argument unless it knows its sizes.

    Raises:
        TaskError: there is no such entry, or its first argument is no tensor.
    """
    language = HIP if name.endswith(".hip") else PYTHON
    entry = language.entry.search(text)
    shapes = _seen_shapes(task, entry[1]) if entry else []
    if entry is None or not shapes[0]:
        raise TaskError([f"{task.id}: the right {name}: seen no `forward` that begins with a tensor; expected one"])
    fault = language.fault.format(name=entry[1], known=_known(task, language, entry[1], shapes))
    return text[: entry.end()] + fault + text[entry.end() :]


def _known(task: TaskSpec, language: Language, name: str, shapes: list[tuple[int, ...]]) -> str:
    """The condition that the sizes of the first argument are known ones."""
    sizes = [language.size.format(name=name, at=at) for at in range(len(shapes[0]))]
    rests = {shape[-1] % VECTOR for shape in shapes}
    if task.starts_from_torch or not _may_leave_another(task, name, rests):
        known = [[f"{size} == {value}" for size, value in zip(sizes, shape, strict=True)] for shape in shapes]
    else:
        known = [[f"{sizes[-1]} % {VECTOR} == {rest}"] for rest in sorted(rests)]
    return language.either.join(f"({language.both.join(one)})" for one in known)


def _may_leave_another(task: TaskSpec, name: str, rests: set[int]) -> bool:
    """Whether the task allows a last extent of this argument that leaves another remainder than these."""
    width = next(item.shape[-1] for item in task.inputs if item.name == name)
    axes = [axis for axis in task.axes if axis.kind == "dim" and axis.name in width.names]
    larger = (
        {**case.numbers, axis.name: case.numbers[axis.name] + step * axis.multiple_of}
        for case in task.cases
        for axis in axes
        for step in range(1, VECTOR)
    )
    return any(int(width.value(numbers)) % VECTOR not in rests for numbers in larger)


def _seen_shapes(task: TaskSpec, name: str) -> list[tuple[int, ...]]:
    """The distinct shapes of an argument over the seen cases of all profiles; one empty shape if it is no tensor."""
    extents = next((item.shape for item in task.inputs if item.name == name), ())
    return list(dict.fromkeys(tuple(int(extent.value(case.numbers)) for extent in extents) for case in task.cases))
