"""Search by agent, model, configuration, task, suite or digest. A GET form and tables: it works without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.formatting import NONE, plural, printable, short
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url, task_url
from leaderboard.queries import search
from leaderboard.queries.search import Hit, ResultHit
from leaderboard.tables import Cell, Column, Table, table

MOST_WORDS = 6
MOST_LETTERS = 100
MOST_HITS = 20  # of each kind
DIGEST = re.compile(r"[0-9a-f]{6,64}")  # fewer digits would match by chance


@dataclass(frozen=True, slots=True)
class Found:
    kind: str
    name: str
    about: str
    url: str | None


@dataclass(frozen=True, slots=True)
class FoundResult:
    """`record_digest` is that of the attempt `number`."""

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
    found: tuple[Found, ...]
    results: tuple[FoundResult, ...]  # by digest only
    is_cut: bool  # there is more of some kind than is listed


def build(query: Query) -> SearchPage:
    wanted = printable(" ".join(query.get("q", "").split()))[:MOST_LETTERS]
    words = wanted.split(" ")[:MOST_WORDS] if wanted else []
    digest = wanted.lower() if DIGEST.fullmatch(wanted.lower()) else ""
    groups = _groups(words, digest) if words else []
    results = search.results(digest, MOST_HITS + 1)
    found = tuple(_found(hit) for hits in groups for hit in hits[:MOST_HITS])
    is_cut = max(len(results), *(len(hits) for hits in groups), 0) > MOST_HITS
    return SearchPage(
        title="Search",
        lead=_lead(wanted, len(found) + len(results[:MOST_HITS]), is_cut),
        crumbs=(Link("ArenaBoard", "/"),),
        tables=_tables(wanted, found, results[:MOST_HITS]),
        q=wanted,
        found=found,
        results=tuple(FoundResult(*hit) for hit in results[:MOST_HITS]),
        is_cut=is_cut,
    )


def _groups(words: Sequence[str], digest: str) -> list[list[Hit]]:
    limit = MOST_HITS + 1
    return [
        search.agents(words, limit),
        search.models(words, limit),
        search.configurations(words, limit),
        search.tasks(words, digest, limit),
        search.suites(words, digest, limit),
    ]


def _lead(wanted: str, size: int, is_cut: bool) -> str:
    if not wanted:
        return "Agents, models, configurations, tasks and suites by name; candidates, records and tasks by digest."
    return f"{plural(size, 'thing')} found" + (
        f", {MOST_HITS} of a kind at most: add a word to see fewer." if is_cut else "."
    )


def _found(hit: Hit) -> Found:
    about = short(hit.about) if hit.kind in ("task", "older task", "suite") else printable(hit.about.replace("_", " "))
    return Found(hit.kind, printable(hit.key if hit.kind == "suite" else hit.name), about, _url(hit))


def _url(hit: Hit) -> str | None:
    if hit.kind == "task":
        return task_url(hit.key)
    if hit.kind == "older task":
        return f"{task_url(hit.key)}?digest={short(hit.about)}"
    if hit.kind == "suite":
        return f"{page_url('runs')}?suite={hit.key.partition('@')[0]}"
    return page_url(hit.kind, hit.key)


def _tables(wanted: str, found: Sequence[Found], results: Sequence[ResultHit]) -> dict[str, Table]:
    columns = (Column("name", "Name"), Column("kind", "Kind"), Column("about", "More", is_code=True))
    rows = [
        (Cell(one.name, one.name, one.url or ""), Cell(one.kind, one.kind), Cell(one.about or NONE, one.about))
        for one in found
    ]
    empty = (
        "Nothing has that name. Every word has to be in it: try fewer, or look through the tasks and the agents."
        if wanted
        else "Type a name or at least six digits of a digest."
    )
    named = [table("found", "By name", columns, rows, empty)] if found or not results else []
    return by_slug(*named, *([_results(results)] if results else []))


def _results(results: Sequence[ResultHit]) -> Table:
    columns = (
        Column("result", "Result"),
        Column("task", "Task"),
        Column("configuration", "Configuration"),
        Column("candidate_digest", "Candidate", is_code=True),
        Column("attempt", "Attempt", is_number=True),
        Column("record_digest", "Record", is_code=True),
    )
    rows = [
        (
            Cell(f"Result {hit.id}", hit.id, page_url("result", hit.id)),
            Cell(hit.task, hit.task, task_url(hit.task)),
            Cell(hit.configuration, hit.configuration, page_url("configuration", hit.configuration)),
            Cell(short(hit.candidate_digest) or NONE, hit.candidate_digest),
            Cell(str(hit.number or NONE), hit.number),
            Cell(short(hit.record_digest or "") or NONE, hit.record_digest),
        )
        for hit in results
    ]
    return table("results", "By the digest of a candidate or of a record", columns, rows, "")
