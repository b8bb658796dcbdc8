"""The list of tasks."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural, rate, short
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, page_url, task_url
from leaderboard.pages.task.description import first_sentence
from leaderboard.queries import tasks
from leaderboard.queries.tasks import ListedTask
from leaderboard.tables import Cell, Column, RowGroup, Table
from leaderboard.words import ALL, CATEGORIES


@dataclass(frozen=True, slots=True)
class TaskLine:
    task: str
    category: str
    digest: str
    cases: int
    answers: int  # those that may rank: public, of entries, judged, nothing against them
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TasksPage(Page):
    category: str
    tasks: tuple[TaskLine, ...]
    categories: tuple[Link, ...] = field(metadata=SCREEN)


def build(query: Query) -> TasksPage:
    category = query.get("category", "")
    category = category if category in CATEGORIES and category != ALL else ""
    rows = tasks.listed(category)
    base = page_url("tasks")
    return TasksPage(
        title="Tasks",
        lead="A task is a kernel problem with a contract: what comes in, what must come out, and how close.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(_table(rows)),
        category=category or ALL,
        tasks=tuple(TaskLine(row.path, row.category, row.digest, row.cases, row.answers, row.right) for row in rows),
        categories=tuple(
            Link(label, base if slug == ALL else f"{base}?category={slug}", slug == (category or ALL))
            for slug, label in CATEGORIES.items()
        ),
    )


def _table(rows: list[ListedTask]) -> Table:
    columns = (
        Column("task", "Task"),
        Column("about", "What it computes"),
        Column("cases", "Cases", is_number=True),
        Column("right", "Correct answers", is_number=True),
        Column("answers", "Answers", on_page=False),
        Column("digest", "Digest", is_code=True),
    )
    groups = tuple(
        RowGroup(tuple(_cells(row) for row in rows if row.category == slug), label)
        for slug, label in CATEGORIES.items()
        if slug != ALL
    )
    empty = "No task is registered. `make up` reads tasks/ and registers them."
    return Table(
        "tasks",
        f"{plural(len(rows), 'task')}, as they stand in tasks/ now; answers that may rank are counted",
        columns,
        groups,
        empty,
    )


def _cells(row: ListedTask) -> tuple[Cell, ...]:
    about = first_sentence(row.description)
    solved = Cell(rate(row.right, row.answers), row.right) if row.answers else Cell(NONE, 0, note="no entry yet")
    return (
        Cell(row.name, row.path, task_url(row.path)),
        Cell(about, about),
        count_cell(row.cases),
        solved,
        Cell("", row.answers),
        Cell(short(row.digest), row.digest),
    )
