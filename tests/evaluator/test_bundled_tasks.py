"""The task folders of this repository pass every check of the validator."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluator.pipeline import Evaluator
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import CATEGORIES, TaskSpec
from evaluator.tasks.suites import read_manifest
from evaluator.validate.checks import RUN_CHECKS, STATIC_CHECKS
from evaluator.validate.subject import Subject

LONG = ("reference", "second", "spread")  # both references on every small case and draw: seconds a task
TASKS = {task_id: load_task(task_id) for task_id in task_ids()}


def test_the_suites_hold_every_task() -> None:
    assert read_manifest("native-24")[1].keys() == TASKS.keys()
    assert Counter(task.category for task in TASKS.values()) == dict.fromkeys(CATEGORIES, 8)


@pytest.mark.parametrize(
    "check", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in STATIC_CHECKS]
)
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_it_passes(task: TaskSpec, check: str) -> None:
    assert list(STATIC_CHECKS[check](Subject(task))) == []


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_its_own_candidates_get_what_they_should(task: TaskSpec, evaluator: Evaluator) -> None:
    subject = Subject(task, evaluator)
    problems = {name: list(check(subject)) for name, check in RUN_CHECKS.items()}
    assert not any(problems.values()), problems
