"""The folders of a family: made from its rows all at once or not at all, written, and compared with what is there."""

from __future__ import annotations

import ast
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
    """`rows` reads the right rows of the table, task id → row, and adds what is wrong with others to the problems.

    `folder` makes a row's files.
    """

    name: str
    rows: Callable[[Problems], Mapping[str, Fields]]
    folder: Callable[[str, Fields], dict[str, bytes]]

    def ids(self) -> frozenset[str]:
        return frozenset(self.rows(Problems(self.name)))

    def folders(self) -> Folders:
        """Every folder of the family.

        Raises:
            TaskError: with every problem of every row, and what the task reader finds in rows without one.
        """
        problems = Problems(f"family {self.name}")
        folders = {task_id: self.folder(task_id, row) for task_id, row in self.rows(problems).items()}
        if problems.lines:
            with tempfile.TemporaryDirectory() as scratch:
                raise TaskError([*problems.lines, *_breaches(folders, Path(scratch))])
        return folders


def write(folders: Folders, root: Path) -> None:
    """Write the folders below `root` once all are right, and put each in its place whole, instead of what was there.

    Raises:
        TaskError: with everything that the task reader finds in them.
    """
    with tempfile.TemporaryDirectory(prefix=".families-", dir=root.parent) as scratch:
        new, old = Path(scratch) / "new", Path(scratch) / "old"
        if problems := _breaches(folders, new):
            raise TaskError(problems)
        for task_id in folders:
            if (root / task_id).exists():
                _move(root / task_id, old / task_id)
            _move(new / task_id, root / task_id)


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


def _move(folder: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    folder.rename(to)


def _breaches(folders: Folders, scratch: Path) -> list[str]:
    """What is not Python in the folders, and what the task reader finds in them, once they are written to `scratch`."""
    found = list[str]()
    for task_id, files in folders.items():
        found += [f"{task_id}/{name}: {error}" for name, data in files.items() if (error := _syntax_error(name, data))]
        write_files(files, scratch / task_id)
        try:
            read_task(scratch / task_id, task_id)
        except TaskError as error:
            found += error.problems
    return found


def _syntax_error(name: str, data: bytes) -> str:
    try:
        ast.parse(data if name.endswith(".py") else b"")
    except SyntaxError as error:
        return f"line {error.lineno}: seen {(error.text or '').strip()!r}; expected Python: {error.msg}"
    return ""
