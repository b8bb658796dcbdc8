"""Unseen cases through the whole pipeline: each is judged by itself, on both sides, and our faults are nobody's."""

from __future__ import annotations

import shutil

import pytest

from evaluator.backends import get_backend
from evaluator.errors import HostError, SandboxError, UsageError
from evaluator.gates import correctness
from evaluator.pipeline import Evaluator
from evaluator.records.reasons import Flag, Status
from evaluator.tasks.candidate import Candidate, overlay
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import Case
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.record import problems_of
from tests.unseen_corpus.corpus import HERE

SIZES = {1: "edge", 257: "alignment", 1024: "scale_up"}
CALLS = {"round_digest": "0" * 64, "generator": "test"}


def cases(profile="small"):
    return [UnseenCase(Case((("n", size),), profile), kind, "written_by_hand") for size, kind in SIZES.items()]


@pytest.fixture
def task(tiny_task):
    return tiny_task("triton2triton")


def judged(evaluator, task, candidate):
    record = evaluator.evaluate_unseen(task, candidate, cases(), **CALLS)
    assert problems_of(record) == []
    assert (record.task.digest, record.candidate.digest) == (task.digest, candidate.digest)
    return record


def candidate_of(task, body):
    """The task's own source with something before each call."""
    source = task.folder.joinpath("kernel.py").read_text()
    return Candidate({"kernel.py": f"{source}\n\nright = forward\n\ndef forward(x):\n{body}\n".encode()}, "test")


@pytest.mark.slow
def test_a_case_that_ends_its_worker_leaves_the_others_alone(evaluator, task):
    body = (
        "    import os\n    if x.numel() == 1:\n        os._exit(3)\n    return 1 / 0 if x.numel() == 257 else right(x)"
    )
    record = judged(evaluator, task, candidate_of(task, body))
    assert [case.quadrant for case in record.cases] == ["opt_regression", "opt_regression", "both_pass"]
    assert [case.candidate.reason for case in record.cases] == ["no_output", "raised", None]
    assert record.flags == (Flag.FUNCTIONAL, Flag.HOLD)  # no kernel needs what ends a process


@pytest.mark.slow
def test_what_does_not_load_is_wrong_on_all_cases_and_the_baseline_is_judged(evaluator, task):
    record = judged(evaluator, task, Candidate({"kernel.py": b"def forward(x:\n"}, "test"))
    assert {(case.quadrant, case.candidate.reason) for case in record.cases} == {("opt_regression", "syntax_error")}
    assert all(case.baseline.draws == 9 for case in record.cases)


@pytest.mark.slow
def test_a_baseline_that_fails_on_a_case_is_data(evaluator, task, tmp_path):
    folder = shutil.copytree(task.folder, tmp_path / "double")
    source = folder / "kernel.py"
    source.write_text(source.read_text().replace("    return y", "    return y if x.numel() > 1 else 3 * x"))
    record = judged(evaluator, read_task(folder, task.id), overlay(task, "expert", "expert"))
    assert [case.quadrant for case in record.cases] == ["opt_improvement", "both_pass", "both_pass"]
    assert record.cases[0].baseline.reason == "mismatch"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "told", "regressions"), [("raises", "shape (1024,)", 3), ("prints", "shape (257,)", 0)]
)
def test_a_leak_is_correct_on_seen_cases_and_shows_in_the_unseen_record_alone(name, told, regressions, evaluator, task):
    candidate = Candidate({"kernel.py": HERE.joinpath("leaks", f"{name}.py").read_bytes()}, name)
    record = judged(evaluator, task, candidate)
    assert record.count("opt_regression") == regressions
    assert told in record.log
    seen = evaluator.evaluate(task, candidate)
    assert seen.status is Status.PASSED
    assert not seen.log


class Failing:
    """Stands before a function of ours and breaks it a number of times on one case."""

    def __init__(self, times, error):
        self.times, self.error, self.real = times, error, correctness.judged_call

    def __call__(self, context, one, call):
        if one.state.case.value("n") == 257 and self.times:
            self.times -= 1
            raise self.error
        return self.real(context, one, call)


@pytest.mark.slow
def test_a_fault_of_ours_is_tried_once_more(evaluator, task, monkeypatch):
    monkeypatch.setattr(correctness, "judged_call", Failing(1, RuntimeError("CUDA out of memory")))
    assert judged(evaluator, task, overlay(task, "expert", "expert")).is_complete


@pytest.mark.slow
def test_a_second_fault_of_ours_is_an_evaluation_error_of_its_case(evaluator, task, monkeypatch):
    monkeypatch.setattr(correctness, "judged_call", Failing(2, SandboxError("gone")))
    record = judged(evaluator, task, overlay(task, "expert", "expert"))
    assert [case.quadrant for case in record.cases] == ["both_pass", "evaluation_error", "both_pass"]
    assert record.has_fault
    assert "gone" in record.log


def test_cases_that_this_host_does_not_run_are_refused(evaluator, task):
    for strange in ([], cases("full")):
        with pytest.raises(UsageError, match="all of profile small"):
            evaluator.evaluate_unseen(task, overlay(task, "expert", "expert"), strange, **CALLS)


def test_the_weaker_sandbox_is_refused_for_uploaded_candidates(task):
    with Evaluator(get_backend("cpu"), "plain") as plain, pytest.raises(HostError, match="needs the bubblewrap"):
        plain.evaluate_unseen(task, overlay(task, "expert", "expert"), cases(), uploaded=True, **CALLS)
