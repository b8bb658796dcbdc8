"""What goes wrong: for each configuration how its answers ended, with reasons, denominators and the newest of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from leaderboard.encoding import SCREEN
from leaderboard.filters import RunFilter
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.failures import screen
from leaderboard.pages.run.index import RunChoice, choice
from leaderboard.queries import failures, runs
from leaderboard.queries.failures import Example, OutcomeRow, UnseenRow
from leaderboard.tables import Table

NAMES = ("suite", "device", "configuration")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FailuresPage(Page):
    suite: str
    device: str
    configuration: str
    reason: str
    outcomes: tuple[AnswerCounts, ...]
    reason_totals: tuple[ReasonTotal, ...]  # most frequent first
    reasons: tuple[ReasonCount, ...]
    unseen: tuple[UnseenFailure, ...]
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)
    shown: dict[str, Table] = field(metadata=SCREEN)  # what of long tables stands on the page


def build(query: Query) -> FailuresPage:
    wanted = RunFilter.from_query(query)
    narrowed = {name: getattr(wanted, name) for name in NAMES}
    rows = failures.outcomes(**narrowed)
    found = tuple(_outcomes(list(group)) for _, group in groupby(rows, key=_place))
    sizes = {(one.configuration, one.suite, one.suite_version, one.device_class): one.of for one in found}
    named = failures.examples(row.example for row in rows if row.reason)
    asked = query.get("reason", "")
    reasons = tuple(_reason(row, sizes, named) for row in rows if row.reason and asked in ("", row.reason))
    totals = _totals(reasons, sum(sizes.values()))
    cases = _unseen(failures.unseen(**narrowed))
    unseen = tuple(one for one in cases if asked in ("", one.reason))
    tables = screen.tables(found, totals, reasons, unseen, narrowed)
    return FailuresPage(
        title="What goes wrong",
        lead="How public answers ended, for each configuration: every count with its denominator, tasks × runs of the "
        "suite, and its newest answer.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(*tables),
        shown=screen.shown(tables, is_one_reason=bool(asked)),
        charts=screen.charts(found),
        **narrowed,
        reason=asked,
        outcomes=found,
        reason_totals=totals,
        reasons=reasons,
        unseen=unseen,
        choices=_choices(wanted, {row.reason or "" for row in rows} | {one.reason for one in cases}, asked),
        is_filtered=bool(asked) or any(narrowed.values()),
    )


def _place(row: OutcomeRow) -> tuple[str, str, int, str]:
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


def _totals(reasons: Sequence[ReasonCount], of: int) -> tuple[ReasonTotal, ...]:
    found: dict[tuple[str, str], list[ReasonCount]] = {}
    for one in reasons:
        found.setdefault((one.status, one.reason), []).append(one)
    totals = [_total(lines, of) for lines in found.values()]
    return tuple(sorted(totals, key=lambda one: (-one.count, one.reason, one.status)))


def _total(lines: Sequence[ReasonCount], of: int) -> ReasonTotal:
    newest = max(lines, key=lambda one: one.result)
    count, configurations = sum(one.count for one in lines), len({one.configuration for one in lines})
    return ReasonTotal(newest.status, newest.reason, count, of, configurations, newest.result, newest.task)


def _reason(
    row: OutcomeRow, sizes: Mapping[tuple[str, str, int, str], int], named: Mapping[int, Example]
) -> ReasonCount:
    example = named[row.example]
    return ReasonCount(
        row.configuration,
        entry_name(row.agent, row.model),
        row.suite,
        row.version,
        row.device,
        row.status or "missing",
        row.reason or "",
        row.answers,
        sizes[_place(row)],
        example.id,
        example.task,
        example.message,
    )


def _unseen(rows: Sequence[UnseenRow]) -> tuple[UnseenFailure, ...]:
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


def _choices(wanted: RunFilter, reasons: set[str], reason: str) -> tuple[RunChoice, ...]:
    found = runs.choices()
    return (
        choice("suite", "Suite", found.suites, wanted.suite),
        choice("device", "Device class", found.devices, wanted.device),
        choice("configuration", "Configuration", found.configurations, wanted.configuration),
        choice("reason", "Reason", sorted(reasons - {""}), reason),
    )
