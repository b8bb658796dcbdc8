"""ETags from the counter of public changes, so that an unchanged page is neither built nor sent again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from evaluator.tasks.measured import measured_file
from leaderboard.http.rate_limits import pay_for_making
from leaderboard.http.response_cache import Moment, cached_response
from leaderboard.queries.revision import revision

View = Callable[..., HttpResponseBase]
MADE_OF = ("leaderboard", "runs", "templates", "static", "evaluator")  # folders of the code that a page depends on
LIVE_S = 1


def cached_by_revision(
    view: View,
    read: Callable[[Mapping[str, str]], dict[str, str]] = lambda query: {},
    *,
    revision_of: Callable[..., str | None] | None = None,
    media_type: str = "",
) -> View:
    """A view whose responses are cached, and have an ETag made of the revision of what they show.

    That is the counter of public changes, which is read for each request, before the response is made: a change in
    between gives the next response another ETag. A view that also shows what is not counted has a `revision_of`, which
    takes the view's arguments and returns None while something may change without a new revision. It is asked once a
    second, and what it returns None for is made again once a second: so late may such a response be.

    `read` returns the part of the query that the view reads, nothing by default, and may refuse the query. A view with
    a `media_type` refuses whoever does not accept that, which is not cached. ETags are weak, as gzip may follow.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        query = read(request.GET)
        if media_type and not request.accepts(media_type):
            pay_for_making(request)
            return view(request, **parts)
        counted = None if revision_of else revision()
        moment = Moment(f"{_version()}-{counted}", int(time.monotonic() // LIVE_S) if revision_of else 0)

        def etag() -> str | None:
            found = revision_of(**parts) if revision_of else counted
            return f'W/"{_version()}-{found}"' if found else None

        return cached_response(request, query, moment, etag, lambda: view(request, **parts))

    return wrapped


def live(**parts: Any) -> None:
    """The revision of what may always change without a new one."""


def _version() -> str:
    """The version of what pages depend on besides rows: the code, and the file of what is known of tasks on GPUs.

    That file may change while the site runs, which reads it again then.
    """
    findings = measured_file()
    return f"{_code_version()}-{findings.stat().st_mtime_ns if findings.exists() else 0:x}"


@cache
def _code_version() -> str:
    """The modification time of the newest file of the site: the same in every process, another after an update."""
    folders = [Path(settings.BASE_DIR) / name for name in MADE_OF]
    files = [
        path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".html", ".svg", ".css")
    ]
    return f"{max(path.stat().st_mtime_ns for path in files):x}"
