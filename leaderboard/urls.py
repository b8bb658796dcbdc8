"""Addresses of pages, from the list of routes, and of files."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, path

from leaderboard import views
from leaderboard.routes import ROUTES, Route

app_name = "leaderboard"


def _patterns(route: Route) -> Iterator[URLPattern]:
    yield path(route.path, views.html(route), name=route.name)
    if route.name in views.POLLED:
        yield path(f"{route.path}{views.PROGRESS}", views.fragment(route), name=f"{route.name}_progress")
    yield path(f"{route.path}explore/<slug:chart>/", views.explore(route), name=f"{route.name}_explore")


urlpatterns = [
    *(pattern for route in ROUTES for pattern in _patterns(route)),
    path("feed.atom", views.feed, name="feed"),
    path("dump/<str:name>", views.dump_file, name="dump"),
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
