"""Write a suite's manifest with its tasks' digests as they are now. A task that a null candidate passes enters none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from evaluator.errors import TaskError
from evaluator.judge.nulls import nulls_that_pass
from evaluator.suites import suites_folder
from evaluator.taskreader import load_task, task_ids
from evaluator.taskspec import TaskSpec


def freeze_suite(name: str, ids: list[str] | None = None) -> Path:
    """Freeze the tasks named, else those of the manifest there is, else all; another list or digest is a new version.

    Raises:
        TaskError: a task breaks the format, or proves nothing.
    """
    path = suites_folder() / f"{name}.yaml"
    before = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
    tasks = [load_task(task_id) for task_id in sorted(ids or (before["tasks"] if before else task_ids()))]
    prove(tasks)
    digests = {task.id: task.digest for task in tasks}
    version = before["version"] + (before["tasks"] != digests) if before else 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump({"version": version, "tasks": digests}, sort_keys=False), encoding="utf-8")
    return path


def prove(tasks: Sequence[TaskSpec]) -> None:
    """Does a pass prove work? Zeros, a constant, a copied input and the like are judged as candidates.

    Raises:
        TaskError: with every task that one of them passes.
    """
    problems = [f"{task.id}: passed by {', '.join(nulls)}" for task in tasks if (nulls := nulls_that_pass(task))]
    if problems:
        raise TaskError(problems)
