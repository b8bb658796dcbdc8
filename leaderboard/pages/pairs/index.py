"""The browser of pairs: neighbouring versions of sessions, or of imported corpora, with filters, 50 to a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluator.records.edits import KINDS
from evaluator.records.transitions import TRANSITIONS
from leaderboard.encoding import SCREEN
from leaderboard.filters import LAST_PAGE
from leaderboard.formatting import NBSP, significant
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url, query_string, whole_number
from leaderboard.pages.pairs.facts import (
    CORPORA,
    SESSIONS,
    PairLine,
    kinds_in_words,
    line_of_claim,
    line_of_session,
    transition_in_words,
)
from leaderboard.pages.run.index import RunChoice
from leaderboard.queries import pairs
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field
from leaderboard.words import STATUSES, status_cell

PAGE_SIZE = 50
FILTERS = ("origin", "configuration", "submission", "task", "transition", "edit", "error")
OF_DOWNLOAD = ("configuration", "task", "transition", "edit", "error")
ERRORS = ("build_failed", "wrong_output", "crashed", "timed_out", "tampered", "implausible", "not_produced")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsPage(Page):
    origin: str
    filters: dict[str, str]
    pairs: tuple[PairLine, ...]
    next: str | None
    previous: str | None
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    hidden_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)
    origins: tuple[Link, ...] = field(metadata=SCREEN)
    download: str = field(metadata=SCREEN)  # empty where there is none


def build(query: Query) -> PairsPage:
    filters = {name: query.get(name, "")[:100] for name in FILTERS if query.get(name)}
    origin = CORPORA if filters.pop("origin", "") == CORPORA else SESSIONS
    page = min(max(whole_number(query.get("page")) or 1, 1), LAST_PAGE)
    lines = _lines(origin, filters, page)
    shown = lines[:PAGE_SIZE]
    return PairsPage(
        title="Pairs of versions",
        lead=_lead(origin),
        crumbs=(Link("Analysis", page_url("analysis")), Link("Iterations", page_url("iterations"))),
        tables=by_slug(_table(shown, origin, bool(filters))),
        origin=origin,
        filters=filters,
        pairs=shown,
        next=_address(query, page + 1) if len(lines) > PAGE_SIZE else None,
        previous=_address(query, page - 1) if page > 1 else None,
        choices=_choices(filters),
        hidden_inputs=tuple(
            (name, value)
            for name, value in {"origin": origin, **filters}.items()
            if name in ("origin", "configuration", "submission")
        ),
        is_filtered=bool(filters),
        origins=(
            Link("Sessions", "?", origin == SESSIONS),
            Link("Imported corpora", f"?origin={CORPORA}", origin == CORPORA),
        ),
        download=page_url("pairs_jsonl") + query_string(filters, OF_DOWNLOAD) if origin == SESSIONS else "",
    )


def _lines(origin: str, filters: Mapping[str, str], page: int) -> tuple[PairLine, ...]:
    """One more than fit on the page."""
    part = (PAGE_SIZE + 1, (page - 1) * PAGE_SIZE)
    if origin == CORPORA:
        return tuple(map(line_of_claim, pairs.of_claims(filters, *part)))
    return tuple(map(line_of_session, pairs.of_sessions(filters, *part)))


def _lead(origin: str) -> str:
    if origin == CORPORA:
        return "Neighbouring rounds of corpora from elsewhere. Their outcomes are claimed, none was measured here."
    return "Neighbouring versions that agents had checked in sessions of public results, newest first."


def _address(query: Query, page: int) -> str:
    return query_string(query, (*FILTERS, "page"), page=str(page) if page > 1 else "") or "?"


def _choices(filters: Mapping[str, str]) -> tuple[RunChoice, ...]:
    errors = {name: STATUSES[name].label for name in ERRORS}
    return (
        _choice("transition", "Transition", {slug: title for slug, (title, _) in TRANSITIONS.items()}, filters),
        _choice("edit", "Kind of edit", {slug: kind.name for slug, kind in KINDS.items()}, filters),
        _choice("error", "Error, before or after", errors, filters),
    )


def _choice(name: str, label: str, words: Mapping[str, str], filters: Mapping[str, str]) -> RunChoice:
    chosen = filters.get(name, "")
    return RunChoice(
        name, label, (("", "any", not chosen), *((slug, word, slug == chosen) for slug, word in words.items()))
    )


def _table(lines: tuple[PairLine, ...], origin: str, is_filtered: bool) -> Table:
    is_own = origin == SESSIONS
    columns: tuple[Field[PairLine], ...] = fields(
        Field("pair", "Pair", _pair_cell),
        Field("task", "Task", lambda one: Cell(one.task.rpartition("/")[2].removesuffix(".py"), one.task)),
        Field("entry", "Entry", _entry_cell),
        Field("transition", "Transition", lambda one: Cell(transition_in_words(one.transition)[0], one.transition)),
        Field("before", "Before", lambda one: status_cell(one.status_before, note=_speed(one.speedup_before))),
        Field("after", "After", lambda one: status_cell(one.status, note=_speed(one.speedup))),
        Field("kinds", "Kinds of edit", lambda one: Cell(kinds_in_words(one.kinds), " ".join(one.kinds))),
        Field("lines", "Lines", lambda one: Cell(f"+{one.added} −{one.removed}"), on_page=is_own),
        hidden("added", lambda one: one.added),
        hidden("removed", lambda one: one.removed),
        hidden("speedup_before", lambda one: one.speedup_before),
        hidden("speedup", lambda one: one.speedup),
        hidden("configuration", lambda one: one.configuration),
        hidden("result", lambda one: one.result),
        hidden("submission", lambda one: one.submission),
        text_field("step", "Step", lambda one: one.step, on_page=False),
    )
    caption = "Pairs of neighbouring versions" if is_own else "Pairs of neighbouring rounds, as claimed"
    return table("pairs", caption, columns, lines, _empty(origin, is_filtered))


def _empty(origin: str, is_filtered: bool) -> str:
    if is_filtered:
        return "No pair matches these filters. Remove one."
    if origin == CORPORA:
        return "No corpus of refinement rounds is public here yet. The page Submit says how to submit one."
    return (
        "No public session has two versions yet. They are listed once a run whose agent checks its work is published."
    )


def _pair_cell(one: PairLine) -> Cell:
    return Cell(one.step.replace(" ", NBSP), one.id, one.url)


def _entry_cell(one: PairLine) -> Cell:
    if one.submission is not None:
        return Cell(one.name, one.name, page_url("submission", one.submission), "self-declared")
    assert one.configuration is not None
    return Cell(one.name, one.name, page_url("configuration", one.configuration))


def _speed(speedup: float | None) -> str:
    return "" if speedup is None else f"{significant(speedup, 4)}×"
