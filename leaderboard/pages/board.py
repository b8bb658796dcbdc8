"""One board: every public configuration of a suite, in a category, on a device class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluator.records import PROTOCOL
from leaderboard import statistics
from leaderboard.eligibility import obstacle, why_not_ranked
from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages import board_screen
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url, query_string, whole_number
from leaderboard.queries import boards
from leaderboard.statistics import INTERVAL_FROM_TASKS, Rate
from leaderboard.words import ALL, CATEGORIES


@dataclass(frozen=True, slots=True)
class Answer:
    """The published answer of one run to one task; `status` is missing where nothing is published."""

    task: str
    configuration: str
    run: int
    repeat: int
    result: int | None
    status: str
    compiled: bool | None
    correct: bool | None
    may_rank: bool
    obstacle: str | None  # what keeps it from counting


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the board. `rank` is None where it may not rank; then the reason stands beside it."""

    rank: int | None
    not_ranked_because: str | None
    configuration: str
    agent: str
    model: str | None
    role: str
    settings: dict[str, Any]
    runs: tuple[int, ...]
    verifications: tuple[str, ...]
    judged: int  # answers that count
    of: int
    compilation: Rate
    correctness: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage(Page):
    suite: str
    suite_version: int
    suite_digest: str
    is_current: bool
    category: str
    device_class: str
    device_title: str
    is_functional: bool
    protocol: str
    tasks: tuple[str, ...]
    entries: tuple[Entry, ...]
    answers: tuple[Answer, ...]
    refusals: tuple[str, ...]  # what this board does not say, and why
    categories: tuple[Link, ...] = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> BoardPage | None:
    suite_row, device_row = boards.suite(suite, whole_number(query.get("version"))), boards.device(device)
    if suite_row is None or device_row is None or category not in CATEGORIES:
        return None
    protocol = query.get("protocol") or PROTOCOL
    all_tasks = boards.tasks_of(suite_row.id)
    tasks = [task for task in all_tasks if category in (task.category, ALL)]
    if not tasks:
        return None
    runs = boards.public_runs(suite_row.id, device, protocol)
    answers = _answers(tasks, runs, boards.public_results(suite_row.id, device, protocol))
    entries = board_screen.in_order(_entries(runs, answers), query.get("sort", ""))
    chart = board_screen.chart(entries, len(tasks))
    return BoardPage(
        title=f"{suite_row.title or suite_row.name}: {CATEGORIES[category].replace('All', 'all')}",
        lead=f"{plural(len(tasks), 'task')} on {device_row.title}, protocol {protocol}.",
        crumbs=(Link("Boards", page_url("home")),),
        charts={chart.slug: chart} if entries else {},
        tables=by_slug(
            board_screen.entries_table(entries, query),
            board_screen.answers_table(entries, tasks, answers),
        ),
        suite=suite_row.name,
        suite_version=suite_row.version,
        suite_digest=suite_row.digest,
        is_current=suite_row.is_current,
        category=category,
        device_class=device,
        device_title=device_row.title,
        is_functional=device_row.is_functional,
        protocol=protocol,
        tasks=tuple(task.path for task in tasks),
        entries=tuple(entries),
        answers=tuple(answers),
        refusals=_refusals(device_row.is_functional, len(tasks)),
        categories=_category_links(suite_row.name, device, query, category, {task.category for task in all_tasks}),
    )


def _answers(
    tasks: Sequence[boards.TaskRow], runs: Sequence[boards.RunRow], results: Sequence[boards.ResultRow]
) -> list[Answer]:
    """One for every run and task, whether there is a result or not."""
    found = {(row.run_id, row.task_id): row for row in results}
    return [_answer(task, run, found.get((run.id, task.id))) for run in runs for task in tasks]


def _answer(task: boards.TaskRow, run: boards.RunRow, row: boards.ResultRow | None) -> Answer:
    if row is None or row.status is None:
        missing = obstacle(status=None)
        result = row.id if row else None
        return Answer(task.path, run.configuration, run.id, run.repeat, result, "missing", None, None, False, missing)
    hindered = obstacle(
        status=row.status,
        audit=row.audit,
        is_own_protocol=row.is_own_protocol,
        is_held=row.is_held,
        is_uncalibrated=row.is_uncalibrated,
        host_is_accepted=row.host_is_accepted,
    )
    return Answer(
        task.path,
        run.configuration,
        run.id,
        run.repeat,
        row.id,
        row.status,
        row.compiled,
        row.correct,
        row.may_rank,
        hindered,
    )


def _entries(runs: Sequence[boards.RunRow], answers: Sequence[Answer]) -> list[Entry]:
    """One for each configuration, ranked by the unrounded rate of correctness."""
    by_configuration: dict[str, list[boards.RunRow]] = defaultdict(list)
    for run in runs:
        by_configuration[run.configuration].append(run)
    answers_of: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        answers_of[answer.configuration].append(answer)
    entries = [_entry(lines, answers_of[slug]) for slug, lines in by_configuration.items()]
    ranked = [entry for entry in entries if entry.not_ranked_because is None]
    ranks = statistics.ranks([entry.correctness.share or 0.0 for entry in ranked])
    rank_of = {entry.configuration: rank for entry, rank in zip(ranked, ranks, strict=True)}
    return [replace(entry, rank=rank_of.get(entry.configuration)) for entry in entries]


def _entry(runs: Sequence[boards.RunRow], answers: Sequence[Answer]) -> Entry:
    counted = [answer for answer in answers if answer.obstacle is None]
    first = runs[0]
    return Entry(
        rank=None,
        not_ranked_because=why_not_ranked(first.role, [answer.obstacle for answer in answers]),
        configuration=first.configuration,
        agent=first.agent,
        model=first.model,
        role=first.role,
        settings=first.settings,
        runs=tuple(run.id for run in runs),
        verifications=tuple(run.verification for run in runs),
        judged=len(counted),
        of=len(answers),
        compilation=_rate(counted, len(answers), "compiled"),
        correctness=_rate(counted, len(answers), "correct"),
    )


def _rate(counted: Sequence[Answer], of: int, field_name: str) -> Rate:
    """Tasks × runs of what counts, as the statistics want them."""
    outcomes: dict[str, list[bool]] = defaultdict(list)
    for answer in counted:
        outcomes[answer.task].append(bool(getattr(answer, field_name)))
    return statistics.rate(list(outcomes.values()), of)


def _refusals(is_functional: bool, tasks: int) -> tuple[str, ...]:
    refusals = []
    if is_functional:
        refusals.append(
            "No speed: this device class judges compilation and correctness only. Its times are functional: they show "
            "that a kernel ran, stand on each result's own page and enter no metric."
        )
    else:
        refusals.append("No speed metric yet: device times stand on the page of each result.")
    if tasks < INTERVAL_FROM_TASKS:
        refusals.append(
            f"No intervals: an interval needs {INTERVAL_FROM_TASKS} tasks, and there are {tasks}. The counts are exact."
        )
    return tuple(refusals)


def _category_links(suite: str, device: str, query: Query, here: str, present: set[str]) -> tuple[Link, ...]:
    """The same suite version, protocol and order in the other categories."""
    kept = query_string(query, board_screen.QUERY)
    return tuple(
        Link(label, page_url("board", suite, slug, device) + kept, slug == here)
        for slug, label in CATEGORIES.items()
        if slug == ALL or slug in present
    )
