"""The paper's columns by hand; and one row of each of its three tables from runs built to give it."""

from __future__ import annotations

import pytest

from leaderboard.statistics.limits import MISSING, NOT_TIMED
from leaderboard.statistics.paper import NO_CORRECT_MEAN, ONE_RUN, OTHER_PAPER, fast_p, paper_columns
from leaderboard.statistics.results import device_times, paper_times
from leaderboard.statistics.spread import runs_at_least
from tests.leaderboard.arrays import BROKEN, WRONG, matrix, right, speedups
from tests.leaderboard.printed import as_printed, matrix_of, printed_rows


def test_the_mean_counts_failures_as_zero() -> None:
    # run means (4 + 0)/2 = 2 and (2 + 2)/2 = 2; s[k] = 3, 1; mean 2, σr = 0
    found = paper_columns(speedups([[4.0, 2.0], [0.0, 2.0]]))
    assert (found.mean_speedup.value, found.mean_speedup.sigma_r) == pytest.approx((2, 0))
    assert (found.top_task, found.top_task_share) == (0, pytest.approx(0.75))
    assert found.correctness_rate_pct == 75
    assert found.mean_score == pytest.approx(20 + 75 + 200)


def test_the_spread_is_that_of_the_run_means() -> None:
    # run means 1, 2, 3: sd 1
    found = paper_columns(speedups([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]))
    assert found.mean_speedup.sigma_r == pytest.approx(1)
    assert found.mean_speedup.runs == 3


def test_one_run_has_no_spread() -> None:
    found = paper_columns(speedups([[1.0], [4.0]]))
    assert (found.mean_speedup.sigma_r, found.mean_speedup.sigma_r_refused) == (None, ONE_RUN)
    assert found.geo_mean_speedup.value == pytest.approx(2)


def test_the_two_readings_of_the_geometric_mean_differ() -> None:
    # per run over right ones: √(4·1) = 2 and √(1·1) = 1, mean 1.5, sd √0.5;
    # run-averaged: s[k] = 2.5, 1: √2.5
    found = paper_columns(speedups([[4.0, 1.0], [1.0, 1.0]]))
    assert (found.geo_mean_speedup.value, found.geo_mean_speedup.sigma_r) == pytest.approx((1.5, 0.5**0.5))
    assert found.geo_mean_run_averaged == pytest.approx(2.5**0.5)


def test_geometric_means_leave_wrong_answers_out() -> None:
    # right in run 0: 4 alone; right in run 1: 1 and 9, g = 3; mean 3.5; run-averaged: s[k] = 2.5, 4.5
    found = paper_columns(speedups([[4.0, 1.0], [0.0, 9.0]]))
    assert found.geo_mean_speedup.value == pytest.approx(3.5)
    assert found.geo_mean_run_averaged == pytest.approx((2.5 * 4.5) ** 0.5)


def test_a_run_without_a_right_answer_has_no_geometric_mean() -> None:
    found = paper_columns(speedups([[4.0, 0.0]]))
    assert found.geo_mean_speedup.value is None
    assert found.geo_mean_speedup.refused == "A run without a correct result has no geometric mean."


def test_the_two_readings_of_fast_p() -> None:
    # s = (3, 0), (1, 1), (2, 2): run means 1.5, 1, 2
    given = speedups([[3.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    times = paper_times(given)
    assert fast_p(times.mean(axis=1), 1) == 1  # more than are right
    by_run = runs_at_least(times, given.correct, (1, 2)).sum(axis=0) / 6  # the curve of the distribution page
    assert by_run == pytest.approx((5 / 6, 0.5))
    assert fast_p(times.mean(axis=1), 2) == pytest.approx(1 / 3)


def test_the_papers_columns_are_of_the_papers_clock() -> None:
    given = matrix([[right(0.0, paper=3.0)], [right(0.0, paper=5.0)]])
    assert paper_columns(given).mean_speedup.value == pytest.approx(4)
    assert device_times(given).tolist() == [[1.0], [1.0]]


def test_a_right_answer_without_a_time_refuses_the_columns() -> None:
    found = paper_columns(matrix([[right(None)], [0.5]]))
    assert (found.mean_speedup.value, found.refused) == (None, NOT_TIMED)


def test_a_missing_answer_refuses_the_columns() -> None:
    assert paper_columns(matrix([[None], [0.5]])).refused == MISSING


def test_nothing_right_is_a_mean_of_zero() -> None:
    found = paper_columns(matrix([[WRONG], [BROKEN]]))
    assert (found.mean_speedup.value, found.mean_score, found.compilation_rate_pct) == (0, 10, 50)
    assert (found.top_task_share, found.geo_mean_run_averaged) == (None, None)


@pytest.mark.parametrize("printed", printed_rows(), ids=lambda row: row["category"])
def test_runs_built_for_it_give_the_printed_row(printed: dict[str, str]) -> None:
    assert as_printed(printed["category"], paper_columns(matrix_of(printed))) == printed


def test_kernelbench_x_averages_over_correct_results_alone() -> None:
    # run 0: 4 alone is right; run 1: (1 + 9)/2 = 5; mean 4.5, sd √0.5; geometric: 4 and √9 = 3, mean 3.5
    found = paper_columns(speedups([[4.0, 1.0], [0.0, 9.0]]), kernelbench_x=True)
    assert (found.mean_correct_speedup.value, found.mean_correct_speedup.sigma_r) == pytest.approx((4.5, 0.5**0.5))
    assert found.geo_mean_speedup.value == pytest.approx(3.5)
    assert found.correctness_rate_pct == 75
    assert (found.mean_score, found.fast_1_pct, found.top_task, found.mean_speedup.value) == (None,) * 4
    assert found.mean_speedup.refused == OTHER_PAPER


def test_kernelbench_x_has_no_mean_without_a_correct_result_or_without_the_clock() -> None:
    assert paper_columns(speedups([[4.0, 0.0]]), kernelbench_x=True).mean_correct_speedup.refused == NO_CORRECT_MEAN
    old = paper_columns(matrix([[right(None)], [WRONG]]), kernelbench_x=True)
    assert (old.mean_correct_speedup.value, old.mean_correct_speedup.refused) == (None, NOT_TIMED)
    assert old.correctness_rate_pct == 50


def test_agentkernelarena_has_no_mean_over_correct_results() -> None:
    found = paper_columns(speedups([[4.0], [0.0]]))
    assert (found.mean_correct_speedup.value, found.mean_correct_speedup.refused) == (None, OTHER_PAPER)
