"""Loads the code of a task's folder that the judge runs in its own process. It is in the digest, and trusted."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from evaluator.errors import TaskError
from evaluator.tasks.spec import TaskSpec


def task_function(task: TaskSpec, file: str, function: str) -> Callable[..., Any]:
    """Import one of the task's own files, and return its function of that name.

    Raises:
        TaskError: there is no such function.
    """
    name = f"{Path(file).stem}_{task.digest[:12]}"
    spec = importlib.util.spec_from_file_location(name, task.folder / file)
    if spec is None or spec.loader is None:
        raise TaskError([f"{task.id}/{file}: cannot be imported"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        raise TaskError([f"{task.id}/{file}: no function {function}"])
    return cast(Callable[..., Any], found)
