"""The command `audit`: finds what a record names, and prints and writes the report."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from evaluator.activity.audit import audit_record, audit_recorded
from evaluator.backends import get_backend
from evaluator.codec import DecodeError
from evaluator.errors import UsageError
from evaluator.judge.traces import LIVE
from evaluator.pipeline import Evaluator, SandboxKind
from evaluator.records.activity import ActivityReport, summary, write_activity
from evaluator.records.record import Record, read_record
from evaluator.tasks.candidate import Candidate, read_candidate
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import TaskSpec


@dataclass(frozen=True, slots=True)
class Audited:
    """A record, with the task and the candidate that it names, and the backend to run it on."""

    record: Record
    task: TaskSpec
    candidate: Candidate
    backend: str

    @property
    def no_trace(self) -> str:
        """Why the profiler cannot run on this backend."""
        if self.backend == "rocm":
            return "on rocm the activity is read from files of rocprofv3: give their folder as --recorded"
        return f"the backend {self.backend} has no device, so there is no device trace to compare with; nothing was run"


def read_audited(path: Path, folder: Path | None, backend: str | None) -> Audited:
    """Read a record, its task, and its candidate: from `folder`, or from where a run folder or a site's zip has it.

    Raises:
        UsageError: there is no record, or no candidate.
    """
    try:
        record = read_record(path.read_bytes())
    except (OSError, DecodeError) as error:
        raise UsageError(f"{path} is not a record: {error}") from error
    task = load_task(record.task.id)
    beside = path.with_name("candidate")
    beside = beside if beside.is_dir() else path.parent.parent / "candidates" / path.stem
    candidate = read_candidate(folder or beside, task)
    return Audited(record, task, candidate, backend or record.host.backend)


def has_trace(audited: Audited, recorded: Path | None) -> bool:
    return recorded is not None or audited.backend in LIVE


def audit(audited: Audited, recorded: Path | None, sandbox: SandboxKind, out: Path | None) -> ActivityReport:
    """Make the report, print it, and write it to `out`.

    Raises:
        UsageError, TraceUnreadable: as `audit_record`.
    """
    given = (audited.task, audited.candidate, audited.record)
    if recorded:
        report = audit_recorded(*given, _files(recorded))
    else:
        with Evaluator(get_backend(audited.backend), sandbox) as evaluator:
            report = audit_record(evaluator, *given)
    sys.stdout.write(f"{summary(report)}\n")
    if out:
        write_activity(report, out)
        sys.stdout.write(f"report: {out}\n")
    return report


def _files(folder: Path) -> dict[str, str]:
    """Return rocprofv3's CSV files below the folder, by path."""
    found = {str(path): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.csv"))}
    if not found:
        raise UsageError(f"{folder} has no CSV file of rocprofv3")
    return found
