"""The timed session over unseen cases without a device: instruments are a processor's clock, workers this process."""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import monotonic
from types import SimpleNamespace

import pytest
import torch

from evaluator.backends import Sample
from evaluator.errors import SandboxError
from evaluator.gates import performance, unseen
from evaluator.gates.context import CaseState, Context
from evaluator.gates.plausible import implausible
from evaluator.gates.unseen import Half, UnseenTrial
from evaluator.judge.device_lock import NoDeviceLock
from evaluator.judge.side import Call
from evaluator.judge.timing import clocks
from evaluator.judge.timing.slabs import Slabs
from evaluator.records.measurements import T_DEV
from evaluator.sandbox import WorkerFault
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import Case
from evaluator.unseen.cases import UnseenCase
from tests.evaluator.test_clocked_session import BACKEND, Here


class Charged(Here):
    """What a candidate raises is a worker's fault."""

    def __init__(self, task, folder, entry):
        super().__init__(task, folder, entry)
        self.entry = entry

    def call(self, op, *, timeout_s, **fields):
        with charged(op):
            return super().call(op, timeout_s=timeout_s, **fields)

    def close(self): ...


@contextmanager
def charged(op):
    try:
        yield
    except ZeroDivisionError as error:
        raise WorkerFault(op, "builtins.ZeroDivisionError", f"ZeroDivisionError: {error}", "") from error


class Loaded:
    """A runner."""

    def __init__(self, side, worker):
        self.side, self.worker, self.key = side, worker, worker.key

    def __enter__(self):
        return self

    def __exit__(self, *_): ...

    def compile(self, case, contents):
        with charged("compile"):
            self.worker.entry(contents["x"])

    def call(self, case, contents, order=0):
        return Call(0, {"y": self.worker.entry(contents["x"])})


class Bench:
    """Two contexts whose workers are here, and the trials of some sizes, as the correctness gate leaves them."""

    def __init__(self, task, folder, monkeypatch, entry, sizes):
        monkeypatch.setattr(performance, "PREHEAT_STEADY_S", 0.0)
        monkeypatch.setattr(performance, "clocked", self._clocked)
        self.failures: dict[int, int] = {}  # size → how often the card does not answer while it is timed
        self.given_up: list[str] = []  # sides whose sandbox ended
        self.loaded: list[str] = []  # sides, for each worker that was started
        self._folder, self._entries = folder, {"baseline": lambda x: 2 * x, "candidate": entry}
        backend = SimpleNamespace(**vars(BACKEND), has_clock=True, device_class="h100-sxm", sample=self._sample)
        self.baseline, self.candidate = (
            Context(task, Candidate({}, name), Candidate({}, "baseline"), backend, partial(self._side, task))
            for name in self._entries
        )
        self.candidate.calibration = None
        self.trials = [self._trial(size) for size in sizes]

    def time(self):
        self.candidate.baseline = self.baseline.candidate_side()
        unseen._time(self.trials, self.baseline, self.candidate)
        return {trial.case.value("n"): trial for trial in self.trials}

    def _trial(self, size):
        case = Case((("n", size),), "full")
        halves = [Half(context, True, CaseState(case, True, 9), None) for context in (self.baseline, self.candidate)]
        return UnseenTrial(UnseenCase(case, "edge"), *halves)

    def _side(self, task, files):
        side = SimpleNamespace(task=task, device="cpu", name=files.label, leftovers=0, excess=None)
        side.product, side.kernels = b"built", None
        side.give_up_sandbox = partial(self.given_up.append, files.label)
        side.ready_sandbox, side.runner = (lambda: None), lambda **_: self._clocked(None, side)
        return side

    def _clocked(self, _, side):
        assert side.product == b"built"
        self.loaded.append(side.name)
        return Loaded(side, Charged(side.task, self._folder, self._entries[side.name]))

    def _sample(self):
        size = self.candidate.at_work.case.value("n") if self.candidate.at_work else 0
        if self.failures.get(size):
            self.failures[size] -= 1
            raise SandboxError("the card does not answer")
        return Sample(1980, 2619, 50, 400.0, ())


@pytest.fixture
def bench(tiny_task, tmp_path, monkeypatch):
    def make(entry, sizes=(256, 300, 301), category="triton2triton"):
        return Bench(tiny_task(category), tmp_path, monkeypatch, entry, sizes)

    return make


def test_cases_on_which_both_are_right_get_a_ratio_from_one_session(bench):
    made = bench(lambda x: x + x)
    trials = made.time()
    assert all(trial.both_right and trial.candidate.state.ratio for trial in trials.values())
    assert [len(trial.candidate.state.sessions) for trial in trials.values()] == [1, 1, 1]


def test_the_parts_of_a_timed_session_add_up_to_its_seconds(bench):
    made, begin = bench(lambda x: x + x), monotonic()
    with made.candidate.spending("performance"):
        made.time()
    took_s, parts = monotonic() - begin, made.candidate.seconds
    assert sum(parts.values()) == pytest.approx(took_s, rel=0.05)
    assert set(parts) == {
        *("performance", "workers", "first_calls", "contents", "settling", "preheat"),
        *("timed", "judging", "outside_clock", "other_clocks"),
    }
    assert parts["timed"] + parts["other_clocks"] > parts["performance"], "what no part names is little"


@pytest.mark.parametrize(("category", "has_it"), [("triton2triton", False), ("torch2triton", True)])
def test_kernelbench_x_s_clock_is_taken_once_a_case_in_its_category_alone(bench, monkeypatch, category, has_it):
    monkeypatch.setattr(clocks, "KBX_CLEARED_BYTES", 1 << 20)
    trials = bench(lambda x: x + x, (256, 300), category).time()
    found = [trial.candidate.state.clocks.get("kbx_do_bench") for trial in trials.values()]
    assert [clock is not None and (len(clock.baseline_ms), len(clock.candidate_ms)) for clock in found] == [
        has_it and (1, 1),
        has_it and (1, 1),
    ]


@pytest.mark.parametrize(("profile", "has_it"), [("full", True), ("small", False)])
def test_papers_clocks_are_taken_until_a_session_counts_and_kernelbench_x_s_on_full_cases(
    bench, monkeypatch, profile, has_it
):
    asked = []
    monkeypatch.setattr(performance, "other_clocks", lambda pair, **options: asked.append(tuple(options.values())))
    context, state = bench(lambda x: x + x, (256,), "torch2triton").candidate, CaseState(Case((("n", 1),), profile))
    for taken in (None, None, "by the second"):  # the first session was void
        performance._other_clocks(context, state, None)
        state.others += [taken] if taken else []
    performance._other_clocks(context, state, None)
    assert asked == [*[(True, has_it)] * 3, (False, False)]


def test_a_quick_check_reads_one_clock_alone_and_is_not_held_for_want_of_others(bench):
    made = bench(lambda x: x + x)
    made.candidate.is_quick = True
    trials = made.time()
    assert {name for trial in trials.values() for name in trial.candidate.state.clocks} == {T_DEV}
    assert implausible(made.candidate) is None
    assert made.candidate.held == []


@pytest.mark.parametrize("size", [256, 300, 301])
def test_a_case_that_fails_while_it_is_timed_keeps_no_other_from_its_times(bench, size):
    trials = bench(lambda x: 1 // 0 if x.numel() == size else x + x).time()
    assert trials.pop(size).candidate.rejection.reason == "raised"
    assert all(trial.both_right and trial.candidate.state.ratio for trial in trials.values())


def test_an_output_of_a_timed_call_is_judged_case_by_case(bench):
    trials = bench(lambda x: torch.zeros_like(x) if x.numel() == 300 else x + x).time()
    assert "in a timed call" in trials.pop(300).candidate.rejection.detail
    assert all(trial.both_right for trial in trials.values())


def test_a_harder_timed_draw_asks_a_baseline_that_is_gone_before_the_next_case_is_timed(bench):
    made, settled = bench(lambda x: 2.0001 * x), []
    made._entries["baseline"] = made._entries["candidate"]
    made.candidate.settle = lambda: settled.append(len(made.given_up))
    assert all(trial.both_right for trial in made.time().values())
    assert made.given_up == ["baseline"] * 3
    assert settled == [0, 1, 2, 3]
    assert made.candidate.isa == []


@pytest.mark.parametrize("entry", [lambda x: 1 // 0 if x.numel() == 300 else x + x, torch.zeros_like])
def test_a_session_that_fails_holds_no_contents_while_others_have_the_device(bench, monkeypatch, entry):
    made, slabs, held = bench(entry), [], []

    class Seen(Slabs):
        def __init__(self, *words):
            super().__init__(*words)
            slabs.append(weakref.ref(self))

    @contextmanager
    def alone():
        try:
            yield
        finally:
            held.append(sum(one() is not None for one in slabs))

    monkeypatch.setattr(performance, "Slabs", Seen)
    monkeypatch.setattr(Loaded, "compile", lambda *_: None)
    made.candidate.device_lock = NoDeviceLock()
    made.candidate.device_lock.alone = alone
    assert not all(trial.both_right for trial in made.time().values())
    assert slabs
    assert not any(held)


def test_a_fault_of_ours_is_tried_once_more(bench):
    made = bench(lambda x: x + x)
    made.failures = {256: 1, 301: 1}
    assert all(trial.both_right and trial.candidate.state.ratio for trial in made.time().values())


def test_a_second_fault_of_ours_makes_an_evaluation_error_and_no_times(bench):
    made = bench(lambda x: x + x)
    made.failures = {300: 2}
    trials = made.time()
    assert [half.rejection.reason for half in trials.pop(300).halves] == ["host_fault", "host_fault"]
    assert "does not answer" in made.candidate.log[0]
    assert all(trial.both_right and trial.candidate.state.ratio for trial in trials.values())


def test_a_baseline_that_fails_while_it_is_timed_is_ours(bench):
    made = bench(lambda x: x + x)
    made._entries["baseline"] = lambda x: 1 // 0 if x.numel() == 300 else 2 * x
    trials = made.time()
    assert trials.pop(300).candidate.rejection.reason == "host_fault"
    assert all(trial.both_right for trial in trials.values())


def test_times_that_cannot_be_true_fail_their_case_alone(bench, monkeypatch):
    made = bench(lambda x: x + x)
    trials = made.time()
    state = trials[300].candidate.state
    state.times = [replace(times, outside_ns=1e9) for times in state.times]
    unseen._check_integrity(made.trials, made.candidate)
    assert trials.pop(300).candidate.rejection.reason == "work_outside"
    assert all(trial.both_right for trial in trials.values())
