"""The portability page: the same configuration on several device classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from evaluator.records.record import PROTOCOL
from leaderboard.changelog import newest_protocol
from leaderboard.encoding import SCREEN
from leaderboard.filters import RunFilter
from leaderboard.pages.agents.entrants import standings
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url, subject_under_protocols
from leaderboard.pages.portability import screen, shared, shared_screen
from leaderboard.pages.portability.facts import PortableEntry, PortableTask, portable_entries, portable_tasks
from leaderboard.pages.portability.shared import ClaimedMachine, DeviceSlower, PortableKernel, SpreadLine
from leaderboard.pages.run.index import RunChoice, choice
from leaderboard.queries import entrants, portability
from leaderboard.queries.entrants import StandingRow
from leaderboard.queries.portability import MOST_COUNTED
from leaderboard.tables import Table, first

MOST_KERNELS = 20  # right on one device and wrong on another, on the page


@dataclass(frozen=True, slots=True, kw_only=True)
class PortabilityPage(Page):
    configuration: str
    suite: str  # of all but `entries` and claims: its current version
    protocol: str  # of the same
    device_classes: tuple[str, ...]
    entries: tuple[PortableEntry, ...]
    tasks: tuple[PortableTask, ...]  # of the chosen configuration
    spreads: tuple[SpreadLine, ...]  # largest ÷ smallest speedup over devices
    slower: tuple[DeviceSlower, ...]
    disagreements: tuple[PortableKernel, ...]  # candidates that are right on one device class and wrong on another
    claimed_machines: tuple[ClaimedMachine, ...]
    claimed_disagreements: tuple[PortableKernel, ...]  # the same of submitted runs, on machines
    is_whole: bool  # False: there are more results than were looked at
    disagreements_shown: Table = field(metadata=SCREEN)  # the first ones, as the next
    claimed_disagreements_shown: Table = field(metadata=SCREEN)
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query) -> PortabilityPage:
    asked = RunFilter.from_query(query)
    wanted = asked.configuration
    standing = entrants.standings()
    found = standings(standing)
    entries = portable_entries(found)
    devices = {one.device_class: one.device_title for one in found}
    own = [row for row in standing if row.suite_is_current and wanted in ("", row.configuration)]
    protocol = asked.protocol or newest_protocol((row.protocol for row in own), PROTOCOL, default=PROTOCOL)
    suites = _by_devices(row for row in own if row.protocol == protocol)
    suite = asked.suite or next(iter(suites), "")
    tasks = portable_tasks(portability.results(wanted, suite, protocol)) if wanted else ()
    rows, claims = portability.counted(suite, protocol), portability.claims()
    known = shared.entrants_of(standing, suite)
    kernels, said, slower = shared.candidates(rows, known), shared.claimed(claims), shared.slower_by_device(rows, known)
    spreads = shared.spread_lines(kernels, tasks, wanted, said)
    machines = shared.claimed_machines(claims)
    differ, said_differ = kernels.disagreements, tuple(one for one in said if one.disagrees)
    differing = shared_screen.disagreement_tables(differ, said_differ, devices)
    return PortabilityPage(
        title="Hardware portability",
        subject=subject_under_protocols("Hardware portability"),
        lead="Are candidates that are correct and fast on one device class correct and fast on another? Speedups of "
        "different device classes are shown side by side, never averaged or ranked together.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(
            screen.entries_table(entries, devices),
            *((screen.tasks_table(tasks, devices, wanted, protocol),) if wanted else ()),
            shared_screen.spreads_table(spreads, suite),
            shared_screen.slower_table(slower, protocol),
            shared_screen.machines_table(machines),
            *differing,
        ),
        charts=screen.charts(entries, devices) | shared_screen.charts(spreads),
        configuration=wanted,
        suite=suite,
        protocol=protocol,
        device_classes=tuple(sorted(devices)),
        entries=entries,
        tasks=tasks,
        spreads=spreads,
        slower=slower,
        disagreements=differ,
        claimed_machines=machines,
        claimed_disagreements=said_differ,
        is_whole=len(rows) < MOST_COUNTED,
        disagreements_shown=first(differing[0], MOST_KERNELS),
        claimed_disagreements_shown=first(differing[1], MOST_KERNELS),
        choices=(
            choice("configuration", "Task by task for", sorted({one.configuration for one in found}), wanted, "none"),
            choice("suite", "Suite", sorted({suite, *suites} - {""}), suite, "the one on most device classes"),
        ),
        is_filtered=bool(wanted or asked.suite),
    )


def _by_devices(rows: Iterable[StandingRow]) -> list[str]:
    """The suites, first those on most device classes, of these the one with most results."""
    found: dict[str, list[StandingRow]] = defaultdict(list)
    for row in rows:
        found[row.suite].append(row)

    def size(suite: str) -> tuple[int, int, str]:
        own = found[suite]
        return -len({row.device for row in own}), -sum(row.results for row in own), suite

    return sorted(found, key=size)
