"""Failures not charged to the candidate: errors that the baseline has too, and memory that others use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch

from evaluator.errors import BaselineError, SandboxError
from evaluator.gates import correctness, unseen
from evaluator.gates.context import CaseState, Context
from evaluator.gates.correctness import JudgedDraw, _judge
from evaluator.gates.unseen import Half
from evaluator.judge.draws import Draw
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.side import Call, trusted_call, trusted_runner
from evaluator.sandbox import WorkerFault
from evaluator.tasks.candidate import baseline

RIGHT = torch.ones(100, dtype=torch.float64)
HARD = Draw("standard", "standard", 3)
HARDEST = Draw("special", "hard", 0)  # one that the baseline is asked for at once


def runner(error: float) -> SimpleNamespace:
    def call(case, contents, order=0):
        return Call(1000, {"y": (RIGHT + error * contents["hard"]).float()})

    return SimpleNamespace(side=SimpleNamespace(task=SimpleNamespace(id="tests/hard")), call=call)


@pytest.fixture
def judge(tiny_task):
    task = tiny_task("triton2triton")
    state = CaseState(task.cases[0])

    def judged(draw: Draw, candidate: float, baseline: float):
        """Judge outputs with the given errors on the hard draw, and none elsewhere."""
        context = SimpleNamespace(
            task=task,
            runner=runner(candidate),
            contents=lambda case, draw: {"hard": float(draw in (HARD, HARDEST))},
            order=lambda case, draw: 0,
            emulates=False,
            reference=SimpleNamespace(task=task, outputs=lambda case, contents: {"y": RIGHT}),
        )
        return _judge(context, state, draw, runner(baseline))

    return judged


def test_a_candidate_with_errors_like_the_baselines_is_right(judge):
    assert judge(Draw("standard", "standard", 0), 1e-3, 1e-3).rejection is None
    hard = judge(HARD, 1e-3, 5e-4)
    assert hard.rejection is None
    assert hard.state.relative_rmse < hard.state.allowed_rmse
    assert hard.state.draws == 2


def test_a_candidate_with_larger_errors_is_wrong(judge):
    hard = judge(HARD, 1e-3, 2e-4)
    assert hard.rejection.reason == "mismatch"
    assert hard.state.relative_rmse > hard.state.allowed_rmse
    assert judge(HARD, 1e-3, 0.0).rejection is not None


@pytest.fixture
def timed(tiny_task):
    """Return the verdict on a timed call with the given errors of candidate and baseline."""
    task = tiny_task("triton2triton")
    state = CaseState(task.cases[0])

    def judged(candidate: float, baseline: float, least_scale: float = 0.0):
        state.least_scales = {"standard": {"y": least_scale}}
        hard = JudgedDraw(state, HARD, {"hard": 1.0}, {"y": RIGHT})
        call, fresh = runner(candidate).call(None, hard.contents), nullcontext(runner(baseline))
        context = SimpleNamespace(task=task, reference=SimpleNamespace(task=task))
        return state, correctness.wrong_when_timed(context, hard, call, fresh)

    return judged


def test_a_timed_draw_may_be_harder_than_those_that_were_checked(timed):
    state, wrong = timed(1e-3, baseline=5e-4)
    assert wrong is None
    assert state.relative_rmse == pytest.approx(1e-3, rel=1e-2)
    assert state.relative_rmse < state.allowed_rmse


def test_a_candidate_with_larger_errors_in_a_timed_call_is_wrong(timed):
    assert timed(1e-3, baseline=2e-4)[1].reason == "mismatch"
    assert timed(float("nan"), baseline=5e-4)[1].reason == "nan", "no baseline excuses that"


def test_in_a_timed_call_the_baseline_is_measured_as_the_candidate(timed):
    """Otherwise an output that is near zero by chance would widen tolerances so much that zeros pass."""
    assert timed(0.1, baseline=0.01, least_scale=100.0)[1].reason == "mismatch"


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_contents_are_stored_only_for_a_guarded_run(device, tiny_task, monkeypatch):
    """For 8 cases of a round, a card held 80 draws with their references in float64."""
    task = tiny_task("triton2triton")
    monkeypatch.setattr(correctness, "_judge", lambda context, state, draw, baseline: JudgedDraw(state, draw, {}, {}))
    monkeypatch.setattr(correctness, "judged_call", lambda context, judged, call: judged)
    context = Context(task, baseline(task), baseline(task), SimpleNamespace(torch_device=device), None)
    half, case = Half(context, False, CaseState(task.cases[0]), None), task.cases[0]
    forward: list[JudgedDraw] = []
    assert correctness._check_case(context, case, None, forward) is None
    unseen._judge_draw(
        None, half, JudgedDraw(half.state, Draw("standard", "standard", 0), {}, {}), Rejection("raised", "")
    )
    assert (bool(forward), bool(half.forward)) == (device == "cpu", device == "cpu")


def test_running_out_of_memory_beside_another_evaluation_is_not_charged(tiny_task) -> None:
    task = tiny_task("triton2triton")
    context = Context(task, baseline(task), baseline(task), SimpleNamespace(torch_device="cuda"), None)
    rejection = Rejection("out_of_memory", "")
    assert context.charged(rejection) is rejection
    context.device_lock = SimpleNamespace(in_use_by_others=lambda: True)
    assert context.charged(Rejection("mismatch", "")) is not None
    with pytest.raises(SandboxError):
        context.charged(rejection)


class Waiting:
    """A device lock that others hold for three seconds, on a clock that only this test moves."""

    now = waited_s = 0.0

    def give_way(self) -> None:
        self.now += 3.0
        self.waited_s += 3.0


def test_the_time_of_a_gate_excludes_waiting_for_other_evaluations(tiny_task, monkeypatch) -> None:
    task, lock = tiny_task("triton2triton"), Waiting()
    monkeypatch.setattr("evaluator.gates.context.monotonic", lambda: lock.now)
    card = SimpleNamespace(torch_device="cuda", has_clock=True)
    context = Context(task, baseline(task), baseline(task), card, None, device_lock=lock)
    with context.spending("correctness"):
        lock.now += 2.0
        context.give_way()
    assert context.seconds == {"correctness": 2.0}


def test_a_second_of_an_evaluation_counts_in_one_part_and_beside_it_in_none(tiny_task, monkeypatch) -> None:
    task, lock = tiny_task("triton2triton"), Waiting()
    monkeypatch.setattr("evaluator.gates.context.monotonic", lambda: lock.now)
    context = Context(task, baseline(task), baseline(task), None, None, device_lock=lock)  # type: ignore[arg-type]

    def spend(name: str, seconds: float) -> None:
        with context.spending(name):
            lock.now += seconds

    with context.spending("performance"):
        lock.now += 1.0
        with context.spending("judging"):
            spend("contents", 2.0)
            lock.now += 4.0
            with ThreadPoolExecutor(1) as pool:
                pool.submit(spend, "workers", 8.0).result()
        spend("contents", 16.0)
    assert context.seconds == {"performance": 1.0, "judging": 12.0, "contents": 18.0}


def test_a_sentence_about_the_baseline_does_not_name_the_candidate():
    said = Rejection("out_of_memory", "CUDA out of memory")
    assert said.of_baseline == "It needs more memory than the task allows: CUDA out of memory."
    assert "The candidate" in said.sentence


def test_a_baseline_as_wrong_as_zeros_widens_no_tolerance(judge):
    with pytest.raises(BaselineError, match="relative error"):
        judge(HARDEST, candidate=-1.0, baseline=0.3)


OURS = '  File "/arena/evaluator/inside/bench.py", line 3, in call\n'
THEIRS = '  File "/ws/1/kernel.py", line 3, in forward\n'
WAIT = "RuntimeError: hipcpu: impossible wait: a lane\n"


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (f"Traceback (most recent call last):\n{OURS}{WAIT}", "unsupported_feature"),
        (f"Traceback (most recent call last):\n{OURS}{THEIRS}{WAIT}", "raised"),
        (f"Traceback (most recent call last):\n{OURS}{THEIRS}RuntimeError: x\n{OURS}{WAIT}", "raised"),
        (f"the end of a long text\n{OURS}{WAIT}", "raised"),
    ],
)
def test_only_native_code_can_report_what_the_runtime_lacks(trace, reason):
    assert rejection_of(WorkerFault("call", "builtins.RuntimeError", trace, "")).reason == reason


@pytest.mark.slow
def test_the_baseline_for_a_timed_mismatch_is_a_new_worker_and_leaves_the_sessions_alone(evaluator, tiny_task):
    task = tiny_task("triton2triton")
    case = task.cases_of(("small",))[0]
    with evaluator._context(task, baseline(task)) as context:
        contents, context.baseline = context.contents(case, HARD), context.open_side(context.baseline_files)
        with trusted_runner(context.baseline) as of_session:
            first = trusted_call(of_session, case, contents)
            with context.fresh_baseline() as fresh:
                assert fresh.side is not of_session.side
                again = trusted_call(fresh, case, contents)
            assert fresh.side.sandbox is None, "it has ended"
            assert torch.equal(first.outputs["y"], again.outputs["y"])
            trusted_call(of_session, case, contents)
