"""Runs one agent on one suite, in a folder from which an interrupted run continues; the result is a zip to submit.

The folder has run.json, candidates/<task>/…, records/<task>.json, sessions/<task>.json for agents that work in
sessions, unseen/<task>.json for a revealed round, and calibrations/<device>.json for each device of the run. A record
is reused if its task, candidate and round are the same; everything else is evaluated again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluator import VERSION, codec
from evaluator.agents.catalog import AgentFolder, produce, read_agent, settings_text
from evaluator.agents.interface import ProducedCandidate
from evaluator.backends import Backend
from evaluator.bundles.archives.packing import slug, zip_folder
from evaluator.bundles.native.calibrations import FOLDER as CALIBRATIONS
from evaluator.errors import UsageError
from evaluator.pipeline import Evaluator
from evaluator.records.calibration import read_calibration, write_calibration
from evaluator.records.reasons import Status
from evaluator.records.record import PROTOCOL, SCHEMA_VERSION, Record, read_record, write_record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.float8 import runs_on
from evaluator.tasks.spec import Profile, TaskSpec, write_files
from evaluator.tasks.suites import TaskSuite
from evaluator.thresholds import SESSIONS
from evaluator.unseen.generate import core_cases
from evaluator.unseen.record import UnseenRecord, read_unseen, write_unseen
from evaluator.unseen.rounds import RoundFile
from evaluator.workbench import session_candidate


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The record of one task, the expected status of a reference agent, and the record of a round's unseen cases."""

    record: Record
    expected: Status | None
    unseen: UnseenRecord | None

    @property
    def as_expected(self) -> bool:
        return self.expected is None or self.record.status is self.expected


Progress = Callable[[str, TaskOutcome | None], None]  # task id; the outcome, or None when the task starts


class DeviceFacts(NamedTuple):
    """What a manifest says of the device."""

    backend: str
    device_class: str
    has_clock: bool


def facts_of(backend: Backend) -> DeviceFacts:
    return DeviceFacts(backend.name, backend.device_class, backend.has_clock)


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """An agent on a suite, and the folder of its results."""

    suite: TaskSuite
    agent: AgentFolder
    folder: Path
    repeat: int = 0
    sessions: int = SESSIONS
    revealed: RoundFile | None = None

    def open(self, device: DeviceFacts) -> None:
        """Begin the folder, or continue the one of this run on this kind of device.

        Raises:
            UsageError: the folder holds another run.
        """
        timed = {"sessions": self.sessions} if device.has_clock else {}
        _open_folder(self.folder, {**_manifest(self, device), **timed})

    def keep_calibration(self, backend: Backend) -> None:
        """Write the calibration of this device, if it has one."""
        calibration = read_calibration(backend.host()) if backend.has_clock else None
        if calibration is not None:
            write_calibration(calibration, self.folder / CALIBRATIONS)

    def outcome(self, task: TaskSpec, evaluator: Evaluator) -> TaskOutcome:
        """Return what is there of one task, and evaluate what is not."""
        produced = _candidate(self.folder, task, self.agent, evaluator, self.repeat)
        record = _finished_record(self.folder, task, produced.candidate)
        record = record or _evaluate(self.folder, task, produced.candidate, evaluator, self.sessions)
        unseen = _unseen(self.folder, task, produced.candidate, evaluator, self.revealed) if self.revealed else None
        return TaskOutcome(record, produced.expected, unseen)

    def on_one(self, evaluator: Evaluator, progress: Progress | None = None) -> list[TaskOutcome]:
        """Run every task on one device, and write the zip at the end."""
        self.open(facts_of(evaluator.backend))
        self.keep_calibration(evaluator.backend)
        outcomes = []
        for task in self.suite.tasks:
            if progress:
                progress(task.id, None)
            outcomes.append(self.outcome(task, evaluator))
            if progress:
                progress(task.id, outcomes[-1])
        zip_folder(self.folder)
        return outcomes


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
    """Run an agent on every task of a suite, continue a run that was interrupted, and write the zip at the end.

    Raises:
        UsageError: the folder holds another run.
        HostError: the agent cannot work on this host.
    """
    agent = read_agent(agent) if isinstance(agent, str) else agent
    return SuiteRun(suite, agent, folder, repeat, sessions, revealed).on_one(evaluator, progress)


def evaluate_round(
    evaluator: Evaluator, task: TaskSpec, candidate: Candidate, revealed: RoundFile, *, uploaded: bool = False
) -> UnseenRecord:
    """The record of a candidate on a round's core cases, in the largest profile that the backend supports."""
    profile: Profile = "full" if "full" in evaluator.backend.profiles else "small"
    found = core_cases(task, revealed.secret, profile)
    cases = [one for one in found if runs_on(task, one.case, evaluator.backend.architecture)]
    return evaluator.evaluate_unseen(
        task, candidate, cases, round_digest=revealed.digest, generator=revealed.generator, uploaded=uploaded
    )


def _candidate(
    folder: Path, task: TaskSpec, agent: AgentFolder, evaluator: Evaluator, repeat: int
) -> ProducedCandidate:
    """The agent's candidate: made anew by a reference agent, otherwise from the recorded or a new session."""
    if agent.kind == "reference":
        return produce(agent.name, task, repeat)
    path, sources = folder / "sessions" / f"{slug(task.id)}.json", folder / "candidates" / slug(task.id)
    return session_candidate(task, agent, evaluator, path, sources, repeat=repeat)


def _manifest(run: SuiteRun, device: DeviceFacts) -> dict[str, object]:
    suite, agent, revealed = run.suite, run.agent, run.revealed
    return {
        "schema": SCHEMA_VERSION,
        "protocol": PROTOCOL,
        "evaluator": VERSION,
        "suite": suite.label,
        "suite_digest": suite.digest,
        "agent": agent.name,
        **({} if agent.kind == "reference" else {"settings": settings_text(agent)}),
        "repeat": run.repeat,
        "backend": device.backend,
        "device_class": device.device_class,
        "round": revealed.digest if revealed else None,  # None: seen cases only
        "generator": revealed.generator if revealed else None,
        "tasks": {task.id: task.digest for task in suite.tasks},
    }


def _open_folder(folder: Path, manifest: dict[str, object]) -> None:
    path = folder / "run.json"
    if path.is_file():
        before = _read_manifest(path)
        other = sorted(key for key in manifest if before.get(key) != manifest[key])
        if other:
            raise UsageError(f"{folder} holds a run that differs in {', '.join(other)}; choose a new folder")
        return
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and has no run.json; choose a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(codec.dumps(manifest), encoding="utf-8")


def _read_manifest(path: Path) -> dict[str, object]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict):
        raise UsageError(f"{path} is damaged; choose a new folder, or remove this one")
    return manifest


def _finished_record(folder: Path, task: TaskSpec, candidate: Candidate) -> Record | None:
    """The existing record of exactly this task and candidate; None without one, or if the evaluation had errored."""
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
    """The existing record of this task, candidate and round, or a new one; errored cases are evaluated again."""
    path = folder / "unseen" / f"{slug(task.id)}.json"
    if path.is_file():
        try:
            found = read_unseen(path.read_bytes())
        except codec.DecodeError:
            found = None
        same = found and (found.task.digest, found.candidate.digest) == (task.digest, candidate.digest)
        if found and same and not found.has_fault and found.round == revealed.digest:
            return found
    record = evaluate_round(evaluator, task, candidate, revealed)
    write_unseen(record, path)
    return record
