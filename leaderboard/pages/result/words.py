"""What a result's page says in words: the verdict, what to know before believing it, and the facts beside it."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.records.measurements import PAPER_CLOCKS
from evaluator.records.record import Record
from leaderboard.formatting import moment, plural, short, significant, times
from leaderboard.pages.base import board_url, entry_name, page_url, task_url
from leaderboard.pages.result.facts import CaseFacts
from leaderboard.queries.results import AttemptRow, ResultDetailRow
from leaderboard.words import CATEGORIES, ROLES, STATUSES

Fact = tuple[str, str, str]  # term, text, address
RUN_NOTICES = {
    "draft": "a draft: it is on no board, and its results may still change.",
    "withdrawn": "withdrawn: it was taken off the boards and stays readable here.",
}


def verdict(shown: AttemptRow | None, cases: Sequence[CaseFacts], is_functional: bool) -> str:
    """One sentence that says how it ended."""
    if shown is None:
        return "No attempt was made yet."
    if shown.status == "passed":
        draws = sum(case.draws for case in cases)
        speed = "Speed is not judged on this device class." if is_functional else _speed(shown, cases)
        return f"Builds, and is right on {plural(len(cases), 'case')} and {plural(draws, 'draw')}. {speed}".strip()
    return shown.message or STATUSES[shown.status].meaning


def _speed(shown: AttemptRow, cases: Sequence[CaseFacts]) -> str:
    """The ranked clock's, and what metrics take of it where that is less."""
    timed = [case.ratio for case in cases if case.ratio]
    if not timed:
        return ""
    if shown.log_speedup is None:
        return "No case takes long enough for a speed to be claimed."
    counting = sum(ratio.is_eligible for ratio in timed)
    least = "at least " if any(ratio.is_censored and ratio.is_eligible for ratio in timed) else ""
    over = f"{counting} of {plural(len(timed), 'case')}"
    said = f"{least}{times(shown.log_speedup)} the baseline's speed on t_dev, over {over}"
    if shown.cautious_log_speedup != shown.log_speedup and shown.cautious_log_speedup is not None:
        said += f"; {times(shown.cautious_log_speedup)} for metrics, since cases are noisy"
    return f"{said[0].upper()}{said[1:]}."


def notices(
    row: ResultDetailRow, shown: AttemptRow | None, attempts: Sequence[AttemptRow], record: Record | None
) -> tuple[str, ...]:
    """What a reader must know before believing the page."""
    said = []
    if row.run_state != "published":
        said.append(f"The run is {RUN_NOTICES[row.run_state]}")
    if shown is not None and row.published_number is not None and shown.number != row.published_number:
        said.append(f"This is attempt {shown.number}. The public answer is attempt {row.published_number}.")
    newest = attempts[-1] if attempts else None
    if newest is not None and shown is not None and newest.number > shown.number:
        label = STATUSES[newest.status].label
        said.append(f"Attempt {newest.number} is newer ({label}). It counts once a person publishes it.")
    if row.audit not in ("none", "clean"):
        said.append(f"An audit found this result: {row.audit.replace('_', ' ')}.")
    if shown is not None and shown.record_digest and record is None:
        said.append("The record of this attempt cannot be read: gates, findings and log are missing here.")
    if shown is not None and shown.requeues:
        said.append(f"Queued again once: {shown.requeued_because or 'its worker was lost'}.")
    return tuple(said)


def facts(row: ResultDetailRow, shown: AttemptRow | None, record: Record | None) -> tuple[Fact, ...]:
    older = "" if row.task_is_current else f"?digest={short(row.task_digest)}"
    who = page_url("configuration", row.configuration)
    board = board_url(row.suite, row.version, row.suite_is_current, row.category, row.device)
    return (
        ("Task", row.task, task_url(row.task) + older),
        ("Entry", f"{entry_name(row.agent, row.model)} ({ROLES[row.role]})", who),
        ("Run", f"{row.run_id}, repeat {row.repeat}", page_url("run", row.run_id)),
        ("Board", f"{row.suite}@{row.version}, {CATEGORIES[row.category]}", board),
        ("Device class", row.device_title, ""),
        *(_of_attempt(shown, record) if shown else ()),
        *(_of_paper(row, shown) if shown else ()),
        ("Candidate", short(row.candidate_digest) or _without_candidate(shown), ""),
        ("Task's digest", short(row.task_digest), ""),
    )


def _without_candidate(shown: AttemptRow | None) -> str:
    return "not there yet: an agent writes it first" if shown is not None and shown.is_open else "nothing handed in"


def _of_paper(row: ResultDetailRow, shown: AttemptRow) -> list[Fact]:
    """A number for whoever compares with the paper; the clock's name goes with it (decision 11)."""
    if shown.paper_speedup is None:
        return []
    clock = PAPER_CLOCKS[row.category]
    return [(f"Speedup on {clock}", f"{significant(shown.paper_speedup, 4)}×, the paper's view: ranks nothing", "")]


def _of_attempt(shown: AttemptRow, record: Record | None) -> list[Fact]:
    said = [("Attempt", f"{shown.number} on {shown.host}" if shown.host else str(shown.number), "")]
    if shown.ended_at:
        said.append(("Ended", moment(shown.ended_at), ""))
    if shown.evaluator:
        said.append(("Evaluator", f"{shown.evaluator}, protocol {record.protocol if record else 'unknown'}", ""))
    if record is not None and record.sandbox is not None:
        said.append(("Sandbox", record.sandbox.kind, ""))
    return said
