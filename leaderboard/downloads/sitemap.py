"""The sitemap, in sections of at most 50 000 addresses, and what robots are asked to leave alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial

from django.contrib.sitemaps import Sitemap

from leaderboard.pages.base import page_url, task_url
from leaderboard.pages.home.boards import suite_boards
from leaderboard.queries import sitemap as queries

Place = tuple[str, datetime | None]  # address, and when it was published
# Made for one person, or the same rows again in ever new combinations; previews of filtered pages have an image.
ROBOTS = """User-agent: *
Allow: /*card.png
Allow: /sitemap
Disallow: /*?
Disallow: /account/
Disallow: /admin/
Disallow: /login/
Disallow: /submit/upload/
Disallow: /api/v1/rows/
Disallow: /dump/
Disallow: /pairs.jsonl
Disallow: /pairs/version/
Disallow: /pairs/claim/
Disallow: /*/embed/
Disallow: /*/explore/
Sitemap: {sitemap}
"""


class SitemapSection(Sitemap):  # type: ignore[type-arg]
    """One kind of addresses, read once for each request."""

    def __init__(self, read: Callable[[], Sequence[Place]]) -> None:
        self._read = read

    @cached_property
    def _places(self) -> Sequence[Place]:
        return self._read()

    def items(self) -> Sequence[Place]:
        return self._places

    def location(self, item: Place) -> str:
        return item[0]

    def lastmod(self, item: Place) -> datetime | None:
        return item[1]


def sections(pages: Sequence[str]) -> Mapping[str, Callable[[], SitemapSection]]:
    """Name → what makes the section; `pages` are the names of pages without parts in their address."""
    read: Mapping[str, Callable[[], Sequence[Place]]] = {
        "pages": lambda: [(page_url(name), None) for name in pages],
        "boards": lambda: [(address, None) for boards in suite_boards() for address in boards.boards.values()],
        "names": lambda: [(_address(row), None) for row in queries.names()],
        "results": _results,
    }
    return {name: partial(SitemapSection, found) for name, found in read.items()}


def _results() -> list[Place]:
    """Every public result, and each of their runs."""
    rows = queries.results()
    runs = {row.run_id: row.at for row in rows}
    return [
        *((page_url("run", run), at) for run, at in runs.items()),
        *((page_url("result", row.id), row.at) for row in rows),
    ]


def _address(row: queries.NameRow) -> str:
    return task_url(row.key) if row.of == "task" else page_url(row.of, row.key)
