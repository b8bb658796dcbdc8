"""Atom feeds of changes of the leaderboards: of all, and of one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from django.http import HttpRequest
from django.utils.feedgenerator import Atom1Feed

from leaderboard.formatting import printable
from leaderboard.pages.home.news import title_of, url_of
from leaderboard.queries.changes import ChangeRow, newest

MOST = 50


class _Feed(Atom1Feed):
    def latest_post_date(self) -> datetime:
        """The newest change, or the epoch: Django's default of now would change an empty feed with every call."""
        return max((item["pubdate"] for item in self.items), default=datetime.fromtimestamp(0, UTC))


def feed_of_changes(request: HttpRequest) -> str:
    return _feed(request, "/", "the leaderboards", newest(MOST))


def feed_of_board(request: HttpRequest, suite: str, device: str) -> str:
    """Changes of a suite on a device class. A run has tasks of all categories, so its boards share their news."""
    changes = newest(MOST, suite__name=suite, device_class__slug=device)
    return _feed(request, request.path.removesuffix("feed.atom"), f"{suite} on {device}", changes)


def _feed(request: HttpRequest, page: str, of: str, changes: Sequence[ChangeRow]) -> str:
    feed = _Feed(
        title=f"ArenaBoard: changes of {of}",
        link=request.build_absolute_uri(page),
        feed_url=request.build_absolute_uri(request.path),
        description="Runs and claims published and withdrawn, results replaced, rounds revealed.",
        language="en",
    )
    for change in changes:
        link = request.build_absolute_uri(url_of(change))
        feed.add_item(
            title=printable(title_of(change)),
            link=link,
            description=printable(_sentence(change)),
            unique_id=f"{link}#change-{change.id}",
            pubdate=change.at,
            updateddate=change.at,
        )
    return feed.writeString("utf-8")


def _sentence(change: ChangeRow) -> str:
    parts = []
    if change.to_status:
        before = f" (before: {change.from_status})" if change.from_status else ""
        parts.append(f"Status: {change.to_status}{before}.".replace("_", " "))
    if change.reason:
        parts.append(f"Reason: {change.reason}")
    return " ".join(parts) or f"{title_of(change)}."
