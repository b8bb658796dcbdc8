"""Hosts: hardware and software, whether each takes attempts, its last heartbeat, and host noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.hosts import screen
from leaderboard.pages.hosts.facts import HostSummary, host_summary, is_at_work, notices
from leaderboard.queries import hosts


@dataclass(frozen=True, slots=True, kw_only=True)
class HostsPage(Page):
    hosts: tuple[HostSummary, ...]
    notices: tuple[str, ...] = field(metadata=SCREEN)  # what a maintainer has to do


def build(query: Query) -> HostsPage:
    now, machines = datetime.now(UTC), hosts.hosts()
    at_work = sum(is_at_work(row, now) for row in machines)
    return HostsPage(
        title="Hosts",
        lead=f"{at_work} of {plural(len(machines), 'host')} online: enabled, with a heartbeat within the last minute.",
        crumbs=(Link("Queue", page_url("queue")),),
        tables=by_slug(
            screen.hosts_table(machines, now),
            screen.versions_table(machines),
            screen.noise_table(machines),
        ),
        hosts=tuple(host_summary(row) for row in machines),
        notices=notices(machines),
    )
