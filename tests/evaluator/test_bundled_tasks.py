"""The task folders of this repository pass every check of the validator."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from evaluator.bundles.tasklists import ARENA, arena_operator_types, tasks_of
from evaluator.errors import TaskError
from evaluator.pipeline import Evaluator
from evaluator.records.measurements import AKA_EVENTS, AKA_LOOP, PAPER_CLOCKS
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import TaskSpec
from evaluator.tasks.suites import load_suite, read_manifest
from evaluator.validate import folder
from evaluator.validate.checks import RUN_CHECKS, STATIC_CHECKS
from evaluator.validate.subject import Subject
from scripts.freeze_counterparts import BENCHMARK, counterparts, public_tasks
from tests.covered import commit, covered
from tests.native import NativeEvaluator

pytestmark = pytest.mark.usefixtures("draws_of_the_commit")
LONG = ("reference", "second", "spread")  # both references on every small case and draw: seconds a task
OF_FILES = {name: check for name, check in STATIC_CHECKS.items() if check.__module__ == folder.__name__}
OF_REFERENCES = STATIC_CHECKS.keys() - OF_FILES.keys() - {"nulls"}  # which test_nulls.py asks
KERNELBENCH_X = {  # tasks of each category, by its paper
    **{"Activation": 10, "Math": 36, "Fusion": 60, "Reduce": 6, "Normalization": 5, "Loss": 6, "MatrixMultiply": 10},
    **{"Convolution": 2, "Pooling": 2, "SpatialOps": 3, "Index": 6, "LinearAlgebra": 17, "Optimizer": 5},
    **{"Quantization": 6, "Random": 2},
}
CONTRACT = ("entry", "axes", "cases", "inputs", "outputs", "tolerance", "relations", "model")
WRITTEN_APART = ("SoftmaxModule", "layer_normalization")
PARTS = 4  # of all tasks, for the workers to share


@pytest.fixture(scope="module")
def native() -> Iterator[Evaluator]:
    with NativeEvaluator() as evaluator:
        yield evaluator


def test_the_suite_of_24_holds_eight_full_tasks_of_each_of_agentkernelarena_s_categories() -> None:
    tasks = [load_task(task_id) for task_id in read_manifest("native-24")[1]]
    categories = [category for category, clock in PAPER_CLOCKS.items() if clock in (AKA_LOOP, AKA_EVENTS)]
    assert Counter(task.category for task in tasks) == dict.fromkeys(categories, 8)
    assert not any(task.is_plain for task in tasks)


def test_the_suite_after_kernelbench_x_holds_its_176_tasks_in_their_fifteen_categories() -> None:
    tasks = load_suite("kernelbench-x-native").tasks
    assert {task.category for task in tasks} == {"torch2triton"}
    assert Counter(task.provenance["operator_type"] for task in tasks) == KERNELBENCH_X
    assert [task.provenance["path"] for task in tasks] == [
        f"{task.provenance['operator_type']}/{task.id.rpartition('/')[2]}.py" for task in tasks
    ]


def test_the_first_half_of_agentkernelarena_is_both_categories_of_hip_and_63_tasks_of_triton() -> None:
    public = public_tasks("native-111")
    assert Counter(path.partition("/")[0] for path in public) == {"hip2hip": 24, "torch2hip": 24, "triton2triton": 63}
    assert len({*public}) == 111
    assert {*public} <= {*tasks_of(ARENA)}
    assert {*read_manifest("native-24")[1]} <= {task.id for path in public for task in after(path)}


def test_every_task_of_the_first_half_has_its_operator_type_in_the_paper_s_words() -> None:
    types = arena_operator_types()
    for path in public_tasks("native-111"):
        assert [task.provenance["operator_type"] for task in after(path)] in ([], [types[path].name]), path


def test_the_suite_of_111_has_each_public_task_of_the_first_half_exactly_once() -> None:
    tasks = load_suite("native-111").tasks
    assert sorted(task.provenance["path"] for task in tasks) == sorted(
        f"tasks/{one}" for one in public_tasks("native-111")
    )
    assert all(task.provenance["benchmark"] == BENCHMARK for task in tasks)


def test_freezing_says_which_public_task_has_no_counterpart_and_which_has_another_type(monkeypatch) -> None:
    gelu = load_task("hip2hip/arena/GELU")
    other = replace(gelu, provenance={**gelu.provenance, "operator_type": "Activation"})
    monkeypatch.setattr("scripts.freeze_counterparts.task_ids", lambda: ("GELU",))
    monkeypatch.setattr("scripts.freeze_counterparts.load_task", lambda _: other)
    with pytest.raises(TaskError) as caught:
        counterparts(("hip2hip/gpumode/GELU", "hip2hip/gpumode/SiLU"))
    assert caught.value.problems == [
        "hip2hip/arena/GELU: operator_type is 'Activation', in the paper's words 'Activations'",
        "hip2hip/gpumode/SiLU: no task after it",
        "2 problems of 2 public tasks",
    ]
    monkeypatch.setattr("scripts.freeze_counterparts.load_task", lambda _: gelu)
    assert counterparts(("hip2hip/gpumode/GELU",)) == ["hip2hip/arena/GELU"]


def after(path: str) -> list[TaskSpec]:
    """Our tasks after a public one."""
    return [task for task in arena_tasks() if task.provenance["path"] == f"tasks/{path}"]


@functools.cache
def arena_tasks() -> tuple[TaskSpec, ...]:
    return tuple(task for task in map(load_task, task_ids()) if task.provenance.get("benchmark") == BENCHMARK)


def test_an_operator_has_one_contract_in_both_categories_of_hip() -> None:
    """The two oldest pairs were written apart: softmax and layer normalisation."""
    folders = [load_task(task_id).folder for task_id in task_ids() if task_id.startswith("hip2hip/")]
    twins = {folder: folder.parents[2] / "torch2hip" / "arena" / folder.name for folder in folders}
    pairs = [pair for pair in twins.items() if pair[1].is_dir() and pair[0].name not in WRITTEN_APART]
    assert len(pairs) >= 14
    for pair in pairs:
        assert contract_of(pair[0]) == contract_of(pair[1]), pair[0].name


def contract_of(folder: Path) -> tuple[dict[str, object], list[str]]:
    arena = yaml.safe_load((folder / "config.yaml").read_text())["arena"]
    sources = [folder / "reference.py", folder / "variants" / "second.py"]
    return {name: arena.get(name) for name in CONTRACT}, [path.read_text() for path in sources if path.is_file()]


@pytest.mark.parametrize("part", range(PARTS))
def test_every_task_passes_what_is_checked_of_files_alone(part: int) -> None:
    """Some hundredths of a second a task, so that none is left out."""
    assert [problem for task_id in task_ids()[part::PARTS] for problem in problems_of_files(task_id)] == []


def problems_of_files(task_id: str) -> list[str]:
    subject = Subject(load_task(task_id))
    return [f"{task_id}: {name}: {problem}" for name, check in OF_FILES.items() for problem in check(subject)]


@pytest.mark.parametrize(
    "check", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in sorted(OF_REFERENCES)]
)
@pytest.mark.parametrize("task_id", covered())
def test_it_passes(task_id: str, check: str) -> None:
    assert list(STATIC_CHECKS[check](Subject(load_task(task_id)))) == []


@pytest.mark.slow
@pytest.mark.parametrize("task_id", covered())
def test_its_own_candidates_get_what_they_should(task_id: str, evaluator: Evaluator, native: Evaluator) -> None:
    """Baseline and expert have to compile for gfx942; what a variant gets does not depend on it."""
    subject, variants = (Subject(load_task(task_id), one) for one in (evaluator, native))
    problems = {name: list(check(variants if name == "variants" else subject)) for name, check in RUN_CHECKS.items()}
    assert not any(problems.values()), problems


def test_a_folder_of_bytecode_is_no_variant(tmp_path: Path) -> None:
    for name in ("right", "__pycache__"):
        (tmp_path / "variants" / name).mkdir(parents=True)
    assert replace(load_task("hip2hip/arena/GELU"), folder=tmp_path).variants == ("right",)


def test_what_the_judge_draws_follows_from_the_commit_and_the_test(request: pytest.FixtureRequest) -> None:
    chance = random.Random(f"{commit()} {request.node.nodeid}")
    assert Subject(load_task("hip2hip/arena/GELU")).seed.secret == chance.randbytes(32)
