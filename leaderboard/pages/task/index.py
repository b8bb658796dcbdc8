"""The page that lists tasks, by category, source and type of operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.filters import TaskFilter
from leaderboard.formatting import NONE, factor, plural, rate, short, times
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, page_url, task_url
from leaderboard.pages.run.index import RunChoice, choice
from leaderboard.pages.task.description import first_sentence
from leaderboard.queries import tasks
from leaderboard.queries.tasks import ListedTask
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden, text_field
from leaderboard.words import ALL, CATEGORIES


@dataclass(frozen=True, slots=True)
class TaskLine:
    task: str
    category: str
    source: str
    operator: str
    digest: str
    cases: int
    results: int  # those that may rank: published, of entries, evaluated, neither held nor audited away
    correct: int
    best: dict[str, float]  # device class → speedup of the fastest correct one, under the current protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class TasksPage(Page):
    category: str
    tasks: tuple[TaskLine, ...]
    source: str
    operator: str
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    hidden_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query) -> TasksPage:
    wanted, found = TaskFilter.from_query(query), tasks.listed()
    rows = [row for row in found if wanted.includes(row)]
    base = page_url("tasks")
    return TasksPage(
        title="Tasks",
        lead="A task is a kernel problem with a contract: what comes in, what must come out, and how close.",
        tables=by_slug(_table(rows, wanted)),
        category=wanted.category or ALL,
        source=wanted.source,
        operator=wanted.operator,
        tasks=tuple(map(_line, rows)),
        categories=tuple(
            Link(label, base + wanted.url(category="" if slug == ALL else slug), slug == (wanted.category or ALL))
            for slug, label in CATEGORIES.items()
        ),
        choices=(
            choice("source", "Tasks from", sorted({row.source for row in found}), wanted.source),
            choice("operator", "Operator type", sorted({row.operator for row in found} - {""}), wanted.operator),
        ),
        hidden_inputs=(("category", wanted.category),) if wanted.category else (),
        is_filtered=bool(wanted.source or wanted.operator),
    )


def _line(row: ListedTask) -> TaskLine:
    best = {slug: factor(log) for (slug, _), log in row.best.items()}
    return TaskLine(
        *(row.path, row.category, row.source, row.operator, row.digest, row.cases, row.results, row.correct), best
    )


def _table(rows: Sequence[ListedTask], wanted: TaskFilter) -> Table:
    columns: tuple[Field[ListedTask], ...] = fields(
        Field("task", "Task", lambda row: Cell(row.name, row.path, task_url(row.path))),
        text_field("about", "What it computes", lambda row: first_sentence(row.description)),
        text_field("operator", "Operator type", lambda row: row.operator),
        text_field("source", "Tasks from", lambda row: row.source),
        Field("cases", "Cases", lambda row: count_cell(row.cases), is_number=True),
        Field("correct", "Correct results", _correct_cell, is_number=True),
        hidden("results", lambda row: row.results),
        (_best_field(*device) for device in sorted({device for row in rows for device in row.best})),
        Field("digest", "Digest", lambda row: Cell(short(row.digest), row.digest), is_code=True),
    )
    groups = [
        RowGroup(tuple(row for row in rows if row.category == slug), label)
        for slug, label in CATEGORIES.items()
        if slug != ALL
    ]
    caption = f"{plural(len(rows), 'task')}, each in its current version. Only results that may rank are counted"
    empty = "No task is registered. `make up` reads tasks/ and registers them."
    if wanted != TaskFilter():
        empty = "No task matches. Remove a filter."
    return grouped("tasks", caption, columns, groups, empty)


def _best_field(slug: str, title: str) -> Field[ListedTask]:
    """What the best kernel reaches on a device class. The task's page says whose it is."""

    def cell(row: ListedTask) -> Cell:
        if (log := row.best.get((slug, title))) is None:
            return Cell(NONE)
        return Cell(times(log), factor(log), f"{task_url(row.path)}#best")

    return Field(f"best_{slug}", f"Best kernel on {title}", cell, is_number=True, metric="speedup")


def _correct_cell(row: ListedTask) -> Cell:
    return Cell(rate(row.correct, row.results), row.correct) if row.results else Cell(NONE, 0, note="no entry yet")
