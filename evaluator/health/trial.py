"""Known kernels through the whole pipeline: good ones pass, bad ones get their status and do not affect the next one.

A worker runs this at its start and after any fault of the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.errors import EvaluatorError
from evaluator.inside.excerpts import excerpt
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
    """Return the task for health checks and calibration, which is in no suite."""
    return read_task(FOLDER / "task", TASK_ID)


def trials(evaluator: Evaluator) -> Iterator[Trial]:
    """Yield a result for each kernel. The good one runs again at the end, to show that the bad ones did no harm."""
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
    return Trial(name, record.status is expected, _summary(record, expected))


def _summary(record: Record, expected: Status) -> str:
    seconds = f"in {record.seconds.get('total', 0.0):.1f} s"
    if record.status is expected:
        return f"{record.status} {seconds}, as expected"
    return f"{record.status} {seconds}, expected {expected}: {record.message or ''} {excerpt(record.log, 600)}".strip()


def _bad(task: TaskSpec, name: str) -> Candidate:
    files = {path: (FOLDER / name / path).read_bytes() for path in task.editable}
    return Candidate(files, name)
