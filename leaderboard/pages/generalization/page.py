"""The generalization page: results of a board on the unseen cases of one round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from evaluator.records.record import PROTOCOL
from leaderboard.charts import Chart
from leaderboard.encoding import SCREEN
from leaderboard.formatting import moment, plural
from leaderboard.pages.base import (
    Link,
    Page,
    Query,
    by_slug,
    page_url,
    protocol_parameter,
    query_string,
    subject_of,
    whole_number,
)
from leaderboard.pages.generalization import charts, facts, screen
from leaderboard.pages.generalization.facts import Regression, SuiteCounts, UnseenEntry, UnseenResult
from leaderboard.pages.protocols import OtherProtocol, protocols_of
from leaderboard.queries import boards
from leaderboard.queries import generalization as queries
from leaderboard.queries.boards import DeviceRow, SuiteRow, TaskRow
from leaderboard.queries.generalization import RoundRow
from leaderboard.statistics.limits import (
    MIN_TASKS_FOR_INTERVAL,
    MIN_TASKS_FOR_SECRET_COUNTS,
    MIN_TASKS_FOR_UNSEEN_SPEED,
    too_few,
)
from leaderboard.tables import Table, first, fitting
from leaderboard.words import ALL, CATEGORIES, choices_of, suite_name

QUERY = ("round", "version", "protocol")  # parameters that links carry over
ROUND_LASTS = timedelta(days=91)


@dataclass(frozen=True, slots=True)
class ShownRound:
    slug: str
    secret_hash: str
    generator: str
    opened_at: datetime
    revealed_at: datetime | None
    secret: str | None  # None until it is revealed


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationPage(Page):
    """A generalization page. Before the reveal only `suite_counts` has results, after it only the other fields."""

    suite: str
    suite_version: int
    suite_digest: str
    is_current: bool
    category: str
    device_class: str
    device_title: str
    is_functional: bool
    protocol: str
    other_protocols: tuple[OtherProtocol, ...]  # under which this board has public runs of the round, the newest first
    round: ShownRound | None  # None where no round was opened for this version of the suite
    tasks: tuple[str, ...]
    entries: tuple[UnseenEntry, ...]
    results: tuple[UnseenResult, ...]
    regressions: tuple[Regression, ...]
    suite_counts: tuple[SuiteCounts, ...]
    refusals: tuple[str, ...]  # statistics that are not given, and why
    notice: str = field(metadata=SCREEN)  # the state of the round
    regressions_shown: Table | None = field(metadata=SCREEN)  # the first ones; all are in the CSV
    results_shown: Table | None = field(metadata=SCREEN)  # the first ones; `results` has all
    protocol_notice: str = field(metadata=SCREEN)
    board: Link = field(metadata=SCREEN)
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    rounds: tuple[Link, ...] = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> GeneralizationPage | None:
    found = boards.find(suite, whole_number(query.get("version")), device)
    if found is None or category not in CATEGORIES:
        return None
    suite_row, device_row, all_tasks = found
    rounds = queries.rounds_of(suite_row.id)
    tasks = [task for task in all_tasks if category in (task.category, ALL)]
    asked = query.get("round", "")
    shown = next((row for row in rounds if asked in ("", row.slug)), None)
    if not tasks or (asked and shown is None):
        return None
    protocol = query.get("protocol") or PROTOCOL
    with_runs = boards.with_runs(suite_row.id, round=shown.id) if shown else []
    own = [row for row in with_runs if (row.suite_id, row.device) == (suite_row.id, device)]
    protocols = protocols_of(
        own,
        protocol,
        lambda name: (
            page_url("generalization", suite, category, device)
            + query_string(query, QUERY, protocol=protocol_parameter(name))
        ),
    )
    board = queries.UnseenBoard(suite_row.id, device, protocol, shown.id, category) if shown else None
    return GeneralizationPage(
        title=f"{suite_name(suite_row.title, suite_row.name)}, "
        f"{CATEGORIES[category].replace('All', 'all')}: unseen cases",
        lead=f"{plural(len(tasks), 'task')} on {device_row.title}, protocol {protocol}"
        + (f", round {shown.slug}." if shown else "."),
        subject=subject_of(
            *(suite, suite_row.version, CATEGORIES[category], f"{device_row.title} ({device})"),
            *((f"round {shown.slug}",) if shown else ()),
            protocol=protocol,
        ),
        crumbs=(Link("Unseen cases", page_url("generalizations")),),
        **_board(suite_row, device_row, category, protocol),
        other_protocols=protocols.others,
        protocol_notice=protocols.notice,
        round=_round(shown) if shown else None,
        tasks=tuple(task.path for task in tasks),
        **_contents(board, tasks, device_row.is_functional, shown),
        notice=_notice(shown),
        board=Link(
            "Leaderboard", page_url("board", suite, category, device) + query_string(query, ("version", "protocol"))
        ),
        categories=_category_links(suite, device, query, category, {task.category for task in all_tasks}),
        rounds=tuple(
            Link(f"Round {row.slug}", query_string(query, QUERY, round=row.slug), row is shown) for row in rounds
        ),
    )


def _contents(
    board: queries.UnseenBoard | None,
    tasks: Sequence[TaskRow],
    is_functional: bool,
    shown: RoundRow | None,
) -> dict[str, Any]:
    """The fields of the page with results, with their tables and charts."""
    if board is None or shown is None:
        return _filled()
    if shown.revealed_at is None:
        return _before_reveal(board, len(tasks))
    judged = facts.judged(queries.results(board, is_revealed=True), board.protocol, is_functional=is_functional)
    entries = facts.entries(judged, is_functional=is_functional)
    results, regressions = facts.results(judged), facts.regressions(judged, board)
    regressions_table = screen.regressions_table(regressions)
    results_table = screen.results_table(entries, tasks, results)
    return _filled(
        entries=entries,
        results=results,
        regressions=regressions,
        refusals=_refusals(entries, is_functional, len(tasks)),
        regressions_shown=first(regressions_table, screen.MOST_REGRESSIONS),
        results_shown=fitting(results_table),
        tables=by_slug(
            *screen.entries_tables(entries),
            results_table,
            regressions_table,
        ),
        charts=charts.revealed(entries, results),
    )


def _before_reveal(board: queries.UnseenBoard, tasks: int) -> dict[str, Any]:
    """Counts over the whole suite, if it is large enough to hide its tasks: all that is public before the reveal."""
    if board.category != ALL:
        return _filled(refusals=("Before the reveal there are only counts over the whole suite: see all categories.",))
    if tasks < MIN_TASKS_FOR_SECRET_COUNTS:
        needed = f"Counts before the reveal need {MIN_TASKS_FOR_SECRET_COUNTS} tasks; this suite has {tasks}."
        return _filled(refusals=(needed,))
    judged = facts.judged(queries.results(board, is_revealed=False), board.protocol, is_functional=True)
    counts = facts.suite_counts(facts.entries(judged, is_functional=True))
    return _filled(
        suite_counts=counts,
        refusals=("Cases, single tasks and speeds are secret until the reveal.",),
        tables=by_slug(screen.counts_table(counts)),
        charts=charts.before_reveal(counts),
    )


def _filled(**values: Any) -> dict[str, Any]:
    """The fields with results, empty but for these values."""
    empty: dict[str, Any] = dict.fromkeys(("entries", "results", "regressions", "suite_counts", "refusals"), ())
    nothing: dict[str, Chart | Table] = {}
    return empty | {"tables": nothing, "charts": nothing, "regressions_shown": None, "results_shown": None} | values


def _board(suite: SuiteRow, device: DeviceRow, category: str, protocol: str) -> dict[str, Any]:
    return {
        "suite": suite.name,
        "suite_version": suite.version,
        "suite_digest": suite.digest,
        "is_current": suite.is_current,
        "category": category,
        "device_class": device.slug,
        "device_title": device.title,
        "is_functional": device.is_functional,
        "protocol": protocol,
    }


def _round(row: RoundRow) -> ShownRound:
    return ShownRound(
        row.slug, row.secret_hash, row.generator_version, row.opened_at, row.revealed_at, row.secret or None
    )


def _notice(row: RoundRow | None) -> str:
    if row is None:
        return (
            "No round has been opened for this version of the suite, so results are on seen cases only. "
            "A maintainer opens a round with manage.py open_round."
        )
    if row.revealed_at is None:
        return (
            f"Round {row.slug} was opened on {moment(row.opened_at)} and is still secret. A round lasts a quarter: "
            f"its secret, its cases and their results will be shown here around "
            f"{moment(row.opened_at + ROUND_LASTS).partition(',')[0]}. Until then there are only counts over the suite."
        )
    return (
        f"Round {row.slug} was opened on {moment(row.opened_at)} and revealed on {moment(row.revealed_at)}. "
        "Anyone can generate its cases from the secret."
    )


def _refusals(entries: Sequence[UnseenEntry], is_functional: bool, tasks: int) -> tuple[str, ...]:
    """One sentence for each statistic that is not given. The tables have the reasons of single entries."""
    found = []
    if is_functional:
        found.append("No speed: times of this device class are functional and enter no metric.")
    elif refused := sum(entry.measures.pooled.transfer.refused is not None for entry in entries):
        found.append(
            f"No mean speedup for {refused} of {plural(len(entries), 'entry', 'entries')}: it needs "
            f"{MIN_TASKS_FOR_UNSEEN_SPEED} tasks on which both sides are correct on every unseen case, with "
            "eligible cases on both sides."
        )
    if few := too_few(tasks, MIN_TASKS_FOR_INTERVAL, "No intervals: an interval needs"):
        found.append(few)
    if incomplete := [entry.name for entry in entries if not entry.measures.is_complete]:
        found.append(
            f"{plural(len(incomplete), 'incomplete entry', 'incomplete entries')}: results without a verdict on every "
            "unseen case are in no denominator, and are counted separately."
        )
    return tuple(found)


def _category_links(suite: str, device: str, query: Query, here: str, present: set[str]) -> tuple[Link, ...]:
    parameters = query_string(query, QUERY)
    return tuple(
        Link(label, page_url("generalization", suite, slug, device) + parameters, slug == here)
        for slug, label in choices_of(present).items()
    )
