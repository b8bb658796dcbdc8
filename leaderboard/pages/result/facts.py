"""Facts of one result as text: verdict, warnings, gates, flags, findings, and the list of facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluator.records.measurements import PAPER_CLOCKS
from evaluator.records.record import GATE_NAMES, Record
from leaderboard.encoding import SCREEN
from leaderboard.formatting import moment, plural, seconds, short, significant, times
from leaderboard.pages.base import board_url, entry_name, page_url, task_url
from leaderboard.pages.result.cases import CaseFacts
from leaderboard.queries.results import AttemptRow, ResultDetailRow
from leaderboard.words import AUDITS, CATEGORIES, FLAGS, GATES, STATUSES, role_note

Fact = tuple[str, str, str]  # term, text, address
RUN_NOTICES = {
    "draft": "a draft: it is on no leaderboard, and its results may still change.",
    "withdrawn": "withdrawn: it was taken off the leaderboards and stays readable here.",
}


@dataclass(frozen=True, slots=True)
class Gate:
    name: str
    outcome: str  # passed, failed, not_reached; unknown where nothing is recorded
    seconds: float | None
    meaning: str = field(metadata=SCREEN)
    time: str = field(metadata=SCREEN)


@dataclass(frozen=True, slots=True)
class Remark:
    """A flag or a finding. Neither makes a candidate fail."""

    code: str
    gate: str
    label: str
    text: str


def gates(attempt: AttemptRow | None, record: Record | None) -> tuple[Gate, ...]:
    """Return the five gates with their outcomes: from the record, else as far as the attempt's status tells."""
    if record is None:
        return tuple(Gate(name, _gate_outcome(name, attempt), None, GATES[name], "") for name in GATE_NAMES)
    return tuple(
        Gate(
            one.name,
            one.outcome,
            None if one.outcome == "not_reached" else one.seconds,
            GATES[one.name],
            "" if one.outcome == "not_reached" else seconds(one.seconds),
        )
        for one in record.gates
    )


def flags(names: Sequence[str]) -> tuple[Remark, ...]:
    return tuple(Remark(name, "", *FLAGS[name]) for name in names)


def findings(record: Record | None) -> tuple[Remark, ...]:
    found = record.findings if record else ()
    return tuple(Remark(one.code, one.gate, one.code.replace("_", " "), one.text) for one in found)


def verdict(shown: AttemptRow | None, cases: Sequence[CaseFacts], is_functional: bool) -> str:
    """Return one or two sentences on how the attempt ended."""
    if shown is None:
        return "No attempt yet."
    if shown.status == "passed":
        draws = sum(case.draws for case in cases)
        speed = "Speed is not evaluated on this device class." if is_functional else _speed(shown, cases)
        checked = f"{plural(len(cases), 'case')} with {plural(draws, 'random draw')}"
        return f"Builds and is correct on {checked}. {speed}".strip()
    return shown.message or STATUSES[shown.status].meaning


def notices(
    row: ResultDetailRow, shown: AttemptRow | None, attempts: Sequence[AttemptRow], record: Record | None
) -> tuple[str, ...]:
    """Return warnings for the top of the page: a draft run, a newer attempt, an audit, a lost record ..."""
    found = []
    if row.run_state != "published":
        found.append(f"The run is {RUN_NOTICES[row.run_state]}")
    if shown is not None and row.published_number is not None and shown.number != row.published_number:
        found.append(f"This is attempt {shown.number}. Attempt {row.published_number} is the published one.")
    newest = attempts[-1] if attempts else None
    if newest is not None and shown is not None and newest.number > shown.number:
        label = STATUSES[newest.status].label
        found.append(f"Attempt {newest.number} is newer ({label}). It counts once a maintainer publishes it.")
    if row.audit not in ("none", "clean"):
        found.append(f"An audit marked this result as {AUDITS[row.audit].label}.")
    if shown is not None and shown.record_digest and record is None:
        found.append("The record of this attempt cannot be read: gates, findings and log are missing here.")
    if shown is not None and shown.requeues:
        found.append(f"Requeued once: {shown.requeued_because or 'its worker was lost'}.")
    return tuple(found)


def facts(row: ResultDetailRow, shown: AttemptRow | None, record: Record | None) -> tuple[Fact, ...]:
    older = "" if row.task_is_current else f"?digest={short(row.task_digest)}"
    board = board_url(row.suite, row.version, row.suite_is_current, row.category, row.device, row.run_protocol)
    no_candidate = "not written yet" if shown is not None and shown.is_open else "none submitted"
    return (
        ("Task", row.task, task_url(row.task) + older),
        (
            "Entry",
            ", ".join(filter(None, (entry_name(row.agent, row.model), role_note(row.role)))),
            page_url("configuration", row.configuration),
        ),
        ("Run", f"{row.run_id}, repeat {row.repeat}", page_url("run", row.run_id)),
        ("Leaderboard", f"{row.suite}@{row.version}, {CATEGORIES[row.category]}", board),
        ("Device class", row.device_title, ""),
        *(_attempt_facts(row, shown, record) if shown else ()),
        ("Candidate", short(row.candidate_digest) or no_candidate, ""),
        ("Task digest", short(row.task_digest), ""),
    )


def _gate_outcome(name: str, attempt: AttemptRow | None) -> str:
    if attempt is None or not attempt.gate:
        return "passed" if attempt is not None and attempt.status == "passed" else "unknown"
    order = GATE_NAMES.index(name) - GATE_NAMES.index(attempt.gate)
    return "failed" if order == 0 else "passed" if order < 0 else "not_reached"


def _speed(shown: AttemptRow, cases: Sequence[CaseFacts]) -> str:
    """A sentence on the speedup on t_dev, with the value that metrics use where it is lower; empty if not timed."""
    timed = [case.ratio for case in cases if case.ratio]
    if not timed:
        return ""
    if shown.log_speedup is None:
        return "No case takes long enough for its speedup to count."
    eligible = sum(ratio.is_eligible for ratio in timed)
    least = "at least " if any(ratio.is_censored and ratio.is_eligible for ratio in timed) else ""
    over = f"{eligible} of {plural(len(timed), 'case')}"
    text = f"{least}{times(shown.log_speedup)} speedup over the baseline on t_dev, from {over}"
    if shown.cautious_log_speedup != shown.log_speedup and shown.cautious_log_speedup is not None:
        text += f"; metrics use {times(shown.cautious_log_speedup)} because some cases are noisy"
    return f"{text[0].upper()}{text[1:]}."


def _attempt_facts(row: ResultDetailRow, shown: AttemptRow, record: Record | None) -> list[Fact]:
    found = [("Attempt", f"{shown.number} on {shown.host}" if shown.host else str(shown.number), "")]
    if shown.ended_at:
        found.append(("Ended", moment(shown.ended_at), ""))
    if shown.evaluator:
        found.append(("Evaluator", f"{shown.evaluator}, protocol {record.protocol if record else 'unknown'}", ""))
    if record is not None and record.sandbox is not None:
        found.append(("Sandbox", record.sandbox.kind, ""))
    if shown.paper_speedup is not None:  # never without the name of its clock (decision 11)
        speedup = f"{significant(shown.paper_speedup, 4)}×, as in the paper; not ranked"
        found.append((f"Speedup on {PAPER_CLOCKS[row.category]}", speedup, ""))
    return found
