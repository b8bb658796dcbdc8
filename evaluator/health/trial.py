"""Known kernels through the whole pipeline: a good one passes, bad ones get their status, none harms the next one.

A worker runs this before it takes work and after any fault of the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.errors import EvaluatorError
from evaluator.records.reasons import Status
from evaluator.records.record import Record
from evaluator.tasks.candidate import Candidate, baseline
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import TaskSpec

if TYPE_CHECKING:
    from evaluator.pipeline import Evaluator  # it loads torch, which who only reads a Trial needs not

FOLDER = Path(__file__).parent / "kernels"
TASK_ID = "triton2triton/health/flip"


@dataclass(frozen=True, slots=True)
class Trial:
    name: str
    good: bool
    text: str


def health_task() -> TaskSpec:
    """The task a host measures itself with; part of no suite."""
    return read_task(FOLDER / "task", TASK_ID)


def trials(evaluator: Evaluator) -> Iterator[Trial]:
    """A line for each kernel; the good one last, too, when the bad ones have done their harm."""
    task = health_task()
    yield _trial(evaluator, task, baseline(task), "known good", Status.PASSED)
    yield _trial(evaluator, task, _bad(task, "wrong"), "known wrong", Status.WRONG_OUTPUT)
    yield _trial(evaluator, task, _bad(task, "illegal"), "illegal access", Status.CRASHED)
    yield _trial(evaluator, task, baseline(task), "good again", Status.PASSED)


def _trial(evaluator: Evaluator, task: TaskSpec, candidate: Candidate, name: str, expected: Status) -> Trial:
    try:
        record = evaluator.evaluate(task, candidate, sessions=1)
    except EvaluatorError as error:
        return Trial(name, False, f"{type(error).__name__}: {error}")
    return Trial(name, record.status is expected, _told(record, expected))


def _told(record: Record, expected: Status) -> str:
    seconds = f"in {record.seconds.get('total', 0.0):.1f} s"
    if record.status is expected:
        return f"{record.status} {seconds}, as it must"
    return f"{record.status} {seconds}, expected {expected}: {record.message or ''} {record.log[-300:]}".strip()


def _bad(task: TaskSpec, name: str) -> Candidate:
    files = {path: (FOLDER / name / path).read_bytes() for path in task.editable}
    return Candidate(files, name)
