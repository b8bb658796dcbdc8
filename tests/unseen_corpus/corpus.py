"""Candidates that are right on every seen case and know only those, as data. Each file begins by saying its fault.

`# fault: maximum rows`, `# task: scale`, `# exposed_by: scale_up` (the config category that must expose it),
`# also: production` (categories whose cases expose it, too; on all others it is right), `# reason: mismatch` (what the
named category says, on a CPU).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.pipeline import Evaluator
from evaluator.tasks.candidate import Candidate, overlay
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import AxisValue, Case, TaskSpec
from evaluator.unseen.cases import ConfigCategory, UnseenCase
from evaluator.unseen.record import UnseenCaseRecord

HERE = Path(__file__).parent
HEADER = re.compile(r"^(?:#|//) (fault|task|exposed_by|also|reason): (.*)$", re.MULTILINE)
TASKS = {  # name → its id and the folder of tasks that it lies in
    "scale": ("triton2triton/corpus/scale", HERE / "tasks"),
    "heads": ("triton2triton/corpus/heads", HERE / "tasks"),
    "histogram": ("triton2triton/corpus/histogram", HERE / "tasks"),
    "weighted": ("hip2hip/tests/weighted", HERE.parent / "tiny"),
    "eager": ("torch2hip/tests/weighted", HERE.parent / "tiny"),
}
Values = Mapping[str, AxisValue]
_FLOATS: Values = {"dtype": "float32", "layout": "contiguous", "biased": True}
_MATRICES: tuple[tuple[ConfigCategory, Values], ...] = (
    ("edge", {"rows": 1, "cols": 1}),
    ("scale_up", {"rows": 8, "cols": 2000}),
    ("scale_down", {"rows": 2, "cols": 32}),
    ("alignment", {"rows": 5, "cols": 203}),
    ("asymmetric", {"rows": 200, "cols": 3}),
    ("production", {"rows": 16, "cols": 768}),
)
CASES: Mapping[str, tuple[tuple[ConfigCategory, Values], ...]] = {
    "scale": (
        ("edge", {"rows": 1, "cols": 1, **_FLOATS}),
        ("scale_up", {"rows": 24, "cols": 1408, **_FLOATS}),
        ("scale_down", {"rows": 2, "cols": 64, **_FLOATS}),
        ("alignment", {"rows": 7, "cols": 250, **_FLOATS, "layout": "transposed"}),
        ("asymmetric", {"rows": 40, "cols": 3, **_FLOATS, "biased": False}),
        ("production", {"rows": 16, "cols": 320, **_FLOATS, "dtype": "float16"}),
    ),
    "heads": (
        ("edge", {"batch": 1, "heads": 1, "length": 1, "width": 1}),
        ("scale_up", {"batch": 1, "heads": 4, "length": 48, "width": 16}),
        ("scale_down", {"batch": 1, "heads": 4, "length": 4, "width": 8}),
        ("alignment", {"batch": 3, "heads": 4, "length": 16, "width": 13}),
        ("asymmetric", {"batch": 6, "heads": 2, "length": 16, "width": 4}),
        ("production", {"batch": 1, "heads": 6, "length": 16, "width": 32}),
    ),
    "histogram": (
        ("edge", {"n": 1, "bins": 1}),
        ("scale_up", {"n": 2000, "bins": 500}),
        ("scale_down", {"n": 50, "bins": 4}),
        ("alignment", {"n": 1003, "bins": 51}),
        ("asymmetric", {"n": 3, "bins": 128}),
        ("production", {"n": 1536, "bins": 32}),
    ),
    "weighted": _MATRICES,
    "eager": _MATRICES,
}


@dataclass(frozen=True, slots=True)
class Entry:
    path: Path
    header: Mapping[str, str]

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}-{self.path.stem}"

    @property
    def exposed_by(self) -> tuple[str, ...]:
        """Categories, the one that must expose it first."""
        return (self.header["exposed_by"], *filter(None, self.header.get("also", "").split(", ")))

    def task(self) -> TaskSpec:
        return task(self.header["task"])

    def candidate(self) -> Candidate:
        return Candidate({self.task().editable[0]: self.path.read_bytes()}, self.path.stem)


def entries() -> list[Entry]:
    paths = sorted([*(HERE / "triton").glob("*.py"), *(HERE / "hip").glob("*.hip")])
    return [Entry(path, {found[1]: found[2].strip() for found in HEADER.finditer(path.read_text())}) for path in paths]


def agnostic(name: str) -> Candidate:
    """The task's expert, which knows no size."""
    return overlay(task(name), "expert", "expert")


@functools.cache
def task(name: str) -> TaskSpec:
    task_id, folder = TASKS[name]
    return read_task(folder / task_id, task_id)


def unseen_cases(name: str) -> tuple[UnseenCase, ...]:
    cases = [UnseenCase(Case(tuple(values.items()), "small"), kind, "written_by_hand") for kind, values in CASES[name]]
    return tuple(cases)


def judged(
    evaluator: Evaluator, spec: TaskSpec, candidate: Candidate, cases: tuple[UnseenCase, ...]
) -> dict[str, list[UnseenCaseRecord]]:
    """By category, and under "seen" the task's own small cases, which the same workers judge first."""
    seen = [UnseenCase(case, "production") for case in spec.cases_of(("small",))]
    record = evaluator.evaluate_unseen(spec, candidate, [*seen, *cases], round_digest="0" * 64, generator="corpus")
    found: dict[str, list[UnseenCaseRecord]] = {"seen": list(record.cases[: len(seen)])}
    for case in record.cases[len(seen) :]:
        found.setdefault(case.category, []).append(case)
    return found
