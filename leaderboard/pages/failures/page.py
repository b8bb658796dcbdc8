"""The failures page: results of each configuration by status and reason, with an example of each."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.filters import RunFilter
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.failures import facts, screen
from leaderboard.pages.failures.facts import ReasonCount, ReasonTotal, StatusCounts, UnseenFailure
from leaderboard.pages.run.index import RunChoice, choice
from leaderboard.queries import failures, runs
from leaderboard.tables import Table

NAMES = ("suite", "device", "configuration", "protocol")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailuresPage(Page):
    suite: str
    device: str
    configuration: str
    protocol: str
    reason: str
    outcomes: tuple[StatusCounts, ...]
    reason_totals: tuple[ReasonTotal, ...]  # most frequent first
    reasons: tuple[ReasonCount, ...]
    unseen: tuple[UnseenFailure, ...]
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)
    shown: dict[str, Table] = field(metadata=SCREEN)  # the tables, long ones cut


def build(query: Query) -> FailuresPage:
    wanted = RunFilter.from_query(query)
    narrowed = {name: getattr(wanted, name) for name in NAMES}
    rows = failures.outcomes(**narrowed)
    found = facts.outcome_counts(rows)
    with_reason = [row for row in rows if row.reason]
    examples = failures.examples(row.example for row in with_reason)
    asked = query.get("reason", "")
    reasons = facts.reason_counts([row for row in with_reason if asked in ("", row.reason)], found, examples)
    totals = facts.reason_totals(reasons, sum(one.of for one in found))
    cases = facts.unseen_failures(failures.unseen(**narrowed))
    unseen = tuple(one for one in cases if asked in ("", one.reason))
    tables = screen.tables(found, totals, reasons, unseen, narrowed)
    return FailuresPage(
        title="Failure analysis",
        lead="Public results of each configuration by status and reason. Counts are out of tasks × runs of the suite "
        "and link to their newest result.",
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


def _choices(wanted: RunFilter, reasons: set[str], reason: str) -> tuple[RunChoice, ...]:
    found = runs.choices()
    return (
        choice("suite", "Suite", found.suites, wanted.suite),
        choice("device", "Device class", found.devices, wanted.device),
        choice("configuration", "Configuration", found.configurations, wanted.configuration),
        choice("protocol", "Protocol", found.protocols, wanted.protocol),
        choice("reason", "Reason", sorted(reasons - {""}), reason),
    )
