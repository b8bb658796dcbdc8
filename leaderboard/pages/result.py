"""One result: the verdict, how it came about, the source, and everything needed to check it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.records import Record
from leaderboard.encoding import SCREEN
from leaderboard.formatting import moment, plural, short
from leaderboard.pages import result_parts, result_screen
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url, task_url, whole_number
from leaderboard.pages.result_history import OPEN, Attempt, attempts_table, history
from leaderboard.pages.result_parts import Case, Gate, Kernel, Remark, Source
from leaderboard.queries import results
from leaderboard.queries.results import AttemptRow, ResultRow
from leaderboard.words import CATEGORIES, ROLES, STATUSES, Word

RUN_NOTICES = {
    "draft": "a draft: it is on no board, and its results may still change.",
    "withdrawn": "withdrawn: it was taken off the boards and stays readable here.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage(Page):
    result: int
    run: int
    run_state: str
    repeat: int
    task: str
    task_digest: str
    category: str
    suite: str
    suite_version: int
    device_class: str
    configuration: str
    agent: str
    model: str | None
    role: str
    audit: str
    may_rank: bool
    attempt: int | None  # the one shown: the public one unless the URL asks for another
    published_attempt: int | None
    status: str
    gate: str | None
    reason: str | None
    message: str | None
    gates: tuple[Gate, ...]
    cases: tuple[Case, ...]
    flags: tuple[Remark, ...]
    findings: tuple[Remark, ...]
    isa: tuple[Kernel, ...]
    isa_checked: dict[str, str]
    seconds: dict[str, float]
    sandbox: str | None
    host_facts: dict[str, str]
    candidate_digest: str
    sources: tuple[Source, ...]
    attempts: tuple[Attempt, ...]
    downloads: tuple[tuple[str, str], ...]  # (file to write, address): fetched before the commands
    commands: tuple[str, ...]
    log: str | None
    word: Word = field(metadata=SCREEN)
    verdict: str = field(metadata=SCREEN)
    notices: tuple[str, ...] = field(metadata=SCREEN)
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address
    is_open: bool = field(metadata=SCREEN)


def build(query: Query, *, result: int) -> ResultPage | None:
    row = results.result(result)
    if row is None:
        return None
    attempts, measured = results.attempts_of(result), results.measurements_of(result)
    wanted = whole_number(query.get("attempt")) or row.published_number
    shown = next((one for one in attempts if one.number == wanted), None)
    if shown is None:
        if query.get("attempt"):
            return None
        shown = attempts[-1] if attempts else None
    record = results.record(shown.record_digest) if shown else None
    cases = result_parts.cases(measured.get(shown.id, ())) if shown else ()
    kernels, checked = result_parts.kernels(record), dict(record.isa_checked) if record else {}
    tried, chart = history(result, attempts, measured), result_screen.chart(cases)
    status, name = shown.status if shown else "missing", entry_name(row.agent, row.model)
    return ResultPage(
        title=f"{row.task.rpartition('/')[2]} by {name}",
        crumbs=(Link("Runs", page_url("runs")), Link(f"Run {row.run_id}", page_url("run", row.run_id))),
        tables=by_slug(
            result_screen.cases_table(cases),
            result_screen.kernels_table(kernels, checked),
            attempts_table(result, tried, shown.number if shown else None, row.published_number),
        ),
        charts={chart.slug: chart} if chart else {},
        **_identity(row),
        may_rank=results.may_rank(result),
        attempt=shown.number if shown else None,
        status=status,
        gate=shown.gate or None if shown else None,
        reason=shown.reason or None if shown else None,
        message=shown.message or None if shown else None,
        gates=result_parts.gates(shown, record),
        cases=cases,
        flags=result_parts.flags(shown.flags if shown else ()),
        findings=result_parts.findings(record),
        isa=kernels,
        isa_checked=checked,
        seconds=dict(record.seconds) if record else {},
        sandbox=record.sandbox.kind if record and record.sandbox else None,
        host_facts=dict(record.host.facts) if record else {},
        sources=result_parts.sources(row),
        attempts=tried,
        downloads=result_parts.downloads(row),
        commands=result_parts.commands(row),
        log=record.log if record else None,
        word=STATUSES[status],
        verdict=_verdict(shown, cases, row.is_functional),
        notices=_notices(row, shown, attempts, record),
        facts=_facts(row, shown, record),
        is_open=status in OPEN,
    )


def record_digest(result: int, number: int) -> str | None:
    """The record's name in the archive."""
    return next((one.record_digest or None for one in results.attempts_of(result) if one.number == number), None)


def candidate_file(result: int, path: str) -> bytes | None:
    row = results.result(result)
    digest = row.candidate_files.get(path) if row else None
    return results.archived(digest) if digest else None


def _identity(row: ResultRow) -> dict[str, Any]:
    same = (
        "run_state",
        "repeat",
        "task",
        "task_digest",
        "category",
        "suite",
        "configuration",
        "agent",
        "model",
        "role",
    )
    return {name: getattr(row, name) for name in same} | {
        "result": row.id,
        "run": row.run_id,
        "suite_version": row.version,
        "device_class": row.device,
        "audit": row.audit,
        "candidate_digest": row.candidate_digest,
        "published_attempt": row.published_number,
    }


def _verdict(shown: AttemptRow | None, cases: Sequence[Case], is_functional: bool) -> str:
    """One sentence that says how it ended."""
    if shown is None:
        return "No attempt was made yet."
    if shown.status == "passed":
        draws = sum(case.draws for case in cases)
        speed = " Speed is not judged on this device class." if is_functional else ""
        return f"Builds, and is right on {plural(len(cases), 'case')} and {plural(draws, 'draw')}.{speed}"
    return shown.message or STATUSES[shown.status].meaning


def _notices(
    row: ResultRow, shown: AttemptRow | None, attempts: Sequence[AttemptRow], record: Record | None
) -> tuple[str, ...]:
    """What a reader must know before believing the page."""
    notices = []
    if row.run_state != "published":
        notices.append(f"The run is {RUN_NOTICES[row.run_state]}")
    if shown is not None and row.published_number is not None and shown.number != row.published_number:
        notices.append(f"This is attempt {shown.number}. The public answer is attempt {row.published_number}.")
    newest = attempts[-1] if attempts else None
    if newest is not None and shown is not None and newest.number > shown.number:
        label = STATUSES[newest.status].label
        notices.append(f"Attempt {newest.number} is newer ({label}). It counts once a person publishes it.")
    if row.audit not in ("none", "clean"):
        notices.append(f"An audit found this result: {row.audit.replace('_', ' ')}.")
    if shown is not None and shown.record_digest and record is None:
        notices.append("The record of this attempt cannot be read: gates, findings and log are missing here.")
    if shown is not None and shown.requeues:
        notices.append(f"Queued again once: {shown.requeued_because or 'its worker was lost'}.")
    return tuple(notices)


def _facts(row: ResultRow, shown: AttemptRow | None, record: Record | None) -> tuple[tuple[str, str, str], ...]:
    facts = [
        ("Task", row.task, task_url(row.task) + ("" if row.task_is_current else f"?digest={short(row.task_digest)}")),
        ("Entry", f"{entry_name(row.agent, row.model)} ({ROLES[row.role]})", ""),
        ("Run", f"{row.run_id}, repeat {row.repeat}", page_url("run", row.run_id)),
        (
            "Board",
            f"{row.suite}@{row.version}, {CATEGORIES[row.category]}",
            page_url("board", row.suite, row.category, row.device),
        ),
        ("Device class", row.device_title, ""),
    ]
    if shown is not None:
        facts.append(("Attempt", f"{shown.number}" + (f" on {shown.host}" if shown.host else ""), ""))
        facts += [("Ended", moment(shown.ended_at), "")] if shown.ended_at else []
        facts += (
            [("Evaluator", f"{shown.evaluator}, protocol {record.protocol if record else 'unknown'}", "")]
            if shown.evaluator
            else []
        )
    if record is not None and record.sandbox is not None:
        facts.append(("Sandbox", record.sandbox.kind, ""))
    facts.append(("Candidate", short(row.candidate_digest) or "nothing handed in", ""))
    return (*facts, ("Task's digest", short(row.task_digest), ""))
