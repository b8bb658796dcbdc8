"""Write a suite's manifest with its tasks' digests as they are now. A task that a null candidate passes enters none."""

from __future__ import annotations

import re
from collections.abc import Sequence

import yaml

from evaluator.errors import TaskError, UsageError
from evaluator.judge.nulls import nulls_that_pass
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import TaskSpec
from evaluator.tasks.suites import read_manifest, suites_folder
from evaluator.wording import counted

NAME = re.compile(r"[a-z][a-z0-9-]*")


def freeze_suite(name: str, ids: list[str] | None = None) -> str:
    """Freeze the tasks named, else those of the manifest there is, else all; another list or digest is a new version.

    Returns what was written, for people.

    Raises:
        UsageError: the name is none of a suite, or the manifest names a task that is not there.
        TaskError: the manifest or a task breaks the format, or a task proves nothing.
    """
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a suite: small letters, digits and hyphens, a letter first")
    path = suites_folder() / f"{name}.yaml"
    version, before = read_manifest(name) if path.is_file() else (0, {})
    tasks = [load_task(task_id) for task_id in sorted(ids or before or task_ids())]
    prove(tasks)
    digests = {task.id: task.digest for task in tasks}
    version += before != digests
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump({"version": version, "tasks": digests}, sort_keys=False), encoding="utf-8")
    return f"{path}: {name}@{version}, {counted(len(tasks), 'task')}"


def prove(tasks: Sequence[TaskSpec]) -> None:
    """Does a pass prove work? Zeros, a constant, a copied input and the like are judged as candidates.

    Raises:
        TaskError: with every task that one of them passes.
    """
    problems = [f"{task.id}: passed by {', '.join(nulls)}" for task in tasks if (nulls := nulls_that_pass(task))]
    if problems:
        raise TaskError(problems)
