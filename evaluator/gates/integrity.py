"""The integrity gate: the task's files are unchanged, no process was left running, and times are plausible."""

from __future__ import annotations

from evaluator.errors import TaskError
from evaluator.gates.context import Context
from evaluator.gates.plausible import implausible
from evaluator.judge.rejection import Rejection
from evaluator.records.record import Finding
from evaluator.tasks.spec import task_digest, task_files
from evaluator.wording import counted

NAME = "integrity"


def check(context: Context) -> Rejection | None:
    """Check the task's digest, limits and times; report processes that were left behind as a finding."""
    digest = task_digest(task_files(context.task.folder))
    if digest != context.task.digest:
        if context.candidate_side().sandbox_hides_tasks:
            raise TaskError([f"{context.task.id} was edited while a candidate was evaluated for it"])
        return Rejection("task_changed", f"{context.task.id} is now {digest[:12]}, was {context.task.digest[:12]}")
    if (excess := context.candidate_side().excess) is not None:
        return Rejection("sandbox_limit", excess)
    if (left := context.candidate_side().leftovers) > 0:
        text = f"{counted(left, 'process was', 'processes were')} still running when a worker ended, and killed then"
        context.findings.append(Finding(NAME, "child_left_behind", text))
    return implausible(context)
