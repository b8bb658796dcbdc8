"""The pages as JSON: the same frozen objects, without what is only for the screen."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.encoding import encode
from leaderboard.routes import Route
from leaderboard.schema import PageSchema


class PageEndpoint(APIView):
    """One route's data: the page object's fields that are not for the screen."""

    route: Route = None  # type: ignore[assignment]  # given to as_view()
    schema = PageSchema()

    def get(self, request: Request, **parts: Any) -> Response:
        self.route.refuse_unknown(request.query_params)
        page = self.route.make(request.query_params, parts)
        if page is None:
            raise Http404
        return Response(encode(page))
