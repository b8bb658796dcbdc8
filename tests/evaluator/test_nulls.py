"""Null candidates fail on every task; a task that they pass is detected."""

from __future__ import annotations

import dataclasses

import pytest

from evaluator.cli.freeze import freeze_suite
from evaluator.errors import TaskError
from evaluator.judge import answers
from evaluator.judge.compare import compare
from evaluator.judge.nulls import NULLS, nulls_that_pass
from evaluator.tasks.reader import load_task, read_task
from tests.conftest import TESTS
from tests.covered import covered


@pytest.mark.usefixtures("draws_of_the_commit")
@pytest.mark.parametrize("task_id", covered())
def test_no_null_candidate_passes_a_bundled_task(task_id, ledger):
    assert ledger.once("nulls", task_id, lambda: nulls_that_pass(load_task(task_id))) == []


def rigged(tmp_path, tiny_task, answer: str):
    """Make the tiny task with another expected output y."""
    task = tiny_task("triton2triton")
    folder = tmp_path / "triton2triton" / "tests" / "rigged"
    folder.mkdir(parents=True)
    for path in task.folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            target = folder / path.relative_to(task.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    (folder / "reference.py").write_text(
        f"import torch\n\n\ndef reference(inputs):\n    x = inputs['x']\n    return {{'y': {answer}}}\n"
    )
    return read_task(folder, "triton2triton/tests/rigged")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("x.clone()", ["first_input"]),
        ("torch.zeros_like(x)", ["best_constant", "output_of_another_input", "previous_output", "zeros"]),
        ("torch.ones_like(x)", ["best_constant", "ones"]),
        ("torch.full_like(x, 0.25)", ["best_constant"]),
        ("2 * x", []),
    ],
)
def test_a_task_that_needs_no_work_is_detected(answer, expected, tmp_path, tiny_task):
    assert nulls_that_pass(rigged(tmp_path, tiny_task, answer)) == expected


def test_copying_the_input_is_allowed_where_the_task_says_so(tmp_path, tiny_task):
    task = rigged(tmp_path, tiny_task, "x.clone()")
    outputs = tuple(dataclasses.replace(output, identity=True) for output in task.outputs)
    assert nulls_that_pass(dataclasses.replace(task, outputs=outputs)) == []


def test_a_task_that_a_null_candidate_passes_enters_no_suite(tmp_path, tiny_task, monkeypatch):
    rigged(tmp_path, tiny_task, "x.clone()")
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    with pytest.raises(TaskError, match="first_input"):
        freeze_suite("mine", ["triton2triton/tests/rigged"])
    assert not (tmp_path / "suites" / "mine.yaml").exists()


def test_there_is_a_null_candidate_of_each_kind():
    assert len(NULLS) == 11


def test_a_wrong_length_is_tried_where_an_output_varies_and_passes_where_lengths_are_not_compared(monkeypatch):
    task = read_task(TESTS / "tiny" / "triton2triton" / "tests" / "kept", "triton2triton/tests/kept")
    assert nulls_that_pass(task) == []

    def only_the_beginning(output, reference, **options):
        count = min(len(output), len(reference))
        return compare(output[:count], reference[:count], **options)

    monkeypatch.setattr(answers, "compare", only_the_beginning)
    assert nulls_that_pass(task) == ["empty"]
