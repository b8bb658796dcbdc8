"""Which tasks a call of `validate` is about, on a CPU and on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.errors import UsageError
from evaluator.tasks.reader import task_ids
from evaluator.tasks.spec import CATEGORIES, tasks_folder
from evaluator.tasks.suites import read_manifest, suite_names


def chosen_ids(wanted: str, only: Sequence[str] = (), part: tuple[int, int] = (1, 1)) -> list[str]:
    """Return the id `wanted`, or for "all" the ids that `only` names by suite, id or beginning; Triton tasks first.

    `part`: (k, n) for the k-th of n processes that share the work, which may be none.

    Raises:
        UsageError: a name is unknown, or there is no task.
    """
    ids = task_ids()
    if wanted != "all":
        if wanted not in ids:
            raise UsageError(f"no task is named {wanted!r}; `python -m evaluator tasks` lists them")
        return [wanted]
    if only:
        named = {task_id for name in only for task_id in _named(name, ids)}
        ids = [task_id for task_id in ids if task_id in named]
    if not ids:
        raise UsageError(f"{' '.join(['all', *(['--only', *only] if only else [])])}: no such task in {tasks_folder()}")
    ids.sort(key=lambda task_id: CATEGORIES[task_id.partition("/")[0]].language == "hip")  # which builds for minutes
    return ids[part[0] - 1 :: part[1]]


def _named(name: str, ids: Sequence[str]) -> list[str]:
    if name in suite_names():
        return list(read_manifest(name)[1])
    found = [task_id for task_id in ids if f"{task_id}/".startswith(f"{name.rstrip('/')}/")]
    if not found:
        suites = ", ".join(suite_names())
        raise UsageError(f"--only {name}: no task and no suite is named so; the suites are {suites}")
    return found
