"""The page of one result: verdict, gates, cases, times, source code, attempts, and how to evaluate it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.records.measurements import PAPER_CLOCKS
from evaluator.records.record import Record
from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url, subject_of, whole_number
from leaderboard.pages.baselines import CaseBaselines, baselines_tables, case_baselines
from leaderboard.pages.quality.parts import CodeQuality, quality_of, quality_table
from leaderboard.pages.result import efficiency as result_efficiency
from leaderboard.pages.result import facts as result_facts
from leaderboard.pages.result import isa as result_isa
from leaderboard.pages.result import session as result_session
from leaderboard.pages.result import sources as result_sources
from leaderboard.pages.result import times
from leaderboard.pages.result import unseen as result_unseen
from leaderboard.pages.result.answer import answer, verdict
from leaderboard.pages.result.attempts import AttemptLine, attempts_table, history
from leaderboard.pages.result.audits import AuditLine, audit_of
from leaderboard.pages.result.cases import CaseFacts, cases_table
from leaderboard.pages.result.cases import cases as case_facts
from leaderboard.pages.result.efficiency import ResultEfficiency
from leaderboard.pages.result.facts import Fact, Gate, Remark
from leaderboard.pages.result.isa import KernelReport, TargetSection
from leaderboard.pages.result.session import SessionSection
from leaderboard.pages.result.sources import Source
from leaderboard.pages.result.times import CaseSession
from leaderboard.pages.result.unseen import UnseenSection
from leaderboard.queries import generalization, results, submissions
from leaderboard.queries.results import AttemptRow, ResultDetailRow
from leaderboard.words import Word

SPEEDS = ("log_speedup", "cautious_log_speedup", "log_speedup_low", "log_speedup_high", "paper_speedup")


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
    attempt: int | None  # the one shown: the published one unless the address asks for another
    published_attempt: int | None
    status: str
    gate: str | None
    reason: str | None
    message: str | None
    protocol: str | None
    log_speedup: float | None  # on t_dev, mean over eligible cases
    cautious_log_speedup: float | None  # the value that metrics use
    log_speedup_low: float | None  # ends of its 95 % interval; None: no bound
    log_speedup_high: float | None
    paper_clock: str | None
    paper_speedup: float | None  # on the paper's clock and by its formula
    paper_score: float | None  # by the paper's formula; None without its clock or a verdict
    gates: tuple[Gate, ...]
    cases: tuple[CaseFacts, ...]
    efficiency: ResultEfficiency
    sessions: tuple[CaseSession, ...]
    baselines: tuple[CaseBaselines, ...]  # beside the task's own, where some were timed
    session: SessionSection | None  # None without an agent's session, and before its round is revealed
    unseen: UnseenSection | None  # None without a round, and before it is revealed
    flags: tuple[Remark, ...]
    findings: tuple[Remark, ...]
    isa: tuple[KernelReport, ...]
    isa_checked: dict[str, str]
    seconds: dict[str, float]
    sandbox: str | None
    host_facts: dict[str, str]
    candidate_digest: str
    quality: CodeQuality | None  # of the candidate's own code; None: not measured yet
    sources: tuple[Source, ...]
    attempts: tuple[AttemptLine, ...]
    downloads: tuple[tuple[str, str], ...]  # (file to write, address), needed by the commands
    commands: tuple[str, ...]
    log: str | None
    answer: Word = field(metadata=SCREEN)
    verdict: str = field(metadata=SCREEN)
    notices: tuple[str, ...] = field(metadata=SCREEN)
    standing: tuple[Fact, ...] = field(metadata=SCREEN)
    facts: tuple[Fact, ...] = field(metadata=SCREEN)
    provenance: tuple[Fact, ...] = field(metadata=SCREEN)
    clocks: tuple[tuple[str, str], ...] = field(metadata=SCREEN)  # name, meaning; device clocks only
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
    record, number = (results.record(shown.record_digest), shown.number) if shown else (None, None)
    cases = case_facts(measured.get(shown.id, ()), shown.protocol, row.device) if shown else ()
    efficiency = result_efficiency.section(shown, cases, row.task_work, row.device)
    kernels = result_isa.kernels(record)
    targets = result_isa.sections(kernels, dict(record.isa_checked) if record else {})
    sessions, baselines = times.sessions(record), case_baselines(record)
    lines, chart = history(result, attempts, measured), times.chart(cases)
    unseen = result_unseen.section(generalization.cases_of_result(result), result, number)
    session, quality = result_session.section(row.session), quality_of(row.code_quality)
    return ResultPage(
        tables=by_slug(
            cases_table(cases),
            quality_table(quality, has_candidate=bool(row.candidate_files)),
            *times.tables(cases, sessions),
            *baselines_tables(baselines),
            *result_efficiency.efficiency_tables(efficiency.cases),
            *(section.table for section in targets),
            *((result_session.versions_table(session, {}),) if session else ()),
            *((result_unseen.cases_table(unseen),) if unseen else ()),
            attempts_table(result, lines, number, row.published_number),
        ),
        charts={chart.slug: chart} if chart else {},
        **_identity(row),
        quality=quality,
        sources=result_sources.sources(row),
        downloads=result_sources.downloads(row),
        commands=result_sources.commands(row),
        audits=tuple(audit_of(one) for one in submissions.audits(result=result)),  # also those taken back
        may_rank=row.may_rank,
        **_outcome(row, shown),
        **_recorded(record),
        paper_score=result_facts.paper_score(row, shown),
        gates=result_facts.gates(shown, record, is_functional=row.is_functional),
        isa=kernels,
        cases=cases,
        efficiency=efficiency,
        sessions=sessions,
        baselines=baselines,
        session=session,
        unseen=unseen,
        flags=result_facts.flags(shown.flags if shown else ()),
        attempts=lines,
        answer=answer(row, shown, cases),
        verdict=verdict(shown, cases, row.is_functional),
        notices=result_facts.notices(row, shown, attempts, record),
        standing=result_facts.standing(row, shown),
        facts=result_facts.facts(row, shown),
        provenance=result_facts.provenance(row, shown, record),
        clocks=times.legend(cases),
        conditions=times.conditions(sessions),
        targets=targets,
    )


def record_digest(result: int, number: int) -> str | None:
    """Return the archive's digest of an attempt's record; None where there is no such attempt or record."""
    return next((one.record_digest or None for one in results.attempts_of(result) if one.number == number), None)


def candidate_file(result: int, path: str) -> bytes | None:
    row = results.result(result)
    digest = row.candidate_files.get(path) if row else None
    return results.archived(digest) if digest else None


def _shown(wanted: str, row: ResultDetailRow, attempts: Sequence[AttemptRow]) -> AttemptRow | None:
    """Return the attempt that the address asks for; else the published one, else the latest."""
    number = whole_number(wanted) if wanted else row.published_number
    latest = attempts[-1] if attempts and not wanted else None
    return next((one for one in attempts if one.number == number), latest)


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
        "subject": subject_of(
            *(row.suite, row.version, row.task, entry_name(row.agent, row.model), row.device),
            protocol=row.run_protocol,
        ),
        "crumbs": (Link("Runs", page_url("runs")), Link(f"Run {row.run_id}", page_url("run", row.run_id))),
    }


def _outcome(row: ResultDetailRow, shown: AttemptRow | None) -> dict[str, Any]:
    """The shown attempt's status, where and why it failed, and its speedups."""
    status = shown.status if shown else "missing"
    texts = {name: getattr(shown, name, None) or None for name in ("gate", "reason", "message", "protocol")}
    speeds = {name: getattr(shown, name, None) for name in SPEEDS}
    return {
        "attempt": shown.number if shown else None,
        "status": status,
        "is_open": shown is not None and shown.is_open,
        **texts,
        **speeds,
        "paper_clock": PAPER_CLOCKS.get(row.category),
    }


def _recorded(record: Record | None) -> dict[str, Any]:
    """The fields of the page that come from the record; empty without one."""
    return {
        "findings": result_facts.findings(record),
        "isa_checked": dict(record.isa_checked) if record else {},
        "seconds": dict(record.seconds) if record else {},
        "sandbox": record.sandbox.kind if record and record.sandbox else None,
        "host_facts": dict(record.host.facts) if record else {},
        "log": record.log if record else None,
    }
