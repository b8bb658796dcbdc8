"""One result: the verdict, how it came about, the source, and everything needed to check it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.records.measurements import PAPER_CLOCKS
from evaluator.records.record import Record
from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url, whole_number
from leaderboard.pages.result import facts as result_parts
from leaderboard.pages.result import isa as result_isa
from leaderboard.pages.result import roofline, screen, times, times_screen, words
from leaderboard.pages.result import session as result_session
from leaderboard.pages.result import unseen as result_unseen
from leaderboard.pages.result.audits import AuditLine, audit_of
from leaderboard.pages.result.facts import CaseFacts, Gate, Remark, Source
from leaderboard.pages.result.history import AttemptLine, attempts_table, history
from leaderboard.pages.result.isa import KernelReport, TargetSection
from leaderboard.pages.result.session import SessionSection
from leaderboard.pages.result.times import CaseSession
from leaderboard.pages.result.unseen import UnseenSection
from leaderboard.queries import generalization, results, submissions, tasks
from leaderboard.queries.results import AttemptRow, ResultDetailRow
from leaderboard.words import STATUSES, Word


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
    audits: tuple[AuditLine, ...]  # newest first
    may_rank: bool
    attempt: int | None  # the one shown: the public one unless the URL asks for another
    published_attempt: int | None
    status: str
    gate: str | None
    reason: str | None
    message: str | None
    protocol: str | None
    log_speedup: float | None  # on t_dev, mean over eligible cases
    cautious_log_speedup: float | None  # as metrics take it
    paper_clock: str | None
    paper_speedup: float | None  # on the paper's clock, mean over all cases
    gates: tuple[Gate, ...]
    cases: tuple[CaseFacts, ...]
    sessions: tuple[CaseSession, ...]
    session: SessionSection | None  # None where no agent of ours wrote it, and before its round is revealed
    unseen: UnseenSection | None  # None without a round, and before it is revealed
    flags: tuple[Remark, ...]
    findings: tuple[Remark, ...]
    isa: tuple[KernelReport, ...]
    isa_checked: dict[str, str]
    seconds: dict[str, float]
    sandbox: str | None
    host_facts: dict[str, str]
    candidate_digest: str
    sources: tuple[Source, ...]
    attempts: tuple[AttemptLine, ...]
    downloads: tuple[tuple[str, str], ...]  # (file to write, address): fetched before the commands
    commands: tuple[str, ...]
    log: str | None
    word: Word = field(metadata=SCREEN)
    verdict: str = field(metadata=SCREEN)
    notices: tuple[str, ...] = field(metadata=SCREEN)
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address
    clocks: tuple[tuple[str, str], ...] = field(metadata=SCREEN)  # name, meaning; of those with a table
    conditions: str = field(metadata=SCREEN)
    targets: tuple[TargetSection, ...] = field(metadata=SCREEN)
    is_open: bool = field(metadata=SCREEN)


def build(query: Query, *, result: int) -> ResultPage | None:
    row = results.result(result)
    if row is None:
        return None
    attempts, measured = results.attempts_of(result), results.measurements_of(result)
    shown = _shown(query.get("attempt", ""), row, attempts)
    if shown is None and query.get("attempt"):
        return None
    record = results.record(shown.record_digest) if shown else None
    cases = result_parts.cases(measured.get(shown.id, ())) if shown else ()
    kernels = result_isa.kernels(record)
    targets = result_isa.sections(kernels, _recorded(record)["isa_checked"])
    sessions = times.sessions(record)
    tried, chart = history(result, attempts, measured), times_screen.chart(cases)
    unseen = result_unseen.section(generalization.cases_of_result(result), result, shown.number if shown else None)
    looked = submissions.audits(result=result) if row.audit != "none" else []
    work = result_session.built(row.session)
    return ResultPage(
        tables=by_slug(
            screen.cases_table(cases),
            *times_screen.tables(cases, sessions),
            *roofline.tables(cases, tasks.contract_of(row.task, row.task_digest), row.device),
            *(section.table for section in targets),
            *((work.table,) if work else ()),
            *((result_unseen.cases_table(unseen),) if unseen else ()),
            attempts_table(result, tried, shown.number if shown else None, row.published_number),
        ),
        charts={chart.slug: chart} if chart else {},
        **_identity(row),
        audits=tuple(audit_of(one) for one in looked),
        may_rank=row.may_rank,
        attempt=shown.number if shown else None,
        **_ending(shown),
        **_speeds(row, shown),
        gates=result_parts.gates(shown, record),
        **_recorded(record),
        isa=kernels,
        cases=cases,
        sessions=sessions,
        session=work.section if work else None,
        unseen=unseen,
        flags=result_parts.flags(shown.flags if shown else ()),
        attempts=tried,
        verdict=words.verdict(shown, cases, row.is_functional),
        **_about(row, shown, attempts, record),
        clocks=times_screen.legend(cases),
        conditions=times_screen.conditions(sessions),
        targets=targets,
    )


def _about(
    row: ResultDetailRow, shown: AttemptRow | None, attempts: Sequence[AttemptRow], record: Record | None
) -> dict[str, Any]:
    """The status and what stands around it."""
    status = shown.status if shown else "missing"
    return {
        "status": status,
        "word": STATUSES[status],
        "is_open": shown is not None and shown.is_open,
        "notices": words.notices(row, shown, attempts, record),
        "facts": words.facts(row, shown, record),
    }


def _recorded(record: Record | None) -> dict[str, Any]:
    """What the page holds as the record has it; nothing where there is none."""
    return {
        "findings": result_parts.findings(record),
        "isa_checked": dict(record.isa_checked) if record else {},
        "seconds": dict(record.seconds) if record else {},
        "sandbox": record.sandbox.kind if record and record.sandbox else None,
        "host_facts": dict(record.host.facts) if record else {},
        "log": record.log if record else None,
    }


def _shown(wanted: str, row: ResultDetailRow, attempts: Sequence[AttemptRow]) -> AttemptRow | None:
    """The attempt that the address asks for; without a wish the public one, else the latest."""
    number = whole_number(wanted) if wanted else row.published_number
    latest = attempts[-1] if attempts and not wanted else None
    return next((one for one in attempts if one.number == number), latest)


def record_digest(result: int, number: int) -> str | None:
    """The record's name in the archive."""
    return next((one.record_digest or None for one in results.attempts_of(result) if one.number == number), None)


def candidate_file(result: int, path: str) -> bytes | None:
    row = results.result(result)
    digest = row.candidate_files.get(path) if row else None
    return results.archived(digest) if digest else None


def _ending(shown: AttemptRow | None) -> dict[str, Any]:
    """The gate that said no and why; None where nothing did."""
    return {name: getattr(shown, name, None) or None for name in ("gate", "reason", "message")}


def _speeds(row: ResultDetailRow, shown: AttemptRow | None) -> dict[str, Any]:
    names = ("log_speedup", "cautious_log_speedup", "paper_speedup")
    speeds: dict[str, Any] = {name: getattr(shown, name, None) for name in names}
    protocol = (shown.protocol or None) if shown else None
    return speeds | {"paper_clock": PAPER_CLOCKS.get(row.category), "protocol": protocol}


def _identity(row: ResultDetailRow) -> dict[str, Any]:
    same = ("run_state", "repeat", "task", "task_digest", "category", "suite", "configuration", "agent", "model")
    named = {name: getattr(row, name) for name in (*same, "role", "audit", "candidate_digest")}
    return named | {
        "result": row.id,
        "run": row.run_id,
        "suite_version": row.version,
        "device_class": row.device,
        "published_attempt": row.published_number,
        "title": f"{row.task.rpartition('/')[2]} by {entry_name(row.agent, row.model)}",
        "crumbs": (Link("Runs", page_url("runs")), Link(f"Run {row.run_id}", page_url("run", row.run_id))),
        "sources": result_parts.sources(row),
        "downloads": result_parts.downloads(row),
        "commands": result_parts.commands(row),
    }
