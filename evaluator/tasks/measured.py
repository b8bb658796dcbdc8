"""What is known of tasks on GPUs: `tasks/measured.json`, one sorted line a task and device class.

`validate --backend cuda` writes it, and merges what several runs on several cards found. A task whose digest it does
not know is not measured: none of its cases is eligible, and nothing fails for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from evaluator import codec
from evaluator.errors import UsageError
from evaluator.tasks.lines import lines_text, rewrite
from evaluator.tasks.spec import TaskSpec, tasks_folder
from evaluator.thresholds import eligible_ns

DIGEST_LENGTH = 16  # characters of a task's digest, as in a calibration


@dataclass(frozen=True, slots=True)
class Measured:
    """What one card showed of one task.

    `times_us`: case → T_dev of the baseline and, where the task has a right candidate, of that. `wrong`: case → why a
    side is wrong on it; a case that is in neither was not reached, for the reason `failed`.
    """

    digest: str
    card: str  # the beginning of its UUID's hash
    software: str
    evaluator: str
    date: str
    sessions: int
    e0_us: float
    times_us: Mapping[str, tuple[float, ...]]
    wrong: Mapping[str, str]
    failed: str | None = None
    seconds: float | None = None  # that it took


@dataclass(frozen=True, slots=True)
class CaseFinding:
    """One full case on a device class; without a baseline's time it is not measured."""

    case: str
    baseline_us: float | None = None  # the median over cards
    candidate_us: float | None = None
    eligible: bool = False
    wrong: str | None = None
    cards: int = 0  # whose medians these are

    @property
    def is_too_short(self) -> bool:
        return self.baseline_us is not None and not self.wrong and not self.eligible


Findings = dict[str, tuple[Measured, ...]]  # "TASK CLASS" → one entry for each card and digest


def read_measured(path: Path | None = None) -> Findings:
    """Read the findings.

    Raises:
        UsageError: the file is malformed.
    """
    path = path or measured_file()
    if not path.exists():
        return {}
    try:
        return codec.loads(Findings, path.read_bytes())
    except codec.DecodeError as error:
        raise UsageError(f"{path} is malformed: {error}") from error


def add_measured(found: Findings, path: Path) -> None:
    """Merge findings into a file. Nothing else is dropped: this checkout may not have each task as it is elsewhere."""
    rewrite(path, lambda: as_text(merged(read_measured(path), found)))


def merged(old: Findings, new: Findings) -> Findings:
    """Merge findings: the newest of each card and digest. A later date says nothing of which digest is current."""
    result = dict[str, tuple[Measured, ...]]()
    for key in {*old, *new}:
        by_date = sorted([*old.get(key, ()), *new.get(key, ())], key=lambda one: one.date)
        result[key] = tuple({(one.card, one.digest): one for one in by_date}.values())
    return result


def as_text(found: Findings) -> str:
    lines = dict[str, str]()
    for key, entries in found.items():
        value = codec.encode(sorted(entries, key=lambda one: (one.card, one.digest)))
        lines[key] = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return lines_text(lines)


def key_of(task_id: str, device_class: str) -> str:
    return f"{task_id} {device_class}"


def current(found: Findings, task: TaskSpec) -> dict[str, tuple[Measured, ...]]:
    """Return device class → what its cards showed of the task as it is now."""
    keys = {key.partition(" ")[2]: entries for key, entries in found.items() if key.partition(" ")[0] == task.id}
    fresh = {name: tuple(one for one in entries if is_of(one, task)) for name, entries in keys.items()}
    return {name: entries for name, entries in sorted(fresh.items()) if entries}


def is_of(entry: Measured, task: TaskSpec) -> bool:
    return entry.digest == task.digest[:DIGEST_LENGTH]


def case_findings(entries: Sequence[Measured], task: TaskSpec, device_class: str) -> list[CaseFinding]:
    """Return what the cards of one device class showed of each full case."""
    return [_case_finding(case.id, entries, device_class) for case in task.cases_of(("full",))]


def _case_finding(case: str, entries: Sequence[Measured], device_class: str) -> CaseFinding:
    # Any card may show that a side is wrong; what an older evaluator found wrong may have been mended in it.
    newest = max(entries, key=lambda entry: entry.date).evaluator if entries else None
    failures = (entry.wrong.get(case) or entry.failed for entry in entries if entry.evaluator == newest)
    wrong = next(filter(None, failures), None)
    timed = [entry for entry in entries if case in entry.times_us]
    if not timed:
        return CaseFinding(case, wrong=wrong)
    baseline_us = median(entry.times_us[case][0] for entry in timed)
    candidates = [entry.times_us[case][1] for entry in timed if len(entry.times_us[case]) > 1]
    eligible = wrong is None and baseline_us * 1e3 >= eligible_ns(device_class)
    return CaseFinding(case, baseline_us, median(candidates) if candidates else None, eligible, wrong, len(timed))


def is_launch_bound(cases: Sequence[CaseFinding]) -> bool:
    """Whether every full case is timed and right, and most are too short: a failure says nothing of launches."""
    too_short = sum(case.is_too_short for case in cases)
    eligible = sum(case.eligible for case in cases)
    return eligible + too_short == len(cases) and too_short > eligible


def measured_file() -> Path:
    return tasks_folder() / "measured.json"
