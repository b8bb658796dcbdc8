"""The rules about orders of programs and lanes: what is forgiven with a flag, and how a record's seed repeats them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from evaluator.gates import correctness
from evaluator.gates.context import CaseState, Context
from evaluator.gates.correctness import JudgedDraw
from evaluator.judge.draws import Draw
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import Call
from evaluator.records.reasons import Flag
from evaluator.tasks.candidate import Candidate, baseline

DRAW, OTHER = Draw("standard", "standard", 0), Draw("outlier", "outlier", 0)
RIGHT, WRONG = torch.ones(4), torch.zeros(4)


class Runner:
    """A candidate that is right in the orders that `right_in` names: upwards, drawn."""

    def __init__(self, *right_in: str, refused: str = "") -> None:
        self.right_in, self.refused = right_in, refused

    def call(self, case: object, contents: object, order: int = 0) -> Call | Rejection:
        which = "drawn" if order else "upwards"
        return Call(1000, {"y": RIGHT if which in self.right_in else WRONG}, self.refused)


@pytest.fixture
def judge(tiny_task: Any) -> Any:
    """Return judge(runner, language), which gives the context and the verdicts of the first and of the guarded run."""

    def judged(runner: Runner, category: str = "hip2hip") -> tuple[Context, JudgedDraw, Rejection | None]:
        task = tiny_task(category)
        backend: Any = SimpleNamespace(torch_device="cpu")
        context = Context(task, baseline(task), baseline(task), backend, lambda _: None)  # type: ignore[arg-type,return-value]
        context.runner = runner  # type: ignore[assignment]
        one = JudgedDraw(CaseState(task.cases[0]), DRAW, {}, {"y": RIGHT.double()})
        order = context.order(task.cases[0], DRAW)
        correctness.judged_call(context, one, runner.call(None, {}, order))
        correctness.forgive_order(context, one, (None, None))
        when_guarded = correctness.guarded_calls(context, runner, [] if one.rejection else [one])  # type: ignore[arg-type]
        return context, one, when_guarded

    return judged


def test_what_is_right_in_every_order_has_no_flag(judge: Any) -> None:
    context, one, when_guarded = judge(Runner("upwards", "drawn"))
    assert (one.rejection, when_guarded, context.flags, one.state.draws) == (None, None, set(), 1)


def test_what_is_right_only_upwards_is_flagged_once(judge: Any) -> None:
    context, one, when_guarded = judge(Runner("upwards"))
    assert (one.rejection, when_guarded, context.flags) == (None, None, {Flag.ORDER_DEPENDENT})
    assert [finding.code for finding in context.findings] == ["order_dependent"]


@pytest.mark.parametrize("category", ["hip2hip", "triton2triton"])
def test_what_is_wrong_in_every_order_is_wrong(judge: Any, category: str) -> None:
    context, one, _ = judge(Runner(), category)
    assert (one.rejection.reason, context.flags) == ("mismatch", set())


def test_a_refused_launch_stands_first_in_the_sentence(judge: Any) -> None:
    _, one, _ = judge(Runner(refused="2000 threads in a block"))
    assert one.rejection.detail.startswith(
        "a launch was refused, and the source did not ask for its error: 2000 threads in a block; case "
    )
    assert judge(Runner("upwards", "drawn", refused="2000 threads in a block"))[1].rejection is None


def test_a_seed_gives_the_same_orders_again_and_others_for_other_calls(tiny_task: Any) -> None:
    task = tiny_task("hip2hip")
    case = task.cases[0]

    def orders(seed: int, device: str = "cpu", candidate: Candidate | None = None) -> list[int]:
        backend: Any = SimpleNamespace(torch_device=device)
        files = candidate or baseline(task)
        context = Context(task, files, baseline(task), backend, lambda _: None)  # type: ignore[arg-type,return-value]
        context.order_seed = seed
        return [context.order(case, draw, guarded=guarded) for draw in (DRAW, OTHER) for guarded in (False, True)]

    assert orders(5) == orders(5) != orders(6)
    assert len(set(orders(5))) == 4
    assert min(orders(5)) > 0
    assert set(orders(5, "cuda")) == {0}, "on a GPU the hardware decides"
    assert len(set(orders(5, candidate=baseline(tiny_task("triton2triton"))))) == 4
