"""Search by name or digest, with a GET form and tables, so that it works without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.formatting import NONE, plural, printable, short
from leaderboard.pages.base import Page, Query, by_slug, page_url, task_url
from leaderboard.queries import search
from leaderboard.queries.search import Hit, ResultHit
from leaderboard.tables import Cell, Field, Table, table, text_field

MOST_WORDS = 6
MOST_LETTERS = 100
MOST_HITS = 20  # of each kind
DIGEST = re.compile(r"[0-9a-f]{6,64}")  # fewer digits match by chance


@dataclass(frozen=True, slots=True)
class SearchHit:
    kind: str
    name: str
    about: str
    url: str | None


@dataclass(frozen=True, slots=True)
class FoundResult:
    """A result found by digest. `record_digest` belongs to the attempt `number`."""

    result: int
    task: str
    configuration: str
    run: int
    candidate_digest: str
    number: int | None
    record_digest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage(Page):
    q: str
    found: tuple[SearchHit, ...]
    results: tuple[FoundResult, ...]  # by digest only
    is_cut: bool  # there are more of some kind than are listed


def build(query: Query) -> SearchPage:
    text = printable(" ".join(query.get("q", "").split()))[:MOST_LETTERS]
    words = text.split(" ")[:MOST_WORDS] if text else []
    digest = text.lower() if DIGEST.fullmatch(text.lower()) else ""
    groups = _groups(words, digest) if words else []
    results = search.results(digest, MOST_HITS + 1)
    found = tuple(_search_hit(hit) for hits in groups for hit in hits[:MOST_HITS])
    is_cut = max(len(results), *(len(hits) for hits in groups), 0) > MOST_HITS
    return SearchPage(
        title="Search",
        lead=_lead(text, len(found) + len(results[:MOST_HITS]), is_cut),
        tables=_tables(text, found, results[:MOST_HITS]),
        q=text,
        found=found,
        results=tuple(FoundResult(*hit) for hit in results[:MOST_HITS]),
        is_cut=is_cut,
    )


def _groups(words: Sequence[str], digest: str) -> list[list[Hit]]:
    limit = MOST_HITS + 1
    return [
        search.agents_and_models(words, limit),
        search.configurations(words, limit),
        search.tasks(words, digest, limit),
        search.suites(words, digest, limit),
        search.claims(words, digest, limit),
    ]


def _lead(text: str, size: int, is_cut: bool) -> str:
    if not text:
        return (
            "Find agents, models, configurations, tasks, suites and claims by name, or candidates, records, tasks and "
            "bundles of claims by digest."
        )
    return f"{plural(size, 'match', 'matches')}" + (
        f", {MOST_HITS} of each kind at most. Add a word to narrow the search." if is_cut else "."
    )


def _search_hit(hit: Hit) -> SearchHit:
    about = short(hit.about) if hit.kind in ("task", "older task", "suite") else printable(hit.about.replace("_", " "))
    return SearchHit(hit.kind, printable(hit.key if hit.kind == "suite" else hit.name), about, _url(hit))


def _url(hit: Hit) -> str | None:
    if hit.kind == "task":
        return task_url(hit.key)
    if hit.kind == "older task":
        return f"{task_url(hit.key)}?digest={short(hit.about)}"
    if hit.kind == "suite":
        return f"{page_url('runs')}?suite={hit.key.partition('@')[0]}"
    return page_url("submission" if hit.kind == "claims" else hit.kind, hit.key)


def _tables(text: str, found: Sequence[SearchHit], results: Sequence[ResultHit]) -> dict[str, Table]:
    columns: tuple[Field[SearchHit], ...] = (
        Field("name", "Name", lambda one: Cell(one.name, one.name, one.url or "")),
        text_field("kind", "Kind", lambda one: one.kind),
        Field("about", "More", lambda one: Cell(one.about or NONE, one.about), is_code=True),
    )
    empty = (
        "No matches. All words must match: try fewer words, or browse the tasks and the agents."
        if text
        else "Enter a name, or at least six digits of a digest."
    )
    named = [table("found", "By name", columns, found, empty)] if found or not results else []
    return by_slug(*named, *([_results(results)] if results else []))


def _results(results: Sequence[ResultHit]) -> Table:
    columns: tuple[Field[ResultHit], ...] = (
        Field("result", "Result", lambda hit: Cell(f"Result {hit.id}", hit.id, page_url("result", hit.id))),
        Field("task", "Task", lambda hit: Cell(hit.task, hit.task, task_url(hit.task))),
        Field(
            "configuration",
            "Configuration",
            lambda hit: Cell(hit.configuration, hit.configuration, page_url("configuration", hit.configuration)),
        ),
        Field("candidate_digest", "Candidate", lambda hit: _digest_cell(hit.candidate_digest), is_code=True),
        Field("attempt", "Attempt", lambda hit: Cell(str(hit.number or NONE), hit.number), is_number=True),
        Field("record_digest", "Record", lambda hit: _digest_cell(hit.record_digest), is_code=True),
    )
    return table("results", "By the digest of a candidate or of a record", columns, results, "")


def _digest_cell(digest: str | None) -> Cell:
    return Cell(short(digest or "") or NONE, digest)
