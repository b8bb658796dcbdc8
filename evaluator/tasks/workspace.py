"""An agent's workspace: the task's description, contract and sources, without the expert and the variants."""

from __future__ import annotations

from pathlib import Path

from evaluator.errors import UsageError
from evaluator.tasks.spec import TaskSpec, task_files, write_files

HIDDEN = ("expert", "variants")


def make_workspace(task: TaskSpec, folder: Path) -> list[str]:
    """Copy the task's visible files into a new folder; returns their names.

    Raises:
        UsageError: the folder exists and is not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; choose a new folder")
    visible = visible_files(task)
    write_files(visible, folder)
    return sorted(visible)


def visible_files(task: TaskSpec) -> dict[str, bytes]:
    """The contents of the task's files that an agent may see, by name."""
    return {name: data for name, data in task_files(task.folder).items() if name.split("/")[0] not in HIDDEN}
