"""Where a paper disagrees with itself or with its public code, as a table that says how anybody can check it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.pages.section import Section, Shown
from leaderboard.tables import Cell, Field, Table, table, text_field


@dataclass(frozen=True, slots=True)
class Disagreement:
    subject: str
    says: str
    says_where: str
    other: str
    other_where: str
    check: str


def section(in_paper: Sequence[Disagreement], of_code: Sequence[Disagreement]) -> Section:
    return Section(
        slug="disagreements",
        title="Where the paper disagrees with itself, and with its code",
        text=f"{len(in_paper)} inside the paper, then {len(of_code)} between it and its public repository.",
        tables=(Shown(_table((*in_paper, *of_code)), "prose-table"),),
    )


def _table(rows: Sequence[Disagreement]) -> Table:
    columns: tuple[Field[Disagreement], ...] = (
        text_field("subject", "Subject", lambda one: one.subject),
        Field("says", "The paper says", lambda one: Cell(one.says, one.says, note=one.says_where)),
        text_field("says_where", "", lambda one: one.says_where, on_page=False),
        Field("other", "But", lambda one: Cell(one.other, one.other, note=one.other_where)),
        text_field("other_where", "", lambda one: one.other_where, on_page=False),
        text_field("check", "How to check it", lambda one: one.check),
    )
    return table("disagreements", "Disagreements, each with its places", columns, rows, "")
