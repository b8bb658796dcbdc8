"""The Atom feed of changes of the leaderboards."""

from __future__ import annotations

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
    feed = _Feed(
        title="ArenaBoard: changes of the leaderboards",
        link=request.build_absolute_uri("/"),
        feed_url=request.build_absolute_uri(request.path),
        description="Runs and claims published and withdrawn, results replaced, rounds revealed.",
        language="en",
    )
    for change in newest(MOST):
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
