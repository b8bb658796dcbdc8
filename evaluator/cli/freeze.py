"""Writes the manifest of a suite with its tasks' current digests, and refuses tasks that a null candidate passes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import yaml

from evaluator.errors import TaskError, UsageError
from evaluator.judge.nulls import nulls_that_pass
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import TaskSpec
from evaluator.tasks.suites import SuiteFile, read_manifest, suites_folder
from evaluator.wording import counted

NAME = re.compile(r"[a-z][a-z0-9-]*")


def freeze_suite(name: str, ids: list[str] | None = None) -> str:
    """Write a suite's manifest and return a sentence on it.

    The tasks are those of `ids`, otherwise those of the existing manifest, otherwise all. A change of any task or
    digest is a new version.

    Raises:
        UsageError: the name is invalid, or the manifest names a task that does not exist.
        TaskError: the manifest or a task breaks the format, or a null candidate passes a task.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a suite name: expected lower-case letters, digits and hyphens, a letter first"
        )
    path = suites_folder() / f"{name}.yaml"
    version, before, title = read_manifest(name) if path.is_file() else SuiteFile(0, {})
    tasks = [load_task(task_id) for task_id in sorted(ids or before or task_ids())]
    prove(tasks)
    digests = {task.id: task.digest for task in tasks}
    version += before != digests
    plain = sum(task.is_plain for task in tasks)
    path.parent.mkdir(parents=True, exist_ok=True)
    manifest = {"version": version, **({"title": title} if title else {}), "tasks": digests}
    path.write_text(yaml.safe_dump(manifest, sort_keys=False), encoding="utf-8")
    return f"{path}: {name}@{version}, {counted(len(tasks), 'task')}, {plain} of them plain"


def prove(tasks: Sequence[TaskSpec]) -> None:
    """Check that no null candidate, such as zeros, a constant or a copied input, passes any of the tasks.

    Raises:
        TaskError: with every task that one of them passes.
    """
    problems = [f"{task.id}: passed by {', '.join(nulls)}" for task in tasks if (nulls := nulls_that_pass(task))]
    if problems:
        raise TaskError(problems)
