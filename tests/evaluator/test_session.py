"""The judge's side of the timing protocol with a scripted worker: commands, checks and void blocks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import torch

from evaluator.backends import Sample
from evaluator.errors import BaselineError
from evaluator.judge.draws import Contents, Seed
from evaluator.judge.layout import layout_of
from evaluator.judge.rejection import Rejection
from evaluator.judge.timing.clocks import do_bench_ns, other_clocks
from evaluator.judge.timing.remote import Rejected, RemoteStopwatch
from evaluator.judge.timing.session import CaseTimes, Enough, Pair, time_case
from evaluator.judge.timing.slabs import Slabs
from evaluator.sandbox import BadReply
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import (
    BLOCK_CALLS,
    BLOCKS,
    BUFFERS,
    EARLY_JUDGED,
    LEAST_BLOCKS,
    LONG_BLOCK_CALLS,
    REPLACED_BLOCKS,
)
from tests.evaluator.scripted_worker import ScriptedWorker, runner_of

STEADY = Sample(1980, 2619, 50, 400.0, ())


Timed = Callable[..., CaseTimes | Rejection]


@pytest.fixture
def timed(tiny_task: Callable[[str], TaskSpec]) -> Timed:
    """Time one session of the tiny task's first case with scripted workers, configured by the arguments."""
    task = tiny_task("triton2triton")

    def run(
        candidate: Mapping[str, Any] | None = None,
        baseline: Mapping[str, Any] | None = None,
        sample: Callable[[], Sample] = lambda: STEADY,
        enough: Enough | None = None,
    ) -> CaseTimes | Rejection:
        workers = [ScriptedWorker(task, **(fields or {})) for fields in (baseline, candidate)]
        runners = [runner_of(worker) for worker in workers]
        pair = Pair(*runners, sample)
        return time_case(pair, Slabs(task, task.cases[0], Seed(), 0, "cpu"), doubled, enough=enough)

    return run


def doubled(_: str, contents: Contents, outputs: Mapping[str, torch.Tensor]) -> Rejection | None:
    x = contents["x"]
    assert isinstance(x, torch.Tensor)
    return None if torch.equal(outputs["y"], 2 * x) else Rejection("mismatch", "not doubled")


def found(times: CaseTimes | Rejection) -> CaseTimes:
    assert isinstance(times, CaseTimes), times
    return times


def test_a_quiet_session_has_ten_blocks_a_ratio_and_judged_samples(timed: Timed) -> None:
    times = found(timed(candidate={"dev_ns": lambda _: 10_000.0}))
    assert len(times.values) == BLOCKS
    assert times.values[0] == pytest.approx(math.log(2))
    assert (times.baseline_ns, times.candidate_ns) == (20_000, 10_000)
    assert times.session.judged == BLOCKS + (EARLY_JUDGED - 1) * LEAST_BLOCKS
    assert not times.is_disturbed


@pytest.mark.parametrize(("dev_ns", "calls"), [(20_000.0, BLOCK_CALLS), (6e6, LONG_BLOCK_CALLS)])
def test_outputs_of_different_calls_of_a_block_are_judged(
    tiny_task: Callable[[str], TaskSpec], dev_ns: float, calls: int
) -> None:
    task, picked = tiny_task("triton2triton"), list[int]()

    class Noting(ScriptedWorker):
        def _pick(self, index: int) -> dict[str, object]:
            picked.append(index)
            return super()._pick(index)

    workers = [kind(task, dev_ns=lambda _: dev_ns) for kind in (ScriptedWorker, Noting)]
    slabs = Slabs(task, task.cases[0], Seed(), 0, "cpu")
    times = found(time_case(Pair(*map(runner_of, workers), lambda: STEADY), slabs, doubled, wanted=LEAST_BLOCKS))
    of_blocks = [set(some) for some in zip(*[iter(picked)] * EARLY_JUDGED, strict=True)]
    assert [len(some) for some in of_blocks] == [EARLY_JUDGED] * LEAST_BLOCKS
    assert set().union(*of_blocks) <= set(range(calls))
    assert times.session.judged == len(picked) >= 10


def test_a_session_ends_after_an_even_number_of_valid_blocks_that_is_enough(timed: Timed) -> None:
    canary = {"canary_ns": lambda n: (40_000.0, 30_000.0) if n in (22, 23, 24) else (30_000.0, 30_000.0)}
    asked = list[tuple[int, float, float]]()

    def enough(values: Sequence[float], baseline_ns: float, candidate_ns: float) -> bool:
        asked.append((len(values), baseline_ns, candidate_ns))
        return len(values) > LEAST_BLOCKS

    times = found(timed(baseline=canary, candidate={"dev_ns": lambda _: 10_000.0}, enough=enough))
    assert asked == [(LEAST_BLOCKS, 20_000, 10_000), (LEAST_BLOCKS + 2, 20_000, 10_000)]
    assert len(times.values) == LEAST_BLOCKS + 2
    assert len(times.session.blocks) == LEAST_BLOCKS + 3, "one is void"
    assert [one.first for one in times.session.blocks if one.void is None] == ["baseline", "candidate"] * 3
    assert times.session.judged >= BLOCKS
    assert not times.is_disturbed


def test_a_session_that_never_has_enough_ends_after_ten_blocks(timed: Timed) -> None:
    times = found(timed(enough=lambda *_: False))
    assert len(times.values) == len(times.session.blocks) == BLOCKS
    assert not times.is_disturbed


def test_blocks_are_in_abba_order(timed: Timed) -> None:
    firsts = [block.first for block in found(timed()).session.blocks]
    assert firsts[:4] == ["baseline", "candidate", "baseline", "candidate"]


def test_garbage_after_the_first_calls_is_found_in_the_samples(timed: Timed) -> None:
    rejection = timed(candidate={"factor": lambda call: 2.0 if call < 20 else 0.0})
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "mismatch"
    assert "in a timed call" in rejection.detail


def test_a_wrong_baseline_is_an_evaluation_error(timed: Timed) -> None:
    with pytest.raises(BaselineError, match="a timed call of the baseline"):
        timed(baseline={"factor": lambda _: 3.0})


def test_a_canary_that_is_off_voids_its_block_which_is_replaced(timed: Timed) -> None:
    times = found(
        timed(baseline={"canary_ns": lambda n: (40_000.0, 30_000.0) if n in (22, 23, 24) else (30_000.0, 30_000.0)})
    )
    void = [block.void for block in times.session.blocks if block.void]
    assert len(void) == 1
    assert "the canary's read took 40.0 us" in void[0]
    assert len(times.values) == BLOCKS
    assert not times.is_disturbed


def test_a_single_canary_that_is_off_voids_nothing(timed: Timed) -> None:
    times = found(timed(baseline={"canary_ns": lambda n: (40_000.0, 30_000.0) if n == 23 else (30_000.0, 30_000.0)}))
    assert [block.void for block in times.session.blocks if block.void] == []


def test_blocks_that_stay_void_are_recorded_and_the_case_is_disturbed(timed: Timed) -> None:
    times = found(timed(baseline={"canary_ns": lambda n: (30_000.0 * 1.05**n, 30_000.0)}))
    assert times.is_disturbed
    assert len(times.session.blocks) == BLOCKS + REPLACED_BLOCKS


def test_different_clocks_of_the_sides_void_a_block(timed: Timed) -> None:
    clocks = iter([1980, 1900] + [1980] * 100)
    times = found(timed(sample=lambda: Sample(next(clocks), None, None, None, ())))
    assert [block.void for block in times.session.blocks if block.void] == [
        "the sides ran at different clocks: 1980 and 1900 MHz"
    ]


def test_a_throttled_device_voids_blocks(timed: Timed) -> None:
    times = found(timed(sample=lambda: Sample(1980, None, 90, 700.0, ("hw_thermal_slowdown",))))
    assert times.is_disturbed


def test_a_block_with_a_slow_host_is_void(timed: Timed) -> None:
    times = found(timed(candidate={"visible": lambda call: call == 40}))
    void = [block.void for block in times.session.blocks if block.void]
    assert void == ["the host was slow in 10 of 10 calls of the candidate"]


def test_a_candidate_whose_host_is_always_slow_is_timed_as_it_is(timed: Timed) -> None:
    times = found(timed(candidate={"visible": lambda _: True}))
    assert [block.void for block in times.session.blocks if block.void] == []
    assert times.session.visible == 100


def test_more_than_a_percent_of_readings_that_are_not_positive_void_the_session(timed: Timed) -> None:
    times = found(timed(candidate={"dev_ns": lambda call: -1.0 if call % 20 == 0 else 20_000.0}))
    assert times.session.dropped > 0
    assert times.session.void is not None


def test_no_positive_reading_is_implausible(timed: Timed) -> None:
    rejection = timed(candidate={"dev_ns": lambda _: 0.0})
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "impossible_time"


@pytest.mark.parametrize(
    "reply",
    [{"dev_ns": [1.0]}, {"dev_ns": [float("nan")] * BLOCK_CALLS}, {"crowded": "none"}],
    ids=["too few", "NaN", "no list"],
)
def test_readings_of_another_form_are_a_bad_reply(timed: Timed, reply: dict[str, object]) -> None:
    with pytest.raises(BadReply):
        timed(candidate={"reply": reply})


def test_an_output_of_another_form_than_the_checked_ones_is_wrong(timed: Timed) -> None:
    rejection = timed(candidate={"reply": {"problem": ["wrong_layout", "y lies on cuda:0 with strides [0, 1]"]}})
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "wrong_layout"


def test_an_unknown_problem_is_a_forged_reply(timed: Timed) -> None:
    rejection = timed(candidate={"reply": {"problem": ["passed", ""]}})
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "forged_reply"


def test_a_baseline_output_of_another_form_is_an_evaluation_error(timed: Timed) -> None:
    with pytest.raises(BaselineError):
        timed(baseline={"reply": {"problem": ["wrong_dtype", "y is torch.int32"]}})


def test_a_block_with_the_device_not_free_around_it_is_void(timed: Timed) -> None:
    times = found(timed(candidate={"crowded": lambda call: call == 40}))
    assert [block.void for block in times.session.blocks if block.void] == [
        "the device was not free around 10 calls of the candidate"
    ]
    assert times.crowded == (0, 10)


def test_a_loop_that_took_no_time_is_implausible(tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    workers = [ScriptedWorker(task), ScriptedWorker(task, loop_ns=0.0)]
    runners = [runner_of(worker) for worker in workers]
    with pytest.raises(Rejected, match="cannot be true"):
        other_clocks(Pair(*runners, lambda: STEADY), paper=False)


def test_one_invalid_reading_in_a_hundred_is_ignored(tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    worker = ScriptedWorker(task)
    stopwatch = RemoteStopwatch(runner_of(worker), trusted=False)
    worker.loops = [-3.0] + [25_000.0] * 99
    assert len(stopwatch.loop(100, pairs=True).events_ns) == 99


def test_work_after_the_stop_event_is_measured(timed: Timed) -> None:
    assert found(timed(candidate={"after_ns": 25_000.0})).outside_ns == pytest.approx(20_000)


def test_the_judge_knows_the_contents_of_every_window(tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    slabs = Slabs(task, task.cases[0], Seed(), 0, "cpu")
    contents = [slabs.contents(call)["x"] for call in slabs.plan(20)]
    assert len({tuple(x.tolist()) for x in contents if isinstance(x, torch.Tensor)}) == 20
    assert layout_of(task, task.cases[0], slabs.example()).inputs[0]["shape"] == [256]


def test_no_buffer_is_used_twice_in_a_row(tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    planned = [call.buffer for call in Slabs(task, task.cases[0], Seed(), 0, "cpu").plan(50)]
    assert all(first != second for first, second in itertools.pairwise(planned))
    assert set(planned) == set(range(BUFFERS))


def test_the_papers_clocks_are_separate_passes(tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    workers = [ScriptedWorker(task), ScriptedWorker(task)]
    runners = [runner_of(worker) for worker in workers]
    clocks = other_clocks(Pair(*runners, lambda: STEADY), paper=True).clocks
    assert clocks["aka_loop"].baseline_ms == pytest.approx((0.025,))
    assert clocks["aka_events"].candidate_ms == pytest.approx((0.025,))
    assert clocks["t_call"].candidate_ms == pytest.approx((0.025,))


class Noting(ScriptedWorker):
    """Answers each loop that clears a buffer with its own readings, and notes its warm-ups, calls, pairs and bytes."""

    def __init__(self, task: TaskSpec, *readings: Sequence[float]) -> None:
        super().__init__(task)
        self.readings, self.asked = list(readings), list[tuple[int, int, bool, int]]()

    def _loop(self, nonce: int, warmups: int, calls: int, pairs: bool, cleared_bytes: int) -> dict[str, object]:
        self.loops = []
        if cleared_bytes:
            self.asked.append((warmups, calls, pairs, cleared_bytes))
            self.loops = list(self.readings.pop(0)) if self.readings else []
        return super()._loop(nonce, warmups, calls, pairs, cleared_bytes)


@pytest.mark.parametrize(
    ("five_calls_ms", "warmups", "calls"),
    [
        (10.0, 12, 50),  # 2 ms a call: 25 / 2 = 12.5, 100 / 2 = 50
        (0.1, 1250, 5000),  # 20 us a call
        (40.0, 3, 12),  # 8 ms a call: 3.1 and 12.5
        (1500.0, 1, 1),  # 300 ms a call: neither fits, and each is made once
        (0.0005, 20_000, 20_000),  # 0.1 ns a call is no device's time: 250,000 and a million are cut
    ],
)
def test_do_bench_makes_as_many_calls_as_its_times_hold(
    tiny_task: Callable[[str], TaskSpec], five_calls_ms: float, warmups: int, calls: int
) -> None:
    worker = Noting(tiny_task("triton2triton"), [five_calls_ms * 1e6])
    assert do_bench_ns(RemoteStopwatch(runner_of(worker), trusted=False)) == 25_000.0
    assert worker.asked == [(1, 5, False, 256 * 1024 * 1024), (warmups, calls, True, 256 * 1024 * 1024)]


def test_do_bench_is_the_median_of_its_pairs(tiny_task: Callable[[str], TaskSpec]) -> None:
    """50 ms a call: two calls in 100 ms, whose median is their mean; 33 ms: three, whose median is the middle one."""
    task = tiny_task("triton2triton")
    for five_calls_ms, readings, wanted in ((250.0, [7e6, 4e6], 5.5e6), (165.0, [9e6, 1e6, 2e6], 2e6)):
        worker = Noting(task, [five_calls_ms * 1e6], readings)
        assert do_bench_ns(RemoteStopwatch(runner_of(worker), trusted=False)) == wanted


@pytest.mark.parametrize("bad", [0.0, -5.0])
def test_a_reading_that_is_not_positive_leaves_no_do_bench_of_either_side(
    tiny_task: Callable[[str], TaskSpec], bad: float
) -> None:
    """One of 200 readings is below the share that condemns a candidate; 0.5 ms a call: 200 calls in 100 ms."""
    task = tiny_task("triton2triton")
    workers = [ScriptedWorker(task), Noting(task, [2.5e6], [bad, *[4e5] * 199])]
    pair = Pair(*map(runner_of, workers), lambda: STEADY)
    assert set(other_clocks(pair, paper=False, kernelbench_x=True).clocks) == {"t_call"}


def test_times_that_cannot_be_are_refused_by_do_bench_too(tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    for readings in ([[0.0]], [[2.5e6], [0.0] * 200]):
        with pytest.raises(Rejected, match="cannot be true"):
            do_bench_ns(RemoteStopwatch(runner_of(Noting(task, *readings)), trusted=False))
    for number in (math.nan, math.inf):
        with pytest.raises(BadReply):
            do_bench_ns(RemoteStopwatch(runner_of(Noting(task, [2.5e6], [number] * 200)), trusted=False))


def test_do_bench_of_both_sides_stands_beside_the_other_clocks(tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    workers = [ScriptedWorker(task, loop_ns=loop_ns) for loop_ns in (50_000.0, 25_000.0)]
    clocks = other_clocks(Pair(*map(runner_of, workers), lambda: STEADY), paper=True, kernelbench_x=True).clocks
    assert set(clocks) == {"t_call", "aka_loop", "aka_events", "kbx_do_bench"}
    assert (clocks["kbx_do_bench"].baseline_ms, clocks["kbx_do_bench"].candidate_ms) == ((0.05,), (0.025,))
