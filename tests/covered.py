"""Which tasks the tests validate whole in this run: all of them would take hours (decision 36).

Every run validates the anchors, whatever changed, and a tenth of all tasks, another one for each commit. Where what
decides verdicts changed, one task of each kind as well. For the others `tasks/validated.json` speaks.
"""

from __future__ import annotations

import functools
import hashlib
import subprocess
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from evaluator.state import REPOSITORY
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import tasks_folder
from evaluator.tasks.suites import read_manifest
from evaluator.validate.validated import without_line

DECIDING = (  # folders and files below evaluator/
    *("judge", "gates", "inside", "sandbox", "hip", "backends", "validate", "tasks"),
    *("pipeline.py", "distributions.py", "thresholds.py"),
)
BRANCHES = ("origin/main", "origin/HEAD", "main")  # what a change is to land on


@functools.cache
def covered() -> tuple[str, ...]:
    """The ids of the tasks that this run validates whole, sorted."""
    return tuple(sorted(chosen(task_ids(), change_of(REPOSITORY, tasks_folder()))))


def chosen(ids: Collection[str], change: Change) -> set[str]:
    """Those of all tasks that a run with this change validates whole."""
    found = {*anchors(), *change.tasks, *tenth(ids, change.commit)}
    return found | one_a_kind(ids, found, change.commit) if change.decides else found


def anchors() -> frozenset[str]:
    return frozenset(read_manifest("native-24")[1])


@dataclass(frozen=True, slots=True)
class Change:
    """What differs from the branch that a change is to land on."""

    commit: str
    tasks: frozenset[str]
    decides: bool  # what decides verdicts may have changed


def change_of(repository: Path, tasks: Path) -> Change:
    """What the working tree changes. Where the clone does not say: whatever `validated.json` does not hold as it is."""
    ids, head, base = task_ids(tasks), commit(repository), base_of(repository)
    if base is None or not tasks.is_relative_to(repository):
        return Change(head, frozenset(without_line(ids, tasks)), decides=True)
    files = changed_files(repository, base)
    folders = {parent.as_posix() for file in files for parent in file.parents}
    below = tasks.relative_to(repository)
    changed = frozenset(task_id for task_id in ids if (below / task_id).as_posix() in folders)
    deciding = {f"evaluator/{name}" for name in DECIDING}
    return Change(head, changed, decides=not deciding.isdisjoint(folders | {file.as_posix() for file in files}))


def commit(repository: Path = REPOSITORY) -> str:
    """The hash of the commit that is checked out; nothing outside a repository."""
    return _git(repository, "rev-parse", "HEAD").strip()


def base_of(repository: Path) -> str | None:
    """The commit that a change began at; None where the clone has none, or only the newest, which knows no change."""
    head = commit(repository)
    found = (_git(repository, "merge-base", "HEAD", branch) for branch in BRANCHES)
    return next((base.strip() for base in found if base and base.strip() != head), None)


def changed_files(repository: Path, base: str) -> set[Path]:
    """Every file that was added, changed or removed since then, committed or not."""
    tracked = _git(repository, "diff", "--name-only", "--no-renames", "-z", base)
    new = _git(repository, "ls-files", "--others", "--exclude-standard", "-z")
    return {Path(name) for name in f"{tracked}{new}".split("\0") if name}


def tenth(ids: Collection[str], commit: str) -> list[str]:
    """A tenth of the tasks, so that a wrong line is found within some ten commits."""
    return _drawn(ids, commit)[: -(-len(ids) // 10)]


def one_a_kind(ids: Iterable[str], taken: Collection[str], commit: str) -> set[str]:
    """One task of each category, source and type of operator of which none is taken."""
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for task_id in ids:
        kinds.setdefault(kind_of(task_id), []).append(task_id)
    return {_drawn(members, commit)[0] for members in kinds.values() if not {*members} & {*taken}}


@functools.cache
def kind_of(task_id: str) -> tuple[str, str, str]:
    task = load_task(task_id)
    return task.category, task.source, task.provenance.get("operator_type", "")


def _drawn(ids: Iterable[str], commit: str) -> list[str]:
    """The tasks in an order that the commit draws: the same for all workers of a run."""
    return sorted(ids, key=lambda task_id: hashlib.sha256(f"{commit}\0{task_id}".encode()).digest())


def _git(repository: Path, *arguments: str) -> str:
    """The output of a command; nothing where it fails, as outside a repository and in a clone that is too shallow."""
    done = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""
