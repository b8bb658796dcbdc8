"""Addresses of data below /api/v1: pages as JSON, their tables as CSV and charts as SVG, rows, and the schema."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, path
from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.views import SpectacularJSONAPIView

from leaderboard import views
from leaderboard.api import PageEndpoint, RowsEndpoint
from leaderboard.http.etags import cached_by_revision
from leaderboard.pages.route import Route
from leaderboard.queries.collection import Collection
from leaderboard.queries.public_rows import COLLECTIONS
from leaderboard.routes import ROUTES
from leaderboard.schema import PAGING

app_name = "api"
JSON = "application/json"


def _page_patterns(route: Route) -> Iterator[URLPattern]:
    yield path(route.path, _page(route), name=route.name)
    for kind, view in {"table": (views.csv, views.json), "chart": (views.svg, views.png)}.items():
        for part in view:
            yield path(f"{route.path}<slug:{kind}>.{part.__name__}", part(route), name=f"{route.name}_{part.__name__}")


def _row_patterns(collection: Collection) -> Iterator[URLPattern]:
    yield path(f"rows/{collection.name}/", _rows(collection), name=f"rows_{collection.name}")
    yield path(f"rows/{collection.name}.csv", views.rows_csv(collection), name=f"rows_{collection.name}_csv")


def _page(route: Route) -> views.View:
    return views.cached_data(route, PageEndpoint.as_view(route=route), JSON)


def _rows(collection: Collection) -> views.View:
    view, read = RowsEndpoint.as_view(collection=collection), views.only(*collection.filters, *PAGING)
    return views.read_only(cached_by_revision(view, read, media_type=JSON))


def _schema() -> views.View:
    """The schema, which only an update of the site changes."""
    view = SpectacularJSONAPIView.as_view(renderer_classes=(OpenApiJsonRenderer2,))  # only as application/json
    return views.read_only(cached_by_revision(view, views.only(), revision_of=lambda: "schema", media_type=JSON))


urlpatterns = [
    path("schema.json", _schema(), name="schema"),
    *(pattern for collection in COLLECTIONS for pattern in _row_patterns(collection)),
    *(pattern for route in ROUTES for pattern in _page_patterns(route)),
]
