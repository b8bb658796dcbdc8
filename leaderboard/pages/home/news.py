"""Changes of the leaderboards in words, as the first page and the feed tell them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from leaderboard.formatting import moment, printable
from leaderboard.pages.base import entry_name, page_url
from leaderboard.queries import changes
from leaderboard.queries.changes import ChangeRow
from leaderboard.tables import Cell, Field, Table, hidden, table

_WORDS = {"publish": "Published", "withdraw": "Withdrawn", "reveal": "Revealed"}


@dataclass(frozen=True, slots=True)
class News:
    at: datetime
    what: str
    url: str


def newest(limit: int) -> tuple[News, ...]:
    return tuple(News(row.at, printable(title_of(row)), url_of(row)) for row in changes.newest(limit))


def news_table(found: tuple[News, ...]) -> Table:
    columns: tuple[Field[News], ...] = (
        Field("what", "Change", lambda one: Cell(one.what, one.what, one.url, moment(one.at))),
        hidden("at", lambda one: one.at.isoformat()),
    )
    return table("news", "What was published, replaced or withdrawn last", columns, found, "Nothing is published yet.")


def url_of(change: ChangeRow) -> str:
    if change.submission_id is not None:
        return page_url("submission", change.submission_id)
    return page_url("generalizations") if change.run_id is None else page_url("run", change.run_id)


def title_of(change: ChangeRow) -> str:
    word = _WORDS[change.action]
    if change.submission_id is not None:
        claims = f"claims of {change.claims_of}, {entry_name(change.agent or '', change.model)}"
        return f"{word}: {claims if change.claims_of else f'submission {change.submission_id}'}"
    if change.run_id is None:
        return f"{word}: round {change.round} of {change.round_suite}"
    who = entry_name(change.agent or "", change.model)
    where = f"{change.suite}@{change.version}, {change.device}"
    return f"{word}: {who}, another result for {change.task} ({where})" if change.task else f"{word}: {who} ({where})"
