"""The task folders of this repository: well-formed, with an answer that two independent implementations agree on."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest
import torch

from evaluator.judge.draws import Contents, Seed, contents_of, draws_of
from evaluator.judge.reference import SECOND, Reference, second_implementation
from evaluator.taskreader import load_task, task_ids
from evaluator.taskspec import Case, TaskSpec

TASKS = {task_id: load_task(task_id) for task_id in task_ids()}
SEED = Seed(b"bundled tasks")
AGREEMENT = 1e-12  # of the RMS, in float64: what is left after some ten roundings of 1e-16 and a cancellation

every_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
every_small_case = pytest.mark.parametrize(
    ("task", "case"),
    [(task, case) for task in TASKS.values() for case in task.cases_of(("small",))],
    ids=[f"{task.id}:{case.id}" for task in TASKS.values() for case in task.cases_of(("small",))],
)


def test_it_bundles_two_tasks_of_every_category() -> None:
    assert {
        "triton2triton/arena/softmax",
        "triton2triton/arena/fused_add_rms_norm",
        "hip2hip/arena/GELU",
        "hip2hip/arena/layer_normalization",
        "torch2hip/arena/SiLU",
        "torch2hip/arena/SoftmaxModule",
    } <= TASKS.keys()


@every_task
def test_it_has_enough_cases_of_both_profiles_and_every_dtype_it_promises(task: TaskSpec) -> None:
    assert len(task.cases_of(("small",))) >= 5
    assert len(task.cases_of(("full",))) >= 3
    promised = {value for axis in task.axes if axis.kind == "dtype" for value in axis.values}
    for profile in ("small", "full"):
        assert {case.value("dtype") for case in task.cases_of((profile,))} == promised


@every_task
def test_it_has_small_and_full_cases_whose_sizes_are_odd(task: TaskSpec) -> None:
    for profile in ("small", "full"):
        sizes = {value for case in task.cases_of((profile,)) for value in case.numbers.values()}
        assert any(value % 2 and value > 1 for value in sizes), profile


@every_task
def test_it_has_a_wrong_a_right_and_a_better_variant_with_the_status_each_must_get(task: TaskSpec) -> None:
    expected = {name: (task.folder / "variants" / name / "expected").read_text().strip() for name in task.variants}
    assert expected == {"wrong": "wrong_output", "right": "passed", "better": "passed"}


@every_task
def test_it_has_variants_and_an_expert_that_bring_the_editable_file_and_nothing_else(task: TaskSpec) -> None:
    for name in ("expert", *(f"variants/{variant}" for variant in task.variants)):
        files = {path.name for path in (task.folder / name).iterdir() if path.name != "__pycache__"}
        assert files - {"expected"} == set(task.editable), name


@every_task
def test_it_has_no_two_candidates_that_are_the_same_code(task: TaskSpec) -> None:
    paths = [path for name in task.editable for path in task.folder.rglob(name)]
    assert len({_code(path) for path in paths}) == len(paths)


@every_task
def test_it_names_the_entry_and_the_kernels_of_its_baseline(task: TaskSpec) -> None:
    text = "\n".join((task.folder / name).read_text() for name in task.sources)
    for name in (task.entry.function, *task.kernels):
        assert f" {name}(" in text, name


@every_small_case
def test_it_gives_the_answer_that_a_second_implementation_gives(task: TaskSpec, case: Case) -> None:
    reference, opinion = Reference(task), second_implementation(task)
    for draw in draws_of(task):
        contents = contents_of(task, case, draw, SEED)
        wanted, found = reference.outputs(case, contents), opinion.outputs(case, contents)
        for name, value in wanted.items():
            scale = value[value.isfinite()].double().square().mean().sqrt().item() if value.isfinite().any() else 0.0
            torch.testing.assert_close(
                found[name], value, rtol=AGREEMENT, atol=AGREEMENT * scale, equal_nan=True, msg=f"{draw} {name}"
            )


@every_small_case
def test_it_keeps_its_inputs_when_it_computes_the_answer(task: TaskSpec, case: Case) -> None:
    contents = contents_of(task, case, draws_of(task)[0], SEED)
    own_file = (task.folder / SECOND).is_file()
    second = (SECOND, "reference") if own_file else ("reference.py", "second_opinion")
    for file, function in (("reference.py", "reference"), second):
        exact: Contents = {
            key: value.double() if isinstance(value, torch.Tensor) else value for key, value in contents.items()
        }
        before = {key: value.clone() for key, value in exact.items() if isinstance(value, torch.Tensor)}
        runpy.run_path(str(task.folder / file))[function](exact)
        assert all(torch.equal(value, exact[key]) for key, value in before.items()), function


@every_small_case
def test_it_answers_with_finite_numbers_or_with_nan_where_the_task_says_so(task: TaskSpec, case: Case) -> None:
    reference = Reference(task)
    for draw in draws_of(task):
        outputs = reference.outputs(case, contents_of(task, case, draw, SEED))
        for output in task.outputs:
            value = outputs[output.name]
            assert bool((value.isfinite() | (value.isnan() & (output.nan == "as_reference"))).all()), (draw, output)


def _code(path: Path) -> str:
    """A source without its docstring or leading comment, so that other words alone are no other code."""
    text = path.read_text()
    if path.suffix == ".py":
        return ast.dump(ast.Module(ast.parse(text).body[1:], []))
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
