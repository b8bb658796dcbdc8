"""Middleware of data and files: rate limits, and problem details in JSON for every refusal below /api/."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from leaderboard.http.rate_limits import TooManyRequests, pay_for_request
from leaderboard.problems import BadQuery, as_problem, problem

API = "/api/"


class DataMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            pay_for_request(request)
        except TooManyRequests as refused:
            return _too_many(request, refused)
        response = self.get_response(request)
        is_data = request.path.startswith(API)
        return as_problem(request, response) if is_data and response.status_code >= 400 else response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        if isinstance(exception, TooManyRequests):
            return _too_many(request, exception)
        return problem(400, str(exception)) if isinstance(exception, BadQuery) else None


def _too_many(request: HttpRequest, refused: TooManyRequests) -> HttpResponseBase:
    """Status 429: a page for browsers, else problem details."""
    if not request.path.startswith(API) and "text/html" in request.headers.get("Accept", ""):
        response = render(request, "429.html", status=429)
        response["Retry-After"] = str(refused.wait_s)
        return response
    detail = (
        f"Too many requests from your address. Try again in {refused.wait_s} s. The nightly dump contains all data."
    )
    return problem(429, detail, {"Retry-After": str(refused.wait_s)})
