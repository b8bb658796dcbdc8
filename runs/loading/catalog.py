"""Mirrors tasks/, its suites and revealed rounds into rows: what files say now is current, everything older stays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction

from evaluator.errors import TaskError
from evaluator.state import REPOSITORY
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.suites import TaskSuite as FrozenSuite
from evaluator.tasks.suites import load_suite, suite_names
from evaluator.unseen.rounds import read_round, round_names
from runs.models import Suite, Task
from runs.services import catalog
from runs.services.rounds import mirror_round

ACTOR = "sync_tasks"


@dataclass(frozen=True, slots=True)
class Mirrored:
    tasks: int
    suites: tuple[str, ...]
    rounds: tuple[str, ...]


def mirror() -> Mirrored:
    """Read every task, suite and round, then write: all of them or, if one breaks the format, none.

    Raises:
        TaskError: with every problem of the first file that has any, or every task that is passed without work.
        RunError: a suite's version stands for another list already, a round's name for another secret.
    """
    specs = [load_task(task_id) for task_id in task_ids()]
    known = set(Task.objects.values_list("path", "digest"))
    if any((spec.id, spec.digest) not in known for spec in specs):
        _prove()
    suites = [load_suite(name) for name in suite_names()]
    rounds = [read_round(name) for name in round_names()] if suites else []
    with transaction.atomic():
        rows = catalog.mirror_tasks(specs=specs)
        mirrored = [_mirrored(suite, rows) for suite in suites]
        for found in rounds:
            mirror_round(found=found, suite=max(mirrored, key=lambda suite: suite.tasks.count()), actor=ACTOR)
    return Mirrored(len(rows), tuple(suite.label for suite in suites), tuple(found.name for found in rounds))


def _mirrored(suite: FrozenSuite, rows: Mapping[str, Task]) -> Suite:
    tasks = [rows[task.id] for task in suite.tasks]
    return catalog.mirror_suite(name=suite.name, version=suite.version, digest=suite.digest, title="", tasks=tasks)


def _prove() -> None:
    """By a process of its own, since it computes and this one never loads torch: no task enters that proves nothing."""
    told = subprocess.run(
        [sys.executable, "-m", "evaluator", "tasks", "--prove"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode != 0:
        raise TaskError((told.stderr.strip() or f"exit code {told.returncode}").splitlines())
