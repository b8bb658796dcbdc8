"""The table of runs, which several pages share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from leaderboard.formatting import NBSP, day, moment, plural
from leaderboard.pages.base import entry_fields, entry_name, page_url
from leaderboard.queries.runs import RunListRow
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field
from leaderboard.words import RUN_STATES, TRUST, agent_version, role_note
from runs.trust import trust_text


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of tasks by their latest attempts; `passed` counts published results once the run is published."""

    tasks: int
    queued: int
    running: int
    ended: int
    passed: int

    @property
    def is_done(self) -> bool:
        return self.queued + self.running == 0

    @property
    def text(self) -> str:
        if not self.is_done:
            parts = [f"{self.ended} of {self.tasks} ended"]
            parts += [f"{self.running} running"] if self.running else []
            parts += [f"{self.queued} queued"] if self.queued else []
            return ", ".join(parts)
        return f"{self.passed} of {plural(self.tasks, 'task')} passed"


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in the table."""

    id: int
    configuration: str
    agent: str
    model: str | None
    model_identifier: str | None  # exactly as it was passed to the provider
    agent_version: str | None
    role: str
    settings: dict[str, Any]
    suite: str
    suite_version: int
    device_class: str
    repeat: int
    protocol: str
    state: str
    trust: str  # claimed, run_here or reproduced
    reproduced_tasks: int | None
    verified_tasks: int | None
    created_at: datetime
    published_at: datetime | None
    evaluated_from: datetime | None  # first start and last end of the latest attempts
    evaluated_until: datetime | None  # None while one of them is open
    progress: Progress


def run_line(row: RunListRow) -> RunLine:
    return RunLine(
        id=row.id,
        configuration=row.configuration,
        agent=row.agent,
        model=row.model,
        model_identifier=row.model_identifier,
        agent_version=agent_version(row.settings),
        role=row.role,
        settings=row.settings,
        suite=row.suite,
        suite_version=row.version,
        device_class=row.device,
        repeat=row.repeat,
        protocol=row.protocol,
        state=row.state,
        trust=row.trust,
        reproduced_tasks=row.reproduced_tasks,
        verified_tasks=row.verified_tasks,
        created_at=row.created_at,
        published_at=row.published_at,
        evaluated_from=row.evaluated_from,
        evaluated_until=row.evaluated_until if row.ended == row.tasks else None,
        progress=Progress(row.tasks, row.queued, row.running, row.ended, row.passed),
    )


def runs_table(lines: Sequence[RunLine], caption: str, empty: str) -> Table:
    columns: tuple[Field[RunLine], ...] = fields(
        Field("run", "Run", lambda line: Cell(f"Run {line.id}", line.id, page_url("run", line.id))),
        entry_fields(
            lambda line: entry_name(line.agent, line.model),
            lambda line: line.configuration,
            lambda line: role_note(line.role, f"repeat {line.repeat}" if line.repeat else ""),
            key="entry",
        ),
        text_field("suite", "Suite", lambda line: f"{line.suite}@{line.suite_version}"),
        text_field("device_class", "Device class", lambda line: line.device_class, is_code=True),
        text_field(
            "protocol",
            "Protocol",
            lambda line: line.protocol,
            is_code=True,
            on_page=len({line.protocol for line in lines}) > 1,
        ),
        Field("progress", "Progress", _progress_cell),
        hidden("passed", lambda line: line.progress.passed),
        hidden("tasks", lambda line: line.progress.tasks),
        Field("state", "State", lambda line: Cell(RUN_STATES[line.state][0], line.state)),
        Field("trust", "Trust", _trust_cell),
        Field("evaluated_from", "Evaluated", _window_cell),
        hidden("evaluated_until", lambda line: line.evaluated_until.isoformat() if line.evaluated_until else None),
        hidden("model_identifier", lambda line: line.model_identifier),
        hidden("created_at", lambda line: line.created_at.isoformat()),
    )
    return table("runs", caption, columns, lines, empty)


def window_text(start: datetime | None, end: datetime | None) -> str:
    """The evaluation window of a run: the first start and the last end of its evaluations."""
    if start is None:
        return "not started"
    if end is None:
        return f"{moment(start)}, still running"
    if day(start) == day(end):
        return f"{day(start)}, {start.astimezone(UTC):%H:%M} to {end.astimezone(UTC):%H:%M}{NBSP}UTC"
    return f"{moment(start)} to {moment(end)}"


def _window_cell(line: RunLine) -> Cell:
    start = line.evaluated_from
    return Cell(window_text(start, line.evaluated_until), start.isoformat() if start else None)


def _trust_cell(line: RunLine) -> Cell:
    word = TRUST[line.trust]
    text = trust_text(line.trust, line.reproduced_tasks, line.verified_tasks)
    return Cell(text, line.trust, tone=word.tone, mark=word.mark)


def _progress_cell(line: RunLine) -> Cell:
    text = line.progress.text
    return Cell(text, text) if line.progress.is_done else Cell(text, text, tone="open", mark="▸")
