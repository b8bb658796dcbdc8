"""A result's attempts: their history with what changed from one to the next, and a page that compares two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import exp
from typing import NamedTuple

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, duration, listed, moment, plural, printable, short, significant, times
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, moment_cell, page_url, whole_number
from leaderboard.pages.result.cases import OUTCOMES
from leaderboard.pages.run.index import RunChoice
from leaderboard.queries import results
from leaderboard.queries.results import AttemptRow, MeasurementRow
from leaderboard.tables import Cell, Field, Table, table, text_field
from leaderboard.words import FLAGS, STATUSES, status_cell

ONLY_ONE = "There is only one attempt. A rerun adds another."
MOST_CASES = 3  # named in a sentence; the rest is counted


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """One attempt in a result's history."""

    number: int
    status: str
    queued_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    host: str | None
    evaluator: str
    record: str | None  # address
    unseen: str | None  # address of the record of unseen cases, once their round is revealed
    changes: tuple[str, ...]  # since the attempt before


@dataclass(frozen=True, slots=True)
class AttemptSide:
    """One of the two attempts. `speedup` is the geometric mean over eligible cases on t_dev."""

    number: int
    status: str
    reason: str | None
    message: str | None
    flags: tuple[str, ...]
    host: str | None
    evaluator: str | None
    protocol: str | None
    started_at: datetime | None
    ended_at: datetime | None
    speedup: float | None


@dataclass(frozen=True, slots=True)
class CasePair:
    """A case in both attempts. None means not reached, and for a speedup not timed."""

    case: str
    old_correct: bool | None
    new_correct: bool | None
    old_speedup: float | None
    new_speedup: float | None


class FactPair(NamedTuple):
    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptsPage(Page):
    result: int
    task: str
    numbers: tuple[int, ...]  # of all attempts
    published: int | None  # number of the published one
    old: AttemptSide | None
    new: AttemptSide | None
    changes: tuple[str, ...]
    cases: tuple[CasePair, ...]
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)


def history(
    result: int, attempts: Sequence[AttemptRow], measured: Mapping[int, Sequence[MeasurementRow]]
) -> tuple[AttemptLine, ...]:
    """Return a result's attempts, oldest first, each with what changed since the one before.

    `measured` holds measurements by the attempt's primary key.
    """
    return tuple(
        AttemptLine(
            row.number,
            row.status,
            row.queued_at,
            row.started_at,
            row.ended_at,
            row.host,
            row.evaluator,
            page_url("record", result, row.number) if row.record_digest else None,
            page_url("unseen", result, row.number) if row.has_unseen else None,
            changes(attempts[index - 1], row, measured) if index else (),
        )
        for index, row in enumerate(attempts)
    )


def attempts_table(result: int, attempts: Sequence[AttemptLine], shown: int | None, published: int | None) -> Table:
    """Make the table of a result's attempts, newest first. `shown` and `published` are numbers of attempts."""
    address = page_url("result", result)
    columns: tuple[Field[AttemptLine], ...] = (
        Field(
            "attempt",
            "Attempt",
            lambda one: Cell(
                str(one.number),
                one.number,
                f"{address}?attempt={one.number}",
                "shown above" if one.number == shown else "",
            ),
            is_number=True,
        ),
        Field("status", "Status", lambda one: status_cell(one.status)),
        Field("changes", "Changes since the previous attempt", lambda one: _changes_cell(result, one)),
        Field("ended_at", "Ended", lambda one: moment_cell(one.ended_at)),
        Field("seconds", "Duration", _took_cell, is_number=True),
        Field("host", "Host", lambda one: Cell(one.host or NONE, one.host)),
        Field(
            "is_published",
            "Published",
            lambda one: Cell("published" if one.number == published else NONE, one.number == published),
        ),
        Field("record", "Record", lambda one: _file_cell(one.record)),
        Field("unseen", "Unseen cases", lambda one: _file_cell(one.unseen)),
    )
    rows = reversed(attempts)
    return table("attempts", "Attempts, newest first. A rerun is another attempt.", columns, rows, "No attempt yet.")


def changes(before: AttemptRow, now: AttemptRow, measured: Mapping[int, Sequence[MeasurementRow]]) -> tuple[str, ...]:
    """Describe what changed from one attempt to a later one, a phrase for each change; empty while it is open."""
    if now.is_open:
        return ()
    found = []
    if before.status != now.status:
        found.append(f"status: {STATUSES[before.status].label} → {STATUSES[now.status].label}")
    elif before.reason != now.reason:
        found.append(f"reason: {before.reason or 'none'} → {now.reason or 'none'}")
    found += _case_changes(measured.get(before.id, ()), measured.get(now.id, ()))
    for verb, names in (
        ("new flag", set(now.flags) - set(before.flags)),
        ("flag removed", set(before.flags) - set(now.flags)),
    ):
        found += [f"{verb}: {FLAGS[name][0]}" for name in sorted(names)]
    for what, old, new in (("evaluator", before.evaluator, now.evaluator), ("host", before.host, now.host)):
        if old and new and old != new:
            found.append(f"{what}: {old} → {new}")
    return tuple(found) or ("no changes",)


def build(query: Query, *, result: int) -> AttemptsPage | None:
    """Compare the two attempts that the query's `old` and `new` name, else the two newest. None: no such result."""
    row = results.result(result)
    if row is None:
        return None
    attempts = {one.number: one for one in results.attempts_of(result)}
    old, new = _chosen(query, attempts)
    measured = results.measurements_of(result)
    pairs = _pairs(measured.get(old.id, ()), measured.get(new.id, ())) if old and new else ()
    return AttemptsPage(
        title="Compare attempts",
        lead=f"{row.task} by {entry_name(row.agent, row.model)}: {_lead(old, new, row.published_number)}",
        crumbs=(
            Link("Runs", page_url("runs")),
            Link(f"Run {row.run_id}", page_url("run", row.run_id)),
            Link("Result", page_url("result", result)),
        ),
        tables=by_slug(_facts_table(old, new), _cases_table(pairs, old, new)),
        result=result,
        task=row.task,
        numbers=tuple(attempts),
        published=row.published_number,
        old=_side(old) if old else None,
        new=_side(new) if new else None,
        changes=changes(old, new, measured) if old and new else (),
        cases=pairs,
        choices=_choices(tuple(attempts), old, new) if old and new else (),
    )


def _case_changes(before: Sequence[MeasurementRow], now: Sequence[MeasurementRow]) -> list[str]:
    known = {row.case: row.correct for row in before}
    changed: dict[str, list[str]] = {}
    for row in now:
        old = known.get(row.case)
        if row.case in known and old != row.correct:
            changed.setdefault(f"{OUTCOMES[old].text} → {OUTCOMES[row.correct].text}", []).append(row.case)
    return [f"{_case_names(names)}: {change}" for change, names in changed.items()]


def _case_names(names: Sequence[str]) -> str:
    return plural(len(names), "case") if len(names) > MOST_CASES else listed(f"case {name}" for name in names)


def _changes_cell(result: int, one: AttemptLine) -> Cell:
    """The changes, which lead to a comparison with the attempt before."""
    if one.number == 1:
        return Cell(NONE, "")
    text = "; ".join(one.changes)
    return Cell(text or "compare", text, f"{page_url('attempts', result)}?old={one.number - 1}&new={one.number}")


def _took_cell(one: AttemptLine) -> Cell:
    if one.started_at is None or one.ended_at is None:
        return Cell(NONE)
    took = one.ended_at - one.started_at
    return Cell(duration(took), round(took.total_seconds(), 3))


def _file_cell(url: str | None) -> Cell:
    return Cell("JSON", url, url) if url else Cell(NONE)


def _chosen(query: Query, attempts: Mapping[int, AttemptRow]) -> tuple[AttemptRow | None, AttemptRow | None]:
    """Return the attempts to compare. Where the query names none, they are the newest and the one before."""
    numbers = sorted(attempts)
    new = attempts.get(whole_number(query.get("new")) or 0) or (attempts[numbers[-1]] if numbers else None)
    earlier = [number for number in numbers if new is not None and number < new.number]
    old = attempts.get(whole_number(query.get("old")) or 0) or (attempts[earlier[-1]] if earlier else None)
    return old, new


def _lead(old: AttemptRow | None, new: AttemptRow | None, published: int | None) -> str:
    if old is None or new is None:
        return "there is only one attempt, so there is nothing to compare."
    public = f"attempt {published} is published." if published else "no attempt is published."
    return f"attempt {old.number} and attempt {new.number}; {public}"


def _side(row: AttemptRow) -> AttemptSide:
    return AttemptSide(
        row.number,
        row.status,
        row.reason or None,
        row.message or None,
        tuple(row.flags),
        row.host,
        row.evaluator or None,
        row.protocol or None,
        row.started_at,
        row.ended_at,
        None if row.log_speedup is None else exp(row.log_speedup),
    )


def _pairs(old: Sequence[MeasurementRow], new: Sequence[MeasurementRow]) -> tuple[CasePair, ...]:
    before, after = ({row.case: row for row in rows} for rows in (old, new))
    return tuple(
        CasePair(
            case,
            before[case].correct if case in before else None,
            after[case].correct if case in after else None,
            _speedup(before.get(case)),
            _speedup(after.get(case)),
        )
        for case in dict.fromkeys([*before, *after])
    )


def _speedup(row: MeasurementRow | None) -> float | None:
    return None if row is None or row.log_ratio is None else exp(row.log_ratio)


def _choices(numbers: Sequence[int], old: AttemptRow, new: AttemptRow) -> tuple[RunChoice, ...]:
    return tuple(
        RunChoice(name, label, tuple((str(number), str(number), number == row.number) for number in numbers))
        for name, label, row in (("old", "Compare attempt", old), ("new", "with attempt", new))
    )


def _facts_table(old: AttemptRow | None, new: AttemptRow | None) -> Table:
    columns: tuple[Field[FactPair], ...] = (
        text_field("what", "Fact", lambda one: one.name),
        Field("old", f"Attempt {old.number}" if old else "Before", lambda one: Cell(one.old or NONE, one.old)),
        Field("new", f"Attempt {new.number}" if new else "Now", lambda one: Cell(one.new or NONE, one.new)),
        Field("differs", "Differs", lambda one: _difference_cell(one.old != one.new)),
    )
    pairs = zip(_facts(old).items(), _facts(new).values(), strict=True) if old and new else ()
    rows = [FactPair(name, before, now) for (name, before), now in pairs]
    return table("facts", "Facts of both attempts", columns, rows, ONLY_ONE)


def _facts(row: AttemptRow) -> dict[str, str]:
    took = duration(row.ended_at - row.started_at) if row.started_at and row.ended_at else ""
    return {
        "Status": STATUSES[row.status].label,
        "Reason": row.reason,
        "What happened": printable(row.message),
        "Flags": listed(FLAGS[flag][0] for flag in row.flags),
        "Speedup": "" if row.log_speedup is None else times(row.log_speedup),
        "Host": row.host or "",
        "Evaluator": row.evaluator,
        "Protocol": row.protocol,
        "Queued": moment(row.queued_at),
        "Ended": moment(row.ended_at) if row.ended_at else "",
        "Duration": took,
        "Record": short(row.record_digest),
    }


def _cases_table(pairs: Sequence[CasePair], old: AttemptRow | None, new: AttemptRow | None) -> Table:
    columns: tuple[Field[CasePair], ...] = (
        text_field("case", "Case", lambda pair: pair.case, is_code=True),
        Field("old_correct", f"Attempt {old.number}" if old else "old", lambda pair: OUTCOMES[pair.old_correct]),
        Field("old_speedup", "Speedup", lambda pair: _speedup_cell(pair.old_speedup), is_number=True),
        Field("new_correct", f"Attempt {new.number}" if new else "new", lambda pair: OUTCOMES[pair.new_correct]),
        Field("new_speedup", "Speedup", lambda pair: _speedup_cell(pair.new_speedup), is_number=True),
        Field("differs", "Differs", lambda pair: _difference_cell(pair.old_correct != pair.new_correct)),
    )
    caption = "All cases in both attempts"
    return table("cases", caption, columns, pairs, "Neither attempt reached a case." if old and new else ONLY_ONE)


def _speedup_cell(speedup: float | None) -> Cell:
    return Cell(NONE) if speedup is None else Cell(f"{significant(speedup, 4)}×", speedup)


def _difference_cell(differs: bool) -> Cell:
    return Cell("differs", True, mark="≠", tone="ours") if differs else Cell("same", False)
