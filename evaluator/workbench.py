"""One agent session from outside: what the agent starts from, its checks, its iterations, and the record of it all.

`arena check`: each version goes whole through the same gates that judge the answer in the end, on the visible cases,
outside the agent's sandbox. Each distinct version is an iteration, judged once.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from evaluator import VERSION, codec
from evaluator.agents.catalog import AgentFolder, launcher_of, settings_text
from evaluator.agents.interface import CheckedVersion, Desk, Heard, Produced, Work, nobody
from evaluator.agents.scoring import speedup_of, told
from evaluator.pipeline import Evaluator
from evaluator.records.reasons import Status
from evaluator.records.record import Record, TaskRef
from evaluator.records.sessions import (
    MAX_DIFF,
    SESSION_SCHEMA_VERSION,
    IterationRecord,
    SessionRecord,
    credible,
    read_session,
    shortened,
    write_session,
)
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec, write_files

CHECK_SESSIONS = 1  # of the device clock: the answer is timed in full afterwards
STANDS_FOR = {"cpu": "gfx942"}  # what a host without a GPU compiles for


@dataclass(frozen=True, slots=True)
class Held:
    """A session that is over, with the bytes of what was handed in."""

    session: SessionRecord
    candidate: Candidate
    expected: Status | None


def work_on(
    task: TaskSpec, agent: AgentFolder, evaluator: Evaluator, path: Path, sources: Path, *, repeat: int = 0
) -> Produced:
    """The candidate of a session that is kept in `path`, with its files in `sources`; or of a new one, written there.

    Raises:
        HostError: the agent cannot work here at all: its program or its endpoint is missing.
    """
    if kept := _kept(task, agent, path, sources, repeat):
        return Produced(kept, None)
    held = hold_session(task, agent, evaluator, repeat=repeat)
    write_files(held.candidate.files, sources)
    write_session(held.session, path)
    return Produced(held.candidate, held.expected)


def hold_session(
    task: TaskSpec,
    agent: AgentFolder,
    evaluator: Evaluator,
    *,
    repeat: int = 0,
    budget_usd: float = float("inf"),
    hear: Heard = nobody,
) -> Held:
    """Let the agent work; `hear` is told each entry of the transcript and each version that was checked.

    Raises:
        HostError: the agent cannot work here at all.
    """
    bench, started_at = Workbench(task, evaluator, hear), datetime.now(UTC)
    desk = Desk(
        task=task,
        settings=agent.settings,
        repeat=repeat,
        architecture=target_of(evaluator.backend.architecture),
        check=bench.check,
        access=evaluator.backend.access(),
        deadline=bench.begin + agent.settings.timeout_s,
        budget_usd=budget_usd,
        agent=agent.name,
        hear=hear,
    )
    work = launcher_of(agent.name)(desk)
    # The candidate is the agent's, whatever the launcher made it from: a bundle of any other label is refused.
    work = replace(work, candidate=replace(work.candidate, label=agent.name))
    session = _session(desk, agent, evaluator, bench, work, started_at.isoformat(timespec="seconds"))
    return Held(session, work.candidate, work.expected)


def target_of(architecture: str) -> str:
    return STANDS_FOR.get(architecture, architecture)


class Workbench:
    """The checks of one session."""

    def __init__(self, task: TaskSpec, evaluator: Evaluator, hear: Heard = nobody) -> None:
        self._task, self._evaluator, self._hear = task, evaluator, hear
        self.begin = monotonic()
        self.iterations: list[IterationRecord] = []
        self._answers: dict[str, CheckedVersion] = {}
        self._before = _texts({name: _bytes(task.folder / name) for name in task.editable})

    def check(self, candidate: Candidate) -> CheckedVersion:
        """Judge a version; one that was judged before gets the same answer, unless the fault was ours."""
        key = f"{candidate.digest} {candidate.problems}"
        if key in self._answers:
            return self._answers[key]
        began = monotonic()
        record = self._evaluator.evaluate(self._task, candidate, sessions=CHECK_SESSIONS)
        number = len(self.iterations) + 1
        self.iterations.append(self._iteration(number, candidate, record, began))
        self._hear(self.iterations[-1])
        checked = CheckedVersion(number, record, told(record))
        if record.status is not Status.ERRORED:
            self._answers[key] = checked
        return checked

    def _iteration(self, number: int, candidate: Candidate, record: Record, began: float) -> IterationRecord:
        before, self._before = self._before, _texts(candidate.files)
        return IterationRecord(
            number=number,
            at_s=round(began - self.begin, 3),
            seconds=round(monotonic() - began, 3),
            digest=candidate.digest,
            status=record.status,
            message=record.message,
            speedup=speedup_of(record),
            diff=shortened(diff_of(before, self._before), MAX_DIFF),
        )


def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """A unified diff over all files, by name."""
    lines = list[str]()
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        lines += difflib.unified_diff(old.splitlines(), new.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _session(
    desk: Desk, agent: AgentFolder, evaluator: Evaluator, bench: Workbench, work: Work, started_at: str
) -> SessionRecord:
    return SessionRecord(
        schema=SESSION_SCHEMA_VERSION,
        evaluator=VERSION,
        agent=agent.name,
        settings=settings_text(agent),
        task=TaskRef(desk.task.id, desk.task.digest, desk.task.category),
        repeat=desk.repeat,
        architecture=desk.architecture,
        device_class=evaluator.backend.device_class,
        started_at=started_at,
        seconds=round(monotonic() - bench.begin, 3),
        ended=work.ended,
        message=None if work.message is None else shortened(work.message),
        candidate=work.candidate.ref(),
        problems=work.candidate.problems,
        prompt=work.prompt,
        usage=credible(work.usage),
        iterations=tuple(bench.iterations),
        transcript=work.transcript,
    )


def _kept(task: TaskSpec, agent: AgentFolder, path: Path, sources: Path, repeat: int) -> Candidate | None:
    """The candidate of a finished session of exactly this task, agent and configuration, if its files still are."""
    if not path.is_file():
        return None
    try:
        session = read_session(path.read_bytes())
    except codec.DecodeError:
        return None
    same = (session.task.digest, session.agent, session.repeat) == (task.digest, agent.name, repeat)
    files = {name: _bytes(sources / name) for name in session.candidate.files}
    problems = tuple((code, detail) for code, detail in session.problems)
    kept = Candidate(files, session.candidate.label, problems)
    return kept if same and session.settings == settings_text(agent) and kept.ref() == session.candidate else None


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: codec.plain_text(data.decode("utf-8", "replace")) for name, data in files.items()}
