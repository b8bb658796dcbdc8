"""What a host's event pair adds to T_dev: taken out, with its error in the interval; not known is void."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace

import pytest

from evaluator.backends import Sample
from evaluator.gates import performance
from evaluator.gates.context import CaseState, Context
from evaluator.gates.ratio import estimate_of
from evaluator.judge.timing.overhead import EventPair, as_on_reference, value_of
from evaluator.judge.timing.session import CaseTimes, Pair
from evaluator.records.measurements import Block, TimingSession
from evaluator.tasks.candidate import baseline
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import E0_NOISE_NS, E0_SHARE_ERROR, LEAST_LEFT_NS, least_ns
from tests.evaluator.scripted_worker import ScriptedWorker, runner_of
from tests.records import CALIBRATION

CLASS = "h200-sxm"  # whose frozen pair takes 2.7 us
ALONE, SHARED = EventPair(2_700.0, 10.0), EventPair(4_400.0, 10.0)
ADDED_NS = 1_530.0  # of the 1.7 us between them, by E0_SHARE
BLOCK = Block("baseline", (20e3,) * 10, (10e3,) * 10, (30e3, 30e3), (1980, 1980), None)


def times_of(baseline_ns: float, candidate_ns: float) -> CaseTimes:
    block = replace(BLOCK, baseline_ns=(baseline_ns,) * 10, candidate_ns=(candidate_ns,) * 10)
    session = TimingSession((block,) * 10, 0, 0, 10, {}, None)
    values = (math.log(baseline_ns / candidate_ns),) * 10
    return CaseTimes(session, values, baseline_ns, candidate_ns, 0.0, (30e3, 30e3), (0, 0), is_disturbed=False)


def test_a_kernel_has_the_same_times_on_a_host_whose_event_pair_takes_longer() -> None:
    here = as_on_reference(times_of(20_000, 4_800), ALONE, CLASS)
    there = as_on_reference(times_of(20_000 + ADDED_NS, 4_800 + ADDED_NS), SHARED, CLASS)
    assert (here.baseline_ns, here.candidate_ns) == (20_000, 4_800)
    assert (there.baseline_ns, there.candidate_ns) == pytest.approx((20_000, 4_800))
    assert there.values == pytest.approx(here.values)
    assert there.session.event_pair_ns == (4_400, 10)
    assert there.session.blocks[0].candidate_ns[0] == 4_800 + ADDED_NS, "readings are kept as they were"


def test_the_error_of_what_is_taken_out_is_in_the_interval_and_is_none_for_equal_times() -> None:
    there = as_on_reference(times_of(20_000 + ADDED_NS, 5_000 + ADDED_NS), SHARED, CLASS)
    error = math.hypot(0.9 * 10, E0_SHARE_ERROR * 1_700) * (1 / 5_000 - 1 / 20_000)
    assert there.overhead_error == pytest.approx(error)
    found = estimate_of([there] * 3, CALIBRATION)
    known = estimate_of([replace(there, overhead_error=0.0)] * 3, CALIBRATION)
    assert found.variance == pytest.approx(known.variance + error**2)
    assert found.half_width == pytest.approx(known.half_width * math.sqrt(found.variance / known.variance))
    assert as_on_reference(times_of(20_000, 20_000), SHARED, CLASS).overhead_error == 0


def test_a_class_without_a_frozen_pair_keeps_its_times() -> None:
    found = as_on_reference(times_of(20_000, 10_000), SHARED, "h300-sxm")
    assert (found.baseline_ns, found.candidate_ns, found.session.void) == (20_000, 10_000, None)


def test_a_pair_that_is_not_known_well_voids_the_session() -> None:
    noisy = EventPair(2_700.0, E0_NOISE_NS + 1)
    assert "known to 101 ns only" in (as_on_reference(times_of(20_000, 10_000), noisy, CLASS).session.void or "")
    assert EventPair(math.nan, math.nan).why_void(None) is not None
    assert ALONE.why_void(2_700.0) is None
    assert EventPair(2_925.0, 10.0).why_void(2_700.0) is None, "three deviations of a day"
    assert "usually 2700 ns" in (EventPair(2_926.0, 10.0).why_void(2_700.0) or "")
    assert "usually 2700 ns" in (SHARED.why_void(2_700.0) or "")


def test_a_time_as_short_as_what_is_taken_out_is_censored_and_voids_nothing() -> None:
    found = as_on_reference(times_of(20_000 + ADDED_NS, 1_000), SHARED, CLASS)
    assert (found.baseline_ns, found.candidate_ns) == (20_000, LEAST_LEFT_NS)
    assert found.values == pytest.approx((math.log(20_000 / LEAST_LEFT_NS),) * 10)
    assert found.session.void is None
    assert found.candidate_ns < least_ns(CLASS)


def test_short_readings_of_a_block_count_and_those_that_are_not_positive_do_not() -> None:
    block = replace(BLOCK, baseline_ns=(20_000.0,) * 3, candidate_ns=(500.0, 900.0, 11_000.0))
    assert value_of(block, 1_000.0) == pytest.approx(math.log(19_000 / LEAST_LEFT_NS)), "the median is a short one"
    block = replace(block, candidate_ns=(-50.0, 10_000.0, 10_000.0))
    assert value_of(block, -1_000.0) == pytest.approx(math.log(21_000 / 11_000))
    assert value_of(replace(block, candidate_ns=(-50.0, 0.0)), -1_000.0) is None


def test_a_few_hiccups_do_not_change_the_pair() -> None:
    found = EventPair.of([2_700.0, 2_732.0] * 9 + [9_000.0] * 2)
    assert found.ns == pytest.approx(2_716, abs=17)
    assert found.error_ns < 20


@pytest.mark.parametrize(
    ("readings", "says"), [((3_000.0,) * 20, None), ((3_600.0,) * 20, "usually 3000 ns"), ((3e3, 9e3) * 10, "known to")]
)
def test_the_baselines_worker_is_asked_with_the_candidate_frozen(
    tiny_task: Callable[[str], TaskSpec], readings: Sequence[float], says: str | None
) -> None:
    task = tiny_task("triton2triton")
    workers = [ScriptedWorker(task, empty_ns=readings), ScriptedWorker(task, empty_ns=())]
    pair = Pair(*map(runner_of, workers), lambda: Sample(1980, 2619, 50, 400.0, ()))
    backend = SimpleNamespace(has_clock=True, device_class=CALIBRATION.device_class, torch_device="cpu")
    context = Context(task, baseline(task), baseline(task), backend, None)  # type: ignore[arg-type]
    state = CaseState(task.cases[0])
    _, found = performance.time_blocks(context, 0, state, pair, 4)
    assert isinstance(found, CaseTimes)
    assert "empty" not in workers[1].log
    void = found.session.void or performance._disturbed(context, state, found, CALIBRATION)
    assert void is None if says is None else says in (void or "")
