"""Suites: named, versioned lists of tasks. They are the denominators of all rates, whatever was evaluated."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluator.errors import UsageError
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import TaskSpec, tasks_folder


class SuiteFile(NamedTuple):
    """What a suite's file says: its version, the frozen digest of each task by its id, and its title on pages."""

    version: int
    tasks: dict[str, str]
    title: str = ""  # empty: its name as words


@dataclass(frozen=True, slots=True)
class TaskSuite:
    """A suite with its tasks; `digest` identifies this version: the sha256 over the sorted (task id, task digest)."""

    name: str
    version: int
    tasks: tuple[TaskSpec, ...]
    title: str = ""

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


def load_suite(name: str) -> TaskSuite:
    """Read a suite's manifest and all its tasks.

    Raises:
        UsageError: there is no such suite.
        TaskError: the manifest is malformed, or a task has changed since it was frozen.
    """
    version, digests, title = read_manifest(name)
    tasks = tuple(load_task(task_id) for task_id in digests)
    problems = Problems(f"suites/{name}.yaml")
    for task in tasks:
        if task.digest != digests[task.id]:
            expected = f"{task.digest}, the task's current digest (`tasks --freeze {name}` writes it)"
            problems.add(f"tasks.{task.id}", digests[task.id], expected)
    problems.raise_if_any()
    return TaskSuite(name, version, tasks, title)


def read_manifest(name: str) -> SuiteFile:
    """Read a suite's manifest.

    Raises:
        UsageError: there is no such suite.
        TaskError: the manifest is malformed.
    """
    if name not in suite_names():
        raise UsageError(f"no suite is named {name!r}; the suites are {', '.join(suite_names()) or 'none'}")
    problems = Problems(f"suites/{name}.yaml")
    manifest = Fields.read((suites_folder() / f"{name}.yaml").read_bytes(), problems)
    manifest.only(("version", "title", "tasks"))
    title = manifest.string("title", None) if "title" in manifest else ""
    version, tasks = int(manifest.number("version", None, low=1)), manifest.mapping("tasks").raw
    if not tasks:
        manifest.problem("tasks", tasks, "at least one task with its digest")
    problems.raise_if_any()
    return SuiteFile(version, dict(tasks), title)


def suites_folder() -> Path:
    return tasks_folder() / "suites"
