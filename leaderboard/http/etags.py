"""Whether what a reader has is still what there is, without making it again: an ETag from the counter of changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from leaderboard.http.response_cache import kept
from leaderboard.queries.revision import revision

View = Callable[..., HttpResponseBase]
MADE_OF = ("leaderboard", "runs", "templates", "static", "evaluator")  # a page changes with the code, too


def settled(view: View, also: Callable[..., str | None] | None = None) -> View:
    """For what changes only when the counter does: asked again with its ETag it is 304, else what is kept of it.

    One question either way. The counter is read before anything is built, so that a change in between makes the next
    one differ. The ETag is weak: gzip may follow. `also` reads the counter with what else an address goes by; where it
    says None something is going on there, and nothing is kept.
    """

    @wraps(view)
    def answer(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        found = also(**parts) if also else revision()
        if found is None:
            return view(request, **parts)
        state = f"{_code()}-{found}"
        etag = f'W/"{state}"'
        if unchanged := get_conditional_response(request, etag=etag):
            return unchanged
        response = kept(request, state, lambda: view(request, **parts))
        if response.status_code == 200:
            response["ETag"] = etag
        return response

    return answer


@cache
def _code() -> str:
    """When the newest file of the site was written: the same in every process, another after an update."""
    folders = [Path(settings.BASE_DIR) / name for name in MADE_OF]
    files = [
        path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".html", ".svg", ".css")
    ]
    return f"{max(path.stat().st_mtime_ns for path in files):x}"
