"""Agents' sessions on a run's page: what each used, how it ended, and the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.formatting import NONE, plural, printable, seconds
from leaderboard.pages.base import page_url
from leaderboard.pages.session_cells import (
    NOT_REPORTED,
    checks_text,
    cost_cell,
    ending_cell,
    seconds_cell,
    usage_cell,
    usd,
)
from leaderboard.queries import sessions
from leaderboard.queries.sessions import SessionRow
from leaderboard.tables import Cell, Field, Table, fields, hidden, table


@dataclass(frozen=True, slots=True)
class RunSession:
    """An agent's session, in short; the result's page has all of it. None stands for what was not reported."""

    result: int
    task: str
    ended: str | None
    is_running: bool
    seconds: float | None
    turns: int | None
    output_tokens: int | None
    input_tokens: int | None
    cached_input_tokens: int | None
    tool_calls: int | None
    cost_usd: float | None
    cost_source: str | None
    no_cost_because: str | None
    model: str | None
    evaluator: str
    checks: int
    failed_builds: int
    session_digest: str | None
    prompt_digest: str | None
    tail: str


@dataclass(frozen=True, slots=True)
class Prompt:
    task: str
    text: str


def run_session(row: SessionRow) -> RunSession:
    same = ("seconds", "turns", "output_tokens", "input_tokens", "cached_input_tokens", "tool_calls", "cost_usd")
    return RunSession(
        result=row.result_id,
        task=row.task,
        ended=row.ended or None,
        is_running=row.is_running,
        **{name: getattr(row, name) for name in same},
        cost_source=row.cost_source or None,
        no_cost_because=row.no_cost_because or None,
        model=row.model or None,
        evaluator=row.evaluator,
        checks=row.checks,
        failed_builds=row.failed_builds,
        session_digest=row.digest or None,
        prompt_digest=row.prompt_digest or None,
        tail=row.tail,
    )


def first_prompt(rows: Sequence[SessionRow]) -> Prompt | None:
    """Return the prompt of the first session that has one; None where the archive lost its text."""
    row = next((one for one in rows if one.prompt_digest), None)
    text = sessions.prompt(row.prompt_digest) if row else None
    return Prompt(row.task, text) if row and text is not None else None


def why_no_prompt(rows: Sequence[SessionRow]) -> str:
    """Explain to readers of the run's page why it shows no prompt."""
    ended = [row for row in rows if row.ended]
    if any(row.prompt_digest for row in ended):
        return "No prompt: it is no longer in the archive."
    if ended and all(row.is_of_a_program for row in ended):
        return "No prompt: this agent is a program and gets none."
    return "No prompt: no ended session has one." if ended else "No prompt yet: no session has ended."


def evaluators(rows: Sequence[SessionRow]) -> str | None:
    """Name the versions of the evaluator that ran the sessions; None without sessions."""
    found = sorted({row.evaluator for row in rows})
    return f"evaluator {', '.join(found)}, which ran its sessions" if found else None


def facts(rows: Sequence[SessionRow]) -> list[tuple[str, str, str]]:
    """Return (term, text, address) of each fact about all sessions together; empty without sessions."""
    if not rows:
        return []
    models = sorted({row.model for row in rows if row.model})
    is_free = all(row.cost_source == "free" for row in rows if row.ended)
    ended = [row.seconds for row in rows if row.seconds is not None]
    known = [row.cost_usd for row in rows if row.cost_usd is not None]
    cost = usd(sum(known)) if known else "unknown"
    cost += f", reported by {len(known)} of {len(ended)} sessions" if len(known) < len(ended) else ""
    if not ended:
        return [("Sessions", "none has ended yet", "")]
    return [
        ("Model used", printable(", ".join(models)) or ("none" if is_free else NOT_REPORTED), ""),
        ("Sessions", f"{plural(len(ended), 'session')} ended, {seconds(sum(ended))} in total", ""),
        ("Cost", cost, ""),
    ]


def sessions_table(rows: Sequence[SessionRow]) -> Table:
    columns: tuple[Field[SessionRow], ...] = fields(
        Field("task", "Task", _task_cell),
        Field("ended", "Ended", ending_cell),
        Field("seconds", "Wall time", lambda row: seconds_cell(row.seconds), is_number=True),
        Field("turns", "Turns", lambda row: usage_cell(row.turns), is_number=True),
        Field("output_tokens", "Output tokens", lambda row: usage_cell(row.output_tokens), is_number=True),
        Field("tool_calls", "Tool calls", lambda row: usage_cell(row.tool_calls), is_number=True),
        Field("checks", "Versions checked", lambda row: Cell(checks_text(row), row.checks)),
        hidden("failed_builds", lambda row: row.failed_builds),
        Field("cost_usd", "Cost", cost_cell, is_number=True),
        Field("prompt", "Prompt", _prompt_cell),
        hidden("input_tokens", lambda row: row.input_tokens),
        hidden("cached_input_tokens", lambda row: row.cached_input_tokens),
        hidden("cost_source", lambda row: row.cost_source or None),
        hidden("no_cost_because", lambda row: row.no_cost_because or None),
        hidden("model", lambda row: row.model or None),
        hidden("evaluator", lambda row: row.evaluator),
        hidden("started_at", lambda row: row.started_at.isoformat()),
        hidden("session_digest", lambda row: row.digest or None),
        hidden("prompt_digest", lambda row: row.prompt_digest or None),
    )
    empty = "No agent sessions in this run, or its round is not revealed yet."
    caption = "The agent's session on each task, which leads to its steps"
    return table("sessions", caption, columns, rows, empty)


def _task_cell(row: SessionRow) -> Cell:
    return Cell(row.task.rpartition("/")[2], row.task, page_url("transcript", row.result_id))


def _prompt_cell(row: SessionRow) -> Cell:
    url = page_url("session_prompt", row.result_id)
    return Cell("as text", url, url) if row.prompt_digest else Cell(NONE)
