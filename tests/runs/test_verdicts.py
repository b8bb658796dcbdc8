"""What a record becomes in columns: the device clock, the papers' clocks, and what metrics take."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evaluator.records.measurements import Clock, Ratio
from evaluator.records.reasons import Flag
from evaluator.records.record import CaseRecord, TaskRef, problems_of
from runs import verdicts
from runs.models import Attempt, Measurement
from tests.records import GPU_TIMES, make_gpu_case, make_gpu_record, make_record


def measured() -> dict[str, Measurement]:
    return {row.case: row for row in verdicts.measurements(Attempt(), make_gpu_record())}


def ratio(log_ratio: float, low: float | None, high: float | None, *, noisy: bool = True) -> Ratio:
    return Ratio(log_ratio, None, None, low, high, eligible=True, censored=False, noisy=noisy)


def timed(baseline_ms: float, candidate_ms: float, name: str = "aka_events") -> CaseRecord:
    """A case whose clock `name` says so."""
    case = make_gpu_case("n=1", 20.0, 20.0)
    return replace(case, clocks={**case.clocks, name: Clock((baseline_ms,), (candidate_ms,))})


def test_the_synthetic_record_keeps_the_rules_of_records() -> None:
    assert problems_of(make_gpu_record()) == []


def test_a_measurement_has_the_ratio_with_all_that_is_known_of_it() -> None:
    row = measured()["n=8388608,rounds=1"]
    assert (row.baseline_t_dev_ms, row.candidate_t_dev_ms) == (0.0212, 0.0209)
    assert row.log_ratio == pytest.approx(math.log(21.2 / 20.9))
    assert (row.log_ratio_low, row.log_ratio_high) == pytest.approx((row.log_ratio - 0.006, row.log_ratio + 0.006))
    assert row.log_ratio_variance == pytest.approx((0.006 / 1.96) ** 2)
    assert (row.log_ratio_df, row.is_eligible, row.is_censored, row.is_noisy) == (None, True, False, False)


def test_marks_of_a_ratio_become_columns() -> None:
    rows = measured()
    assert not rows["n=1000,rounds=3"].is_eligible
    censored = rows["n=524288,rounds=1"]
    assert (censored.is_censored, censored.log_ratio_high) == (True, None)
    assert rows["n=4194304,rounds=8192"].is_noisy


def test_every_other_clock_keeps_its_medians() -> None:
    assert set(measured()["n=1000,rounds=3"].clocks) == {"t_call", "aka_loop", "aka_events"}


def test_the_log_speedup_is_the_mean_over_eligible_cases() -> None:
    eligible = [math.log(base / max(new, 3.0)) for base, new in GPU_TIMES.values() if base >= 10]
    assert len(eligible) < len(GPU_TIMES)
    assert verdicts.attempt_columns(make_gpu_record())["log_speedup"] == pytest.approx(sum(eligible) / len(eligible))


def test_no_eligible_case_leaves_no_log_speedup() -> None:
    columns = verdicts.attempt_columns(make_gpu_record(cases=(make_gpu_case("n=1", 3.7, 3.6),)))
    assert (columns["log_speedup"], columns["cautious_log_speedup"]) == (None, None)
    assert columns["paper_speedup"] is not None


def test_a_case_without_a_ratio_fails_the_whole_task() -> None:
    cases = (make_gpu_case("n=1", 20.0, 10.0), make_gpu_case("n=2", 20.0, 10.0, ratio=None))
    assert verdicts.attempt_columns(make_gpu_record(cases=cases))["log_speedup"] is None


@pytest.mark.parametrize(
    ("found", "taken"),
    [
        (ratio(0.5, 0.4, 0.6, noisy=False), 0.5),
        (ratio(0.5, 0.2, 0.8), 0.2),
        (ratio(0.1, -0.2, 0.4), 0.0),
        (ratio(-0.5, -0.8, -0.2), -0.2),
        (ratio(-0.1, -0.4, 0.2), 0.0),
        (ratio(0.5, 0.2, None), 0.2),
        (ratio(0.5, None, None), 0.0),
        (ratio(-0.5, None, None), 0.0),
    ],
)
def test_metrics_take_the_end_of_a_noisy_interval_nearer_to_one(found: Ratio, taken: float) -> None:
    assert verdicts.cautious(found) == taken


def test_the_cautious_mean_differs_by_the_noisy_case_alone() -> None:
    columns = verdicts.attempt_columns(make_gpu_record())
    noisy = math.log(1164.3 / 1170.1)
    taken = min(noisy + 0.031, 0.0)
    assert columns["cautious_log_speedup"] - columns["log_speedup"] == pytest.approx((taken - noisy) / 4)


def test_a_task_s_interval_has_the_mean_ends_of_its_cases() -> None:
    cases = tuple(make_gpu_case(f"n={n}", 20.0, 10.0, ratio=ratio(0.5, 0.4 - n / 10, 0.6 + n / 10)) for n in (0, 1))
    columns = verdicts.attempt_columns(make_gpu_record(cases=cases))
    assert (columns["log_speedup_low"], columns["log_speedup_high"]) == pytest.approx((0.35, 0.65))


def test_one_case_without_a_bound_leaves_the_task_without_it() -> None:
    cases = (
        make_gpu_case("n=1", 20.0, 10.0, ratio=ratio(0.5, 0.4, None)),
        make_gpu_case("n=2", 20.0, 10.0, ratio=ratio(0.5, 0.4, 0.6)),
    )
    columns = verdicts.attempt_columns(make_gpu_record(cases=cases))
    assert (columns["log_speedup_low"], columns["log_speedup_high"]) == (pytest.approx(0.4), None)


def test_the_papers_speedup_is_the_mean_ratio_on_the_category_s_clock() -> None:
    cases = (timed(4.0, 2.0), timed(3.0, 3.0))
    assert verdicts.attempt_columns(make_gpu_record(cases=cases))["paper_speedup"] == pytest.approx(1.5)
    loops = (timed(4.0, 1.0, "aka_loop"),)
    hip = replace(make_gpu_record(cases=loops).task, category="hip2hip")
    assert verdicts.attempt_columns(make_gpu_record(cases=loops, task=hip))["paper_speedup"] == pytest.approx(4.0)


KBX = TaskRef("torch2triton/kernelbenchx/relu", "a" * 64, "torch2triton")


def test_kernelbench_x_s_speedup_is_a_ratio_of_sums_over_the_full_cases() -> None:
    """(4 + 1) / (2 + 4) = 5/6, where the mean of ratios would be (2 + 1/4) / 2; a small case needs no such time."""
    full = (timed(4.0, 2.0, "kbx_do_bench"), timed(1.0, 4.0, "kbx_do_bench"))
    small = replace(make_gpu_case("n=2", 5.0, 5.0), profile="small")
    record = make_gpu_record(cases=(*full, small), task=KBX)
    assert verdicts.attempt_columns(record)["paper_speedup"] == pytest.approx(5 / 6)


def test_without_kernelbench_x_s_clock_on_a_full_case_there_is_no_speedup_on_it() -> None:
    """As in records from before the clock was taken."""
    some = (timed(4.0, 2.0, "kbx_do_bench"), make_gpu_case("n=2", 20.0, 10.0))
    small = replace(timed(4.0, 2.0, "kbx_do_bench"), profile="small")
    for cases in (some, some[1:], (small,)):
        assert verdicts.attempt_columns(make_gpu_record(cases=cases, task=KBX))["paper_speedup"] is None


def test_a_missing_time_on_the_papers_clock_leaves_no_speedup_of_the_papers() -> None:
    case = make_gpu_case("n=2", 20.0, 10.0)
    without = replace(case, clocks={name: clock for name, clock in case.clocks.items() if name != "aka_events"})
    assert verdicts.attempt_columns(make_gpu_record(cases=(timed(4.0, 2.0), without)))["paper_speedup"] is None


def test_functional_times_make_no_speedup_of_any_kind() -> None:
    columns = verdicts.attempt_columns(make_record())
    assert {columns[name] for name in ("log_speedup", "cautious_log_speedup", "paper_speedup")} == {None}


def test_the_protocol_and_the_flags_are_those_of_the_record() -> None:
    record = make_gpu_record(protocol="aka-scripts-1", flags=(Flag.SCRIPT_TIMED, Flag.UNCALIBRATED))
    columns = verdicts.attempt_columns(record)
    assert (columns["protocol"], columns["is_uncalibrated"]) == ("aka-scripts-1", True)
    assert columns["paper_speedup"] is None, "a script's aka_events is not ours"
