"""The page of one run: progress, results, agents' sessions and audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, duration, moment, printable, sentence
from leaderboard.pages.base import (
    Link,
    Page,
    Query,
    board_url,
    by_slug,
    count_cell,
    entry_name,
    moment_cell,
    page_url,
    round_query,
    task_url,
)
from leaderboard.pages.run import sessions as run_sessions
from leaderboard.pages.run.lines import RunLine, run_line, window_text
from leaderboard.pages.run.sessions import Prompt, RunSession
from leaderboard.queries import runs, sessions
from leaderboard.queries.runs import RunAuditRow, RunResultRow
from leaderboard.queries.sessions import SessionRow
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field
from leaderboard.words import (
    AGENT_VERSION,
    ALL,
    FLAGS,
    NO_MODEL,
    ROLES,
    RUN_STATES,
    STATUSES,
    settings_text,
    status_cell,
    version_text,
)
from runs.trust import trust_text

ACTIONS = {
    "start": "started",
    "publish": "published",
    "withdraw": "withdrawn",
    "rerun": "rerun",
    "cancel": "cancelled",
    "pause": "paused",
    "resume": "resumed",
    "import": "imported",
    "audit": "audited",
}


@dataclass(frozen=True, slots=True)
class RunResult:
    result: int
    task: str
    attempt: int | None
    status: str | None
    gate: str | None
    message: str | None
    flags: tuple[str, ...]
    started_at: datetime | None
    ended_at: datetime | None
    host: str | None
    requeues: int
    published_attempt: int | None


@dataclass(frozen=True, slots=True)
class RunAction:
    at: datetime
    actor: str
    action: str
    task: str | None
    from_attempt: int | None
    to_attempt: int | None
    reason: str
    undoes: str | None  # the action that this one undoes
    session_before: str | None  # of a rerun: the earlier session, which ended without a candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage(Page):
    run: RunLine
    sessions: tuple[RunSession, ...]  # none before its round is revealed
    note: str
    round: str | None  # whose unseen cases its candidates are evaluated on
    paused_at: datetime | None  # None unless paused; workers take no task of a paused run
    results: tuple[RunResult, ...]
    audit_log: tuple[RunAction, ...]
    prompt: Prompt | None = field(metadata=SCREEN)  # of the first session that has one
    no_prompt: str = field(metadata=SCREEN)  # why there is none
    working: RunSession | None = field(metadata=SCREEN)  # the session that is running now
    board: str | None  # address, once the run is published
    state_sentence: str = field(metadata=SCREEN)
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address


def build(query: Query, *, run: int) -> RunPage | None:
    row = runs.run(run)
    if row is None:
        return None
    found, session_rows, log = runs.results_of(run), sessions.of_run(run), runs.audit_log_of(run)
    line, worked = run_line(row), tuple(run_sessions.run_session(one) for one in session_rows)
    return RunPage(
        title=f"Run {row.id}: {entry_name(row.agent, row.model)}",
        lead=f"Suite {row.suite}@{row.version} on {row.device_title}, {ROLES[row.role]}, repeat {row.repeat}.",
        crumbs=(Link("Runs", page_url("runs")),),
        tables=by_slug(
            _results_table(found, datetime.now(UTC)), run_sessions.sessions_table(session_rows), _audit_log_table(log)
        ),
        run=line,
        note=row.note,
        round=row.round,
        results=tuple(_result(one) for one in found),
        audit_log=tuple(RunAction(*one[:4], *one[5:-1], one.session_before or None) for one in log),
        board=board_url(row.suite, row.version, row.suite_is_current, ALL, row.device, row.protocol)
        if row.state == "published"
        else None,
        paused_at=row.paused_at,
        state_sentence=_state_sentence(row),
        sessions=worked,
        prompt=run_sessions.first_prompt(session_rows),
        no_prompt=run_sessions.why_no_prompt(session_rows),
        working=next((one for one in worked if one.is_running), None),
        facts=_facts(row, line, session_rows),
    )


def _state_sentence(row: runs.RunListRow) -> str:
    text = sentence(RUN_STATES[row.state][1])
    if row.paused_at is None:
        return text
    return f"{text} Paused since {moment(row.paused_at)}: workers take none of its queued tasks."


def _result(row: RunResultRow) -> RunResult:
    return RunResult(
        row.id,
        row.task,
        row.number,
        row.status,
        row.gate or None,
        row.message or None,
        tuple(row.flags or ()),
        row.started_at,
        row.ended_at,
        row.host,
        row.requeues or 0,
        row.published_number,
    )


def _version(row: runs.RunListRow, found: Sequence[SessionRow]) -> str:
    """The agent's version: stated by the configuration, else the evaluator's that ran the sessions."""
    stated = version_text(row.settings, row.agent_kind)
    return stated if AGENT_VERSION in row.settings else run_sessions.evaluators(found) or stated


def _facts(row: runs.RunListRow, line: RunLine, session_rows: Sequence[SessionRow]) -> tuple[tuple[str, str, str], ...]:
    has_page = row.round is not None and row.suite_is_current
    board = page_url("generalization", row.suite, ALL, row.device)
    evidence = page_url("submission", row.submission) if row.submission else f"{page_url('metrics')}#trust"
    round_url = board + round_query(row.round, row.protocol) if row.round and has_page else ""
    facts = (
        ("Configuration", row.configuration, page_url("configuration", row.configuration)),
        ("Agent version", _version(row, session_rows), ""),
        ("Model identifier", printable(row.model_identifier or NO_MODEL), ""),
        *run_sessions.facts(session_rows),
        ("Settings", settings_text(row.settings) or "none", ""),
        ("Evaluation window", window_text(line.evaluated_from, line.evaluated_until), ""),
        ("Trust", trust_text(row.trust, row.reproduced_tasks, row.verified_tasks), evidence),
        ("Protocol", row.protocol, page_url("versions")),
        ("Unseen cases", f"round {row.round}" if row.round else "none", round_url),
    )
    return (*facts, ("Note", row.note, "")) if row.note else facts


def _results_table(rows: Sequence[RunResultRow], now: datetime) -> Table:
    columns: tuple[Field[RunResultRow], ...] = fields(
        Field(
            "task", "Task", lambda row: Cell(row.task.rpartition("/")[2], row.task, task_url(row.task), row.category)
        ),
        hidden("category", lambda row: row.category),
        Field("status", "Status", _status_cell),
        Field("message", "What happened", _message_cell),
        Field("seconds", "Duration", lambda row: _took_cell(row, now), is_number=True),
        Field("attempt", "Attempt", lambda row: count_cell(row.number), is_number=True),
        Field("published_attempt", "Published attempt", _published_cell, is_number=True),
    )
    caption = "Latest attempt at each task. Each status links to the source, log and record"
    return table("results", caption, columns, rows, "This run has no results: its suite has no tasks.")


def _status_cell(row: RunResultRow) -> Cell:
    flags = ", ".join(FLAGS[flag][0] for flag in row.flags or () if flag != "functional")
    return status_cell(row.status or "missing", page_url("result", row.id), flags, row.audit)


def _message_cell(row: RunResultRow) -> Cell:
    message = row.message or ""
    return Cell(message or NONE, message, note="Requeued after its worker was lost." if row.requeues else "")


def _took_cell(row: RunResultRow, now: datetime) -> Cell:
    if row.started_at is None:
        return Cell(NONE)
    if row.ended_at is None:
        return Cell(f"{duration(now - row.started_at)} so far")
    took = row.ended_at - row.started_at
    return Cell(duration(took), round(took.total_seconds(), 3))


def _published_cell(row: RunResultRow) -> Cell:
    """The published attempt, with its status where it is not the latest one."""
    is_other = row.published_number != row.number
    note = STATUSES[row.published_status].label if row.published_status and is_other else ""
    return replace(count_cell(row.published_number), note=note)


def _audit_log_table(rows: Sequence[RunAuditRow]) -> Table:
    columns: tuple[Field[RunAuditRow], ...] = (
        Field("at", "Time", lambda row: moment_cell(row.at)),
        text_field("actor", "Actor", lambda row: row.actor),
        Field("action", "Action", _action_cell),
        Field("task", "Task", _task_cell),
        Field("attempts", "Published attempt", _attempts_cell),
        Field("reason", "Reason", lambda row: Cell(row.reason or NONE, row.reason)),
    )
    return table("audit_log", "Audit log, newest first", columns, rows, "No actions yet.")


def _action_cell(row: RunAuditRow) -> Cell:
    note = f"undoes: {ACTIONS[row.undoes]}" if row.undoes else row.session_before
    return Cell(ACTIONS[row.action], row.action, note=note)


def _task_cell(row: RunAuditRow) -> Cell:
    url = page_url("result", row.result_id) if row.result_id else ""
    return Cell((row.task or "all").rpartition("/")[2], row.task, url)


def _attempts_cell(row: RunAuditRow) -> Cell:
    """The published attempt before and after."""
    if row.action != "publish" or not row.task:
        return Cell(NONE)
    text = f"{row.from_number or 'none'} to {row.to_number or 'none'}"
    return Cell(text, text)
