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
    yield path(route.path, PageEndpoint.as_view(route=route), name=route.name)
    yield path(f"{route.path}<slug:table>.csv", views.csv(route), name=f"{route.name}_csv")
    yield path(f"{route.path}<slug:chart>.svg", views.svg(route), name=f"{route.name}_svg")


urlpatterns = [
    path("schema.json", SpectacularJSONAPIView.as_view(), name="schema"),
    *(pattern for route in ROUTES for pattern in _patterns(route)),
]
