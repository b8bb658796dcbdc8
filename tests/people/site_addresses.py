"""Addresses to walk: every one there is, as it is written, and those of everything public, with what a site has."""

from __future__ import annotations

from collections.abc import Iterator

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from leaderboard.queries.public_rows import COLLECTIONS
from leaderboard.routes import ROUTES
from runs.models import Result
from tests.browser.site import Site

SHARED = {route.name for route in ROUTES if route.is_shared}


def patterns() -> Iterator[tuple[str, str]]:
    """(the route as written, its name with namespaces) of every address there is."""
    return _walk(get_resolver(), "", ())


def _walk(resolver: URLResolver, before: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for one in resolver.url_patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield route, ":".join((*names, one.name)) if one.name else route
        else:
            yield from _walk(one, route, (*names, one.namespace) if one.namespace else names)


def public_addresses(site: Site) -> list[str]:
    """A page of each kind, all of its forms, and every file."""
    return [*_pages(site), *_files(site)]


def _pages(site: Site) -> Iterator[str]:
    stranger, seen = Client(), set()
    for address in site.addresses:
        name = resolve(address.partition("?")[0]).url_name
        if "explore" in address or name in seen:
            continue
        seen.add(name)
        page = stranger.get(address).context["page"]
        path = address.partition("?")[0]
        table, chart = next(iter(page.tables), "none"), next(iter(page.charts), "none")
        data = f"/api/v1{path}"
        yield from (path, data, f"{data}{table}.csv", f"{data}{table}.json", f"{data}{chart}.svg", f"{data}none.png")
        yield f"{path}explore/{chart}/"
        if name in SHARED:
            yield from (f"{path}embed/chart/{chart}/", f"{path}embed/table/{table}/", f"{path}card.png")
        if name == "board":
            yield from (f"{path}feed.atom", f"{path}badge.svg", f"{path}badge/{page.entries[0].configuration}.svg")
    yield from ("/queue/progress/", f"/run/{site.running.pk}/progress/")


def _files(site: Site) -> Iterator[str]:
    result: Result = site.result
    yield from (
        "/robots.txt",
        "/sitemap.xml",
        "/sitemap-names.xml",
        "/feed.atom",
        "/dump/ranks.csv",
        "/pairs.jsonl",
        f"/run/{result.run_id}/records.zip",
    )
    for collection in COLLECTIONS:
        yield from (f"/api/v1/rows/{collection.name}/", f"/api/v1/rows/{collection.name}.csv")
    number = result.published_attempt.number if result.published_attempt else 1
    yield from (f"/result/{result.pk}/attempt/{number}/{name}" for name in ("record.json", "log.txt", "unseen.json"))
    yield from (f"/result/{result.pk}/{name}" for name in ("session.json", "transcript.txt", "prompt.txt"))
    yield f"/result/{result.pk}/candidate/kernel.hip"
    yield f"/task/{result.task.path}/source/kernel.hip"
