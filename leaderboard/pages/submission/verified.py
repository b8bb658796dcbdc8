"""What a verification found: claimed beside measured, each with its own noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from leaderboard.formatting import NONE, factor, rate, sentence, significant
from leaderboard.pages.base import count_cell, moment_cell, page_url
from leaderboard.queries.submissions import TaskVerdictRow, VerificationRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import STATUSES, TASK_VERDICTS, VERDICTS


@dataclass(frozen=True, slots=True)
class Verified:
    run: int  # that measured
    device_class: str
    sample: int | None  # None: all tasks
    asked_at: datetime
    closed_at: datetime | None
    verdict: str | None
    reproduced_tasks: int
    compared_tasks: int


@dataclass(frozen=True, slots=True)
class VerifiedSide:
    """`low` and `high` are the ends of the interval at 95 %."""

    result: int
    status: str
    speedup: float | None
    low: float | None
    high: float | None
    paper_speedup: float | None


@dataclass(frozen=True, slots=True)
class VerifiedTask:
    task: str
    outcome: str
    because: str
    claimed: VerifiedSide
    measured: VerifiedSide


def verified(asked: Sequence[VerificationRow], compared: Sequence[TaskVerdictRow]) -> dict[str, Any]:
    """The page's fields."""
    return {
        "verifications": tuple(Verified(*row[1:6], row.verdict or None, row.reproduced, row.compared) for row in asked),
        "measured": tuple(
            VerifiedTask(row.task, row.outcome, row.because, _side(row[6:12]), _side(row[12:18])) for row in compared
        ),
    }


def rounds_table(asked: Sequence[VerificationRow]) -> Table:
    columns = (
        Column("run", "Measured by"),
        Column("verdict", "Verdict"),
        Column("reproduced", "Reproduced or faster"),
        Column("sample", "Tasks drawn", is_number=True),
        Column("device_class", "On", is_code=True),
        Column("closed_at", "Ended"),
    )
    rows = [
        (
            Cell(f"Run {row.measured_run}", row.measured_run, page_url("run", row.measured_run)),
            _verdict_cell(row),
            Cell(rate(row.reproduced, row.compared) if row.verdict else NONE, row.reproduced),
            count_cell(row.sample) if row.sample else Cell("all"),
            Cell(row.device, row.device),
            moment_cell(row.closed_at),
        )
        for row in asked
    ]
    empty = "Nobody has evaluated its candidates again: its numbers are as claimed."
    return table("verifications", "Evaluated again on hosts of ours", columns, rows, empty)


def tasks_table(compared: Sequence[TaskVerdictRow]) -> Table:
    columns = (
        Column("task", "Task"),
        Column("outcome", "Outcome"),
        Column("because", "Why"),
        Column("claimed", "Claimed", is_number=True),
        Column("measured", "Measured", is_number=True),
    )
    rows = [
        (
            Cell(row.task.rpartition("/")[2], row.task, page_url("result", row.claimed_result)),
            _outcome_cell(row.outcome),
            Cell(sentence(row.because), row.because),
            _speed_cell(_side(row[6:12])),
            _speed_cell(_side(row[12:18])),
        )
        for row in compared
    ]
    empty = "No verification has ended."
    return table("measured", "Claimed beside measured, with the interval of each", columns, rows, empty)


def _side(values: Sequence[Any]) -> VerifiedSide:
    speedup, low, high = (None if one is None else factor(one) for one in values[2:5])
    return VerifiedSide(values[0], values[1], speedup, low, high, values[5])


def _verdict_cell(row: VerificationRow) -> Cell:
    if not row.verdict:
        return Cell("running", None, tone="open", mark="▸")
    word = VERDICTS[row.verdict]
    return Cell(word.label, row.verdict, tone=word.tone, mark=word.mark)


def _outcome_cell(outcome: str) -> Cell:
    word = TASK_VERDICTS[outcome]
    return Cell(word.label, outcome, tone=word.tone, mark=word.mark)


def _speed_cell(side: VerifiedSide) -> Cell:
    if side.speedup is None:
        label = STATUSES[side.status].label
        return Cell(f"{significant(side.paper_speedup, 4)}×" if side.paper_speedup else label, side.paper_speedup)
    ends = [NONE if end is None else significant(end, 4) for end in (side.low, side.high)]
    return Cell(
        f"{significant(side.speedup, 4)}×",
        side.speedup,
        page_url("result", side.result),
        note=f"{ends[0]} to {ends[1]}",
    )
