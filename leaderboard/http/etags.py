"""ETags from the counter of public changes, so that an unchanged page is neither built nor sent again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from leaderboard.http.response_cache import cached_response
from leaderboard.queries.revision import revision

View = Callable[..., HttpResponseBase]
MADE_OF = ("leaderboard", "runs", "templates", "static", "evaluator")  # folders of the code that a page depends on


def cached_by_revision(view: View, revision_of: Callable[..., str | None] | None = None) -> View:
    """A view whose responses have an ETag and are cached until the revision changes.

    `revision_of` takes the view's arguments and returns the revision of what it shows, or None while that changes
    without a new revision; nothing is cached then. Without it the revision is the counter of public changes. It is read
    before the response is made, so that a change in between gives the next response another ETag. ETags are weak, as
    gzip may follow.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        found = revision_of(**parts) if revision_of else revision()
        if found is None:
            return view(request, **parts)
        state = f"{_code_version()}-{found}"
        etag = f'W/"{state}"'
        if unchanged := get_conditional_response(request, etag=etag):
            return unchanged
        response = cached_response(request, state, lambda: view(request, **parts))
        if response.status_code == 200:
            response["ETag"] = etag
        return response

    return wrapped


@cache
def _code_version() -> str:
    """The modification time of the newest file of the site: the same in every process, another after an update."""
    folders = [Path(settings.BASE_DIR) / name for name in MADE_OF]
    files = [
        path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".html", ".svg", ".css")
    ]
    return f"{max(path.stat().st_mtime_ns for path in files):x}"
