"""Search by words or digest, with a GET form and tables, so that it works without JavaScript.

What is exactly the text comes first, then what begins with it; things of one closeness stand in the order of KINDS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from leaderboard.formatting import NONE, plural, printable, short
from leaderboard.pages.base import Page, Query, board_url, by_slug, page_url, task_url
from leaderboard.pages.home.boards import board_title
from leaderboard.pages.protocols import preferred
from leaderboard.queries import search
from leaderboard.queries.search import CONTAINS, EXACT, FoundBoardRow, Hit, ResultHit, Wanted
from leaderboard.tables import Cell, Field, Table, hidden, table, text_field
from leaderboard.words import ALL, CATEGORIES

MOST_WORDS = 6
MOST_LETTERS = 100
MOST_HITS = 20  # of each kind
DIGEST = re.compile(r"[0-9a-f]{6,64}")  # fewer digits match by chance
KINDS = ("board", "entry", "reference line", "task", "agent", "model", "device", "suite", "older task", "claims")


@dataclass(frozen=True, slots=True)
class SearchHit:
    kind: str
    name: str
    about: str
    url: str


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
    digest = text.lower() if DIGEST.fullmatch(text.lower()) else ""
    wanted = Wanted(text, text.split(" ")[:MOST_WORDS], digest)
    kinds = _by_kind(wanted) if text else {}
    results = search.results(digest, MOST_HITS + 1)
    found = tuple(_search_hit(hit) for hit in _closest_first(kinds))
    is_cut = max(len(results), *(len(hits) for hits in kinds.values()), 0) > MOST_HITS
    return SearchPage(
        title="Search",
        lead=_lead(text, len(found) + len(results[:MOST_HITS]), is_cut),
        tables=_tables(text, found, results[:MOST_HITS]),
        q=text,
        found=found,
        results=tuple(FoundResult(*hit) for hit in results[:MOST_HITS]),
        is_cut=is_cut,
    )


def _by_kind(wanted: Wanted) -> dict[str, list[Hit]]:
    limit = MOST_HITS + 1
    found: dict[str, list[Hit]] = {kind: [] for kind in KINDS}
    for hit in (
        *_boards(wanted),
        *search.entries(wanted, 2 * limit),
        *search.tasks(wanted, limit),
        *search.named(wanted, 4 * limit),
        *search.claims(wanted, limit),
    ):
        found[hit.kind].append(hit)
    return found


def _closest_first(kinds: dict[str, list[Hit]]) -> list[Hit]:
    return sorted((hit for hits in kinds.values() for hit in hits[:MOST_HITS]), key=lambda hit: hit.closeness)


def _boards(wanted: Wanted) -> Iterator[Hit]:
    """A board over all categories where its title has all words, otherwise those of the categories that they name."""
    words = [word.casefold() for word in wanted.words]
    for _, rows in groupby(search.boards(), key=lambda row: (row.suite, row.device)):
        board = preferred(list(rows))
        titles = {slug: _board_title(board, slug) for slug in (ALL, *board.categories)}
        texts = {slug: f"{title} {slug} {_names(board)}".casefold() for slug, title in titles.items()}
        matching = [slug for slug, text in texts.items() if all(word in text for word in words)]
        for slug in (ALL,) if ALL in matching else matching:
            closeness = EXACT if wanted.text.casefold() == titles[slug].casefold() else CONTAINS
            address = board_url(board.suite, 0, True, slug, board.device, board.protocol)
            yield Hit("board", closeness, address, titles[slug], f"{board.device}, {board.protocol}")


def _board_title(board: FoundBoardRow, category: str) -> str:
    title = board_title(board.suite_title, board.suite, board.device_title)
    return title if category == ALL else f"{title}, {CATEGORIES[category]}"


def _names(board: FoundBoardRow) -> str:
    return f"{board.suite} {board.device} {board.architecture} {board.protocol} leaderboard"


def _lead(text: str, size: int, is_cut: bool) -> str:
    if not text:
        return (
            "Find leaderboards, entries, tasks, agents, models, devices, suites and claims by words in any order, such "
            "as softmax triton, or candidates, records, tasks and bundles of claims by digest."
        )
    return f"{plural(size, 'match', 'matches')}" + (
        f", {MOST_HITS} of each kind at most. Add a word to narrow the search." if is_cut else "."
    )


def _search_hit(hit: Hit) -> SearchHit:
    name, about = hit.name, hit.about
    if hit.kind == "suite":
        name, about = hit.key, short(hit.about)
    elif hit.kind == "agent":
        about = hit.about.replace("_", " ")
    return SearchHit(hit.kind, printable(name), printable(about), _url(hit))


def _url(hit: Hit) -> str:
    match hit.kind:
        case "board":
            return hit.key
        case "task":
            return task_url(hit.key)
        case "older task":
            return f"{task_url(hit.key)}?digest={short(hit.digest)}"
        case "entry" | "reference line":
            return page_url("configuration", hit.key)
        case "suite":
            return f"{page_url('runs')}?suite={hit.key.partition('@')[0]}"
        case "device":
            return f"{page_url('runs')}?device={hit.key}"
        case "claims":
            return page_url("submission", hit.key)
        case kind:
            return page_url(kind, hit.key)


def _tables(text: str, found: Sequence[SearchHit], results: Sequence[ResultHit]) -> dict[str, Table]:
    columns: tuple[Field[SearchHit], ...] = (
        Field("name", "Name", lambda one: Cell(one.name, one.name, one.url, one.about)),
        hidden("about", lambda one: one.about),
        text_field("kind", "Kind", lambda one: one.kind),
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
