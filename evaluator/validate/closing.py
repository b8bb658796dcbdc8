"""The table at the end: for each type of operator how many tasks a device class has measured, right and eligible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from evaluator.tasks.measured import Findings, case_findings, current
from evaluator.tasks.spec import TaskSpec

HEADINGS = ("tasks", "measured", "right", "eligible cases", "seconds of tasks")
TOGETHER = "together"


class Counts(NamedTuple):
    tasks: int = 0
    measured: int = 0
    right: int = 0
    eligible: int = 0
    cases: int = 0  # full ones of measured tasks
    seconds: float = 0.0  # of the newest measurements
    timed: int = 0  # tasks that they are of: older measurements did not keep theirs


def closing_table(tasks: Sequence[TaskSpec], findings: Findings, device_class: str) -> str:
    """One line for each benchmark and type of operator, one for all together, and the ids that are not measured."""
    by_group, missing = defaultdict[str, list[Counts]](list), list[str]()
    for task in tasks:
        counts = _counts(task, findings, device_class)
        by_group[f"{task.source} {task.provenance.get('operator_type', '')}".strip()].append(counts)
        missing += [] if counts.measured else [task.id]
    lines = [(name, _sum(counts)) for name, counts in sorted(by_group.items())]
    lines.append((TOGETHER, _sum([counts for _, counts in lines])))
    width = max(len(name) for name, _ in lines)
    shown = [" ".join([device_class.ljust(width), *HEADINGS])]
    shown += [f"{name.ljust(width)} {_line(counts)}" for name, counts in lines]
    return "\n".join([*shown, *(f"not measured: {task_id}" for task_id in missing)])


def _counts(task: TaskSpec, findings: Findings, device_class: str) -> Counts:
    entries = current(findings, task).get(device_class, ())
    if not entries:
        return Counts(tasks=1)
    cases = case_findings(entries, task, device_class)
    newest = max(entries, key=lambda entry: entry.date)
    is_right = not newest.failed and not any(case.wrong for case in cases)
    eligible = sum(case.eligible for case in cases)
    return Counts(1, 1, int(is_right), eligible, len(cases), newest.seconds or 0.0, newest.seconds is not None)


def _sum(counts: Sequence[Counts]) -> Counts:
    return Counts._make(map(sum, zip(*counts, strict=True)))


def _line(counts: Counts) -> str:
    tasks, measured, right, eligible, cases, seconds, timed = counts
    spent = f"{seconds:.0f} of {timed}" if timed else "-"
    texts = (str(tasks), str(measured), str(right), f"{eligible} of {cases}", spent)
    return " ".join(text.rjust(len(heading)) for text, heading in zip(texts, HEADINGS, strict=True))
