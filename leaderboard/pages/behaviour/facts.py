"""Agent behaviour as data: outcomes of results, labels of candidates, and sessions, by configuration."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from statistics import median

from leaderboard.eligibility import may_count
from leaderboard.pages.base import entry_name
from leaderboard.queries.behaviour import BehaviourRow, CandidateRow, SessionsRow, VersionsRow
from leaderboard.strategies import STRATEGIES, UNCHANGED

NO_PATTERN = "none"  # the candidate differs from the baseline, and no pattern of ours describes how
NOT_THE_CANDIDATES_FAULT = ("errored", "not_judged")


@dataclass(frozen=True, slots=True)
class ResultOutcomes:
    """Outcomes of one configuration in one category, over all public runs. `results` counts tasks × runs."""

    configuration: str
    name: str
    role: str
    category: str
    results: int
    submitted: int
    evaluated: int  # results that say something about the candidate
    build_failures: int
    failed_otherwise: int
    passed: int


@dataclass(frozen=True, slots=True)
class AgentSessions:
    """Sessions of one configuration in one category, over all public runs.

    `versions` are the distinct ones that were checked; their outcomes add up to it. A mean that no session reported is
    None.
    """

    configuration: str
    name: str
    category: str
    sessions: int
    versions: int
    failed_builds: int
    passed: int
    failed_otherwise: int
    not_evaluated: int  # through no fault of the version
    first_passed: int  # sessions whose first version passed
    own_check_passed: int  # sessions whose submitted version had passed their own check, and has a central verdict
    then_failed: int  # of these, how many failed the central evaluation, or were found hacked
    then_failed_result: int | None  # an example, the newest
    turns: float | None  # mean over the sessions that report it
    tool_calls: float | None
    seconds: float  # mean wall time
    endings: dict[str, int]


@dataclass(frozen=True, slots=True)
class Label:
    """`count` of the `of` submitted candidates of a configuration have the label.

    `median_speedup` is on the device clock, over the `timed` ones of them whose speed is eligible.
    """

    configuration: str
    name: str
    label: str
    count: int
    of: int
    timed: int
    median_speedup: float | None
    result: int  # an example, the newest


def outcomes_of(row: BehaviourRow) -> ResultOutcomes:
    return ResultOutcomes(
        configuration=row.configuration,
        name=entry_name(row.agent, row.model),
        role=row.role,
        category=row.category,
        results=row.results,
        submitted=row.submitted,
        evaluated=row.evaluated,
        build_failures=row.build_failed,
        failed_otherwise=row.evaluated - row.build_failed - row.passed,
        passed=row.passed,
    )


def sessions_of(rows: Sequence[SessionsRow], checked: Sequence[VersionsRow]) -> tuple[AgentSessions, ...]:
    """Sessions by configuration and category, in the order of the rows."""
    outcomes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in checked:
        outcomes[one.configuration, one.category][one.status] += one.versions
        outcomes[one.configuration, one.category][f"first {one.status}"] += one.first_versions
    own: dict[tuple[str, str], list[SessionsRow]] = defaultdict(list)
    for row in rows:
        own[row.configuration, row.category].append(row)
    return tuple(_sessions(found, outcomes[key]) for key, found in own.items())


def labels_of(labelled: Sequence[tuple[CandidateRow, frozenset[str]]]) -> tuple[Label, ...]:
    """Labels by configuration, the most frequent one of each first."""
    own: dict[str, list[tuple[CandidateRow, frozenset[str]]]] = defaultdict(list)
    for row, found in labelled:
        own[row.configuration].append((row, found or frozenset({NO_PATTERN})))
    entries = sorted(
        own.values(), key=lambda rows: (entry_name(rows[0][0].agent, rows[0][0].model), rows[0][0].configuration)
    )
    return tuple(label for rows in entries for label in _labels(rows))


def _sessions(rows: Sequence[SessionsRow], outcomes: Counter[str]) -> AgentSessions:
    first = rows[0]
    count, versions = sum(row.sessions for row in rows), sum(row.checks for row in rows)
    failed, passed = outcomes["build_failed"], outcomes["passed"]
    not_evaluated = sum(outcomes[status] for status in NOT_THE_CANDIDATES_FAULT)
    return AgentSessions(
        configuration=first.configuration,
        name=entry_name(first.agent, first.model),
        category=first.category,
        sessions=count,
        versions=versions,
        failed_builds=failed,
        passed=passed,
        failed_otherwise=versions - failed - passed - not_evaluated,
        not_evaluated=not_evaluated,
        first_passed=outcomes["first passed"],
        own_check_passed=sum(row.own_check_passed for row in rows),
        then_failed=sum(row.then_failed for row in rows),
        then_failed_result=max((row.then_failed_result for row in rows if row.then_failed_result), default=None),
        turns=_mean([(row.turns, row.turns_reported) for row in rows]),
        tool_calls=_mean([(row.tool_calls, row.tool_calls_reported) for row in rows]),
        seconds=sum(row.seconds for row in rows) / count,
        endings={row.ended: row.sessions for row in rows},
    )


def _mean(sums: Sequence[tuple[int | None, int]]) -> float | None:
    """The mean from pairs of a sum and how many sessions it is over; None where it is over none."""
    count = sum(reported for _, reported in sums)
    return sum(total or 0 for total, _ in sums) / count if count else None


def _labels(rows: Sequence[tuple[CandidateRow, frozenset[str]]]) -> list[Label]:
    found = [
        _label(slug, having, len(rows))
        for slug in (*STRATEGIES, UNCHANGED, NO_PATTERN)
        if (having := [row for row, labels in rows if slug in labels])
    ]
    return sorted(found, key=lambda label: (label.label in (UNCHANGED, NO_PATTERN), -label.count))


def _label(slug: str, having: Sequence[CandidateRow], of: int) -> Label:
    ratios = [row.log_speedup for row in having if row.log_speedup is not None and may_count(row)]
    first = having[0]
    return Label(
        configuration=first.configuration,
        name=entry_name(first.agent, first.model),
        label=slug,
        count=len(having),
        of=of,
        timed=len(ratios),
        median_speedup=exp(median(ratios)) if ratios else None,
        result=first.result_id,
    )
