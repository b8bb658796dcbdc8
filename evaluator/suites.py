"""Named, frozen lists of tasks. Denominators come from here, never from what happened to be evaluated."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import yaml

from evaluator.errors import TaskError, UsageError
from evaluator.fields import Fields, Problems
from evaluator.taskreader import load_task
from evaluator.taskspec import TaskSpec, tasks_folder


@dataclass(frozen=True, slots=True)
class Suite:
    """`digest` names this version: sha256 over the sorted (task id, task digest)."""

    name: str
    version: int
    tasks: tuple[TaskSpec, ...]

    @property
    def digest(self) -> str:
        return suite_digest({task.id: task.digest for task in self.tasks})

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"


def suite_digest(tasks: dict[str, str]) -> str:
    lines = [f"{task_id}\0{digest}\n" for task_id, digest in sorted(tasks.items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def suite_names() -> list[str]:
    return sorted(path.stem for path in suites_folder().glob("*.yaml"))


def load_suite(name: str) -> Suite:
    """Read a suite's manifest and all its tasks.

    Raises:
        UsageError: there is no such suite.
        TaskError: the manifest is wrong, or a task is not the one that was frozen.
    """
    problems = Problems(f"suites/{name}.yaml")
    version, digests = _manifest(name, problems)
    tasks = tuple(load_task(task_id) for task_id in digests.raw)
    for task in tasks:
        if task.digest != digests.raw[task.id]:
            digests.problem(task.id, digests.raw[task.id], f"{task.digest}, the task's digest (`freeze` writes it)")
    problems.raise_if_any()
    if not tasks:
        raise TaskError([f"suites/{name}.yaml: tasks: seen nothing; expected at least one"])
    return Suite(name, version, tasks)


def frozen_digests(name: str) -> dict[str, str]:
    """The tasks of a suite's manifest with the digests that it froze; raises like `load_suite`."""
    return dict(_manifest(name, Problems(f"suites/{name}.yaml"))[1].raw)


def _manifest(name: str, problems: Problems) -> tuple[int, Fields]:
    """Version and task digests."""
    if name not in suite_names():
        raise UsageError(f"no suite is named {name!r}; there are {', '.join(suite_names()) or 'none'}")
    manifest = Fields.of(yaml.safe_load((suites_folder() / f"{name}.yaml").read_text(encoding="utf-8")), "", problems)
    manifest.only(("version", "tasks"))
    version, digests = int(manifest.number("version", None, low=1)), manifest.mapping("tasks")
    problems.raise_if_any()
    return version, digests


def suites_folder() -> Path:
    return tasks_folder() / "suites"
