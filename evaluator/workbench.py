"""Runs one agent session: its context, its checks and iterations, and the record of it all.

`arena check` sends each version through all the gates that the final candidate goes through, on the visible cases and
outside the agent's sandbox; on a GPU as a quick check, whose record is never published. Each distinct version is one
iteration, evaluated once.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from evaluator import VERSION, codec
from evaluator.agents.catalog import AgentFolder, launch, settings_text
from evaluator.agents.interface import (
    CheckedVersion,
    ProducedCandidate,
    SessionContext,
    SessionListener,
    SessionOutcome,
    ignore_event,
)
from evaluator.agents.scoring import feedback_text, speedup_of
from evaluator.pipeline import Evaluator
from evaluator.records.reasons import Status
from evaluator.records.record import Record, TaskRef
from evaluator.records.sessions import (
    MAX_DIFF,
    SESSION_SCHEMA_VERSION,
    IterationRecord,
    SessionRecord,
    plausible_usage,
    read_session,
    shortened,
    write_session,
)
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec, write_files

TARGET_OF_HOST = {"cpu": "gfx942"}  # what a host without a GPU compiles for


@dataclass(frozen=True, slots=True)
class FinishedSession:
    """A session that has ended, with the files of its candidate."""

    session: SessionRecord
    candidate: Candidate
    expected: Status | None


def session_candidate(
    task: TaskSpec, agent: AgentFolder, evaluator: Evaluator, path: Path, sources: Path, *, repeat: int = 0
) -> ProducedCandidate:
    """The candidate of the session recorded in `path`, with its files in `sources`; without one, a new session is run.

    Raises:
        HostError: the agent cannot work on this host: its program or its endpoint is missing.
    """
    if recorded := _recorded_candidate(task, agent, path, sources, repeat):
        return ProducedCandidate(recorded, None)
    finished = run_session(task, agent, evaluator, repeat=repeat)
    write_files(finished.candidate.files, sources)
    write_session(finished.session, path)
    return ProducedCandidate(finished.candidate, finished.expected)


def run_session(
    task: TaskSpec,
    agent: AgentFolder,
    evaluator: Evaluator,
    *,
    repeat: int = 0,
    budget_usd: float = float("inf"),
    on_event: SessionListener = ignore_event,
) -> FinishedSession:
    """Run one session; `on_event` gets each entry of the transcript and each version that was checked.

    Raises:
        HostError: the agent cannot work on this host.
    """
    bench, started_at = Workbench(task, evaluator, on_event), datetime.now(UTC)
    context = SessionContext(
        task=task,
        settings=agent.settings,
        repeat=repeat,
        architecture=target_architecture(evaluator.backend.architecture),
        check=bench.check,
        access=evaluator.backend.access(),
        deadline=bench.begin + agent.settings.timeout_s,
        budget_usd=budget_usd,
        agent=agent.name,
        on_event=on_event,
    )
    outcome = launch(agent, context)
    session = _session_record(context, agent, evaluator, bench, outcome, started_at.isoformat(timespec="seconds"))
    return FinishedSession(session, outcome.candidate, outcome.expected)


def target_architecture(architecture: str) -> str:
    return TARGET_OF_HOST.get(architecture, architecture)


class Workbench:
    """Checks the versions of one session and records its iterations."""

    def __init__(self, task: TaskSpec, evaluator: Evaluator, on_event: SessionListener = ignore_event) -> None:
        self._task, self._evaluator, self._hear = task, evaluator, on_event
        self.begin = monotonic()
        self.iterations: list[IterationRecord] = []
        self._checked: dict[str, CheckedVersion] = {}
        self._texts = [_texts({name: _bytes(task.folder / name) for name in task.editable})]  # then of each iteration

    def check(self, candidate: Candidate, parents: tuple[int, ...] | None = None) -> CheckedVersion:
        """Evaluate a version. One that was checked before gets the same result, unless the host had failed."""
        key = f"{candidate.digest} {candidate.problems}"
        if key in self._checked:
            return self._checked[key]
        began = monotonic()
        record = self._evaluator.evaluate(self._task, candidate, quick=self._evaluator.backend.has_clock)
        number = len(self.iterations) + 1
        self.iterations.append(self._iteration(number, candidate, record, began, parents))
        self._hear(self.iterations[-1])
        checked = CheckedVersion(number, record, feedback_text(record))
        if record.status is not Status.ERRORED:
            self._checked[key] = checked
        return checked

    def _iteration(
        self, number: int, candidate: Candidate, record: Record, began: float, parents: tuple[int, ...] | None
    ) -> IterationRecord:
        self._texts.append(_texts(candidate.files))
        made = IterationRecord(
            number=number,
            at_s=round(began - self.begin, 3),
            seconds=round(monotonic() - began, 3),
            digest=candidate.digest,
            status=record.status,
            message=record.message,
            speedup=speedup_of(record),
            diff="",
            parents=parents,
        )
        diff = diff_of(self._texts[made.previous or 0], self._texts[number])
        return replace(made, diff=shortened(diff, MAX_DIFF))


def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """A unified diff over all files, sorted by name."""
    lines = list[str]()
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        lines += difflib.unified_diff(old.splitlines(), new.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _session_record(
    context: SessionContext,
    agent: AgentFolder,
    evaluator: Evaluator,
    bench: Workbench,
    outcome: SessionOutcome,
    started_at: str,
) -> SessionRecord:
    return SessionRecord(
        schema=SESSION_SCHEMA_VERSION,
        evaluator=VERSION,
        agent=agent.name,
        settings=settings_text(agent),
        task=TaskRef(context.task.id, context.task.digest, context.task.category),
        repeat=context.repeat,
        architecture=context.architecture,
        device_class=evaluator.backend.device_class,
        started_at=started_at,
        seconds=round(monotonic() - bench.begin, 3),
        ended=outcome.ended,
        message=None if outcome.message is None else shortened(outcome.message),
        candidate=outcome.candidate.ref(),
        problems=outcome.candidate.problems,
        prompt=outcome.prompt,
        usage=plausible_usage(outcome.usage),
        iterations=tuple(bench.iterations),
        transcript=outcome.transcript,
    )


def _recorded_candidate(task: TaskSpec, agent: AgentFolder, path: Path, sources: Path, repeat: int) -> Candidate | None:
    """The candidate of a recorded session of exactly this task, agent and configuration, if its files are intact."""
    if not path.is_file():
        return None
    try:
        session = read_session(path.read_bytes())
    except codec.DecodeError:
        return None
    same = (session.task.digest, session.agent, session.repeat) == (task.digest, agent.name, repeat)
    files = {name: _bytes(sources / name) for name in session.candidate.files}
    problems = tuple((code, detail) for code, detail in session.problems)
    found = Candidate(files, session.candidate.label, problems)
    return found if same and session.settings == settings_text(agent) and found.ref() == session.candidate else None


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: codec.plain_text(data.decode("utf-8", "replace")) for name, data in files.items()}
