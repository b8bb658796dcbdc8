"""Submitted runs of AgentKernelArena in its paper's columns, over all 196 tasks; all of it claimed, none measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.bundles.tasklists import ARENA, tasks_of
from leaderboard.formatting import rate_over
from leaderboard.pages.agentkernelarena.columns import Columns, column_fields, columns, with_correct
from leaderboard.pages.base import Link, count_cell, page_url
from leaderboard.pages.papers.bundles import name_of
from leaderboard.pages.section import Section, Shown
from leaderboard.queries import agentkernelarena as queries
from leaderboard.queries import bundles as bundle_queries
from leaderboard.queries.agentkernelarena import ArenaClaimRow
from leaderboard.statistics.results import ResultValues
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden
from leaderboard.words import ALL, CATEGORIES

NO_RUNS = "No run of AgentKernelArena is public here yet. See `/submit/` for how to submit one."
NO_HELD_OUT = "No run on unseen inputs is public here yet."
PAPER_CATEGORIES = (ALL, "hip2hip", "triton2triton", "torch2hip")
QUADRANTS = ("both_pass", "opt_improvement", "both_fail", "opt_regression")


@dataclass(frozen=True, slots=True)
class ArenaRun:
    """A submitted run on all tasks, or on those of a category. A task that it does not have is wrong."""

    submission: int
    name: str  # self-declared
    columns: Columns
    stated: int  # tasks that it says anything of


@dataclass(frozen=True, slots=True)
class ArenaUnseen:
    """A submitted run on unseen inputs, with its tasks in each quadrant; others ended in an error or are missing."""

    submission: int
    name: str
    category: str
    tasks: int
    both_pass: int
    improved: int
    both_fail: int
    regression: int


@dataclass(frozen=True, slots=True)
class ArenaImported:
    runs: tuple[ArenaRun, ...]
    unseen: tuple[ArenaUnseen, ...]


def imported() -> ArenaImported:
    found = bundle_queries.bundles((queries.RUNS, queries.HELD_OUT))
    claims: dict[int, dict[str, ArenaClaimRow]] = {bundle.id: {} for bundle in found}
    for claim in queries.claims_of(list(claims)) if claims else []:
        claims[claim.submission].setdefault(claim.task, claim)
    runs, unseen = list[ArenaRun](), list[ArenaUnseen]()
    for category in PAPER_CATEGORIES:
        tasks = [task for task in tasks_of(ARENA) if category in (ALL, task.partition("/")[0])]
        for bundle in found:
            about = (bundle.id, name_of(bundle))
            if bundle.format == queries.RUNS:
                runs.append(_run(*about, category, tasks, claims[bundle.id]))
            else:
                unseen.append(_unseen(*about, category, tasks, claims[bundle.id]))
    return ArenaImported(tuple(runs), tuple(unseen))


def sections(found: ArenaImported) -> tuple[Section, ...]:
    return (
        Section(
            slug="imported-runs",
            title="Runs submitted here, in the paper's columns",
            text="Claims from bundles, over the benchmark's 196 tasks. A task that is missing from a run counts as "
            "wrong, and a speed as 0 where its times contradict themselves.",
            links=(
                Link("The formula", f"{page_url('metrics')}#arena-claims"),
                Link("How to submit one", page_url("submit")),
            ),
            tables=(Shown(_runs_table(found.runs), "leaders"),),
        ),
        Section(
            slug="imported-unseen",
            title="Runs on unseen inputs submitted here",
            text="By the quadrants of the paper's Figure 3, from the outcomes of both sides.",
            tables=(Shown(_unseen_table(found.unseen), "printed"),),
        ),
    )


def is_compiled(claim: ArenaClaimRow) -> bool:
    """As it is claimed; a report without a word on it states a score, from which the status follows."""
    said = claim.claimed.get("pass_compilation")
    return said is True if said is not None else claim.status in ("passed", "wrong_output", "implausible")


def is_correct(claim: ArenaClaimRow) -> bool:
    said = claim.claimed.get("pass_correctness")
    return is_compiled(claim) and (said is True if said is not None else claim.status == "passed")


def _run(
    submission: int, name: str, category: str, tasks: Sequence[str], claims: Mapping[str, ArenaClaimRow]
) -> ArenaRun:
    own = [claims.get(task) for task in tasks]
    categories = {task.partition("/")[0] for task in tasks}
    found = columns(category, tasks, [[_values(claim)] for claim in own], categories)
    correct = sum(claim is not None and is_correct(claim) for claim in own)
    return ArenaRun(submission, name, with_correct(found, correct), sum(claim is not None for claim in own))


def _values(claim: ArenaClaimRow | None) -> ResultValues:
    """A result; correct here means that it has a speed, since those without one have none to average."""
    if claim is None:
        return ResultValues(False, False)
    speedup = claim.recomputed_speedup or claim.claimed_speedup
    has_speed = is_correct(claim) and claim.status == "passed" and speedup is not None and speedup > 0
    return ResultValues(is_compiled(claim), has_speed, paper_speedup=speedup if has_speed else None)


def _unseen(
    submission: int, name: str, category: str, tasks: Sequence[str], claims: Mapping[str, ArenaClaimRow]
) -> ArenaUnseen:
    counts = Counter(str(claims[task].claimed.get("quadrant")) for task in tasks if task in claims)
    return ArenaUnseen(submission, name, category, len(tasks), *(counts[quadrant] for quadrant in QUADRANTS))


def _title(category: str) -> str:
    return f"All {len(tasks_of(ARENA))} tasks" if category == ALL else CATEGORIES[category]


def _runs_table(runs: Sequence[ArenaRun]) -> Table:
    shown: tuple[Field[ArenaRun], ...] = fields(
        Field("name", "Run", lambda run: _name_cell(run.name, run.submission)),
        hidden("submission", lambda run: run.submission, type="integer"),
        Field("stated", "Tasks in it", lambda run: count_cell(run.stated), is_number=True),
        column_fields(lambda run: run.columns, "arena-claims"),
    )
    groups = [
        RowGroup(tuple(run for run in runs if run.columns.category == category), _title(category))
        for category in PAPER_CATEGORIES
    ]
    return grouped("imported_runs", "Submitted runs as claimed, the newest first", shown, groups, NO_RUNS)


def _unseen_table(rows: Sequence[ArenaUnseen]) -> Table:
    shown: tuple[Field[ArenaUnseen], ...] = (
        Field("name", "Run", lambda one: _name_cell(one.name, one.submission)),
        hidden("submission", lambda one: one.submission, type="integer"),
        hidden("category", lambda one: one.category, type="text"),
        Field("tasks", "Tasks", lambda one: count_cell(one.tasks), is_number=True),
        Field("both_pass", "Both pass", lambda one: count_cell(one.both_pass), is_number=True),
        Field("improved", "Improved", lambda one: count_cell(one.improved), is_number=True),
        Field("both_fail", "Both fail", lambda one: count_cell(one.both_fail), is_number=True),
        Field("regression", "Regression", lambda one: count_cell(one.regression), is_number=True),
        Field("conditional", "Conditional correctness", _conditional_cell, is_number=True, metric="arena-claims"),
    )
    groups = [
        RowGroup(tuple(one for one in rows if one.category == category), _title(category))
        for category in PAPER_CATEGORIES
    ]
    return grouped(
        "imported_unseen", "Submitted runs on unseen inputs as claimed, the newest first", shown, groups, NO_HELD_OUT
    )


def _conditional_cell(one: ArenaUnseen) -> Cell:
    of = one.both_pass + one.regression
    return Cell(rate_over(one.both_pass, of, of), one.both_pass / of if of else None)


def _name_cell(name: str, submission: int) -> Cell:
    return Cell(name, name, page_url("submission", submission), "self-declared")
