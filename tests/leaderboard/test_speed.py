"""Usable speedup and its two intervals; the working stands beside each golden value."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest

from leaderboard.statistics.intervals import repeat_interval, student, task_interval
from leaderboard.statistics.limits import MISSING, Interval
from leaderboard.statistics.results import log_usable
from leaderboard.statistics.speed import outcomes, usable_speedup
from tests.leaderboard.arrays import BROKEN, WRONG, matrix, right


def test_wrong_slow_and_indistinct_answers_gain_nothing() -> None:
    given = matrix([[0.5], [-0.5], [right(0.5, width=0.6)], [WRONG], [BROKEN], [right(None)]])
    assert log_usable(given).ravel().tolist() == [0.5, 0, 0, 0, 0, 0]


def test_an_answer_without_a_verdict_is_unknown() -> None:
    assert np.isnan(log_usable(matrix([[None], [0.5]])).ravel()).tolist() == [True, False]


def test_usable_speedup_is_the_exponential_of_the_mean_over_all_tasks() -> None:
    # six tasks: log 2, log 4, four times nothing; mean = 3·log 2 / 6 = log √2
    found = usable_speedup(matrix([[log(2)], [log(4)], [0.0], [WRONG], [-1.0], [BROKEN]]), 6)
    assert found.value == pytest.approx(sqrt(2))
    assert found.worst == found.value


def test_runs_are_averaged_within_their_task_first() -> None:
    # task means 0.1, 0.2 … 0.6: mean 0.35
    rows = [[k / 10 - 0.05, k / 10 + 0.05] for k in range(1, 7)]
    assert usable_speedup(matrix(rows), 6).value == pytest.approx(exp(0.35))


def test_the_task_interval_is_students_t_over_task_means() -> None:
    # values 1 … 6: mean 3.5, sd √3.5, t(5; 0.975) = 2.570582, half = 2.570582·√(3.5/6) = 1.963314
    found = student(np.arange(1.0, 7.0))
    assert (found.low, found.high) == pytest.approx((1.536686, 5.463314), abs=1e-6)
    both = task_interval(np.array([[k - 0.5, k + 0.5] for k in range(1, 7)]))
    assert both == found


def test_the_repeat_interval_has_satterthwaites_degrees_of_freedom() -> None:
    # K = 2, R = 2; v = (0.5, 2): Σv = 2.5, df = 6.25·1/4.25, variance 2.5/8
    from scipy import stats

    found = repeat_interval(np.array([[1.0, 2.0], [3.0, 5.0]]))
    assert isinstance(found, Interval)
    half = stats.t.ppf(0.975, 6.25 / 4.25) * sqrt(2.5 / 8)
    assert (found.low, found.high) == pytest.approx((2.75 - half, 2.75 + half))


def test_equally_noisy_tasks_have_all_their_degrees_of_freedom() -> None:
    # v = 0.5 four times, R = 2: df = (2)²·1/(4·0.25) = 4; variance 2/(16·2) = 1/16; t(4; 0.975) = 2.776445
    found = repeat_interval(np.array([[0.0, 1.0]] * 4))
    assert isinstance(found, Interval)
    assert (found.low, found.high) == pytest.approx((0.5 - 2.776445 / 4, 0.5 + 2.776445 / 4), abs=1e-6)


def test_runs_that_all_agree_leave_a_point() -> None:
    assert repeat_interval(np.ones((6, 3))) == Interval(1.0, 1.0)


def test_one_run_says_nothing_of_another() -> None:
    assert repeat_interval(np.ones((6, 1))) == "The interval for another run needs 2 runs; there is 1."


def test_five_tasks_carry_no_interval() -> None:
    assert task_interval(np.ones((5, 2))) == "An interval needs 6 tasks; there are 5."


def test_speed_is_refused_where_too_few_tasks_can_show_one() -> None:
    found = usable_speedup(matrix([[0.5]] * 8), 5)
    assert (found.value, found.tasks, found.runs, found.worst) == (None, None, None, None)
    assert found.refused == "A speed metric needs eligible cases in 6 tasks; there are 5."


def test_an_incomplete_entry_has_only_its_worst() -> None:
    found = usable_speedup(matrix([[log(2)], [log(2)], [log(2)], [None], [None], [None]]), 6)
    assert (found.value, found.refused) == (None, MISSING)
    assert found.worst == pytest.approx(sqrt(2))


def test_wins_ties_losses_and_failures_add_up() -> None:
    given = matrix([[0.5, 0.005], [-0.5, right(None)], [WRONG, BROKEN], [None, right(-0.5, width=0.6)]])
    found = outcomes(given)
    assert (found.win, found.tie, found.loss, found.fail, found.unknown, found.of) == (1, 3, 1, 2, 1, 8)
