"""From sessions to a case's ratio and flags, and implausible times."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from evaluator import codec
from evaluator.errors import HostError
from evaluator.gates import performance
from evaluator.gates.context import CaseState, Context
from evaluator.gates.plausible import implausible
from evaluator.gates.ratio import conclude, has_enough_blocks
from evaluator.judge.rejection import Rejection
from evaluator.judge.timing.clocks import OtherClocks
from evaluator.judge.timing.outside import OutsideTimes
from evaluator.judge.timing.session import CaseTimes, Enough
from evaluator.records.calibration import DeviceCalibration, read_calibration, write_calibration
from evaluator.records.measurements import Block, Clock, TimingSession
from evaluator.records.reasons import Flag
from evaluator.records.record import PROTOCOL, HostInfo
from evaluator.tasks.candidate import baseline
from evaluator.tasks.spec import TaskSpec
from tests.records import CALIBRATION

BLOCK = Block("baseline", (20e3,) * 10, (10e3,) * 10, (30e3, 30e3), (1980, 1980), None)
TIMES = CaseTimes(
    session=TimingSession((BLOCK,) * 10, 0, 0, 10, {}, None),
    values=(math.log(2),) * 10,
    baseline_ns=20e3,
    candidate_ns=10e3,
    outside_ns=0.0,
    canary_ns=(30e3, 30e3),
    crowded=(0, 0),
    is_disturbed=False,
)
CLASS = CALIBRATION.device_class
BACKEND = SimpleNamespace(has_clock=True, device_class=CLASS)
OUTSIDE = OutsideTimes(baseline_ns=21e3, candidate_ns=11e3, surplus_ns=1e3, excess_ns=0.0, noise_ns=100.0)
CLOCKS = OtherClocks({"t_call": Clock((0.02,), (0.012,))}, disagreement=(0.0, 0.001))


@pytest.fixture
def context(tiny_task: Callable[[str], TaskSpec]) -> Context:
    """One full case of the tiny task with three undisturbed sessions at twice the baseline's speed."""
    task = tiny_task("triton2triton")
    context = Context(task, baseline(task), baseline(task), BACKEND, None)  # type: ignore[arg-type]
    context.__dict__["calibration"] = CALIBRATION
    case = task.cases[-1]
    context.cases[case.id] = CaseState(case, times=[TIMES] * 3, others=[CLOCKS] * 3, outside=OUTSIDE)
    return context


def state_of(context: Context) -> CaseState:
    return next(iter(context.cases.values()))


def concluded(context: Context, **changes: object) -> CaseState:
    state = state_of(context)
    state.times = [replace(TIMES, **changes)] * 3  # type: ignore[arg-type]
    conclude(context, state, context.calibration)
    return state


def test_a_quiet_case_has_a_narrow_interval_and_no_flag(context: Context) -> None:
    ratio = concluded(context).ratio
    assert ratio is not None
    assert ratio.log_ratio == pytest.approx(math.log(2))
    assert ratio.low is not None
    assert ratio.high is not None
    assert ratio.high - ratio.low == pytest.approx(2 * 2.093 * 0.002 / math.sqrt(3), rel=1e-3)
    assert ratio.eligible
    assert context.flags == set()
    assert implausible(context) is None


def test_a_baseline_shorter_than_five_event_pairs_of_its_device_class_claims_no_speedup(context: Context) -> None:
    assert not concluded(context, baseline_ns=14e3).ratio.eligible  # type: ignore[union-attr]
    assert concluded(context, baseline_ns=15e3).ratio.eligible  # type: ignore[union-attr]
    context.__dict__["calibration"] = replace(CALIBRATION, e0_ns=4.4e3)  # of which five are 22 us
    assert concluded(context, baseline_ns=15e3).ratio.eligible  # type: ignore[union-attr]


def test_no_case_is_eligible_on_a_device_class_without_a_frozen_event_pair(context: Context) -> None:
    context.backend = SimpleNamespace(has_clock=True, device_class="h300-sxm")  # type: ignore[assignment]
    assert not concluded(context, baseline_ns=1e9).ratio.eligible  # type: ignore[union-attr]


def test_more_than_one_session_is_for_cases_that_claim_a_speedup(context: Context) -> None:
    state, timed = state_of(context), performance.Timed(index=1)
    for baseline_ns, waits in ((14e3, False), (15e3, True)):
        state.times = [replace(TIMES, baseline_ns=baseline_ns)]
        assert performance._waiting(context, timed, CALIBRATION) == ([state] if waits else [])


def test_a_case_gets_a_third_session_only_while_its_interval_is_wide(context: Context) -> None:
    state, timed = state_of(context), performance.Timed(index=2)
    for sd, waits in ((0.01, False), (0.05, True)):
        state.times = [replace(TIMES, values=(0.1 + sd, 0.1 - sd) * 5)] * 2
        assert performance._waiting(context, timed, CALIBRATION) == ([state] if waits else [])
        assert performance._waiting(context, timed, None) == [state], "without a floor three tell the spread"


def test_without_a_floor_a_case_has_three_sessions_whatever_they_cost(context: Context) -> None:
    state, timed = state_of(context), performance.Timed(index=2)
    state.times, context.seconds["timed"] = [TIMES] * 2, 1e3
    elsewhere = replace(CALIBRATION, floors={">500us": 0.001})
    for calibration, waits in ((CALIBRATION, False), (None, True), (elsewhere, True)):
        assert performance._waiting(context, timed, calibration) == ([state] if waits else [])
    context.sessions = 1
    assert performance._waiting(context, timed, None) == [], "one session was asked for"
    context.sessions, state.times = 2, [TIMES] * 3
    assert performance._waiting(context, timed, None) == []


def test_a_session_of_a_case_too_short_for_a_speedup_has_few_blocks() -> None:
    wide = (0.0, 0.5, 0.0, 0.5)
    assert has_enough_blocks(CALIBRATION, CLASS, wide, 14e3, 10e3)
    assert not has_enough_blocks(CALIBRATION, CLASS, wide, 15e3, 10e3)
    assert has_enough_blocks(CALIBRATION, CLASS, (0.5, 0.5, 0.5, 0.5), 15e3, 10e3)
    assert not has_enough_blocks(None, CLASS, wide, 15e3, 10e3)


def test_blocks_end_early_but_for_sessions_of_the_baseline_against_itself(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[Enough | None]()

    def time_blocks(*_: object, enough: Enough | None) -> tuple[None, Rejection]:
        asked.append(enough)
        return None, Rejection("mismatch", "wrong")

    monkeypatch.setattr(performance, "time_blocks", time_blocks)
    for timed in (performance.Timed(), performance.Timed(may_end_early=False)):
        performance._time(context, timed, state_of(context), None, CALIBRATION)  # type: ignore[arg-type]
    usual, against_itself = asked
    assert against_itself is None
    assert usual is not None
    assert usual((0.5,) * 4, 20e3, 10e3)
    assert not usual((0.0, 0.5) * 2, 20e3, 10e3)


def test_each_side_of_a_ratio_has_the_noise_of_its_own_time() -> None:
    calibration = replace(CALIBRATION, floors={"5-10us": 0.03, "10-50us": 0.01})
    sds = {
        times: found.sd for times in ((20e3, 20e3), (20e3, 8e3), (8e3, 20e3)) if (found := calibration.floor(*times))
    }
    assert sds == pytest.approx({(20e3, 20e3): 0.01, (20e3, 8e3): math.sqrt(0.0005), (8e3, 20e3): math.sqrt(0.0005)})
    assert calibration.floor(100e3, 20e3) is None
    assert calibration.floor(20e3, 100e3) is None


def test_a_time_below_the_measurable_minimum_gives_a_lower_bound(context) -> None:
    ratio = concluded(context, candidate_ns=3e3, values=(math.log(20 / 3),) * 10).ratio
    assert ratio is not None
    assert ratio.censored
    assert ratio.log_ratio == pytest.approx(math.log(20 / 4.5))
    assert (ratio.high, ratio.eligible) == (None, True), "a slower candidate must not gain"
    assert Flag.CENSORED in context.flags


def test_a_disturbed_or_wide_case_is_noisy(context: Context) -> None:
    concluded(context, is_disturbed=True)
    assert Flag.NOISY in context.flags


def test_a_case_too_short_to_claim_a_speedup_gets_no_flag(context: Context) -> None:
    concluded(context, baseline_ns=9e3, candidate_ns=3e3, is_disturbed=True)
    assert context.flags == set()


def test_calls_that_take_much_longer_than_the_device_are_host_bound(context: Context) -> None:
    state_of(context).others = [OtherClocks({"t_call": Clock((0.03,), (0.0201,))}, (0.0, 0.0))]
    concluded(context)
    assert Flag.HOST_BOUND in context.flags


def test_without_a_calibration_the_spread_between_sessions_is_what_counts(context: Context) -> None:
    state = state_of(context)
    state.times = [replace(TIMES, values=(value,) * 10) for value in (0.1, 0.2, 0.3)]
    conclude(context, state, None)
    assert state.ratio is not None
    assert state.ratio.df == 2
    assert state.ratio.noisy


def test_work_after_the_stop_event_is_implausible(context: Context) -> None:
    concluded(context, outside_ns=8e3)
    rejection = implausible(context)
    assert rejection is not None
    assert rejection.reason == "work_outside"


def test_a_device_that_is_never_free_is_implausible(context: Context) -> None:
    concluded(context, crowded=(0, 60))
    rejection = implausible(context)
    assert rejection is not None
    assert "not free around 180 of 300 calls" in rejection.detail


def timed_with(blocks: int, calls: int, crowded: int, **changes: object) -> CaseTimes:
    block = Block("baseline", (20e3,) * calls, (10e3,) * calls, (30e3, 30e3), (1980, 1980), None)
    session = TimingSession((block,) * blocks, 0, 0, 10, {}, None)
    return replace(TIMES, session=session, crowded=(0, crowded), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize(
    ("sessions", "rejected"),
    [
        ([(5, 10, 10), (4, 10, 0)], False),  # one block of 90 calls
        ([(5, 10, 15), (4, 10, 0)], False),
        ([(5, 10, 16), (4, 10, 0)], True),
        ([(5, 3, 1)], False),
        ([(5, 3, 7)], False),
        ([(5, 3, 8)], True),
        ([(10, 10, 15), (10, 10, 0), (10, 10, 0)], False),
        ([(10, 10, 16), (10, 10, 0), (10, 10, 0)], True),
        ([(20, 10, 16), (20, 10, 0)], False),  # less than one in twenty
    ],
)
def test_a_burst_of_something_else_over_one_block_rejects_nobody(
    context: Context, sessions: list[tuple[int, int, int]], rejected: bool, is_reversed: bool
) -> None:
    concluded(context)
    state_of(context).times = [timed_with(*one) for one in (reversed(sessions) if is_reversed else sessions)]
    assert (implausible(context) is not None) is rejected


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("reason", ["work_outside", "impossible_time"])
def test_one_disturbed_session_of_two_accuses_nobody(context: Context, reason: str, is_reversed: bool) -> None:
    state = state_of(context)
    at_peak_ns = context.task.work_of(state.case)[0] / CALIBRATION.cache_bytes_per_s * 1e9
    right = replace(TIMES, candidate_ns=10e3 if reason == "work_outside" else at_peak_ns)
    wrong = replace(right, outside_ns=50e3) if reason == "work_outside" else replace(right, candidate_ns=at_peak_ns / 9)
    state.outside = replace(OUTSIDE, noise_ns=0.0)
    concluded(context, candidate_ns=right.candidate_ns)
    state.times = [wrong, right] if is_reversed else [right, wrong]
    assert implausible(context) is None
    assert context.findings == []
    state.times = [wrong, wrong]
    rejection = implausible(context)
    assert rejection is not None
    assert rejection.reason == reason


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "held"),
    [((0.0, -0.3), (0.0, 0.0), False), ((0.0, -0.3), (0.1, -0.3), False), ((0.0, -0.3), (0.0, -0.3), True)],
)
def test_clocks_have_to_disagree_in_both_of_two_sessions(
    context: Context, first: tuple[float, float], second: tuple[float, float], held: bool, is_reversed: bool
) -> None:
    state = state_of(context)
    state.others = [replace(CLOCKS, disagreement=one) for one in ((second, first) if is_reversed else (first, second))]
    concluded(context)
    assert implausible(context) is None
    assert [finding.code for finding in context.findings] == ["clocks_disagree"] * held


@pytest.mark.parametrize(
    ("share", "reason", "held"), [(1.6, "impossible_time", False), (1.2, None, True), (1.0, None, False)]
)
def test_a_time_above_the_peak_fails_and_one_close_to_it_is_put_on_hold(
    context: Context, share: float, reason: str | None, held: bool
) -> None:
    state = concluded(context)
    needed_ns = context.task.work_of(state.case)[0] / CALIBRATION.cache_bytes_per_s * 1e9
    concluded(context, candidate_ns=needed_ns / share)
    rejection = implausible(context)
    assert (rejection.reason if rejection else None) == reason
    assert (Flag.HOLD in context.flags) is held


@pytest.mark.parametrize(
    ("excess_ns", "noise_ns", "rejected"), [(3.7e3, 0, False), (3.9e3, 0, True), (5e3, 2e3, False)]
)
def test_a_speed_that_the_judges_own_clock_does_not_show_is_implausible(
    context: Context, excess_ns: float, noise_ns: float, rejected: bool
) -> None:
    state_of(context).outside = replace(OUTSIDE, surplus_ns=9e3, excess_ns=excess_ns, noise_ns=noise_ns)
    concluded(context)
    rejection = implausible(context)
    assert (rejection is not None) is rejected
    if rejection:
        assert rejection.reason == "impossible_time"
        assert "events say 10.0 us, the judge's own clock 13.9 us" in rejection.detail


def test_a_candidate_whose_own_time_is_the_same_on_both_clocks_is_plausible_beside_a_noisy_baseline(
    context: Context,
) -> None:
    state_of(context).outside = replace(OUTSIDE, surplus_ns=1e3, excess_ns=50e3)
    concluded(context)
    assert implausible(context) is None
    assert context.findings == []


def test_a_baseline_that_takes_far_longer_puts_a_disagreement_on_hold(context: Context) -> None:
    state_of(context).outside = replace(OUTSIDE, surplus_ns=60e3, excess_ns=60e3)
    concluded(context, baseline_ns=1000e3)
    assert implausible(context) is None
    assert [finding.code for finding in context.findings] == ["no_outside_clock"]


@pytest.mark.parametrize("outside", [None, OutsideTimes(lacking="a call waits"), replace(OUTSIDE, noise_ns=2.6e3)])
def test_a_case_without_the_judges_own_clock_puts_the_result_on_hold(
    context: Context, outside: OutsideTimes | None
) -> None:
    state_of(context).outside = outside
    concluded(context)
    assert implausible(context) is None
    assert [finding.code for finding in context.findings] == ["no_outside_clock"]
    assert Flag.HOLD in context.flags


@pytest.mark.parametrize(("noise_ns", "held"), [(1.1e3, False), (1.2e3, True)])
def test_the_outside_clock_of_a_censored_case_may_vary_by_a_share_of_what_counts(
    context: Context, noise_ns: float, held: bool
) -> None:
    state_of(context).outside = replace(OUTSIDE, noise_ns=noise_ns)
    assert concluded(context, candidate_ns=100.0).ratio.censored  # type: ignore[union-attr]
    context.__dict__["calibration"] = None  # so that no peak is known
    assert implausible(context) is None
    assert [finding.code for finding in context.findings] == ["no_outside_clock"] * held


def test_events_that_show_less_than_the_judges_clock_put_the_result_on_hold(context: Context) -> None:
    state_of(context).others = [replace(CLOCKS, disagreement=(0.0, -0.3))] * 3
    concluded(context)
    assert implausible(context) is None
    assert [finding.code for finding in context.findings] == ["clocks_disagree"]
    assert Flag.HOLD in context.flags


@pytest.mark.parametrize("disagreement", [(0.3, -0.3), (0.0, 0.3)])
def test_clocks_that_differ_on_both_sides_or_to_ones_own_loss_put_nothing_on_hold(
    context: Context, disagreement: tuple[float, float]
) -> None:
    state_of(context).others = [replace(CLOCKS, disagreement=disagreement)] * 3
    concluded(context)
    assert implausible(context) is None
    assert context.findings == []


def test_a_device_never_free_for_both_sides_is_not_charged(context: Context) -> None:
    concluded(context, crowded=(60, 60))
    assert implausible(context) is None


def test_a_little_work_after_the_stop_event_is_put_on_hold(context: Context) -> None:
    concluded(context, candidate_ns=100e3, outside_ns=5e3)
    assert implausible(context) is None
    assert Flag.HOLD in context.flags


def test_a_calibration_survives_its_file() -> None:
    assert codec.loads(DeviceCalibration, codec.dumps(CALIBRATION)) == CALIBRATION


def test_a_calibration_of_another_protocol_or_from_the_future_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_STATE", str(tmp_path))
    facts = {"card_uuid": CALIBRATION.device, "driver": "1", "torch": "2", "triton": "3"}
    host = HostInfo("cuda", CALIBRATION.device_class, "sm_90", facts)
    now = replace(CALIBRATION, made_at=datetime.now(UTC).isoformat())
    write_calibration(now)
    assert read_calibration(host) == now
    write_calibration(replace(CALIBRATION, made_at=(datetime.now(UTC) + timedelta(hours=1)).isoformat()))
    assert read_calibration(host) is None, "it would stay the newest for an hour"
    write_calibration(replace(now, software=now.software.removesuffix(f", protocol {PROTOCOL}")))
    assert read_calibration(host) is None


def test_a_damaged_calibration_is_a_host_error_that_names_its_file(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_STATE", str(tmp_path))
    host = HostInfo("cuda", CALIBRATION.device_class, "sm_90", {"card_uuid": CALIBRATION.device})
    path = write_calibration(CALIBRATION)
    path.write_text(path.read_text()[:-20])
    with pytest.raises(HostError, match=r"GPU-1\.json is malformed; remove it"):
        read_calibration(host)
