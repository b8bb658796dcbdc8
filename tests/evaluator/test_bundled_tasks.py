"""The task folders of this repository pass every check of the validator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.pipeline import Evaluator
from evaluator.records.measurements import PAPER_CLOCKS
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import TaskSpec
from evaluator.tasks.suites import read_manifest
from evaluator.validate.checks import RUN_CHECKS, STATIC_CHECKS
from evaluator.validate.subject import Subject
from tests.native import NativeEvaluator

LONG = ("reference", "second", "spread")  # both references on every small case and draw: seconds a task
TASKS = {task_id: load_task(task_id) for task_id in task_ids()}


@pytest.fixture(scope="module")
def native() -> Iterator[Evaluator]:
    with NativeEvaluator() as evaluator:
        yield evaluator


def test_the_suite_of_24_holds_eight_full_tasks_of_each_of_the_papers_categories() -> None:
    tasks = [TASKS[task_id] for task_id in read_manifest("native-24")[1]]
    assert Counter(task.category for task in tasks) == dict.fromkeys(PAPER_CLOCKS, 8)
    assert not any(task.is_plain for task in tasks)


@pytest.mark.parametrize(
    "check", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in STATIC_CHECKS]
)
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_it_passes(task: TaskSpec, check: str) -> None:
    assert list(STATIC_CHECKS[check](Subject(task))) == []


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_its_own_candidates_get_what_they_should(task: TaskSpec, evaluator: Evaluator, native: Evaluator) -> None:
    """Baseline and expert have to compile for gfx942; what a variant gets does not depend on it."""
    subject, variants = Subject(task, evaluator), Subject(task, native)
    problems = {name: list(check(variants if name == "variants" else subject)) for name, check in RUN_CHECKS.items()}
    assert not any(problems.values()), problems


def test_a_folder_of_bytecode_is_no_variant(tmp_path: Path) -> None:
    for name in ("right", "__pycache__"):
        (tmp_path / "variants" / name).mkdir(parents=True)
    assert replace(TASKS["hip2hip/arena/GELU"], folder=tmp_path).variants == ("right",)
