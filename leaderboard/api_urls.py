"""Addresses of the data: each page's own below /api/v1, its tables as CSV, its charts as SVG; rows; and the schema."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, path
from drf_spectacular.views import SpectacularJSONAPIView

from leaderboard import views
from leaderboard.api import PageEndpoint, RowsEndpoint
from leaderboard.http.etags import settled
from leaderboard.queries.collection import Collection
from leaderboard.queries.public_rows import COLLECTIONS
from leaderboard.routes import ROUTES, Route

app_name = "api"


def _patterns(route: Route) -> Iterator[URLPattern]:
    yield path(route.path, views.of_route(route)(PageEndpoint.as_view(route=route)), name=route.name)
    for kind, view in {"table": (views.csv, views.json), "chart": (views.svg, views.png)}.items():
        for part in view:
            yield path(f"{route.path}<slug:{kind}>.{part.__name__}", part(route), name=f"{route.name}_{part.__name__}")


def _of_rows(collection: Collection) -> Iterator[URLPattern]:
    """Rows change with the counter: nothing of what is alive is among them."""
    endpoint = views.reading(settled(RowsEndpoint.as_view(collection=collection)))
    yield path(f"rows/{collection.name}/", endpoint, name=f"rows_{collection.name}")
    yield path(f"rows/{collection.name}.csv", views.rows_csv(collection), name=f"rows_{collection.name}_csv")


urlpatterns = [
    path("schema.json", SpectacularJSONAPIView.as_view(), name="schema"),
    *(pattern for collection in COLLECTIONS for pattern in _of_rows(collection)),
    *(pattern for route in ROUTES for pattern in _patterns(route)),
]
