"""All checks of a task: each yields its problems. A check that raises an exception has failed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Literal

from evaluator.errors import HostError, TaskError
from evaluator.pipeline import Evaluator
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import tasks_folder
from evaluator.validate import folder, references, runs
from evaluator.validate.subject import Subject
from evaluator.validate.validated import Validated, key_of, read_validated, write_line

Check = Callable[[Subject], Iterator[str]]
Outcome = Literal["ok", "failed", "not_run"]
SCHEMA = "schema"
STATIC_CHECKS: Mapping[str, Check] = {
    "digest": folder.digest,
    "to_do": folder.to_do,
    "private": folder.private,
    "candidates": folder.candidates,
    "names": folder.names,
    "cases": folder.cases,
    "model": folder.model,
    "axes": folder.axes,
    "unseen": folder.unseen,
    "reference": references.reference,
    "second": references.second,
    "inputs": references.inputs,
    "numbers": references.numbers,
    "spread": references.spread,
    "nulls": references.nulls,
    "baselines": references.baselines,
}
RUN_CHECKS: Mapping[str, Check] = {
    "baseline": runs.baseline,
    "expert": runs.expert,
    "variants": runs.variants,
    "gfx942": runs.gfx942,
    "cpu_time": runs.cpu_time,
}
NAMES = (SCHEMA, *STATIC_CHECKS, *RUN_CHECKS)
MAX_PROBLEMS = 30  # of one check; a new skeleton has some twenty things to do


@dataclass(frozen=True, slots=True)
class CheckResult:
    name: str
    outcome: Outcome
    problems: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Validation:
    """The results of all checks of one task. `digest` is None if the folder breaks the format."""

    task: str
    digest: str | None
    checks: tuple[CheckResult, ...]

    @property
    def is_valid(self) -> bool:
        """Whether every check that ran passed; a skipped one is `not_run`."""
        return all(check.outcome != "failed" for check in self.checks)

    @property
    def seconds(self) -> float:
        return sum(check.seconds for check in self.checks)

    @property
    def summary(self) -> str:
        return f"{'valid' if self.is_valid else 'INVALID'}, {self.seconds:.0f} s"


def validate(task_id: str, root: Path, evaluator: Evaluator | None) -> Validation:
    """Check one task folder below `root`. Without an evaluator, the checks that run candidates are skipped."""
    begin = monotonic()
    try:
        task = read_task(root / task_id, task_id)
    except TaskError as error:
        found = CheckResult(SCHEMA, "failed", tuple(error.problems), monotonic() - begin)
        return Validation(
            task_id, None, (found, *(CheckResult(name, "not_run") for name in (*STATIC_CHECKS, *RUN_CHECKS)))
        )
    subject, results = Subject(task, evaluator), [CheckResult(SCHEMA, "ok", (), monotonic() - begin)]
    results += [_checked(name, check, subject) for name, check in STATIC_CHECKS.items()]
    for name, check in RUN_CHECKS.items():
        results.append(_checked(name, check, subject) if evaluator else CheckResult(name, "not_run"))
    return Validation(task.id, task.digest, tuple(results))


def validate_all(
    ids: Sequence[str], evaluator: Evaluator | None, begins: Callable[[str], object] | None = None
) -> Iterator[Validation]:
    """Check tasks, one after the other; `begins` gets each id before.

    Where its candidates ran on a CPU, a task's line in tasks/validated.json is written, or removed if it failed.
    """
    root = tasks_folder()
    if writes := evaluator is not None and evaluator.backend.name == "cpu":
        read_validated(root)  # a malformed file is found before minutes of work, not after them
    for task_id in ids:
        if begins:
            begins(task_id)
        key = key_of(root / task_id)
        validation = validate(task_id, root, evaluator)
        if writes:
            passed = validation.is_valid and key == key_of(root / task_id)
            today = datetime.now(UTC).date().isoformat()
            write_line(task_id, Validated(key, round(validation.seconds), today) if passed else None, root)
        yield validation


def table(validations: Sequence[Validation]) -> str:
    """A table with one line per task and one column per check, followed by all problems."""
    width = max((len(validation.task) for validation in validations), default=0)
    words = {"ok": "ok", "failed": "FAILED", "not_run": "-"}
    lines = [" ".join([" " * width, *NAMES])]
    for validation in validations:
        marks = [words[check.outcome].ljust(len(check.name)) for check in validation.checks]
        lines.append(" ".join([validation.task.ljust(width), *marks]).rstrip())
    for validation in validations:
        failed = (check for check in validation.checks if check.outcome == "failed")
        lines += [f"{validation.task}: {check.name}: {problem}" for check in failed for problem in check.problems]
    return "\n".join(lines)


def as_json(validations: Sequence[Validation]) -> str:
    plain = [
        {
            "task": validation.task,
            "digest": validation.digest,
            "valid": validation.is_valid,
            "checks": {
                check.name: {
                    "outcome": check.outcome,
                    "problems": list(check.problems),
                    "seconds": round(check.seconds, 3),
                }
                for check in validation.checks
            },
        }
        for validation in validations
    ]
    return json.dumps({"valid": all(one.is_valid for one in validations), "tasks": plain}, indent=2) + "\n"


def _checked(name: str, check: Check, subject: Subject) -> CheckResult:
    begin, problems = monotonic(), list[str]()
    try:
        for problem in check(subject):
            problems.append(problem)
            if len(problems) == MAX_PROBLEMS:
                problems.append("…")
                break
    except HostError:
        raise
    except Exception as error:  # from the task's own code
        problems.append(f"{type(error).__name__}: {error}")
    return CheckResult(name, "failed" if problems else "ok", tuple(problems), monotonic() - begin)
