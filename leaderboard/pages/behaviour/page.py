"""How agents work: what became of what they handed in, and what their candidates do that the baselines do not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from statistics import median

from leaderboard.eligibility import may_count
from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.behaviour import screen
from leaderboard.pages.behaviour import sessions as behaviour_sessions
from leaderboard.pages.behaviour.sessions import Sessions
from leaderboard.pages.run.index import RunChoice, choice
from leaderboard.queries import behaviour, runs
from leaderboard.queries.behaviour import BehaviourRow, CandidateRow
from leaderboard.strategies import STRATEGIES, UNCHANGED
from leaderboard.words import CATEGORIES

NAMES = ("suite", "device", "configuration", "category")
NONE_OF_THESE = "none"  # changed, and no pattern says how


@dataclass(frozen=True, slots=True)
class SessionOutcomes:
    """Of one configuration in one category, over all public runs. `answers` counts tasks × runs."""

    configuration: str
    name: str
    role: str
    category: str
    answers: int
    handed_in: int
    judged: int  # answers that say something about the candidate
    build_failures: int
    turned_away: int  # for any other reason than its build
    passed: int


@dataclass(frozen=True, slots=True)
class Label:
    """`count` of the `of` candidates that a configuration handed in; the median ratio on t_dev of those that count."""

    configuration: str
    name: str
    label: str
    count: int
    of: int
    timed: int
    median_speedup: float | None
    result: int  # an example, the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourPage(Page):
    suite: str
    device: str
    configuration: str
    category: str
    outcomes: tuple[SessionOutcomes, ...]
    sessions: tuple[Sessions, ...]
    labels: tuple[Label, ...]
    candidates_read: int
    candidates_lost: int  # whose source, or whose baseline's, the archive does not have
    is_cut: bool  # only the newest candidates were read
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query) -> BehaviourPage:
    wanted = {name: query.get(name, "")[:100] for name in NAMES}
    outcomes = tuple(_outcomes(row) for row in behaviour.answers(**wanted))
    sessions = behaviour_sessions.sessions(behaviour.sessions(**wanted), behaviour.versions(**wanted))
    rows = behaviour.candidates(**wanted)
    labelled = [
        (row, found) for row in rows if (found := behaviour.labels(row.candidate_files, row.task_files)) is not None
    ]
    labels = _labels(labelled)
    return BehaviourPage(
        title="Agent behaviour",
        lead="What became of what agents handed in, and what their candidates do that the baselines do not.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(
            screen.outcomes_table(outcomes),
            behaviour_sessions.sessions_table(sessions),
            screen.labels_table(labels),
            screen.meanings_table(),
            screen.paper_table(),
        ),
        suite=wanted["suite"],
        device=wanted["device"],
        configuration=wanted["configuration"],
        category=wanted["category"],
        outcomes=outcomes,
        sessions=sessions,
        labels=labels,
        candidates_read=len(labelled),
        candidates_lost=len(rows) - len(labelled),
        is_cut=len(rows) == behaviour.MOST,
        choices=_choices(wanted),
        is_filtered=any(wanted.values()),
    )


def _outcomes(row: BehaviourRow) -> SessionOutcomes:
    return SessionOutcomes(
        row.configuration,
        entry_name(row.agent, row.model),
        row.role,
        row.category,
        row.answers,
        row.handed_in,
        row.judged,
        row.build_failed,
        row.judged - row.build_failed - row.passed,
        row.passed,
    )


def _labels(labelled: Sequence[tuple[CandidateRow, frozenset[str]]]) -> tuple[Label, ...]:
    """By configuration, its most frequent label first."""
    own: dict[str, list[tuple[CandidateRow, frozenset[str]]]] = defaultdict(list)
    for row, found in labelled:
        own[row.configuration].append((row, found or frozenset({NONE_OF_THESE})))
    entries = sorted(
        own.values(), key=lambda rows: (entry_name(rows[0][0].agent, rows[0][0].model), rows[0][0].configuration)
    )
    return tuple(label for rows in entries for label in _of_entry(rows))


def _of_entry(rows: Sequence[tuple[CandidateRow, frozenset[str]]]) -> list[Label]:
    found = [
        _label(slug, having, len(rows))
        for slug in (*STRATEGIES, UNCHANGED, NONE_OF_THESE)
        if (having := [row for row, labels in rows if slug in labels])
    ]
    return sorted(found, key=lambda label: (label.label in (UNCHANGED, NONE_OF_THESE), -label.count))


def _label(slug: str, having: Sequence[CandidateRow], of: int) -> Label:
    ratios = [row.log_speedup for row in having if row.log_speedup is not None and may_count(row)]
    first = having[0]
    name = entry_name(first.agent, first.model)
    middle = exp(median(ratios)) if ratios else None
    return Label(first.configuration, name, slug, len(having), of, len(ratios), middle, first.result_id)


def _choices(wanted: Mapping[str, str]) -> tuple[RunChoice, ...]:
    found = runs.choices()
    categories = [name for name in CATEGORIES if name != "all"]
    return (
        choice("suite", "Suite", found.suites, wanted["suite"]),
        choice("device", "Device class", found.devices, wanted["device"]),
        choice("configuration", "Configuration", found.configurations, wanted["configuration"]),
        choice("category", "Category", categories, wanted["category"]),
    )
