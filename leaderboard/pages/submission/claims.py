"""Claims of a bundle of another benchmark as a table: as claimed, beside what its own times say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leaderboard.formatting import NONE, significant
from leaderboard.pages.base import count_cell
from leaderboard.queries.submissions import ClaimRow
from leaderboard.tables import Cell, Column, RowGroup, Table, table
from leaderboard.words import status_cell

if TYPE_CHECKING:
    from leaderboard.pages.submission.page import TotalLine


def claims_table(claims: Sequence[ClaimRow], count: int) -> Table:
    columns = (
        *(Column("task", "Task"), Column("attempt", "Attempt"), Column("status", "Status")),
        *(
            Column("claimed_speedup", "Claimed", is_number=True),
            Column("recomputed_speedup", "From times", is_number=True),
        ),
        *(Column("cases", "Cases", is_number=True), Column("message", "What the bundle says")),
    )
    known = tuple(_cells(one) for one in claims if one.is_known)
    other = tuple(_cells(one) for one in claims if not one.is_known)
    note = "in no suite of this site: kept, and counted nowhere"
    groups = (RowGroup(known), RowGroup(other, "In quarantine", note))
    caption = "What the bundle claims, task by task" + (
        f": the first {len(claims)} of {count}" if count > len(claims) else ""
    )
    return Table("claims", caption, columns, groups, "There is no claim.")


def totals_table(totals: Sequence[TotalLine]) -> Table:
    columns = (
        Column("name", "Total", is_code=True),
        Column("claimed", "Claimed", is_number=True),
        Column("recomputed", "From its rows", is_number=True),
    )
    rows = [(Cell(one.name, one.name), _number(one.claimed), _number(one.recomputed)) for one in totals]
    return table("totals", "Totals of the bundle, as claimed and by its own rows", columns, rows, "It claims no total.")


def _number(value: float | str | None) -> Cell:
    if isinstance(value, float):
        return Cell(significant(value, 4), value)
    return Cell(NONE if value is None else str(value), value)


def _cells(claim: ClaimRow) -> tuple[Cell, ...]:
    return (
        Cell(claim.task, claim.task),
        Cell(claim.attempt or NONE, claim.attempt),
        status_cell(claim.status),
        _speedup(claim.claimed_speedup),
        _speedup(claim.recomputed_speedup),
        count_cell(claim.cases),
        Cell(claim.message or NONE, claim.message),
    )


def _speedup(value: float | None) -> Cell:
    return Cell(NONE if value is None else f"{significant(value, 4)}×", value)
