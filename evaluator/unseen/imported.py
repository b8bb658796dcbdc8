"""Reads unseen cases that a person or a model wrote, and checks them against the task's contract.

version: 1
task: triton2triton/arena/softmax
origin: written_by_model            # or written_by_hand
cases:
  - {category: edge, profile: small, rows: 1, cols: 77, dtype: float32}
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from evaluator.errors import UsageError
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.reader import check_shapes, read_case
from evaluator.tasks.spec import Case, TaskSpec
from evaluator.unseen.cases import CONFIG_CATEGORIES, ConfigCategory, Origin, UnseenCase
from evaluator.unseen.contract import COST_REACH, contract_of, cost_of

ORIGINS: tuple[Origin, ...] = ("written_by_hand", "written_by_model")
COSTS = ("bytes in memory", "bytes moved", "operations")  # as cost_of gives them


def read_imported(path: Path, task: TaskSpec) -> tuple[UnseenCase, ...]:
    """The cases of one file.

    Raises:
        TaskError: with every problem: a value that the contract does not allow, a case that is seen or duplicate, or
            that costs more than unseen cases of its profile may.
        UsageError: there is no such file.
    """
    problems = Problems(str(path))
    try:
        top = Fields.read(path.read_bytes(), problems)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    top.only(("version", "task", "origin", "cases"))
    top.choice("version", (1,))
    top.choice("task", (task.id,))
    origin = cast(Origin, top.choice("origin", ORIGINS))
    found: list[UnseenCase] = []
    for item in top.items("cases"):
        case = _case(item, task, found)
        found.append(UnseenCase(case, cast(ConfigCategory, item.choice("category", CONFIG_CATEGORIES)), origin))
    problems.raise_if_any()
    return tuple(found)


def _case(item: Fields, task: TaskSpec, others: list[UnseenCase]) -> Case:
    item.only((*(axis.name for axis in task.axes), "profile", "category"))
    before = len(item.problems.lines)
    case = read_case(item, task.axes)
    if any(case.id == seen.id for seen in task.cases):
        item.problem("", case.id, "a case that is not among the task's seen ones")
    if any(case.id == other.case.id for other in others):
        item.problem("", case.id, "a case that is not listed already")
    if len(item.problems.lines) == before:  # otherwise its numbers mean nothing
        check_shapes(task, case, item)
        _check_cost(item, task, case)
    return case


def _check_cost(item: Fields, task: TaskSpec, case: Case) -> None:
    """Report a case that is too expensive, compared with the seen cases of the same profile."""
    profiles = sorted({seen.profile for seen in task.cases})
    if case.profile not in profiles:
        item.problem("profile", case.profile, f"{' or '.join(profiles)}: the task has no seen case of this profile")
        return
    for name, cost, most in zip(COSTS, cost_of(task, case), contract_of(task, case.profile).budget, strict=True):
        if cost > most:
            reach = f"{COST_REACH} times the most of a seen {case.profile} case, and 2 GiB in memory"
            item.problem("", f"{cost:.3g} {name} for {case.id}", f"at most {most:.3g}: {reach}")
