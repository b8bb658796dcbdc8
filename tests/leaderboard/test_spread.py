"""Quantiles and curves over tasks, beside Python's own statistics and numpy."""

from __future__ import annotations

import statistics as python

import numpy as np
import pytest
from scipy import stats

from leaderboard.statistics.limits import Interval
from leaderboard.statistics.spread import (
    counted_curve,
    distribution,
    is_at_most,
    order_interval,
    quantile,
    runs_at_least,
)


def test_quantiles_are_read_by_both_methods() -> None:
    values = np.array([1.0, 2.0, 4.0, 8.0])
    # linear: 0.25·3 = 0.75 of the way from 1 to 2; exclusive: (4 + 1)·0.25 = 1.25-th value
    assert quantile(values, 0.25).value == pytest.approx(1.75)
    assert quantile(values, 0.25, "exclusive").value == pytest.approx(1.25)
    for method, name in (("linear", "inclusive"), ("exclusive", "exclusive")):
        expected = python.quantiles(values.tolist(), n=4, method=name)
        assert [quantile(values, share, method).value for share in (0.25, 0.5, 0.75)] == pytest.approx(expected)


def test_an_interval_of_the_median_is_between_two_of_its_values() -> None:
    # n = 20: P(X ≤ 5) = 0.0207, P(X ≤ 6) = 0.0577, so the 6th and, by symmetry, the 15th smallest
    assert order_interval(np.arange(1.0, 21.0), 0.5) == Interval(6.0, 15.0)


@pytest.mark.parametrize(("n", "share"), [(24, 0.25), (24, 0.5), (148, 0.9), (60, 0.75)])
def test_an_order_interval_holds_the_quantile_with_95_percent(n: int, share: float) -> None:
    found = order_interval(np.arange(1.0, n + 1), share)
    assert found is not None
    # it misses where fewer than `low` or at least `high` values lie below the quantile
    miss = stats.binom.cdf(found.low - 1, n, share) + stats.binom.sf(found.high - 1, n, share)
    narrower = stats.binom.cdf(found.low, n, share)
    assert miss <= 0.05
    assert narrower > 0.025


def test_a_quantile_near_the_end_of_few_tasks_has_no_interval() -> None:
    found = quantile(np.arange(20.0), 0.9)
    assert (found.interval, found.refused) == (None, "One end lies beyond the outermost task.")


def test_nineteen_tasks_have_no_interval_of_a_quantile() -> None:
    assert quantile(np.arange(19.0), 0.5).refused == "An interval of a quantile needs 20 tasks; there are 19."


def test_the_spread_over_tasks_is_with_n_minus_one() -> None:
    found = distribution(np.array([1.0, 2.0, 3.0, 6.0]))
    assert found.task_sd == pytest.approx(python.stdev([1, 2, 3, 6]))
    assert (found.smallest, found.median.value, found.largest, found.method) == (1, 2.5, 6, "linear")


def test_a_curve_counts_right_and_fast_answers_of_all() -> None:
    times = np.array([[3.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    counts = runs_at_least(times, times > 0, (1, 2, 3))
    assert counts.tolist() == [[1, 1, 1], [2, 0, 0], [2, 2, 0]]
    assert counted_curve(counts, 2, (1, 2, 3)).shares == pytest.approx((2.5 / 3, 0.5, 0.5 / 3))


def test_a_distribution_function_counts_tasks_up_to_each_point() -> None:
    counts = is_at_most(np.array([0.5, 1.0, 3.0]), (0.4, 1.0, 3.0))
    assert counts.mean(axis=0).tolist() == pytest.approx([0, 2 / 3, 1])


def test_a_wrong_answer_is_at_no_point_of_a_fast_p_curve() -> None:
    assert runs_at_least(np.zeros((1, 1)), np.zeros((1, 1), dtype=bool), (0.0,)).tolist() == [[0]]


def test_a_band_is_the_binomials_where_tasks_are_yes_or_no() -> None:
    # 24 tasks of which 12: a resample's count is binomial(24, ½), 2.5 % and 97.5 % at 7 and 17
    curve = counted_curve(np.array([[1]] * 12 + [[0]] * 12), 1, (1.0,))
    assert (*curve.low, *curve.high) == pytest.approx((7 / 24, 17 / 24))


@pytest.mark.parametrize("tasks", [99, 100, 400, 1201])
def test_a_band_is_the_binomials_however_many_tasks_there_are(tasks: int) -> None:
    right = tasks // 3
    curve = counted_curve(np.array([[1]] * right + [[0]] * (tasks - right)), 1, (1.0,))
    ends = [stats.binom.ppf(share, tasks, right / tasks) / tasks for share in (0.025, 0.975)]
    assert (curve.low, curve.high) == ((ends[0],), (ends[1],))


def test_a_band_is_what_drawn_resamples_come_to() -> None:
    draws = np.random.default_rng(3)
    counts = draws.integers(0, 4, (24, 3))
    drawn = counts[draws.integers(0, 24, (40_000, 24))].sum(axis=1) / 72
    expected = np.quantile(drawn, [0.025, 0.975], axis=0, method="inverted_cdf")
    curve = counted_curve(counts, 3, (1, 2, 3))
    assert np.array([curve.low, curve.high]) == pytest.approx(expected, abs=1 / 72)  # one answer's share


def test_a_band_is_nothing_wide_where_all_tasks_agree() -> None:
    curve = counted_curve(np.full((196, 2), [0, 3]), 3, (1.0, 2.0))
    assert (curve.low, curve.shares, curve.high) == ((0, 1), (0, 1), (0, 1))
