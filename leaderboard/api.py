"""Pages as JSON, without what is only for the screen, and the rows of everything public."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from django.utils.http import urlencode
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.downloads.rows import objects
from leaderboard.encoding import encode
from leaderboard.pages.route import Route
from leaderboard.queries.collection import MOST_ID, Collection, whole
from leaderboard.schema import MOST_ROWS, ROWS, PageSchema, RowsSchema


class PlainRenderer(JSONRenderer):
    """JSON in the same bytes for whoever accepts JSON, however indented: the response cache has one form of it."""

    def get_indent(self, accepted_media_type: str, renderer_context: Mapping[str, Any]) -> None:
        return None


class DataEndpoint(APIView):
    renderer_classes = (PlainRenderer,)


class PageEndpoint(DataEndpoint):
    """The data of one page. Its query was read before (`Route.asked`)."""

    route: Route = None  # type: ignore[assignment]  # set by as_view()
    schema = PageSchema()

    def get(self, request: Request, **parts: Any) -> Response:
        page = self.route.make(request.query_params, parts)
        if page is None:
            raise Http404
        return Response(encode(page))


class RowsEndpoint(DataEndpoint):
    """The rows of one collection, page by page. Its query has no unknown parameters.

    `next` is the address of the next page, null on the last one.
    """

    collection: Collection = None  # type: ignore[assignment]  # set by as_view()
    schema = RowsSchema()

    def get(self, request: Request) -> Response:
        query = request.query_params.dict()
        after = whole("cursor", query.pop("cursor", "0"), 0, MOST_ID)
        limit = whole("limit", query.pop("limit", str(ROWS)), 1, MOST_ROWS)
        page = self.collection.page(self.collection.narrowed(query), after, limit + 1)
        body: dict[str, Any] = {"rows": objects(self.collection, page[:limit]), "next": None}
        if len(page) > limit:
            body["next"] = f"{request.path}?{urlencode(query | {'cursor': page[limit - 1][0], 'limit': limit})}"
        return Response(body)
