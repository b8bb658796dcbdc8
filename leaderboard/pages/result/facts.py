"""The parts of a result's page: gates, cases, remarks, sources and the way to reproduce it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from evaluator.records.measurements import FUNCTIONAL, T_DEV
from evaluator.records.record import GATE_NAMES, Record
from leaderboard.diffs import Diff, DiffLine, diff, is_comparable, numbered
from leaderboard.encoding import SCREEN
from leaderboard.formatting import seconds
from leaderboard.pages.base import page_url, task_source_url
from leaderboard.pages.result import times
from leaderboard.pages.result.times import CaseRatio, ClockTimes
from leaderboard.queries import results
from leaderboard.queries.results import AttemptRow, MeasurementRow, ResultDetailRow
from leaderboard.words import FLAGS, GATES


@dataclass(frozen=True, slots=True)
class Gate:
    name: str
    outcome: str  # passed, failed, not_reached; unknown where nothing is recorded
    seconds: float | None
    meaning: str = field(metadata=SCREEN)
    time: str = field(metadata=SCREEN)


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """Both sides in milliseconds on the clock that counts most here: t_dev, or `functional`, which compares nothing."""

    id: str
    profile: str
    split: str
    correct: bool | None
    draws: int
    relative_rmse: float | None
    allowed_rmse: float | None
    baseline_rmse: float | None
    first_call_ms: float | None
    clock: str | None
    baseline_ms: float | None
    candidate_ms: float | None
    ratio: CaseRatio | None  # on t_dev
    clocks: tuple[ClockTimes, ...]  # every one

    @property
    def is_timed_on_device(self) -> bool:
        return any(one.clock != FUNCTIONAL for one in self.clocks)


@dataclass(frozen=True, slots=True)
class Remark:
    """A flag or a finding: worth knowing, fails nobody."""

    code: str
    gate: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the candidate, compared with the baseline's file of the same name where there is one."""

    path: str
    sha256: str
    url: str
    text: str | None  # None where the archive lost it
    lines: tuple[DiffLine, ...] = field(metadata=SCREEN)
    diff: Diff | None = field(metadata=SCREEN)
    is_baseline: bool = field(metadata=SCREEN)
    caption: str = field(default="from the baseline to the candidate", metadata=SCREEN)


def gates(attempt: AttemptRow | None, record: Record | None) -> tuple[Gate, ...]:
    """As recorded; without a record, what the attempt's row lets one say."""
    if record is not None:
        return tuple(
            Gate(
                one.name,
                one.outcome,
                None if one.outcome == "not_reached" else one.seconds,
                GATES[one.name],
                "" if one.outcome == "not_reached" else seconds(one.seconds),
            )
            for one in record.gates
        )
    return tuple(Gate(name, _outcome(name, attempt), None, GATES[name], "") for name in GATE_NAMES)


def cases(rows: Sequence[MeasurementRow]) -> tuple[CaseFacts, ...]:
    """A case that was left with its draws right, because a later one went wrong, is not called wrong: it is open."""
    return tuple(_case(row, is_last=index == len(rows) - 1) for index, row in enumerate(rows))


def _case(row: MeasurementRow, is_last: bool) -> CaseFacts:
    clocks = times.clocks(row)
    counting = clocks[0] if clocks and clocks[0].clock in (T_DEV, FUNCTIONAL) else None
    within = row.relative_rmse is None or row.allowed_rmse is None or row.relative_rmse <= row.allowed_rmse
    is_open = row.correct is False and row.draws > 0 and within and not is_last
    return CaseFacts(
        row.case,
        row.profile,
        row.split,
        None if is_open else row.correct,
        row.draws,
        row.relative_rmse,
        row.allowed_rmse,
        row.baseline_rmse,
        row.first_call_ms,
        counting.clock if counting else None,
        counting.baseline_ms if counting else None,
        counting.candidate_ms if counting else None,
        times.ratio(row),
        clocks,
    )


def flags(names: Sequence[str]) -> tuple[Remark, ...]:
    return tuple(Remark(name, "", *FLAGS[name]) for name in names)


def findings(record: Record | None) -> tuple[Remark, ...]:
    return (
        tuple(Remark(one.code, one.gate, one.code.replace("_", " "), one.text) for one in record.findings)
        if record
        else ()
    )


def sources(row: ResultDetailRow) -> tuple[Source, ...]:
    """The candidate's files with their differences, then files of the baseline that have no counterpart."""
    ours = {path: _text(digest) for path, digest in sorted(row.task_files.items())}
    found = []
    for path, digest in sorted(row.candidate_files.items()):
        text = _text(digest)
        url = page_url("candidate", row.id, path)
        found.append(Source(path, digest, url, text, numbered(text or ""), _diff(ours.get(path), text), False))
    for path, text in ours.items():
        if path not in row.candidate_files:
            url = task_source_url(row.task, row.task_digest, path)
            found.append(Source(path, row.task_files[path], url, text, numbered(text or ""), None, True))
    return tuple(found)


def commands(row: ResultDetailRow) -> tuple[str, ...]:
    """What to type in a checkout after fetching the candidate's files; for a built-in agent, its whole run.

    Without files there is nothing to evaluate.
    """
    if not row.candidate_files:
        return ()
    backend = row.backend
    if not set(row.candidate_files) <= set(row.editable):
        words = ["run", "--suite", row.suite, "--agent", row.agent_slug, "--repeat", str(row.repeat)]
        return (_evaluator([*words, "--backend", backend, "--out", "run"]),)
    words = ["evaluate", row.task, "--candidate", "candidate", "--backend", backend, "--out", "result.json"]
    return (_evaluator(words),)


def downloads(row: ResultDetailRow) -> tuple[tuple[str, str], ...]:
    """(file to write, address) of what the commands need."""
    if not set(row.candidate_files) <= set(row.editable):
        return ()
    files = sorted(row.candidate_files)
    return tuple(
        (shlex.quote(str(PurePosixPath("candidate", path))), page_url("candidate", row.id, path)) for path in files
    )


def _evaluator(words: Sequence[str]) -> str:
    return shlex.join([".venv/bin/python", "-m", "evaluator", *words])


def _outcome(name: str, attempt: AttemptRow | None) -> str:
    if attempt is None or not attempt.gate:
        return "passed" if attempt is not None and attempt.status == "passed" else "unknown"
    order = GATE_NAMES.index(name) - GATE_NAMES.index(attempt.gate)
    return "failed" if order == 0 else "passed" if order < 0 else "not_reached"


def _text(digest: str) -> str | None:
    data = results.archived(digest)
    return None if data is None else data.decode("utf-8", "replace")


def _diff(old: str | None, new: str | None) -> Diff | None:
    return None if old is None or new is None or not is_comparable(old, new) else diff(old, new)
