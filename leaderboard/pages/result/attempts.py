"""Two attempts at one result side by side: what each says of itself and of every case, and what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import exp

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, duration, listed, moment, printable, short, significant, times
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url, whole_number
from leaderboard.pages.result.history import changes
from leaderboard.pages.run.index import RunChoice
from leaderboard.queries import results
from leaderboard.queries.results import AttemptRow, MeasurementRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import FLAGS, STATUSES

OUTCOMES: dict[bool | None, Cell] = {
    True: Cell("right", True, tone="good", mark="✓"),
    False: Cell("wrong", False, tone="bad", mark="✕"),
    None: Cell("not reached", None, tone="ours", mark="○"),
}


@dataclass(frozen=True, slots=True)
class AttemptSide:
    """`speedup` is over eligible cases on the device clock, None where there is none."""

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
    """A case as both attempts saw it; None: not reached, or not timed."""

    case: str
    old_correct: bool | None
    new_correct: bool | None
    old_speedup: float | None
    new_speedup: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptsPage(Page):
    result: int
    task: str
    numbers: tuple[int, ...]  # of all attempts
    published: int | None  # the public answer
    old: AttemptSide | None
    new: AttemptSide | None
    changes: tuple[str, ...]
    cases: tuple[CasePair, ...]
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)


def build(query: Query, *, result: int) -> AttemptsPage | None:
    """The two newest attempts, or those that `old` and `new` name."""
    row = results.result(result)
    if row is None:
        return None
    attempts = {one.number: one for one in results.attempts_of(result)}
    old, new = _chosen(query, attempts)
    measured = results.measurements_of(result)
    pairs = _pairs(measured.get(old.id, ()), measured.get(new.id, ())) if old and new else ()
    return AttemptsPage(
        title="Two attempts side by side",
        lead=f"{row.task} by {entry_name(row.agent, row.model)}: {_lead(old, new, row.published_number)}",
        crumbs=(Link(f"Run {row.run_id}", page_url("run", row.run_id)), Link("Result", page_url("result", result))),
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


def _choices(numbers: Sequence[int], old: AttemptRow, new: AttemptRow) -> tuple[RunChoice, ...]:
    return tuple(
        RunChoice(name, label, tuple((str(number), str(number), number == row.number) for number in numbers))
        for name, label, row in (("old", "Attempt", old), ("new", "beside attempt", new))
    )


def _chosen(query: Query, attempts: Mapping[int, AttemptRow]) -> tuple[AttemptRow | None, AttemptRow | None]:
    """A number that no attempt has stands for the usual one: the newest, and the one before."""
    numbers = sorted(attempts)
    new = attempts.get(whole_number(query.get("new")) or 0) or (attempts[numbers[-1]] if numbers else None)
    earlier = [number for number in numbers if new is not None and number < new.number]
    old = attempts.get(whole_number(query.get("old")) or 0) or (attempts[earlier[-1]] if earlier else None)
    return old, new


def _lead(old: AttemptRow | None, new: AttemptRow | None, published: int | None) -> str:
    if old is None or new is None:
        return "there is one attempt only, so nothing to set beside it."
    public = f"attempt {published} is the public answer." if published else "none of them is public."
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


def _facts_table(old: AttemptRow | None, new: AttemptRow | None) -> Table:
    columns = (
        Column("what", "What"),
        Column("old", f"Attempt {old.number}" if old else "Before"),
        Column("new", f"Attempt {new.number}" if new else "Now"),
        Column("differs", "Differs"),
    )
    pairs = zip(_said(old).items(), _said(new).values(), strict=True) if old and new else ()
    rows = [_fact_cells(what, before, now) for (what, before), now in pairs]
    return table("facts", "What each says of itself", columns, rows, "A second attempt comes with a rerun.")


def _said(row: AttemptRow) -> dict[str, str]:
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
        "Took": took,
        "Record": short(row.record_digest),
    }


def _fact_cells(what: str, old: str, new: str) -> tuple[Cell, ...]:
    return (Cell(what, what), *(Cell(text or NONE, text) for text in (old, new)), _difference(old != new))


def _difference(differs: bool) -> Cell:
    return Cell("differs", True, mark="≠", tone="ours") if differs else Cell("same", False)


def _cases_table(pairs: Sequence[CasePair], old: AttemptRow | None, new: AttemptRow | None) -> Table:
    columns = (
        Column("case", "Case", is_code=True),
        *(
            column
            for name, row in (("old", old), ("new", new))
            for column in (
                Column(f"{name}_correct", f"Attempt {row.number}" if row else name),
                Column(f"{name}_speedup", "Speedup", is_number=True),
            )
        ),
        Column("differs", "Differs"),
    )
    rows = [_case_cells(pair) for pair in pairs]
    caption = "Every case, as each of them judged and timed it"
    return table("cases", caption, columns, rows, "Neither attempt reached a case.")


def _case_cells(pair: CasePair) -> tuple[Cell, ...]:
    return (
        Cell(pair.case, pair.case),
        *_outcome(pair.old_correct, pair.old_speedup),
        *_outcome(pair.new_correct, pair.new_speedup),
        _difference(pair.old_correct != pair.new_correct),
    )


def _outcome(correct: bool | None, speedup: float | None) -> tuple[Cell, Cell]:
    return OUTCOMES[correct], Cell(NONE) if speedup is None else Cell(f"{significant(speedup, 4)}×", speedup)
