"""The portability page: the same configuration on several device classes."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluator.records.record import PROTOCOL
from leaderboard.encoding import SCREEN
from leaderboard.filters import RunFilter
from leaderboard.pages.agents.entrants import standings
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url, subject_under_protocols
from leaderboard.pages.portability import screen
from leaderboard.pages.portability.facts import PortableEntry, PortableTask, portable_entries, portable_tasks
from leaderboard.pages.run.index import RunChoice, choice
from leaderboard.queries import entrants, portability


@dataclass(frozen=True, slots=True, kw_only=True)
class PortabilityPage(Page):
    configuration: str
    protocol: str  # of `tasks`
    device_classes: tuple[str, ...]
    entries: tuple[PortableEntry, ...]
    tasks: tuple[PortableTask, ...]  # of the chosen configuration
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query) -> PortabilityPage:
    wanted = RunFilter.from_query(query).configuration
    found = standings(entrants.standings())
    entries = portable_entries(found)
    devices = {one.device_class: one.device_title for one in found}
    protocol = _protocol(query.get("protocol", ""), [one.protocol for one in found if one.configuration == wanted])
    tasks = portable_tasks(portability.results(wanted, protocol)) if wanted else ()
    return PortabilityPage(
        title="Hardware portability",
        subject=subject_under_protocols("Hardware portability"),
        lead="Are candidates that are correct and fast on one device class correct and fast on another? Speedups of "
        "different device classes are shown side by side, never averaged or ranked together.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(
            screen.entries_table(entries, devices),
            *((screen.tasks_table(tasks, devices, wanted, protocol),) if wanted else ()),
        ),
        charts=screen.charts(entries, devices),
        configuration=wanted,
        protocol=protocol,
        device_classes=tuple(sorted(devices)),
        entries=entries,
        tasks=tasks,
        choices=(
            choice("configuration", "Task by task for", sorted({one.configuration for one in found}), wanted, "none"),
        ),
        is_filtered=bool(wanted),
    )


def _protocol(asked: str, known: list[str]) -> str:
    """The protocol that was asked for, else the current one, else the last one that the configuration has."""
    return asked or (PROTOCOL if PROTOCOL in known else max(known, default=PROTOCOL))
