"""What an agent starts from: the task's description, contract and sources, without experts and variants."""

from __future__ import annotations

from pathlib import Path

from evaluator.errors import UsageError
from evaluator.tasks.spec import TaskSpec, task_files, write_files

HIDDEN = ("expert", "variants")


def make_workspace(task: TaskSpec, folder: Path) -> list[str]:
    """Copy the task's visible files into a new folder; returns their names.

    Raises:
        UsageError: the folder is there and not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; give a new folder")
    visible = visible_files(task)
    write_files(visible, folder)
    return sorted(visible)


def visible_files(task: TaskSpec) -> dict[str, bytes]:
    """What an agent is given of the task, byte for byte."""
    return {name: data for name, data in task_files(task.folder).items() if name.split("/")[0] not in HIDDEN}
