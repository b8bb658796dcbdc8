"""Runs as lines of a table: on the home page, in the list of runs, at the head of a run's own page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from leaderboard.formatting import plural
from leaderboard.pages.agents.entrants import agent_version
from leaderboard.pages.base import entry_cells, entry_name, moment_cell, page_url
from leaderboard.queries.runs import RunListRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import RUN_STATES, role_note


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts over the latest attempts; `passed` over the public answers once the run is public."""

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
    origin: str
    verification: str
    created_at: datetime
    published_at: datetime | None
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
        origin=row.origin,
        verification=row.verification,
        created_at=row.created_at,
        published_at=row.published_at,
        progress=Progress(row.tasks, row.queued, row.running, row.ended, row.passed),
    )


def runs_table(lines: Sequence[RunLine], caption: str, empty: str) -> Table:
    columns = (
        Column("run", "Run"),
        Column("entry", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("suite", "Suite"),
        Column("device_class", "Device class", is_code=True),
        Column("progress", "Progress"),
        Column("passed", "Passed", on_page=False),
        Column("tasks", "Tasks", on_page=False),
        Column("state", "State"),
        Column("created_at", "Started", is_number=True),
    )
    return table("runs", caption, columns, [_cells(line) for line in lines], empty)


def _cells(line: RunLine) -> tuple[Cell, ...]:
    progress = line.progress
    repeat = f"repeat {line.repeat}" if line.repeat else ""
    return (
        Cell(f"Run {line.id}", line.id, page_url("run", line.id)),
        *entry_cells(entry_name(line.agent, line.model), line.configuration, role_note(line.role, repeat)),
        Cell(f"{line.suite}@{line.suite_version}", f"{line.suite}@{line.suite_version}"),
        Cell(line.device_class, line.device_class),
        Cell(
            progress.text, progress.text, tone="" if progress.is_done else "open", mark="" if progress.is_done else "▸"
        ),
        Cell("", progress.passed),
        Cell("", progress.tasks),
        Cell(RUN_STATES[line.state][0], line.state),
        moment_cell(line.created_at),
    )
