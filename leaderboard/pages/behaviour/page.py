"""Agent behaviour: the outcomes of results, and what candidates do that the baselines do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from leaderboard.changelog import protocol_age
from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.behaviour import screen
from leaderboard.pages.behaviour.facts import AgentSessions, Label, ResultOutcomes, labels_of, outcomes_of, sessions_of
from leaderboard.pages.run.index import RunChoice, choice
from leaderboard.queries import behaviour, runs
from leaderboard.words import CATEGORIES

NAMES = ("suite", "device", "configuration", "protocol", "category")


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourPage(Page):
    suite: str
    device: str
    configuration: str
    protocol: str
    category: str
    outcomes: tuple[ResultOutcomes, ...]
    sessions: tuple[AgentSessions, ...]
    labels: tuple[Label, ...]
    candidates_read: int
    candidates_lost: int  # the archive lacks their source, or that of their baseline
    protocols: tuple[str, ...]  # of those read
    is_cut: bool  # only the newest candidates were read
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query) -> BehaviourPage:
    filters = {name: query.get(name, "")[:100] for name in NAMES}
    outcomes = tuple(outcomes_of(row) for row in behaviour.results(**filters))
    sessions = sessions_of(behaviour.sessions(**filters), behaviour.versions(**filters))
    rows = behaviour.candidates(**filters)
    labelled = [
        (row, found) for row in rows if (found := behaviour.labels(row.candidate_files, row.task_files)) is not None
    ]
    labels = labels_of(labelled)
    return BehaviourPage(
        title="Agent behaviour",
        lead="Outcomes of what agents submitted, and what their candidates do that the baselines do not.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(
            screen.outcomes_table(outcomes),
            screen.sessions_table(sessions),
            screen.labels_table(labels),
            screen.meanings_table(),
            screen.appendix_table(sessions),
            screen.paper_table(),
        ),
        suite=filters["suite"],
        device=filters["device"],
        configuration=filters["configuration"],
        protocol=filters["protocol"],
        category=filters["category"],
        outcomes=outcomes,
        sessions=sessions,
        labels=labels,
        candidates_read=len(labelled),
        candidates_lost=len(rows) - len(labelled),
        protocols=tuple(sorted({row.run_protocol for row, _ in labelled}, key=protocol_age)),
        is_cut=len(rows) == behaviour.MOST,
        choices=_choices(filters),
        is_filtered=any(filters.values()),
    )


def _choices(filters: Mapping[str, str]) -> tuple[RunChoice, ...]:
    found = runs.choices()
    categories = [name for name in CATEGORIES if name != "all"]
    return (
        choice("suite", "Suite", found.suites, filters["suite"]),
        choice("device", "Device class", found.devices, filters["device"]),
        choice("configuration", "Configuration", found.configurations, filters["configuration"]),
        choice("protocol", "Protocol", found.protocols, filters["protocol"]),
        choice("category", "Category", categories, filters["category"]),
    )
