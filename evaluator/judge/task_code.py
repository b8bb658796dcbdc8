"""Loads the code of a task's folder that the judge runs in its own process. It is in the digest, and trusted."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from evaluator.errors import TaskError
from evaluator.tasks.spec import TaskSpec


def load_module(task: TaskSpec, file: str) -> ModuleType:
    """Import one of the task's own files.

    Raises:
        TaskError: it cannot be imported.
    """
    name = f"{Path(file).stem}_{task.digest[:12]}"
    spec = importlib.util.spec_from_file_location(name, task.folder / file)
    if spec is None or spec.loader is None:
        raise TaskError([f"{task.id}/{file}: cannot be imported"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
