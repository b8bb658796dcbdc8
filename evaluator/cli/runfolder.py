"""One agent over one suite, as a folder that can be continued after any interruption, and at the end a zip to hand in.

DIR/run.json, DIR/candidates/<task>/..., DIR/records/<task>.json, DIR.zip; with a revealed round DIR/unseen/<task>.json,
without one seen cases only. A record is kept if it is of this task, candidate and round; everything else is evaluated
again. DIR/sessions/<task>.json says how an agent came to its candidate, DIR/calibrations/<device>.json how still each
device was that the run was continued on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluator import VERSION, codec
from evaluator.agents.catalog import AgentFolder, produce, read_agent, settings_text
from evaluator.agents.interface import ProducedCandidate
from evaluator.bundles.archives.packing import slug, zip_folder
from evaluator.bundles.native.calibrations import FOLDER as CALIBRATIONS
from evaluator.errors import UsageError
from evaluator.pipeline import Evaluator
from evaluator.records.calibration import read_calibration, write_calibration
from evaluator.records.reasons import Status
from evaluator.records.record import PROTOCOL, SCHEMA_VERSION, Record, read_record, write_record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import Profile, TaskSpec, write_files
from evaluator.tasks.suites import TaskSuite
from evaluator.thresholds import SESSIONS
from evaluator.unseen.generate import core_cases
from evaluator.unseen.record import UnseenRecord, read_unseen, write_unseen
from evaluator.unseen.rounds import RoundFile
from evaluator.workbench import session_candidate


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """A record, the status its agent is known to deserve if it is, and what a round's unseen cases say."""

    record: Record
    expected: Status | None
    unseen: UnseenRecord | None

    @property
    def as_expected(self) -> bool:
        return self.expected is None or self.record.status is self.expected


Progress = Callable[[str, TaskOutcome | None], None]  # task id, then what came of it


def run_suite(
    suite: TaskSuite,
    agent: str | AgentFolder,
    evaluator: Evaluator,
    folder: Path,
    *,
    repeat: int = 0,
    sessions: int = SESSIONS,
    revealed: RoundFile | None = None,
    progress: Progress | None = None,
) -> list[TaskOutcome]:
    """Evaluate an agent on every task of a suite, continuing where an earlier run stopped; zip at the end.

    Raises:
        UsageError: the folder holds another run.
        HostError: the agent cannot work here at all.
    """
    agent = read_agent(agent) if isinstance(agent, str) else agent
    timed = {"sessions": sessions} if evaluator.backend.has_clock else {}
    _claim(folder, {**_manifest(suite, agent, evaluator, repeat, revealed), **timed})
    calibration = read_calibration(evaluator.backend.host()) if evaluator.backend.has_clock else None
    if calibration is not None:
        write_calibration(calibration, folder / CALIBRATIONS)
    outcomes = []
    for task in suite.tasks:
        if progress:
            progress(task.id, None)
        produced = _produced(folder, task, agent, evaluator, repeat)
        record = _kept(folder, task, produced.candidate)
        record = record or _evaluate(folder, task, produced.candidate, evaluator, sessions)
        unseen = _unseen(folder, task, produced.candidate, evaluator, revealed) if revealed else None
        outcomes.append(TaskOutcome(record, produced.expected, unseen))
        if progress:
            progress(task.id, outcomes[-1])
    zip_folder(folder)
    return outcomes


def evaluate_round(
    evaluator: Evaluator, task: TaskSpec, candidate: Candidate, revealed: RoundFile, *, uploaded: bool = False
) -> UnseenRecord:
    """The core cases of a round, of the largest profile that the host runs."""
    profile: Profile = "full" if "full" in evaluator.backend.profiles else "small"
    cases = core_cases(task, revealed.secret, profile)
    return evaluator.evaluate_unseen(
        task, candidate, cases, round_digest=revealed.digest, generator=revealed.generator, uploaded=uploaded
    )


def _produced(folder: Path, task: TaskSpec, agent: AgentFolder, evaluator: Evaluator, repeat: int) -> ProducedCandidate:
    """Reference agents are asked again each time; a session is kept."""
    if agent.kind == "reference":
        return produce(agent.name, task, repeat)
    path, sources = folder / "sessions" / f"{slug(task.id)}.json", folder / "candidates" / slug(task.id)
    return session_candidate(task, agent, evaluator, path, sources, repeat=repeat)


def _manifest(
    suite: TaskSuite, agent: AgentFolder, evaluator: Evaluator, repeat: int, revealed: RoundFile | None
) -> dict[str, object]:
    return {
        "schema": SCHEMA_VERSION,
        "protocol": PROTOCOL,
        "evaluator": VERSION,
        "suite": suite.label,
        "suite_digest": suite.digest,
        "agent": agent.name,
        **({} if agent.kind == "reference" else {"settings": settings_text(agent)}),
        "repeat": repeat,
        "backend": evaluator.backend.name,
        "device_class": evaluator.backend.device_class,
        "round": revealed.digest if revealed else None,  # None: seen cases only
        "generator": revealed.generator if revealed else None,
        "tasks": {task.id: task.digest for task in suite.tasks},
    }


def _claim(folder: Path, manifest: dict[str, object]) -> None:
    path = folder / "run.json"
    if path.is_file():
        before = _read_manifest(path)
        other = sorted(key for key in manifest if before.get(key) != manifest[key])
        if other:
            raise UsageError(f"{folder} holds another run (other {', '.join(other)}); give a new folder")
        return
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no run.json; give a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(codec.dumps(manifest), encoding="utf-8")


def _read_manifest(path: Path) -> dict[str, object]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict):
        raise UsageError(f"{path} is damaged; give a new folder, or remove this one")
    return manifest


def _kept(folder: Path, task: TaskSpec, candidate: Candidate) -> Record | None:
    """A finished record of exactly this task and candidate; one of our own faults is tried again."""
    path = folder / "records" / f"{slug(task.id)}.json"
    if not path.is_file():
        return None
    try:
        record = read_record(path.read_bytes())
    except codec.DecodeError:
        return None
    same = (record.task.digest, record.candidate.digest) == (task.digest, candidate.digest)
    return record if same and record.status is not Status.ERRORED else None


def _evaluate(folder: Path, task: TaskSpec, candidate: Candidate, evaluator: Evaluator, sessions: int) -> Record:
    write_files(candidate.files, folder / "candidates" / slug(task.id))
    record = evaluator.evaluate(task, candidate, sessions=sessions)
    write_record(record, folder / "records" / f"{slug(task.id)}.json")
    return record


def _unseen(
    folder: Path, task: TaskSpec, candidate: Candidate, evaluator: Evaluator, revealed: RoundFile
) -> UnseenRecord:
    """The record that is kept, or a new one: a case with a fault of ours is tried again, with all others."""
    path = folder / "unseen" / f"{slug(task.id)}.json"
    if path.is_file():
        try:
            kept = read_unseen(path.read_bytes())
        except codec.DecodeError:
            kept = None
        same = kept and (kept.task.digest, kept.candidate.digest) == (task.digest, candidate.digest)
        if kept and same and not kept.has_fault and kept.round == revealed.digest:
            return kept
    record = evaluate_round(evaluator, task, candidate, revealed)
    write_unseen(record, path)
    return record
