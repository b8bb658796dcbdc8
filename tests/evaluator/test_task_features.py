"""Every part of the task format goes through the pipeline: layouts, flags, scalars, integers, out style, prepare."""

from __future__ import annotations

import pytest
import torch

from evaluator.judge.draws import Seed, contents_of, draws_of
from evaluator.judge.reference import Reference
from evaluator.records.reasons import Status
from evaluator.tasks.candidate import Candidate, baseline
from evaluator.tasks.reader import read_task
from tests.conftest import TESTS


@pytest.fixture(scope="module")
def task():
    return read_task(TESTS / "tiny" / "triton2triton" / "tests" / "affine", "triton2triton/tests/affine")


def changed(task, old: str, new: str) -> Candidate:
    text = (task.folder / "kernel.py").read_text(encoding="utf-8")
    assert old in text
    return Candidate({"kernel.py": text.replace(old, new).encode()}, "changed")


def test_reference_and_second_opinion_agree(task):
    seed = Seed()
    for case in task.cases:
        for draw in draws_of(task):
            contents = contents_of(task, case, draw, seed)
            first, second = (Reference(task, name).outputs(case, contents) for name in ("reference", "second_opinion"))
            assert torch.allclose(first["y"], second["y"])
            assert int(first["kept"]) == int(second["kept"])


def test_inputs_are_what_the_case_says(task):
    case = task.cases[1]
    contents = contents_of(task, case, draws_of(task)[0], Seed())
    assert contents["bias"] is None
    assert contents["scale"] == 0.5
    assert (contents["width"], type(contents["width"])) == (12, int)
    assert sorted(contents["order"].tolist()) == [0, 1, 2]
    assert contents["keep"].dtype is torch.bool
    assert set(contents["shift"].tolist()) <= {0, 1, 2}


@pytest.mark.slow
def test_all_of_it_passes(task, evaluator):
    record = evaluator.evaluate(task, baseline(task))
    assert record.status is Status.PASSED, f"{record.message}\n{record.log}"
    assert [case.id for case in record.cases] == [case.id for case in task.cases]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("*x.stride()", "x.shape[1], 1", "mismatch"),  # takes every layout for contiguous
        ("HAS_BIAS=bias is not None", "HAS_BIAS=False", "mismatch"),
        ("    kept.copy_(keep.sum())\n", "", "mismatch"),  # an output of style out that is not written
        ("tl.load(order + row)", "row", "mismatch"),
        ("    weight, bias = state\n", "    weight, bias = state\n    shift.zero_()\n", "input_changed"),
    ],
)
def test_each_part_matters(task, evaluator, old, new, reason):
    record = evaluator.evaluate(task, changed(task, old, new))
    assert (record.status, record.reason) == (Status.WRONG_OUTPUT, reason), record.log
