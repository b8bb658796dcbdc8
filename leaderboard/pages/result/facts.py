"""Facts of one result as text: warnings, gates, flags, findings, and the lists of facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluator.records.measurements import AKA_EVENTS, AKA_LOOP, KBX_DO_BENCH, PAPER_CLOCKS
from evaluator.records.record import GATE_NAMES, Record
from leaderboard.eligibility import is_correct, obstacle
from leaderboard.encoding import SCREEN
from leaderboard.formatting import moment, seconds, short, significant
from leaderboard.pages.base import board_url, entry_name, page_url, task_url
from leaderboard.pages.result.isa import COMPILED
from leaderboard.queries.results import AttemptRow, ResultDetailRow
from leaderboard.statistics.paper import COMPILED_POINTS, CORRECT_POINTS, SPEED_POINTS, result_score
from leaderboard.words import (
    CATEGORIES,
    FLAGS,
    ROLES,
    RUN_STATES,
    STATUSES,
    gate_text,
    role_note,
)
from runs.trust import trust_text

Fact = tuple[str, str, str]  # term, text, address
NOT_ON_KBX = "none: a full case was not timed on it, like every result from before this clock was taken"
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


def gates(attempt: AttemptRow | None, record: Record | None, *, is_functional: bool) -> tuple[Gate, ...]:
    """Return the five gates with their outcomes: from the record, else as far as the attempt's status tells."""
    targets = [target for target, outcome in (record.isa_checked if record else {}).items() if outcome in COMPILED]
    texts = {name: gate_text(name, is_functional=is_functional, targets=targets) for name in GATE_NAMES}
    if record is None:
        return tuple(Gate(name, _gate_outcome(name, attempt), None, texts[name], "") for name in GATE_NAMES)
    return tuple(
        Gate(
            one.name,
            one.outcome,
            None if one.outcome == "not_reached" else one.seconds,
            texts[one.name],
            "" if one.outcome == "not_reached" else seconds(one.seconds),
        )
        for one in record.gates
    )


def flags(names: Sequence[str]) -> tuple[Remark, ...]:
    return tuple(Remark(name, "", *FLAGS[name]) for name in names)


def findings(record: Record | None) -> tuple[Remark, ...]:
    found = record.findings if record else ()
    return tuple(Remark(one.code, one.gate, one.code.replace("_", " "), one.text) for one in found)


def notices(
    row: ResultDetailRow, shown: AttemptRow | None, attempts: Sequence[AttemptRow], record: Record | None
) -> tuple[str, ...]:
    """Return warnings for the top of the page: a draft run, a newer attempt, a lost record ..."""
    found = []
    if row.run_state != "published":
        found.append(f"The run is {RUN_NOTICES[row.run_state]}")
    if shown is not None and row.published_number is not None and shown.number != row.published_number:
        found.append(f"This is attempt {shown.number}. Attempt {row.published_number} is the published one.")
    newest = attempts[-1] if attempts else None
    if newest is not None and shown is not None and newest.number > shown.number:
        label = STATUSES[newest.status].label
        found.append(f"Attempt {newest.number} is newer ({label}). It counts once a maintainer publishes it.")
    if shown is not None and shown.record_digest and record is None:
        found.append("The record of this attempt cannot be read: gates, findings and log are missing here.")
    if shown is not None and shown.requeues:
        found.append(f"Requeued once: {shown.requeued_because or 'its worker was lost'}.")
    return tuple(found)


def standing(row: ResultDetailRow, shown: AttemptRow | None) -> tuple[Fact, ...]:
    """Return how the attempt ended, how far its numbers can be trusted, and whether they are ranked."""
    return (
        ("Status", STATUSES[shown.status if shown else "missing"].label, ""),
        ("Trust", trust_text(row.trust, row.reproduced_tasks, row.verified_tasks), ""),
        ("Ranked", _why_not_ranked(row, shown) or ("yes, as not correct" if row.audit == "hacked" else "yes"), ""),
    )


def facts(row: ResultDetailRow, shown: AttemptRow | None) -> tuple[Fact, ...]:
    """Return what it is a result of, and its speed as the paper counts."""
    older = "" if row.task_is_current else f"?digest={short(row.task_digest)}"
    board = board_url(row.suite, row.version, row.suite_is_current, row.category, row.device, row.run_protocol)
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
        *((("Ended", moment(shown.ended_at), ""),) if shown and shown.ended_at else ()),
        *(_paper_facts(row, shown) if shown else ()),
    )


def provenance(row: ResultDetailRow, shown: AttemptRow | None, record: Record | None) -> tuple[Fact, ...]:
    """Return by what the attempt was evaluated, and the digests of what was evaluated."""
    found = []
    if shown is not None:
        found.append(("Attempt", f"{shown.number} on {shown.host}" if shown.host else str(shown.number), ""))
        if shown.evaluator:
            protocol = record.protocol if record else "unknown"
            found.append(("Evaluator", f"{shown.evaluator}, protocol {protocol}", ""))
    if record is not None and record.sandbox is not None:
        found.append(("Sandbox", record.sandbox.kind, ""))
    no_candidate = "not written yet" if shown is not None and shown.is_open else "none submitted"
    digests = (
        ("Candidate", short(row.candidate_digest) or no_candidate, ""),
        ("Task digest", short(row.task_digest), ""),
    )
    return (*found, *digests)


def paper_score(row: ResultDetailRow, shown: AttemptRow | None) -> float | None:
    """Return the result's score by AgentKernelArena's formula; None without a verdict or in a category it lacks.

    A result that an audit found hacked counts as not correct.
    """
    has_score = PAPER_CLOCKS.get(row.category) in (AKA_LOOP, AKA_EVENTS)
    if shown is None or shown.compiled is None or row.is_functional or not has_score:
        return None
    return result_score(shown.compiled, is_correct(shown.correct, row.audit), shown.paper_speedup)


def _gate_outcome(name: str, attempt: AttemptRow | None) -> str:
    if attempt is None or not attempt.gate:
        return "passed" if attempt is not None and attempt.status == "passed" else "unknown"
    order = GATE_NAMES.index(name) - GATE_NAMES.index(attempt.gate)
    return "failed" if order == 0 else "passed" if order < 0 else "not_reached"


def _why_not_ranked(row: ResultDetailRow, shown: AttemptRow | None) -> str | None:
    """Why the shown attempt is in no ranking, by the rule of all boards; None where it is in one."""
    if shown is not None and shown.number == row.published_number and row.may_rank:
        return None
    if row.role != "entry":
        return f"no: a {ROLES[row.role]}"
    if row.run_state != "published":
        return f"no: {RUN_STATES[row.run_state][0]} run"
    if shown is None or shown.number != row.published_number:
        return "no: not published"
    reason = obstacle(
        status=shown.status,
        audit=row.audit,
        is_own_protocol=shown.protocol == row.run_protocol,
        is_held=shown.is_held,
        is_uncalibrated=shown.is_uncalibrated,
    )
    return f"no: {reason}"


def _paper_facts(row: ResultDetailRow, shown: AttemptRow) -> list[Fact]:
    """The speedup on the paper's clock, never without its name (decision 11), and the score."""
    found, url = [], f"{page_url('metrics')}#paper"
    clock = PAPER_CLOCKS.get(row.category)
    is_kbx = clock == KBX_DO_BENCH
    against, about = (" against PyTorch eager", f"{page_url('metrics')}#kbx-speedup") if is_kbx else ("", "")
    if shown.paper_speedup is not None:
        speedup = f"{significant(shown.paper_speedup, 4)}×{against}, as in the paper; not ranked"
        found.append((f"Speedup on {clock}", speedup, about))
    elif is_kbx and shown.status == "passed" and not row.is_functional:
        found.append((f"Speedup on {clock}", NOT_ON_KBX, about))
    if (score := paper_score(row, shown)) is not None:
        speed = f"{SPEED_POINTS} × {significant(shown.paper_speedup or 0.0, 4)}"
        correct = f"{CORRECT_POINTS} + {speed}" if is_correct(shown.correct, row.audit) else "0 + 0"
        parts = f"{COMPILED_POINTS * bool(shown.compiled)} + {correct}"
        found.append(("Paper's score", f"{score:.1f} = {parts}; not ranked", url))
    return found
