"""Our tasks after AgentKernelArena's, each beside the public one, and how many there are of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.bundles.tasklists import ARENA, arena_operator_types, tasks_of
from leaderboard.pages.agentkernelarena.notes import NOTES
from leaderboard.queries import agentkernelarena as queries
from leaderboard.queries.agentkernelarena import CounterpartRow
from leaderboard.words import operator_type

FOLDER = "tasks/"  # of the benchmark, with which provenance begins its paths
SOURCES = {"gpumode": "GPU Mode", "vllm": "vLLM", "rocmbench": "ROCmBench"}


@dataclass(frozen=True, slots=True)
class Counterpart:
    task: str
    name: str
    category: str
    source: str  # ours
    public: str  # the public task, such as hip2hip/gpumode/GELU
    operator: str  # its type as this site shows it
    printed_operator: str  # in the paper's word
    is_type_printed: bool  # False: the paper's table does not name the task, so the type is ours
    difference: str  # what differs and why; empty if nothing is stated


@dataclass(frozen=True, slots=True)
class PublicGroup:
    """The public tasks of one category that come from one project."""

    category: str
    source: str
    here: int  # with a task of ours after them
    published: int


@dataclass(frozen=True, slots=True)
class PublicType:
    operator: str
    here: int
    published: int
    named: int  # of the published: those that the paper's table names


def counterparts() -> tuple[Counterpart, ...]:
    """Our current tasks, by category and public task."""
    rows = queries.counterparts()
    notes = {(row.category, row.name): row.provenance.get("note", "") for row in rows}
    found = (_counterpart(row, _difference(row, notes)) for row in rows)
    return tuple(sorted(found, key=lambda one: (one.category, one.public)))


def groups_of(tasks: Sequence[Counterpart]) -> tuple[PublicGroup, ...]:
    public = {task.public for task in tasks}
    published = Counter(group_of(path) for path in tasks_of(ARENA))
    here = Counter(group_of(path) for path in tasks_of(ARENA) if path in public)
    return tuple(PublicGroup(*group, here[group], of) for group, of in published.items())


def types_of(tasks: Sequence[Counterpart]) -> tuple[PublicType, ...]:
    """The operator types of the paper, the one with most tasks first."""
    public, types = {task.public for task in tasks}, arena_operator_types()
    published = Counter(one.name for one in types.values())
    named = Counter(one.name for one in types.values() if one.is_printed)
    here = Counter(one.name for path, one in types.items() if path in public)
    return tuple(PublicType(operator_type(name), here[name], of, named[name]) for name, of in published.most_common())


def _counterpart(row: CounterpartRow, difference: str) -> Counterpart:
    public = row.provenance.get("path", "").removeprefix(FOLDER)
    printed = row.provenance.get("operator_type", "")
    known = arena_operator_types().get(public)
    return Counterpart(
        *(row.path, row.name, row.category, row.source, public, operator_type(printed), printed),
        is_type_printed=known is not None and known.is_printed,
        difference=difference,
    )


def _difference(row: CounterpartRow, notes: dict[tuple[str, str], str]) -> str:
    """What the task says itself, else what its twin says: both categories of HIP have the same public modules."""
    twin = {"hip2hip": "torch2hip", "torch2hip": "hip2hip"}.get(row.category, "")
    return row.provenance.get("note", "") or NOTES.get(row.path, "") or notes.get((twin, row.name), "")


def group_of(public: str) -> tuple[str, str]:
    category, project = public.split("/")[:2]
    return category, SOURCES.get(project, project)
