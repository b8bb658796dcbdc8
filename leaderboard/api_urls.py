"""Addresses of the data: each page's own below /api/v1, its tables as CSV, its charts as SVG, and the schema."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, path
from drf_spectacular.views import SpectacularJSONAPIView

from leaderboard import views
from leaderboard.api import PageEndpoint
from leaderboard.routes import ROUTES, Route

app_name = "api"


def _patterns(route: Route) -> Iterator[URLPattern]:
    yield path(route.path, views.of_route(route)(PageEndpoint.as_view(route=route)), name=route.name)
    for kind, view in {"table": (views.csv, views.json), "chart": (views.svg, views.png)}.items():
        for part in view:
            yield path(f"{route.path}<slug:{kind}>.{part.__name__}", part(route), name=f"{route.name}_{part.__name__}")


urlpatterns = [
    path("schema.json", SpectacularJSONAPIView.as_view(), name="schema"),
    *(pattern for route in ROUTES for pattern in _patterns(route)),
]
