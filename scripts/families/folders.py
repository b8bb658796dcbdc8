"""The folders of a family: made from its rows all at once or not at all, written, and compared with what is there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.errors import TaskError
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import task_files, write_files

Folders = Mapping[str, Mapping[str, bytes]]  # task id → path → content


@dataclass(frozen=True, slots=True)
class Family:
    """`rows` reads the table, task id → row, and adds what is wrong to the problems; `folder` makes a row's files."""

    name: str
    rows: Callable[[Problems], Mapping[str, Fields]]
    folder: Callable[[str, Fields], dict[str, bytes]]

    def ids(self) -> frozenset[str]:
        return frozenset(self.rows(Problems(self.name)))

    def folders(self) -> Folders:
        """Every folder of the family.

        Raises:
            TaskError: with every problem of every row.
        """
        problems = Problems(f"family {self.name}")
        rows = self.rows(problems)
        problems.raise_if_any()
        return {task_id: self.folder(task_id, row) for task_id, row in rows.items()}


def write(folders: Folders, root: Path) -> None:
    """Write the folders below `root`, all or none; whatever else is in one of them is removed.

    Raises:
        TaskError: with everything that the task reader finds in them.
    """
    if problems := _breaches(folders):
        raise TaskError(problems)
    _write(folders, root)


def differences(folders: Folders, root: Path) -> list[str]:
    """One line for each file below `root` that is not as the table says; an edited folder has to leave the table."""
    found = []
    for task_id, files in folders.items():
        there = task_files(root / task_id)
        for name in sorted(files.keys() | there.keys()):
            if name not in there:
                found.append(f"{task_id}/{name}: missing; write the family again")
            elif name not in files:
                found.append(f"{task_id}/{name}: not in the table; remove it, or take the row out of the table")
            elif files[name] != there[name]:
                found.append(f"{task_id}/{name}: differs; write the family again, or take the row out of the table")
    return found


def _write(folders: Folders, root: Path) -> None:
    for task_id, files in folders.items():
        shutil.rmtree(root / task_id, ignore_errors=True)
        write_files(files, root / task_id)


def _breaches(folders: Folders) -> list[str]:
    """What the task reader finds in the folders, which are tried in a place of their own."""
    found = list[str]()
    with tempfile.TemporaryDirectory() as scratch:
        _write(folders, Path(scratch))
        for task_id in folders:
            try:
                read_task(Path(scratch) / task_id, task_id)
            except TaskError as error:
                found += error.problems
    return found
