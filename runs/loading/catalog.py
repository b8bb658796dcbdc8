"""Mirrors tasks/, its suites and its revealed rounds into rows. The files are current; older rows stay."""

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
from runs.services.efficiency import fill_work
from runs.services.rounds import mirror_round

ACTOR = "sync_tasks"


@dataclass(frozen=True, slots=True)
class Mirrored:
    tasks: int
    suites: tuple[str, ...]
    rounds: tuple[str, ...]


def mirror() -> Mirrored:
    """Read every task, suite and round, then store all of them, or none if one breaks the format.

    Attempts whose task's model was not known until now get what they moved and computed by it.

    Raises:
        TaskError: with every problem of the first bad file, or every task that a trivial candidate passes.
        RunError: a suite's version or a round's name is already stored with other content.
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
            own = [suite for suite in mirrored if found.suite in ("", suite.name)]
            mirror_round(found=found, suite=max(own, key=lambda suite: suite.tasks.count()), actor=ACTOR)
    fill_work()
    return Mirrored(len(rows), tuple(suite.label for suite in suites), tuple(found.name for found in rounds))


def _mirrored(suite: FrozenSuite, rows: Mapping[str, Task]) -> Suite:
    tasks = [rows[task.id] for task in suite.tasks]
    return catalog.mirror_suite(
        name=suite.name, version=suite.version, digest=suite.digest, title=suite.title, tasks=tasks
    )


def _prove() -> None:
    """Refuse tasks that trivial candidates pass. A process of its own checks, because this one never imports torch.

    Raises:
        TaskError: with every such task.
    """
    proof = subprocess.run(
        [sys.executable, "-m", "evaluator", "tasks", "--prove"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if proof.returncode != 0:
        raise TaskError((proof.stderr.strip() or f"exit code {proof.returncode}").splitlines())
