"""How results ended, counted from rows: by status, by reason, and on unseen cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from leaderboard.pages.base import entry_name
from leaderboard.queries.failures import Example, OutcomeRow, UnseenRow


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Of one configuration on one suite and device class. `counts` add up to `of`: tasks × public runs."""

    configuration: str
    name: str
    role: str
    suite: str
    suite_version: int
    device_class: str
    of: int
    counts: dict[str, int]  # status → answers; missing: nothing is published
    examples: dict[str, int]  # status → its newest result


@dataclass(frozen=True, slots=True)
class ReasonTotal:
    """How often a reason was the one, over all that is shown."""

    status: str
    reason: str
    count: int
    of: int  # tasks × runs of all configurations
    configurations: int
    result: int  # the newest
    task: str


@dataclass(frozen=True, slots=True)
class ReasonCount:
    configuration: str
    name: str
    suite: str
    suite_version: int
    device_class: str
    status: str
    reason: str
    count: int
    of: int
    result: int  # the newest
    task: str
    message: str


@dataclass(frozen=True, slots=True)
class UnseenFailure:
    """Why a candidate was wrong on unseen cases; a regression where the baseline was right there."""

    configuration: str
    name: str
    round: str
    device_class: str
    reason: str
    regressions: int
    both_fail: int
    of: int  # cases with a verdict of both sides
    result: int


def outcome_counts(rows: Sequence[OutcomeRow]) -> tuple[AnswerCounts, ...]:
    return tuple(_outcomes(list(group)) for _, group in groupby(rows, key=_board))


def reason_counts(
    rows: Sequence[OutcomeRow], outcomes: Sequence[AnswerCounts], examples: Mapping[int, Example]
) -> tuple[ReasonCount, ...]:
    sizes = {(one.configuration, one.suite, one.suite_version, one.device_class): one.of for one in outcomes}
    return tuple(_reason(row, sizes[_board(row)], examples[row.example]) for row in rows)


def _board(row: OutcomeRow) -> tuple[str, str, int, str]:
    return row.configuration, row.suite, row.version, row.device


def _outcomes(rows: Sequence[OutcomeRow]) -> AnswerCounts:
    counts: Counter[str] = Counter()
    examples: dict[str, int] = {}
    for row in rows:
        status = row.status or "missing"
        counts[status] += row.answers
        examples[status] = max(row.example, examples.get(status, 0))
    first = rows[0]
    name = entry_name(first.agent, first.model)
    place = (first.suite, first.version, first.device)
    return AnswerCounts(first.configuration, name, first.role, *place, counts.total(), dict(counts), examples)


def reason_totals(reasons: Sequence[ReasonCount], of: int) -> tuple[ReasonTotal, ...]:
    found: dict[tuple[str, str], list[ReasonCount]] = {}
    for one in reasons:
        found.setdefault((one.status, one.reason), []).append(one)
    totals = [_total(lines, of) for lines in found.values()]
    return tuple(sorted(totals, key=lambda one: (-one.count, one.reason, one.status)))


def _total(lines: Sequence[ReasonCount], of: int) -> ReasonTotal:
    newest = max(lines, key=lambda one: one.result)
    count, configurations = sum(one.count for one in lines), len({one.configuration for one in lines})
    return ReasonTotal(newest.status, newest.reason, count, of, configurations, newest.result, newest.task)


def _reason(row: OutcomeRow, of: int, example: Example) -> ReasonCount:
    return ReasonCount(
        row.configuration,
        entry_name(row.agent, row.model),
        row.suite,
        row.version,
        row.device,
        row.status or "missing",
        row.reason or "",
        row.answers,
        of,
        example.id,
        example.task,
        example.message,
    )


def unseen_failures(rows: Sequence[UnseenRow]) -> tuple[UnseenFailure, ...]:
    """One line for each reason of a configuration in a round."""
    found = []
    for _, place in groupby(rows, key=lambda row: (row.configuration, row.round, row.device)):
        cases = list(place)
        of = sum(row.cases for row in cases)
        for reason in sorted({row.reason for row in cases if not row.correct}):
            found.append(_unseen_failure([row for row in cases if row.reason == reason and not row.correct], of))
    return tuple(found)


def _unseen_failure(rows: Sequence[UnseenRow], of: int) -> UnseenFailure:
    first = rows[0]
    regressions = sum(row.cases for row in rows if row.baseline_correct)
    both_fail = sum(row.cases for row in rows if not row.baseline_correct)
    example = next((row for row in rows if row.baseline_correct), first).example
    name = entry_name(first.agent, first.model)
    place = (first.round, first.device, first.reason)
    return UnseenFailure(first.configuration, name, *place, regressions, both_fail, of, example)
