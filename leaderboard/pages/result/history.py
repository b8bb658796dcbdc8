"""A result's attempts, oldest first, and what changed from one to the next. Nothing is ever overwritten.

The page `attempts` sets two of them side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboard.formatting import NONE, duration, listed, plural
from leaderboard.pages.base import moment_cell, page_url
from leaderboard.queries.results import AttemptRow, MeasurementRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import FLAGS, STATUSES, status_cell

MOST_CASES = 3  # named in a sentence; the rest is counted


@dataclass(frozen=True, slots=True)
class AttemptLine:
    number: int
    status: str
    queued_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    host: str | None
    evaluator: str
    record: str | None  # its address
    unseen: str | None  # the same of its unseen cases, once their round is revealed
    changes: tuple[str, ...]  # from the attempt before


def history(
    result: int, attempts: Sequence[AttemptRow], measured: Mapping[int, Sequence[MeasurementRow]]
) -> tuple[AttemptLine, ...]:
    """Each attempt with its differences from the one before it."""
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
    columns = (
        Column("attempt", "Attempt", is_number=True),
        Column("status", "Status"),
        Column("changes", "Changed from the one before"),
        Column("ended_at", "Ended"),
        Column("seconds", "Took", is_number=True),
        Column("host", "Host"),
        Column("is_published", "Public answer"),
        Column("record", "Record"),
        Column("unseen", "Unseen cases"),
    )
    rows = [_cells(result, one, shown, published) for one in reversed(attempts)]
    return table("attempts", "Attempts, newest first. A rerun is another attempt.", columns, rows, "No attempt yet.")


def changes(before: AttemptRow, now: AttemptRow, measured: Mapping[int, Sequence[MeasurementRow]]) -> tuple[str, ...]:
    """From one attempt to a later one, in words; nothing while it is open."""
    if now.is_open:
        return ()
    found = []
    if before.status != now.status:
        found.append(f"status: {STATUSES[before.status].label} → {STATUSES[now.status].label}")
    elif before.reason != now.reason:
        found.append(f"reason: {before.reason or 'none'} → {now.reason or 'none'}")
    found += _case_changes(measured.get(before.id, ()), measured.get(now.id, ()))
    for verb, names in (("new flag", set(now.flags) - set(before.flags)), ("gone", set(before.flags) - set(now.flags))):
        found += [f"{verb}: {FLAGS[name][0]}" for name in sorted(names)]
    for what, old, new in (("evaluator", before.evaluator, now.evaluator), ("host", before.host, now.host)):
        if old and new and old != new:
            found.append(f"{what}: {old} → {new}")
    return tuple(found) or ("nothing: the same outcome",)


def _case_changes(before: Sequence[MeasurementRow], now: Sequence[MeasurementRow]) -> list[str]:
    known = {row.case: row.correct for row in before}
    changed: dict[str, list[str]] = {}
    for row in now:
        old = known.get(row.case)
        if row.case in known and old != row.correct:
            changed.setdefault(f"{_outcome(old)} → {_outcome(row.correct)}", []).append(row.case)
    return [f"{_cases(names)}: {change}" for change, names in changed.items()]


def _outcome(correct: bool | None) -> str:
    return {True: "right", False: "wrong", None: "not reached"}[correct]


def _cases(names: Sequence[str]) -> str:
    if len(names) > MOST_CASES:
        return plural(len(names), "case")
    return listed(f"case {name}" for name in names)


def _cells(result: int, one: AttemptLine, shown: int | None, published: int | None) -> tuple[Cell, ...]:
    url = f"{page_url('result', result)}?attempt={one.number}"
    here = "shown above" if one.number == shown else ""
    said = "; ".join(one.changes)
    beside = page_url("attempts", result) + f"?old={one.number - 1}&new={one.number}" if one.number > 1 else ""
    span = one.ended_at - one.started_at if one.ended_at and one.started_at else None
    public = "public answer" if one.number == published else ""
    return (
        Cell(str(one.number), one.number, url, here),
        status_cell(one.status),
        Cell(said or ("side by side" if beside else NONE), said, beside),
        moment_cell(one.ended_at),
        Cell(duration(span), round(span.total_seconds(), 3)) if span is not None else Cell(NONE),
        Cell(one.host or NONE, one.host),
        Cell(public or NONE, one.number == published),
        *(Cell("JSON", address, address) if address else Cell(NONE) for address in (one.record, one.unseen)),
    )
