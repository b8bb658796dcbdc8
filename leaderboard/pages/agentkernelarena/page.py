"""AgentKernelArena: measured here and submitted, in its paper's columns; our tasks after it, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.filters import TaskFilter
from leaderboard.formatting import NONE, sentence
from leaderboard.pages.agentkernelarena import imported, own
from leaderboard.pages.agentkernelarena.counterparts import (
    Counterpart,
    PublicGroup,
    PublicType,
    counterparts,
    groups_of,
    types_of,
)
from leaderboard.pages.agentkernelarena.imported import ArenaImported
from leaderboard.pages.agentkernelarena.own import ArenaEntry
from leaderboard.pages.base import Link, Page, Query, count_cell, page_url, task_url
from leaderboard.pages.section import Section, Shown, tables_of
from leaderboard.queries import agentkernelarena as queries
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden, table, text_field
from leaderboard.words import CATEGORIES

NO_TASKS = "No task after AgentKernelArena is here yet. `manage.py sync_tasks` registers those in tasks/."
UNNAMED = "ours: not named there"
NOT_INHERITED = (
    "The public GELU is a ReLU in place, whose second call has nothing left to do. Here it is a GELU.",
    "Public answers are compared within fixed bounds, up to 0.1, some of which pass zeros or a constant. Here each "
    "dtype has a bound with its reason, and a task that a candidate passes without any work is refused.",
    "Most public sizes take as long as the launch of a kernel, and many tasks have one dtype. Here sizes are those of "
    "models in use, in each dtype of the task, and only cases that are slow enough for the clock count.",
    "Public inputs leave parts of an operator unused: a bias of zeros, a gamma of ones, a factor of 1. Here they are "
    "drawn.",
    "Public ROCmBench tasks time dtypes that they never check. Here every timed case is checked.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentKernelArenaPage(Page):
    groups: tuple[PublicGroup, ...]
    types: tuple[PublicType, ...]  # the operator types of the paper's Table 5
    tasks: tuple[Counterpart, ...]
    own: tuple[ArenaEntry, ...]  # measured here
    imported: ArenaImported  # submitted here: claimed, not measured
    sections: tuple[Section, ...] = field(metadata=SCREEN)  # in their order on the page
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address


def build(query: Query) -> AgentKernelArenaPage:
    tasks = counterparts()
    groups, types = groups_of(tasks), types_of(tasks)
    entries, submitted = own.own_entries(), imported.imported()
    sections = (
        own.section(entries),
        *imported.sections(submitted),
        _coverage(groups, types),
        _faults(),
        _differences(tasks),
    )
    here, published = sum(one.here for one in groups), sum(one.published for one in groups)
    return AgentKernelArenaPage(
        title="AgentKernelArena",
        subject="AgentKernelArena: our tasks after the benchmark's, and what differs",
        lead=f"Tasks of our own after {here} of the {published} in the benchmark's paper, written from what each "
        "operator computes. Results on them are no results on the public tasks, whose faults they do not inherit.",
        crumbs=(Link("Papers", page_url("published")),),
        tables=tables_of(sections),
        groups=groups,
        types=types,
        tasks=tasks,
        own=entries,
        imported=submitted,
        sections=sections,
        facts=(
            (
                "The paper, recomputed",
                "Its tables and figures, and where it disagrees with itself",
                page_url("agentkernelarena_paper"),
            ),
        ),
    )


def _coverage(groups: Sequence[PublicGroup], types: Sequence[PublicType]) -> Section:
    by_group: tuple[Field[PublicGroup], ...] = (
        Field("category", "Category", _category_cell),
        text_field("source", "From", lambda one: one.source),
        Field("here", "Tasks here", lambda one: count_cell(one.here), is_number=True),
        Field("published", "In the paper", lambda one: count_cell(one.published), is_number=True),
    )
    by_type: tuple[Field[PublicType], ...] = (
        Field("operator", "Operator type", _type_cell),
        Field("here", "Tasks here", lambda one: count_cell(one.here), is_number=True),
        Field("published", "In the paper", lambda one: count_cell(one.published), is_number=True),
        Field("named", "Named in its table", lambda one: count_cell(one.named), is_number=True),
    )
    return Section(
        slug="coverage",
        title="What is here",
        text="Operator types are those of the paper's Table 5, which names 31 of the 118 tasks from vLLM and has "
        "“78 additional kernels” as various. A task that it does not name has the one of its types that fits.",
        links=(
            Link("All of these tasks", page_url("tasks") + TaskFilter(source=queries.SOURCE).url()),
            Link("The paper's tables", page_url("published")),
        ),
        tables=(
            Shown(table("groups", "Public tasks by category and project", by_group, groups, NO_TASKS)),
            Shown(table("types", "Public tasks by operator type", by_type, types, NO_TASKS)),
        ),
    )


def _faults() -> Section:
    return Section(
        slug="faults",
        title="What is not inherited",
        text="What was found in the public tasks as they were for the paper:",
        items=NOT_INHERITED,
    )


def _differences(tasks: Sequence[Counterpart]) -> Section:
    return Section(
        slug="differences",
        title="What differs from each public task",
        text="Some of our Triton tasks are wider than the public one: they take in its neighbours.",
        tables=(Shown(_tasks_table(tasks), "prose-table"),),
    )


def _tasks_table(tasks: Sequence[Counterpart]) -> Table:
    columns: tuple[Field[Counterpart], ...] = fields(
        Field("task", "Task", lambda one: Cell(one.name, one.task, task_url(one.task))),
        hidden("category", lambda one: one.category),
        Field("public", "Public task", _public_cell, is_code=True),
        Field("operator", "Operator type", _operator_cell),
        hidden("printed_operator", lambda one: one.printed_operator),
        hidden("is_type_printed", lambda one: one.is_type_printed),
        text_field("difference", "What differs, and why", lambda one: sentence(one.difference) or NONE),
    )
    by_category = [
        RowGroup(tuple(one for one in tasks if one.category == slug), label) for slug, label in CATEGORIES.items()
    ]
    return grouped("tasks", "Our tasks beside the public ones", columns, by_category, NO_TASKS)


def _public_cell(one: Counterpart) -> Cell:
    """Without the category, which is the heading above."""
    return Cell(one.public.partition("/")[2], one.public)


def _operator_cell(one: Counterpart) -> Cell:
    return Cell(one.operator, one.operator, note="" if one.is_type_printed else UNNAMED)


def _category_cell(one: PublicGroup) -> Cell:
    chosen = TaskFilter(category=one.category, source=queries.SOURCE)
    return Cell(CATEGORIES[one.category], one.category, page_url("tasks") + chosen.url() if one.here else "")


def _type_cell(one: PublicType) -> Cell:
    chosen = TaskFilter(source=queries.SOURCE, operator=one.operator)
    return Cell(one.operator, one.operator, page_url("tasks") + chosen.url() if one.here else "")
