"""Our tasks after KernelBench-X's, and what differs from each of the published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.filters import TaskFilter
from leaderboard.formatting import NONE, sentence
from leaderboard.pages.base import Link, count_cell, page_url, task_url
from leaderboard.pages.section import Section, Shown
from leaderboard.queries import kernelbench_x as queries
from leaderboard.queries.kernelbench_x import NativeTaskRow
from leaderboard.tables import Cell, Field, Table, fields, table, text_field
from leaderboard.words import operator_type

NO_TASKS = "No task after KernelBench-X is here yet. `manage.py sync_tasks` registers those in tasks/."


@dataclass(frozen=True, slots=True)
class NativeTask:
    task: str
    name: str
    category: str  # one of the benchmark's fifteen
    counterpart: str  # the file of the published task
    difference: str  # what differs from it and why; empty if nothing does
    is_current: bool  # False: the suite keeps an earlier version of a task that has changed since
    is_in_suite: bool  # whose tasks are the denominators of results measured here


@dataclass(frozen=True, slots=True)
class NativeCategory:
    category: str
    tasks: int
    published: int | None  # tasks of the paper; None if its tables are not loaded


def native_tasks() -> tuple[NativeTask, ...]:
    """Every current task after one of KernelBench-X's, and those of the suite, by category and name."""
    return tuple(sorted(map(_task, queries.native_tasks()), key=lambda one: (one.category, one.name)))


def _task(row: NativeTaskRow) -> NativeTask:
    about = row.provenance
    category = operator_type(about.get("operator_type", ""))
    return NativeTask(
        row.path, row.name, category, about.get("path", ""), about.get("note", ""), row.is_current, row.is_in_suite
    )


def native_categories(tasks: Sequence[NativeTask], printed: Sequence[Mapping[str, str]]) -> tuple[NativeCategory, ...]:
    """How many of each category's tasks are here; `printed` are the rows of the paper's category table."""
    here, published = (
        Counter(one.category for one in tasks),
        {operator_type(row["category"]): int(row["tasks"]) for row in printed},
    )
    return tuple(NativeCategory(name, here[name], published.get(name)) for name in sorted({*here, *published}))


def section(tasks: Sequence[NativeTask], categories: Sequence[NativeCategory]) -> Section:
    return Section(
        slug="native",
        title="Tasks evaluated here",
        text="ArenaBoard has tasks of its own after those of KernelBench-X, written from what each operator computes. "
        "Results on them are no results on the published tasks, whose faults they do not inherit.",
        links=(Link("All of these tasks", page_url("tasks") + TaskFilter(source=queries.SOURCE).url()),),
        tables=(
            Shown(_categories_table(categories)),
            Shown(_tasks_table(tasks), "prose-table", "What differs from each published task"),
        ),
    )


def _categories_table(categories: Sequence[NativeCategory]) -> Table:
    by_category: tuple[Field[NativeCategory], ...] = (
        Field("category", "Category", _category_cell),
        Field("tasks", "Tasks here", lambda one: count_cell(one.tasks), is_number=True),
        Field("published", "In the paper", lambda one: count_cell(one.published), is_number=True),
    )
    return table("native_categories", "Tasks by category", by_category, categories, NO_TASKS)


def _tasks_table(tasks: Sequence[NativeTask]) -> Table:
    differences: tuple[Field[NativeTask], ...] = fields(
        Field("task", "Task", lambda one: Cell(one.name, one.task, task_url(one.task))),
        text_field("category", "Category", lambda one: one.category),
        text_field("counterpart", "Published task", lambda one: one.counterpart),
        text_field("difference", "What differs, and why", lambda one: sentence(one.difference) or NONE),
    )
    return table("native_tasks", "What differs from each published task", differences, tasks, NO_TASKS)


def _category_cell(one: NativeCategory) -> Cell:
    chosen = TaskFilter(source=queries.SOURCE, operator=one.category)
    return Cell(one.category, one.category, page_url("tasks") + chosen.url() if one.tasks else "")
