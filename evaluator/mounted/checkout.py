"""Lists and reads the tasks of an AgentKernelArena checkout."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator.errors import UsageError
from evaluator.mounted.helpers import with_helpers
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.spec import task_digest, task_files

Stage = Literal["compile", "correctness", "performance"]
STAGES: tuple[Stage, ...] = ("compile", "correctness", "performance")
MAIN = re.compile(rb"\bint\s+main\s*\(")
OUTPUT_FOLDERS = ("build", "perf")  # where scripts write; committed files in them are stale
OUTPUT_FILES = ("performance_report.json", "perf_report.json", "eval_result.yaml")
OTHER_KINDS = {  # their configs are in order; what they name is elsewhere
    "repository": "its scripts clone a library, and a sandbox has no network",
    "image_kernel": "its library lies in a container image",
    "instruction2triton": "its candidate is written from an instruction, and no key names the file to write",
}
DEFAULT_LIMIT_S = 3600.0  # of each command, as in AgentKernelArena


@dataclass(frozen=True, slots=True)
class MountedTask:
    """A mounted task. `files` are all files in the sandbox; only `editable` ones may differ between the sides.

    One of OTHER_KINDS has no editable files, since it does not run here.
    """

    id: str
    folder: Path
    digest: str  # of `files`
    folder_digest: str
    category: str
    sources: tuple[str, ...]
    editable: tuple[str, ...]
    commands: Mapping[Stage, tuple[str, ...]]
    limits_s: Mapping[Stage, float]
    architectures: tuple[str, ...]  # empty: any
    skipped: str | None  # the checkout's own reason to skip it
    files: Mapping[str, bytes]

    @property
    def writes_from_nothing(self) -> bool:
        """Whether there is no kernel to start from; the baseline is a PyTorch module, timed with its own flag."""
        return self.category.startswith("torch2")

    @property
    def tests_in_editable(self) -> tuple[str, ...]:
        """Editable files that a command runs, or with a `main`: a candidate could change the check or the clock."""
        checked = " ".join((*self.commands["correctness"], *self.commands["performance"]))
        named = () if self.category.endswith("hip") else tuple(name for name in self.editable if name in checked)
        return tuple(name for name in self.editable if name in named or MAIN.search(self.files.get(name, b"")))


def tasks_root(folder: Path) -> Path:
    """The folder that task ids are relative to: tasks/ of a checkout, or the folder itself."""
    return folder / "tasks" if (folder / "tasks").is_dir() else folder


def mounted_ids(folder: Path) -> list[str]:
    """The ids of all tasks, sorted.

    Raises:
        UsageError: there is none.
    """
    root = tasks_root(folder)
    ids = sorted(path.parent.relative_to(root).as_posix() for path in root.rglob("config.yaml"))
    if not ids:
        raise UsageError(f"{folder} holds no config.yaml; expected a checkout of AgentKernelArena")
    return ids


def load_mounted(folder: Path, task_id: str) -> MountedTask:
    """Read one task.

    Raises:
        UsageError: there is no such task.
        TaskError: its config.yaml is not in the v1 form, or a file is missing; the error has every problem.
    """
    root, parts = tasks_root(folder), Path(task_id).parts
    if Path(task_id).is_absolute() or ".." in parts or not parts or not (root / task_id / "config.yaml").is_file():
        raise UsageError(f"{folder} has no task {task_id!r}; `python -m evaluator tasks --tasks {folder}` lists them")
    problems = Problems(f"{task_id}/config.yaml")
    top = Fields.read((root / task_id / "config.yaml").read_bytes(), problems)
    if "schema_version" in top:
        top.problem("schema_version", top.raw["schema_version"], "no such key: only the v1 form is supported")
        problems.raise_if_any()
    task = _task(top, task_id, root, problems)
    problems.raise_if_any()
    return task


def own_candidate(task: MountedTask) -> Candidate:
    """The task's own source as a candidate."""
    files = {name: task.files[name] for name in task.editable if name in task.files}
    lacking = tuple(("not_written", name) for name in task.editable if name not in files)
    return Candidate(files, "baseline", lacking)


def _task(top: Fields, task_id: str, root: Path, problems: Problems) -> MountedTask:
    category = top.string("task_type", None)
    present = task_files(root / task_id)
    platform = top.mapping("platform_support", optional=True)
    files = _without_outputs(present)
    is_ours = category not in OTHER_KINDS
    if is_ours:
        files = with_helpers(files, root.parent, problems)
    return MountedTask(
        id=task_id,
        folder=root / task_id,
        digest=task_digest(files),
        folder_digest=task_digest(present),
        category=category,
        sources=top.strings("source_file_path", ()),
        editable=_editable(top, category, present) if is_ours else (),
        commands={stage: top.strings(f"{stage}_command") for stage in STAGES},
        limits_s={stage: top.number(f"{stage}_timeout", DEFAULT_LIMIT_S, low=1) for stage in STAGES},
        architectures=_architectures(top, platform),
        skipped=_skipped(platform),
        files=files,
    )


def _without_outputs(present: dict[str, bytes]) -> dict[str, bytes]:
    return {
        name: data
        for name, data in present.items()
        if name.split("/")[0] not in OUTPUT_FOLDERS and name not in OUTPUT_FILES
    }


def _editable(top: Fields, category: str, present: dict[str, bytes]) -> tuple[str, ...]:
    """The editable files: the file to write if one is named, otherwise the sources."""
    if "target_file_path" in top:
        names: tuple[str, ...] = (top.string("target_file_path", None),)
    else:
        names = top.strings("source_file_path", ())
    if not names:
        top.problem("source_file_path", list(names), "at least one file, or a target_file_path")
    for name in names:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            top.problem("editable", name, "a path below the task's folder")
        elif name not in present and not category.startswith("torch2"):
            top.problem("editable", name, "a file of the task's folder")
    return names


def _architectures(top: Fields, platform: Fields) -> tuple[str, ...]:
    required = platform.raw.get("required_arch")
    named = [required] if isinstance(required, str) else required or top.raw.get("supported_archs") or []
    return tuple(map(str, named))


def _skipped(platform: Fields) -> str | None:
    status = str(platform.raw.get("status", "active"))
    return None if status == "active" else str(platform.raw.get("skip_reason") or f"its status is {status}")
