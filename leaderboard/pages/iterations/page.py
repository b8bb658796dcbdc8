"""One board, iteration by iteration: what its entries' sessions came to after each version that was checked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from evaluator.records.record import PROTOCOL
from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages.base import (
    Link,
    Page,
    Query,
    board_url,
    by_slug,
    page_url,
    query_string,
    subject_of,
    whole_number,
)
from leaderboard.pages.iterations import screen
from leaderboard.pages.iterations.facts import MOST, EntryKinds, EntryTrajectory, entry_kinds, trajectories
from leaderboard.queries import boards
from leaderboard.queries import iterations as queries
from leaderboard.queries.boards import DeviceRow, SuiteRow
from leaderboard.queries.iterations import BoardOfSessions
from leaderboard.statistics.trajectories import Carry
from leaderboard.words import ALL, CATEGORIES, choices_of, suite_name

KEPT = ("carry", "version", "protocol")
CARRIED = {
    "last": "A session whose agent had fewer versions checked is carried on from its last one.",
    "best": "What counts is the best that any version of a session came to so far, also in sessions with fewer.",
}
NO_SCORE = (
    "A session's record has the speedups of its versions and not their times, so no version has a share of the "
    "device's peak, which is KernelBench-X's score."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryPage(Page):
    suite: str
    suite_version: int
    category: str
    device_class: str
    protocol: str
    carry: Carry
    is_timed: bool  # some right version has a speedup
    entries: tuple[EntryTrajectory, ...]
    kinds: tuple[EntryKinds, ...]
    no_score_because: str
    carried: str = field(metadata=SCREEN)
    no_speed_because: str = field(metadata=SCREEN)
    cut: str = field(metadata=SCREEN)
    carries: tuple[Link, ...] = field(metadata=SCREEN)
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    board: Link = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> TrajectoryPage | None:
    found = boards.find(suite, whole_number(query.get("version")), device)
    if found is None or category not in CATEGORIES:
        return None
    suite_row, device_row, tasks = found
    categories = frozenset(task.category for task in tasks)
    if category not in (ALL, *categories):
        return None
    protocol, carry = query.get("protocol") or PROTOCOL, _carry(query)
    board = BoardOfSessions(suite_row.id, device, protocol, category)
    sessions = queries.sessions_of(board)
    entries = trajectories(sessions, queries.steps_of(board, MOST), carry)
    kinds = entry_kinds(sessions, queries.kinds_of(board))
    is_timed = any(one.speeds.timed for entry in entries for one in entry.iterations)
    title = f"{suite_name(suite_row.title, suite_row.name)}, {CATEGORIES[category].replace('All', 'all')}"
    back = board_url(suite_row.name, suite_row.version, suite_row.is_current, category, device, protocol)
    return TrajectoryPage(
        title=f"{title}: iterations",
        lead=f"What agents' sessions on {device_row.title} came to after each version that they had checked, and what "
        "became of it in the next one.",
        subject=_subject(suite_row, device_row, category, protocol),
        crumbs=(Link("Leaderboards", page_url("home")), Link(title, back)),
        tables=by_slug(
            screen.trajectory_table(entries, is_timed, _empty(protocol)),
            screen.steps_table(entries, is_timed),
            screen.entry_kinds_table(kinds),
            screen.meanings_table(),
        ),
        charts=screen.charts(entries, is_timed),
        suite=suite_row.name,
        suite_version=suite_row.version,
        category=category,
        device_class=device,
        protocol=protocol,
        carry=carry,
        is_timed=is_timed,
        entries=entries,
        kinds=kinds,
        no_score_because=NO_SCORE,
        carried=CARRIED[carry],
        no_speed_because=_no_speed(device_row) if entries and not is_timed else "",
        cut=_cut(entries),
        carries=_carries(query, carry),
        categories=_categories(query, categories, suite_row.name, category, device),
        board=Link("Leaderboard", back),
    )


def _carry(query: Query) -> Carry:
    return "best" if query.get("carry") == "best" else "last"


def _subject(suite: SuiteRow, device: DeviceRow, category: str, protocol: str) -> str:
    parts = (CATEGORIES[category], f"{device.title} ({device.slug})")
    return subject_of(suite.name, suite.version, *parts, protocol=protocol)


def _empty(protocol: str) -> str:
    return (
        f"No agent's session under protocol {protocol} is public on this leaderboard. Sessions are listed once a run "
        "with some is published, and, if it belongs to a round, once the round is revealed."
    )


def _no_speed(device: DeviceRow) -> str:
    if device.is_functional:
        return f"{device.title} has no device clock: what is checked here is correctness alone."
    return "No version that passed has a speedup."


def _cut(entries: Collection[EntryTrajectory]) -> str:
    longer = [entry for entry in entries if entry.longest > MOST]
    if not longer:
        return ""
    most = max(entry.longest for entry in longer)
    return (
        f"The first {MOST} iterations. Sessions of {plural(len(longer), 'entry', 'entries')} have more, up to {most}: "
        "the rows of iterations have all."
    )


def _carries(query: Query, carry: Carry) -> tuple[Link, ...]:
    given = query_string(query, KEPT, carry="") or "?"
    return (
        Link("Last version", given, carry == "last"),
        Link("Best so far", query_string(query, KEPT, carry="best"), carry == "best"),
    )


def _categories(query: Query, found: frozenset[str], suite: str, category: str, device: str) -> tuple[Link, ...]:
    kept = query_string(query, KEPT)
    return tuple(
        Link(label, page_url("trajectory", suite, slug, device) + kept, slug == category)
        for slug, label in choices_of(found).items()
    )
