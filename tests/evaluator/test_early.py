"""Workers of timed sessions that start early: in order, never beside what is timed, and nothing of them is charged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest

from evaluator.errors import BaselineError, SandboxError
from evaluator.gates.context import Context
from evaluator.gates.early import EarlyWorkers
from evaluator.judge.device_lock import NoDeviceLock
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import Side
from evaluator.pipeline import Evaluator, Fault
from evaluator.sandbox import WorkerFault
from evaluator.tasks.candidate import Candidate, baseline
from evaluator.tasks.spec import TaskSpec

SOON_S = 5.0


class PlayedSide:
    """A side, its runner and its worker; what is done with it goes into a log."""

    def __init__(self, log: list[str], name: str) -> None:
        self.log, self.name, self.ended = log, name, Event()
        self.side = self.worker = self

    def __getattr__(self, what: str) -> Callable[..., None]:
        return lambda *_: self.log.append(f"{self.name} {what}")

    def end_sandbox(self) -> None:
        self.ended.set()


class Early:
    """Early workers of sessions 0 and 1 for the cases a and b, whose sides are b0 and c0, b1 and c1."""

    def __init__(self) -> None:
        self.log, self.start_raises, self.calls = (
            list[str](),
            dict[str, Exception](),
            dict[str, Callable[[Any], None]](),
        )
        self.sessions = [(PlayedSide(self.log, f"b{i}"), PlayedSide(self.log, f"c{i}")) for i in range(2)]
        self.workers: EarlyWorkers | None = None

    def begin(self) -> EarlyWorkers:
        self.workers = EarlyWorkers(self.sessions, "ab", self._start, self._call)  # type: ignore[arg-type]
        return self.workers

    def lines(self, what: str) -> list[str]:
        return [line.split()[0] for line in self.log if line.endswith(what)]

    def _start(self, sides: Any) -> Any:
        for side in sides:
            if side.name in self.start_raises:
                raise self.start_raises[side.name]
        return sides

    def _call(self, runner: Any, case: Any) -> None:
        self.calls.get(runner.name, lambda _: None)(runner)
        self.log.append(f"{runner.name}{case} called")


@pytest.fixture
def early() -> Iterator[Early]:
    made = Early()
    yield made
    if made.workers is not None:
        made.workers.close()


def names(runners: Any) -> list[str]:
    return [runner.name for runner in runners]


def test_each_session_gets_a_pair_whose_first_calls_are_made_one_pair_at_a_time(early) -> None:
    workers = early.begin()
    assert [names(workers.take(index)) for index in range(3)] == [["b0", "c0"], ["b1", "c1"], []]
    called = early.lines("called")
    assert [name for name in called if "0" in name] == ["b0a", "b0b", "c0a", "c0b"]
    assert [name for name in called if "1" in name] == ["c1a", "c1b", "b1a", "b1b"], "the candidate goes first"
    assert len({name[1] for name in called[:4]}) == 1
    assert not workers.is_active


def test_while_it_is_quiet_nothing_goes_on_and_waiting_workers_are_stopped(early) -> None:
    is_calling, may_end = Event(), Event()

    def call(_: Any) -> None:
        is_calling.set()
        assert may_end.wait(SOON_S)

    early.calls = dict.fromkeys(("b0", "c1"), call)  # whichever pair is the first
    workers = early.begin()
    assert is_calling.wait(SOON_S)
    while len(workers._made) < 2:
        sleep(0.001)
    with ThreadPoolExecutor(1) as pool:
        quiet = workers.quiet()
        entered = pool.submit(quiet.__enter__)
        assert not entered.done(), "a call is being made"
        may_end.set()
        entered.result(SOON_S)
    before = list(early.log)
    assert sorted(early.lines("freeze")) == ["b0", "b1", "c0", "c1"]
    assert len(early.lines("called")) == 1
    assert not workers._futures[0].done()
    assert early.log == before
    quiet.__exit__(None, None, None)
    assert names(workers.take(0)) == ["b0", "c0"]
    assert names(workers.take(1)) == ["b1", "c1"]
    assert sorted(early.lines("thaw")) == ["b0", "b1", "c0", "c1"]


def test_a_pair_that_fails_is_dropped_and_its_session_makes_its_own(early) -> None:
    early.start_raises = {"c0": SandboxError("no device context")}

    def fault(_: Any) -> None:
        raise WorkerFault("compile", "RuntimeError", "", "", "")

    early.calls = {"b1": fault}
    workers = early.begin()
    assert [workers.take(0), workers.take(1)] == [(), ()]
    assert sorted(early.lines("give_up_sandbox")) == ["b0", "b1", "c0", "c1"]
    assert sorted(early.lines("close")) == ["b1", "c1"]


def test_a_worker_that_cannot_be_stopped_does_not_run_beside_a_session(early) -> None:
    def refuse() -> None:
        raise SandboxError("a worker cannot be stopped")

    early.sessions[1][1].freeze = refuse
    workers = early.begin()
    workers.take(0)
    workers._futures[1].result(SOON_S)
    with workers.quiet():
        assert early.lines("give_up_sandbox") == ["b1", "c1"]
    assert workers.take(1) == ()


def test_at_the_end_what_nobody_took_ends_in_the_middle_of_a_call(early) -> None:
    is_calling = Event()

    def call(runner: PlayedSide) -> None:
        is_calling.set()
        assert runner.ended.wait(SOON_S)
        raise SandboxError("this sandbox's time is over")

    early.calls = {"c1": call}
    workers = early.begin()
    workers.take(0)
    assert is_calling.wait(SOON_S)
    assert workers.is_active
    workers.close()
    assert early.lines("give_up_sandbox") == ["b1", "c1"], "those of session 0 belong to the session"
    assert "c1a" not in early.lines("called")
    assert not workers.is_active


@pytest.fixture
def context(tiny_task) -> Context:
    task = tiny_task("triton2triton")
    card = SimpleNamespace(torch_device="cpu", has_clock=True)
    return Context(task, baseline(task), baseline(task), card, None)  # type: ignore[arg-type]


def test_memory_that_runs_out_beside_early_workers_is_not_charged(context) -> None:
    rejection = Rejection("out_of_memory", "")
    context.early = SimpleNamespace(is_active=False)
    assert context.charged(rejection).reason == "out_of_memory"
    context.early = SimpleNamespace(is_active=True)
    with pytest.raises(SandboxError, match="started early"):
        context.charged(rejection)


def test_a_session_of_another_evaluation_goes_first_only_once_it_is_quiet(context, early) -> None:
    done, context.early = list[str](), early.begin()
    context.early.take(0)
    context.early._futures[1].result(SOON_S)
    context.device_lock = SimpleNamespace(
        is_wanted=lambda: done == ["wanted"],
        give_way=lambda: done.append(str(len(early.lines("freeze")))),
        waited_s=0.0,
    )
    context.give_way()
    assert done == []
    done.append("wanted")
    context.give_way()
    assert done == ["wanted", "2"]


def test_the_baselines_worker_for_the_checks_starts_beside_other_work(context, early) -> None:
    may_start, side = Event(), early.sessions[0][0]
    side.runner = lambda **_: side if may_start.wait(SOON_S) else None
    side.is_built, side.task, context.open_side = True, context.task, lambda _: side
    context.start_baseline(cross_compile=False)
    with ThreadPoolExecutor(1) as pool:
        quiet = context.quiet()
        entered = pool.submit(quiet.__enter__)
        assert not entered.done(), "it still uses the device"
        may_start.set()
        entered.result(SOON_S)
        quiet.__exit__(None, None, None)
    assert context.baseline_runner(cross_compile=False) is side
    context.start_baseline(cross_compile=False)
    context.close_early()
    assert early.lines("close") == ["b0"], "the second, which nobody took"


def test_a_baseline_that_does_not_start_early_fails_where_it_is_needed(context, early) -> None:
    def refuse(**_: Any) -> None:
        raise WorkerFault("load", "ImportError", "", "", "")

    side = early.sessions[0][0]
    side.runner, side.is_built, side.task, context.open_side = refuse, True, context.task, lambda _: side
    context.start_baseline(cross_compile=False)
    with pytest.raises(BaselineError):
        context.baseline_runner(cross_compile=False)
    context.start_baseline(cross_compile=False)
    context.close_early()


class Twice(Evaluator):
    """Notes whether each attempt starts workers early; the first fails, and the second is interrupted."""

    def __init__(self, card: Any) -> None:
        self.backend, self.seen, self._device_lock = card, list[bool](), NoDeviceLock()

    def _tried(self, task: TaskSpec, candidate: Candidate, sessions: int) -> Fault:
        self.seen.append(self._starts_early)
        if len(self.seen) == 2:
            raise KeyboardInterrupt
        return Fault("memory ran out", "", of_sandbox=True)

    def _is_healthy(self) -> bool:
        return True


def test_only_a_first_attempt_starts_workers_early(tiny_task) -> None:
    task = tiny_task("triton2triton")
    evaluator = Twice(SimpleNamespace(has_clock=True, cases=lambda _: task.cases))
    with pytest.raises(KeyboardInterrupt):
        evaluator.evaluate(task, baseline(task))
    assert evaluator.seen == [True, False]


def test_what_a_sessions_own_side_left_behind_is_known_of_the_candidate() -> None:
    ended = list[str]()
    sandbox = SimpleNamespace(exceeded="70 processes", close=lambda: ended.append("closed"))
    one, other = (Side(None, (), {}, None, "cpu", None) for _ in range(2))  # type: ignore[arg-type]
    one.leftovers, other.leftovers, other.log, other.sandbox = 1, 2, ["printed"], sandbox  # type: ignore[assignment]
    one.absorb(other)
    assert (one.leftovers, one.log, one.excess, ended) == (3, ["printed"], "70 processes", ["closed"])
