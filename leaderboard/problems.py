"""Refusals of the data's addresses, in words: problem details as RFC 9457 has them, whatever refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from leaderboard.formatting import listed, printable

MOST_LETTERS = 200  # of somebody's query, said back
SENTENCES = {
    404: "There is nothing at this address. /api/v1/schema.json lists what there is; ids come from the lists there.",
    405: "This address is only read: GET and HEAD.",
    406: "What is here is JSON: ask with Accept: application/json, or for any type.",
    500: "Something broke, and it is our fault. It is in the log; try again later.",
}


class BadQuery(Exception):
    """A query string says what its address does not take; the message says what it takes."""


def refuse_unknown(query: Iterable[str], names: Sequence[str]) -> None:
    """
    Raises:
        BadQuery: the query holds a name that is not among these.
    """
    if unknown := sorted(set(query) - set(names)):
        takes = f"takes {listed(names)}" if names else "takes no parameters"
        raise BadQuery(f"Unknown here: {printable(listed(unknown)[:MOST_LETTERS])}. This address {takes}.")


def problem(status: int, detail: str = "", headers: Mapping[str, str] | None = None) -> JsonResponse:
    """`detail` is one sentence for who asked; the usual one of the status where none is given."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail or SENTENCES.get(status, title)}
    response = JsonResponse(body, status=status, headers=dict(headers or {}))
    response["Content-Type"] = "application/problem+json"
    return response


def as_problem(request: HttpRequest, refusal: HttpResponseBase) -> HttpResponseBase:
    """What another part of Django refused, as a problem with the same status."""
    if refusal.get("Content-Type") == "application/problem+json":
        return refusal
    kept = {name: refusal[name] for name in ("Allow", "Retry-After") if name in refusal}
    takes = f"This address takes {kept['Allow']}." if "Allow" in kept else ""
    return problem(refusal.status_code, takes, headers=kept)
