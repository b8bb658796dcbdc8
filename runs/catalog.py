"""Mirrors tasks/ and its suites into rows, by digest: what the files say now is current, everything older stays."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from evaluator.suites import load_suite, suite_names
from evaluator.taskreader import load_task, task_ids
from runs import services


@dataclass(frozen=True, slots=True)
class Mirrored:
    tasks: int
    suites: tuple[str, ...]


def mirror() -> Mirrored:
    """Read every task and suite, then write: all of them or, if one breaks the format, none.

    Raises:
        TaskError: with every problem of the first file that has any.
        RunError: a suite's version stands for another list already.
    """
    specs = [load_task(task_id) for task_id in task_ids()]
    suites = [load_suite(name) for name in suite_names()]
    with transaction.atomic():
        rows = services.mirror_tasks(specs=specs)
        for suite in suites:
            services.mirror_suite(
                name=suite.name,
                version=suite.version,
                digest=suite.digest,
                title="",
                tasks=[rows[task.id] for task in suite.tasks],
            )
    return Mirrored(len(rows), tuple(suite.label for suite in suites))
