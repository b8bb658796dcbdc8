"""Finds out why a mounted task cannot run on this host before anything is started."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from evaluator.backends import Backend
from evaluator.errors import TaskError
from evaluator.mounted.checkout import OTHER_KINDS, MountedTask, load_mounted, mounted_ids

PRETENDED = {"cpu": "gfx942"}  # by the stand-ins in evaluator/inside
COMMANDS = {"docker": "docker, which a sandbox cannot reach", "git clone": "a network, which a sandbox does not have"}
HIP = ("hip2hip", "torch2hip", "cuda2hip")


def obstacles(folder: Path, backend: Backend) -> Iterator[tuple[str, str | None]]:
    """Each task of a checkout with a sentence on why it cannot run here, or None."""
    for task_id in mounted_ids(folder):
        try:
            yield task_id, obstacle(load_mounted(folder, task_id), backend)
        except TaskError as error:
            yield task_id, "; ".join(error.problems)


def obstacle(task: MountedTask, backend: Backend) -> str | None:
    """A sentence on why the task cannot run on this backend; None if it can."""
    if task.skipped:
        return f"the checkout skips it: {task.skipped}"
    if task.category in OTHER_KINDS:
        return OTHER_KINDS[task.category]
    architecture = PRETENDED.get(backend.name, backend.architecture)
    if task.architectures and architecture not in task.architectures:
        return f"it is for {', '.join(task.architectures)}; this backend is {architecture}"
    if task.category in HIP and (backend.name != "rocm" or shutil.which("hipcc") is None):
        return f"its scripts build with hipcc and run on an AMD GPU; this backend is {backend.name}"
    if "flydsl" in task.category and find_spec("flydsl") is None:
        return "it needs the package flydsl"
    commands = " ".join(command for stage in task.commands.values() for command in stage)
    if "pytest" in commands and find_spec("pytest") is None:
        return "it needs the package pytest"
    needed = [text for word, text in COMMANDS.items() if word in commands]
    return f"its commands need {needed[0]}" if needed else None
