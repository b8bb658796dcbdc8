"""A public page's address, its builder, and what it reads of a query string."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.pages.base import Page, Query
from leaderboard.problems import refuse_unknown
from leaderboard.query_values import is_invalid, refuse_invalid


@dataclass(frozen=True, slots=True)
class Route:
    """`path` is Django's pattern; `build` takes the query and the pattern's parts."""

    name: str
    path: str
    page: type[Page]
    build: Callable[..., Page | None]
    summary: str
    query: str = ""  # the names that the query string may hold
    template: str = ""
    section: str = ""  # the page in NAVIGATION that it belongs to, if it is not there itself
    is_shared: bool = False  # others link to it and embed parts of it: it has an image for previews of its own
    is_live: bool = False  # made again after a second: shows progress, heartbeats or the date
    revision_of: Callable[..., str | None] | None = None  # takes the pattern's parts, see `cached_by_revision`

    @property
    def names(self) -> tuple[str, ...]:
        """Names of query parameters that it takes."""
        return tuple(self.query.split(", ")) if self.query else ()

    def known(self, query: Query) -> dict[str, str]:
        """The parameters that it takes, without empty and invalid values."""
        given = ((name, query.get(name, "")) for name in self.names)
        return {name: value for name, value in given if value and not is_invalid(name, value)}

    def asked(self, query: Query) -> dict[str, str]:
        """The same, for data, which must be what was asked for.

        Raises:
            BadQuery: the query has an unknown parameter or an invalid value.
        """
        refuse_unknown(query, self.names)
        refuse_invalid(query)
        return self.known(query)

    def make(self, query: Query, parts: Mapping[str, Any]) -> Page | None:
        return self.build(self.known(query), **parts)

    @property
    def template_name(self) -> str:
        return f"leaderboard/{self.template or self.name}.html"


def api_path(route: Route) -> str:
    """The pattern in the form board/{suite}/{category}/{device}/."""
    return re.sub(r"<\w+:(\w+)>", r"{\1}", route.path)
