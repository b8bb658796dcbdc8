"""Evaluation errors, the weaker sandbox, and their records."""

from __future__ import annotations

import fcntl
import shutil
import weakref
from dataclasses import replace
from typing import ClassVar

import pytest
import torch

from evaluator.backends import get_backend
from evaluator.errors import BaselineError, HostError, SandboxError, UsageError
from evaluator.gates import unseen
from evaluator.gates.context import Context
from evaluator.judge.device_lock import DeviceLock
from evaluator.pipeline import Evaluator
from evaluator.records.reasons import Status
from evaluator.records.record import GATE_NAMES, problems_of
from evaluator.tasks.candidate import baseline
from evaluator.tasks.reader import read_task
from evaluator.unseen.cases import UnseenCase
from tests.conftest import lacking


@pytest.fixture(scope="module")
def plain():
    with Evaluator(get_backend("cpu"), "plain") as evaluator:
        yield evaluator


@pytest.mark.slow
def test_the_weaker_sandbox_is_recorded_and_where_the_seconds_went(plain, tiny_task):
    task = tiny_task("triton2triton")
    record = plain.evaluate(task, baseline(task))
    assert record.status is Status.PASSED, record.log
    assert record.sandbox.kind == "plain"
    assert "own network" not in record.sandbox.strength
    assert sum(record.parts.values()) == pytest.approx(record.seconds["total"], rel=0.05)
    assert {"sandbox", "workers", "first_calls", "contents", "turn", *GATE_NAMES} <= set(record.parts)
    rounding_s = 1e-4
    assert all(gate.seconds + rounding_s >= record.parts[gate.name] for gate in record.gates)


def test_the_weaker_sandbox_is_refused_for_uploaded_candidates(plain, tiny_task):
    task = tiny_task("triton2triton")
    with pytest.raises(HostError, match="needs the bubblewrap sandbox"):
        plain.evaluate(task, baseline(task), uploaded=True)


def test_an_evaluation_without_cases_or_sessions_is_an_error(plain, tiny_task):
    task = tiny_task("triton2triton")
    with pytest.raises(UsageError, match="at least one session and one case of profile small"):
        plain.evaluate(replace(task, cases=task.cases_of(("full",))), baseline(task))
    with pytest.raises(UsageError, match="at least one session"):
        plain.evaluate(task, baseline(task), sessions=0)


class FailingEvaluator(Evaluator):
    """Raises an error of the host or the baseline a given number of times."""

    def __init__(self, *errors: Exception, healthy: bool = True) -> None:
        super().__init__(get_backend("cpu"), "plain")
        self.fail(*errors, healthy=healthy)

    def fail(self, *errors: Exception, healthy: bool = True) -> None:
        self.errors, self.attempts, self.healthy = list(errors), 0, healthy

    def _attempt(self, task, candidate, *how):
        self.attempts += 1
        if self.errors:
            raise self.errors.pop(0)
        return super()._attempt(task, candidate, *how)

    def _is_healthy(self) -> bool:
        return self.healthy


@pytest.fixture(scope="module")
def failing():
    with FailingEvaluator() as evaluator:
        yield evaluator


@pytest.mark.slow
def test_after_an_evaluation_error_the_candidate_is_tried_once_more(failing, tiny_task):
    task = tiny_task("triton2triton")
    failing.fail(SandboxError("gone"))
    record = failing.evaluate(task, baseline(task))
    assert failing.attempts == 2
    assert record.status is Status.PASSED


@pytest.mark.parametrize(
    ("errors", "healthy", "status", "reason"),
    [
        ((SandboxError("gone"), SandboxError("gone again")), True, Status.CRASHED, "repeated_fault"),
        ((SandboxError("gone"), SandboxError("gone again")), False, Status.ERRORED, "host_fault"),
        ((BaselineError("bad"), BaselineError("bad")), True, Status.ERRORED, "host_fault"),
        ((SandboxError("gone"), BaselineError("bad")), True, Status.ERRORED, "host_fault"),
        ((RuntimeError("a CPU's memory is full"), MemoryError("full")), True, Status.ERRORED, "host_fault"),
        ((torch.OutOfMemoryError("full"), torch.OutOfMemoryError("full")), True, Status.ERRORED, "host_fault"),
    ],
)
def test_a_second_fault_is_charged_only_on_a_healthy_host_and_never_for_the_baseline(
    errors, healthy, status, reason, failing, tiny_task
):
    task = tiny_task("triton2triton")
    failing.fail(*errors, healthy=healthy)
    record = failing.evaluate(task, baseline(task))
    assert failing.attempts == 2
    assert (record.status, record.reason) == (status, reason)
    assert str(errors[1]) in record.message
    assert problems_of(record) == []


class LargeEvaluator(FailingEvaluator):
    """Raises an error whose frames hold much memory."""

    def _attempt(self, task, candidate, *how):
        self.before = self.large() if self.attempts else None  # what is left of the try before
        large = torch.zeros(1000)
        self.large = weakref.ref(large)
        return super()._attempt(task, candidate, *how)


@pytest.mark.slow
def test_a_failed_attempt_leaves_nothing_in_memory(tiny_task):
    task = tiny_task("triton2triton")
    with LargeEvaluator(SandboxError("CUDA out of memory")) as evaluator:
        assert evaluator.evaluate(task, baseline(task)).status is Status.PASSED
    assert (evaluator.attempts, evaluator.before) == (2, None)


class Watched(DeviceLock):
    """Records how the device is locked."""

    asked: ClassVar[list[str]] = []

    def shared(self):
        self.asked.append("exclusive" if self._presence == fcntl.LOCK_EX else "shared")
        return super().shared()


@pytest.mark.slow
def test_the_second_attempt_has_the_device_to_itself(tiny_task, tmp_path):
    task = tiny_task("triton2triton")
    with FailingEvaluator(SandboxError("memory ran out while another evaluation was using the device")) as evaluator:
        evaluator._device_lock, Watched.asked = Watched(tmp_path / "card"), []
        record = evaluator.evaluate(task, baseline(task))
    assert record.status is Status.PASSED
    assert Watched.asked == ["exclusive", "exclusive"], "once for the attempt, once within it"


@pytest.mark.slow
def test_an_evaluation_gives_way_between_its_cases(plain, tiny_task, monkeypatch):
    task, given = tiny_task("triton2triton"), []
    monkeypatch.setattr(Context, "give_way", lambda context: given.append(context))
    assert plain.evaluate(task, baseline(task)).status is Status.PASSED
    assert len(given) == 2 * len(task.cases_of(("small",))), "after each case's compilation, and after its checks"


@pytest.mark.slow
def test_unseen_cases_with_a_host_fault_are_tried_again_with_the_device_to_themselves(tiny_task, tmp_path, monkeypatch):
    task, real, tries = tiny_task("triton2triton"), unseen.judge, []

    def judge(ours, theirs, cases):
        trials = real(ours, theirs, cases)
        tries.append(trials)
        if len(tries) == 1:
            trials[0].give_up(SandboxError("CUDA out of memory"))
        return trials

    monkeypatch.setattr(unseen, "judge", judge)
    cases = [UnseenCase(task.cases_of(("small",))[0], "edge")]
    with Evaluator(get_backend("cpu"), "plain") as evaluator:
        evaluator._device_lock, Watched.asked = Watched(tmp_path / "card"), []
        record = evaluator.evaluate_unseen(task, baseline(task), cases, round_digest="0" * 64, generator="1")
    assert (len(tries), record.has_fault) == (2, False)
    assert Watched.asked[0] == "shared"
    assert set(Watched.asked[2:]) == {"exclusive"}


def test_after_a_host_error_the_candidate_is_not_tried_again(failing, tiny_task):
    task = tiny_task("triton2triton")
    failing.fail(HostError("no compiler"))
    with pytest.raises(HostError):
        failing.evaluate(task, baseline(task))
    assert failing.attempts == 1


@pytest.mark.slow
def test_baselines_share_a_sandbox_while_it_is_open_and_candidates_share_none(evaluator, tiny_task, monkeypatch):
    if not evaluator._shares_sandboxes:
        lacking("this host has no strong sandbox")
    task, taken, take = tiny_task("triton2triton"), [], evaluator._standby.take

    def noted():
        taken.append(take())
        return taken[-1]

    monkeypatch.setattr(evaluator._standby, "take", noted)
    evaluator._drop_sandbox_of_baselines()
    records = [evaluator.evaluate(task, baseline(task)) for _ in range(2)]
    assert [sandbox.is_open for sandbox in taken] == [False, True, False], "candidate, baselines, candidate"
    assert [one for one in records[0].isa if one.side == "baseline"]
    assert records[0].isa == records[1].isa, "also where the baseline's kernels were compiled earlier"
    taken[1].close()
    assert evaluator._take_for_baseline() is taken[3]


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["raise ImportError('gone')\n", "import os\nos._exit(3)\n"])
def test_a_baseline_that_does_not_load_is_never_charged_to_the_candidate(plain, tiny_task, tmp_path, broken):
    good = tiny_task("triton2triton")
    folder = shutil.copytree(good.folder, tmp_path / "double")
    source = folder / good.editable[0]
    source.write_text(source.read_text().replace("import torch\n", f"import torch\n{broken}", 1))
    record = plain.evaluate(read_task(folder, good.id), baseline(good))
    assert (record.status, record.reason) == (Status.ERRORED, "host_fault")
    assert f"the baseline of {good.id}" in record.message
