"""Addresses of pages, from the list of routes, and of files."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, path

from leaderboard import views
from leaderboard.downloads.sitemap import sections
from leaderboard.pages.board.page import BoardPage
from leaderboard.pages.route import Route
from leaderboard.routes import ROUTES

app_name = "leaderboard"
SITEMAP = {"sitemaps": sections([route.name for route in ROUTES if "<" not in route.path and route.name != "search"])}


def _patterns(route: Route) -> Iterator[URLPattern]:
    yield path(route.path, views.html(route), name=route.name)
    if route.name in views.POLLED:
        yield path(f"{route.path}{views.PROGRESS}", views.fragment(route), name=f"{route.name}_progress")
    yield path(f"{route.path}explore/<slug:chart>/", views.explore(route), name=f"{route.name}_explore")
    if route.is_shared:
        yield from _shared(route)


def _shared(route: Route) -> Iterator[URLPattern]:
    yield path(f"{route.path}embed/chart/<slug:part>/", views.embed(route, "chart"), name=f"{route.name}_embed_chart")
    yield path(f"{route.path}embed/table/<slug:part>/", views.embed(route, "table"), name=f"{route.name}_embed_table")
    yield path(f"{route.path}card.png", views.card(route), name=f"{route.name}_card")


def _of_a_board(route: Route) -> Iterator[URLPattern]:
    yield path(f"{route.path}feed.atom", views.board_feed, name="board_feed")
    yield path(f"{route.path}badge.svg", views.badge(route), name="board_badge")
    yield path(f"{route.path}badge/<slug:configuration>.svg", views.badge(route), name="entry_badge")


urlpatterns = [
    *(pattern for route in ROUTES for pattern in _patterns(route)),
    *(pattern for route in ROUTES if route.page is BoardPage for pattern in _of_a_board(route)),
    path("feed.atom", views.feed, name="feed"),
    path("robots.txt", views.robots, name="robots"),
    path("sitemap.xml", views.sitemap_index, SITEMAP | {"sitemap_url_name": "leaderboard:sitemap"}, "sitemap_index"),
    path("sitemap-<slug:section>.xml", views.sitemap, SITEMAP, "sitemap"),
    path("dump/<str:name>", views.dump_file, name="dump"),
    path("pairs.jsonl", views.pairs_jsonl, name="pairs_jsonl"),
    path("run/<row:run>/records.zip", views.run_files, name="run_files"),
    path("result/<row:result>/attempt/<row:number>/record.json", views.record, name="record"),
    path("result/<row:result>/attempt/<row:number>/unseen.json", views.unseen, name="unseen"),
    path("result/<row:result>/attempt/<row:number>/log.txt", views.log, name="log"),
    path("result/<row:result>/session.json", views.session, name="session"),
    path("result/<row:result>/transcript.txt", views.session_transcript, name="session_transcript"),
    path("result/<row:result>/prompt.txt", views.session_prompt, name="session_prompt"),
    path("result/<row:result>/candidate/<path:path>", views.candidate, name="candidate"),
    path("task/<slug:category>/<slug:source>/<slug:name>/source/<path:path>", views.task_source, name="task_source"),
]
