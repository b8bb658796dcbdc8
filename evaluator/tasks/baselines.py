"""Baselines beside a task's own: `eager`, `compile` and `library`. They are timed and shown, and decide nothing.

A task declares them in its config.yaml, with code in its folder baselines/. Tasks whose digest was frozen before have
theirs in tasks/baselines/, outside of every digest: declared.yaml, and code in a folder with the task's id. A task that
starts from PyTorch and says nothing has its module under torch.compile.
"""

from __future__ import annotations

from pathlib import Path

from evaluator.tasks.candidate import Candidate, baseline, compiled
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.reader import read_baselines
from evaluator.tasks.spec import TaskSpec, tasks_folder

FOLDER, DECLARED = "baselines", "declared.yaml"


def baselines_of(task: TaskSpec) -> dict[str, Candidate]:
    """The further baselines of a task, by kind.

    Raises:
        TaskError: tasks/baselines/declared.yaml breaks its format.
    """
    folder, kinds = task.folder / FOLDER, task.baselines
    if kinds is None:
        folder, kinds = tasks_folder() / FOLDER / task.id, _declared_outside(task)
    if kinds is None:
        kinds = ("compile",) if task.starts_from_torch else ()
    return {kind: _candidate(task, kind, folder) for kind in kinds}


def _declared_outside(task: TaskSpec) -> tuple[str, ...] | None:
    path = tasks_folder() / FOLDER / DECLARED
    if not path.is_file():
        return None
    problems = Problems(f"{FOLDER}/{DECLARED}")
    top = Fields.read(path.read_bytes(), problems)
    kinds = {name: _kinds(top, name) for name in top.raw}
    problems.raise_if_any()
    return kinds.get(task.id)


def _kinds(top: Fields, task_id: str) -> tuple[str, ...]:
    folder = tasks_folder()
    if not (folder / task_id / "config.yaml").is_file():
        top.problem(task_id, task_id, "the id of a task")
    files = {f"{FOLDER}/{path.name}" for path in (folder / FOLDER / task_id).glob("*.py")}
    return read_baselines(top, task_id, task_id.split("/")[0], files)


def _candidate(task: TaskSpec, kind: str, folder: Path) -> Candidate:
    if kind != "compile":
        return Candidate({f"{kind}.py": (folder / f"{kind}.py").read_bytes()}, kind)
    module = baseline(task).files if task.starts_from_torch else _candidate(task, "eager", folder).files
    return compiled(module)
