"""Values of the failures page: results counted by status and by reason, and failures on unseen cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from leaderboard.pages.base import entry_name
from leaderboard.queries.failures import Example, OutcomeRow, UnseenRow


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """Results of one configuration on one suite, device class and protocol by status. `counts` add up to `of`."""

    configuration: str
    name: str
    role: str
    suite: str
    suite_version: int
    device_class: str
    protocol: str
    of: int  # tasks × public runs
    counts: dict[str, int]  # by status; missing: no result is published; hacked: passed, and an audit found that
    examples: dict[str, int]  # newest result by status


@dataclass(frozen=True, slots=True)
class ReasonTotal:
    """Number of results with one status and reason, over all configurations."""

    status: str
    reason: str
    count: int
    of: int  # tasks × runs of all configurations
    configurations: int
    result: int  # the newest
    task: str


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """Number of results of one configuration with one status and reason."""

    configuration: str
    name: str
    suite: str
    suite_version: int
    device_class: str
    protocol: str
    status: str
    reason: str
    count: int
    of: int
    result: int  # the newest
    task: str
    message: str


@dataclass(frozen=True, slots=True)
class UnseenFailure:
    """Number of unseen cases that a configuration's candidates fail for one reason, in one round."""

    configuration: str
    name: str
    round: str
    device_class: str
    protocol: str
    reason: str
    regressions: int  # cases on which the baseline is correct
    both_fail: int  # cases on which it is not
    of: int  # cases with a verdict on both sides
    result: int  # an example


def outcome_counts(rows: Sequence[OutcomeRow]) -> tuple[StatusCounts, ...]:
    return tuple(_outcomes(list(group)) for _, group in groupby(rows, key=_board))


def reason_counts(
    rows: Sequence[OutcomeRow], outcomes: Sequence[StatusCounts], examples: Mapping[int, Example]
) -> tuple[ReasonCount, ...]:
    sizes = {
        (one.configuration, one.suite, one.suite_version, one.device_class, one.protocol): one.of for one in outcomes
    }
    return tuple(_reason(row, sizes[_board(row)], examples[row.example]) for row in rows)


def reason_totals(reasons: Sequence[ReasonCount], of: int) -> tuple[ReasonTotal, ...]:
    found: dict[tuple[str, str], list[ReasonCount]] = {}
    for one in reasons:
        found.setdefault((one.status, one.reason), []).append(one)
    totals = [_total(counts, of) for counts in found.values()]
    return tuple(sorted(totals, key=lambda one: (-one.count, one.reason, one.status)))


def unseen_failures(rows: Sequence[UnseenRow]) -> tuple[UnseenFailure, ...]:
    """Failures by configuration, round and reason."""
    found = []
    for _, group in groupby(rows, key=lambda row: (row.configuration, row.round, row.device, row.protocol)):
        cases = list(group)
        of = sum(row.cases for row in cases)
        for reason in sorted({row.reason for row in cases if not row.correct}):
            found.append(_unseen_failure([row for row in cases if row.reason == reason and not row.correct], of))
    return tuple(found)


def _outcomes(rows: Sequence[OutcomeRow]) -> StatusCounts:
    counts: Counter[str] = Counter()
    examples: dict[str, int] = {}
    for row in rows:
        status = row.status or "missing"
        counts[status] += row.results
        examples[status] = max(row.example, examples.get(status, 0))
    first = rows[0]
    name = entry_name(first.agent, first.model)
    board = (first.suite, first.version, first.device, first.protocol)
    return StatusCounts(first.configuration, name, first.role, *board, counts.total(), dict(counts), examples)


def _reason(row: OutcomeRow, of: int, example: Example) -> ReasonCount:
    return ReasonCount(
        row.configuration,
        entry_name(row.agent, row.model),
        row.suite,
        row.version,
        row.device,
        row.protocol,
        row.status or "missing",
        row.reason or "",
        row.results,
        of,
        example.id,
        example.task,
        example.message,
    )


def _total(counts: Sequence[ReasonCount], of: int) -> ReasonTotal:
    newest = max(counts, key=lambda one: one.result)
    count, configurations = sum(one.count for one in counts), len({one.configuration for one in counts})
    return ReasonTotal(newest.status, newest.reason, count, of, configurations, newest.result, newest.task)


def _unseen_failure(rows: Sequence[UnseenRow], of: int) -> UnseenFailure:
    first = rows[0]
    regressions = sum(row.cases for row in rows if row.baseline_correct)
    both_fail = sum(row.cases for row in rows if not row.baseline_correct)
    example = next((row for row in rows if row.baseline_correct), first).example
    name = entry_name(first.agent, first.model)
    found = (first.round, first.device, first.protocol, first.reason)
    return UnseenFailure(first.configuration, name, *found, regressions, both_fail, of, example)


def _board(row: OutcomeRow) -> tuple[str, str, int, str, str]:
    return row.configuration, row.suite, row.version, row.device, row.protocol
