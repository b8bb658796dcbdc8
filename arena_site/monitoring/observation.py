"""Middleware that gives each request an id, returned as X-Request-ID, and logs and counts it."""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Callable
from time import perf_counter
from urllib.parse import quote

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from arena_site.monitoring.metrics import observe_request
from runs.log_context import about
from runs.people.addresses import client_address

HEADER = "X-Request-ID"
NAMED = ("run", "result", "submission", "task")  # URL parameters that log lines contain
_GIVEN = re.compile(r"[A-Za-z0-9_-]{8,64}")
log = logging.getLogger("arena.request")


class ObservationMiddleware:
    """The outermost middleware except for those that add headers, so that it times the whole request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        begin, given = perf_counter(), request.headers.get(HEADER, "")
        request_id = given if _GIVEN.fullmatch(given) else uuid.uuid4().hex
        with about(request=request_id):
            response = self.get_response(request)
            took_s = perf_counter() - begin
            observe_request(request, response.status_code, took_s)
            ids = _named_parts(request) | {"address": client_address(request), "took_ms": round(took_s * 1e3, 1)}
            level = logging.WARNING if response.status_code >= 500 else logging.INFO
            log.log(level, "%s %s %d", request.method, quote(request.path), response.status_code, extra={"ids": ids})
        response[HEADER] = request_id
        return response


def _named_parts(request: HttpRequest) -> dict[str, object]:
    match = request.resolver_match
    return {name: value for name, value in match.kwargs.items() if name in NAMED} if match else {}
