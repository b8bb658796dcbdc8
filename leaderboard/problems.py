"""Errors of the data's addresses as problem details (RFC 9457), whichever part of Django raised them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from leaderboard.formatting import listed, printable

MOST_LETTERS = 200  # of a query that an error quotes
SENTENCES = {
    404: "Not found. /api/v1/schema.json lists all addresses; take ids from the lists there.",
    405: "This address is read-only: use GET or HEAD.",
    406: "Data is JSON here. Send Accept: application/json or */*.",
    500: "Something went wrong on our side. The error has been logged. Try again later.",
    503: "The database is busy. Nothing was half done. Try again after the seconds of Retry-After.",
    507: "The disk of this site is nearly full, so nothing was stored. Try again later.",
}


class BadQuery(Exception):
    """A query string that its address does not take. The message says what it takes."""


def refuse_unknown(query: Iterable[str], names: Sequence[str]) -> None:
    """
    Raises:
        BadQuery: the query has a name that is not among these.
    """
    if unknown := sorted(set(query) - set(names)):
        takes = f"takes {listed(names)}" if names else "takes no parameters"
        raise BadQuery(f"Unknown parameter: {printable(listed(unknown)[:MOST_LETTERS])}. This address {takes}.")


def problem(status: int, detail: str = "", headers: Mapping[str, str] | None = None) -> JsonResponse:
    """A response with problem details. `detail` is one sentence for the client, by default that of the status."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail or SENTENCES.get(status, title)}
    response = JsonResponse(body, status=status, headers=dict(headers or {}))
    response["Content-Type"] = "application/problem+json"
    return response


def as_problem(request: HttpRequest, refusal: HttpResponseBase) -> HttpResponseBase:
    """An error response of another part of Django, as problem details with the same status."""
    if refusal.get("Content-Type") == "application/problem+json":
        return refusal
    headers = {name: refusal[name] for name in ("Allow", "Retry-After") if name in refusal}
    detail = f"Allowed here: {headers['Allow']}." if "Allow" in headers else ""
    return problem(refusal.status_code, detail, headers=headers)
