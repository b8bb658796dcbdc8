"""Freeze a suite of the tasks whose provenance names the public tasks of a list, each exactly once.

usage: python -m scripts.freeze_counterparts native-111    exit codes: 0, 1 refused, 2 usage

Reads scripts/suites/native-111.txt and writes tasks/suites/native-111.yaml.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluator.bundles.tasklists import arena_operator_types
from evaluator.cli.freeze import freeze_suite
from evaluator.errors import TaskError, UsageError
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import TaskSpec

BENCHMARK, FOLDER = "AgentKernelArena", "tasks/"  # as provenance has them
LISTS = Path(__file__).parent / "suites"


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or not (LISTS / f"{arguments[0]}.txt").is_file():
        sys.stderr.write(f"lists: {', '.join(sorted(path.stem for path in LISTS.glob('*.txt')))}\n")
        return 2
    try:
        sys.stdout.write(f"{freeze_suite(arguments[0], counterparts(public_tasks(arguments[0])))}\n")
    except (TaskError, UsageError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def public_tasks(suite: str) -> tuple[str, ...]:
    """The public tasks of a suite's list, such as `hip2hip/gpumode/GELU`."""
    lines = (LISTS / f"{suite}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def counterparts(public: Sequence[str]) -> list[str]:
    """The ids of our tasks after these.

    Raises:
        TaskError: with every public task that has none here, or more than one, or one of another operator type.
    """
    here: dict[str, list[TaskSpec]] = {}
    for task in map(load_task, task_ids()):
        if task.provenance.get("benchmark") == BENCHMARK:
            here.setdefault(task.provenance["path"].removeprefix(FOLDER), []).append(task)
    problems = [problem for path in public for problem in _problems(path, here.get(path, ()))]
    if problems:
        raise TaskError([*problems, f"{len(problems)} problems of {len(public)} public tasks"])
    return [here[path][0].id for path in public]


def _problems(path: str, found: Sequence[TaskSpec]) -> Iterator[str]:
    if len(found) != 1:
        yield f"{path}: {', '.join(task.id for task in found) or 'no task after it'}"
    expected = arena_operator_types()[path].name
    for task in found:
        if (named := task.provenance.get("operator_type")) != expected:
            yield f"{task.id}: operator_type is {named!r}, in the paper's words {expected!r}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
