"""The page of one agent's session: its versions, and every step of its transcript, a part at a time, with a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural, printable
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url, query_string, whole_number
from leaderboard.pages.result.session import SessionSection, Version, section, versions_table
from leaderboard.pages.result.steps import PAGE_SIZE, Step, public, steps
from leaderboard.queries import results, sessions
from leaderboard.queries.results import ResultDetailRow

MOST_LETTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptPage(Page):
    result: int
    run: int
    task: str
    configuration: str
    agent: str
    model: str | None
    session: SessionSection
    q: str
    total: int  # steps of the session
    matching: int  # of them that contain q; all without it
    page: int
    pages: int
    steps: tuple[Step, ...]  # on this page
    found: str = field(metadata=SCREEN)
    previous: str | None = field(metadata=SCREEN)
    next: str | None = field(metadata=SCREEN)
    unnamed: tuple[Version, ...] = field(metadata=SCREEN)  # versions that no step names


def build(query: Query, *, result: int) -> TranscriptPage | None:
    """Return a part of the session; None where the result has none that anybody may see."""
    row = results.result(result)
    shown = section(row.session) if row else None
    if row is None or row.session is None or shown is None:
        return None
    stored = sessions.session_record(row.session.digest)
    every = steps(stored, shown.versions) if stored else ()
    q = printable(" ".join(query.get("q", "").split()))[:MOST_LETTERS]
    matching = [step for step in every if step.has(q.casefold())] if q else every
    pages = max(1, -(-len(matching) // PAGE_SIZE))
    places = {step.version: step.place for step in every if step.version}
    number = min(max(whole_number(query.get("page")) or 1, 1), pages)
    part = matching[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return TranscriptPage(
        **_about(row),
        tables=by_slug(versions_table(shown, places)),
        session=shown,
        q=q,
        total=len(every),
        matching=len(matching),
        page=number,
        pages=pages,
        steps=tuple(public(step, sessions.shown) for step in part),
        found=_found(q, len(matching), len(every), number, pages),
        previous=_address(q, number - 1) if number > 1 else None,
        next=_address(q, number + 1) if number < pages else None,
        unnamed=tuple(one for one in shown.versions if one.number not in places),
    )


def _about(row: ResultDetailRow) -> dict[str, Any]:
    name = f"{row.task.rpartition('/')[2]} by {entry_name(row.agent, row.model)}"
    return {
        "title": f"Session on {name}",
        "lead": "What the agent said and did, as it was recorded: each tool call with its output and the version that "
        "it led to.",
        "crumbs": (
            Link("Runs", page_url("runs")),
            Link(f"Run {row.run_id}", page_url("run", row.run_id)),
            Link("Result", page_url("result", row.id)),
        ),
        "result": row.id,
        "run": row.run_id,
        **{same: getattr(row, same) for same in ("task", "configuration", "agent", "model")},
    }


def _found(q: str, matching: int, total: int, number: int, pages: int) -> str:
    what = f"{matching} of {plural(total, 'step')} contain “{q}”" if q else plural(total, "step")
    return f"{what}, page {number} of {pages}." if pages > 1 else f"{what}."


def _address(q: str, number: int) -> str:
    return query_string({"q": q}, ("q", "page"), page=str(number) if number > 1 else "") or "?"
