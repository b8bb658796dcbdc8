"""Tests of two entries and rank intervals of many, beside scipy.stats and statsmodels."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from leaderboard.statistics.comparisons import (
    NOT_COMPLETE,
    compare_correctness,
    compare_usable_speedup,
    paired_t,
    sign_flip_p,
)
from leaderboard.statistics.limits import Interval
from leaderboard.statistics.ranking import RankInterval, holm, rank_intervals
from tests.leaderboard.arrays import WRONG, matrix


def random_entry(shift: float, seed: int, noise: float = 0.1):
    return np.random.default_rng(seed).normal(shift, noise, 24)


def test_the_paired_t_test_is_scipys() -> None:
    from scipy import stats

    difference = random_entry(0.05, 1)
    expected = stats.ttest_1samp(difference, 0)
    found = paired_t(difference)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.mean == difference.mean()


def test_entries_that_agree_everywhere_do_not_differ() -> None:
    assert paired_t(np.zeros(12)).p == 1
    assert paired_t(np.full(12, 0.25)).p == 0


def test_six_differences_to_one_side_are_the_smallest_sign_flip_p() -> None:
    # 2 of 2^6 sums are as far out
    assert sign_flip_p([1, 1, 1, 1, 1, 1]) == 2 / 64
    assert sign_flip_p([-3, -1, -1, -1, -1, -1, 0, 0]) == 2 / 64


def test_sign_flips_count_every_sum() -> None:
    steps = [3, -1, 2, 2, -1, 1, 1]
    seen = abs(sum(steps))
    flips = (sum(sign * step for sign, step in zip(signs, steps, strict=True)) for signs in product((1, -1), repeat=7))
    assert sign_flip_p(steps) == sum(abs(one) >= seen for one in flips) / 128


def test_sign_flips_of_one_run_are_mcnemars_exact_test() -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    # 9 tasks only the first solves, 2 only the second
    assert sign_flip_p([1] * 9 + [-1] * 2) == pytest.approx(mcnemar([[5, 9], [2, 4]], exact=True).pvalue)


def test_usable_speedups_are_compared_as_a_ratio_over_all_tasks() -> None:
    # d = log 2 on 6 tasks, 0 on 6: mean log √2; sd of d = log 2·√(12·¼/11) = 0.362; t(11; 0.975) = 2.200985
    first = matrix([[float(np.log(2))]] * 6 + [[WRONG]] * 6)
    found = compare_usable_speedup(first, matrix([[-0.2]] * 12), 12)
    assert found.estimate == pytest.approx(2**0.5)
    half = 2.200985 * np.log(2) * (3 / 11) ** 0.5 / 12**0.5
    assert found.interval.low == pytest.approx(2**0.5 * np.exp(-half), rel=1e-6)
    assert (found.wins, found.ties, found.losses) == (6, 6, 0)
    assert found.is_significant


def test_runs_of_two_entries_need_not_be_equally_many() -> None:
    # differences in halves of thirds: 2/3 − 1/2 on each of 12 tasks
    first = matrix([[0.5, 0.5, WRONG]] * 12)
    second = matrix([[0.5, WRONG]] * 12)
    found = compare_correctness(first, second)
    assert found.estimate == pytest.approx(1 / 6)
    assert found.p == 2 / 2**12


def test_too_few_tasks_that_differ_refuse_the_test_and_not_the_estimate() -> None:
    found = compare_correctness(matrix([[0.5]] * 12), matrix([[0.5]] * 7 + [[WRONG]] * 5))
    assert found.estimate == pytest.approx(5 / 12)
    assert (found.p, found.is_significant) == (None, False)
    assert found.p_refused == "The test needs a difference on 6 tasks; there are 5."


@pytest.mark.parametrize(("compare", "eligible"), [(compare_correctness, []), (compare_usable_speedup, [11])])
def test_eleven_tasks_are_not_compared(compare, eligible) -> None:
    found = compare(matrix([[0.5]] * 11), matrix([[WRONG]] * 11), *eligible)
    assert (found.estimate, found.interval, found.p) == (None, None, None)
    assert found.refused == "A comparison needs 12 tasks; there are 11."
    assert found.wins == 11


def test_an_incomplete_entry_is_not_compared() -> None:
    assert compare_usable_speedup(matrix([[0.5]] * 12), matrix([[None]] + [[0.5]] * 11), 12).refused == NOT_COMPLETE


def test_holm_is_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    p_values = [0.001, 0.04, 0.011, 0.013, 0.5, 0.009]
    assert holm(p_values) == multipletests(p_values, 0.05, method="holm")[0].tolist()
    # by hand: 0.001 ≤ 0.05/6, 0.009 ≤ 0.05/5, 0.011 ≤ 0.05/4, 0.013 ≤ 0.05/3, 0.04 > 0.05/2
    assert holm(p_values) == [True, False, True, True, False, True]


def test_ranks_that_are_clear_are_single_numbers() -> None:
    entries = [random_entry(shift, seed) for seed, shift in enumerate([2.0, 1.0, 0.0])]
    assert rank_intervals(entries) == [RankInterval(1, 1, False), RankInterval(2, 2, True), RankInterval(3, 3, True)]


def test_entries_that_cannot_be_told_apart_share_their_interval() -> None:
    entries = [random_entry(1.0, 1), random_entry(1.0, 2), random_entry(0.0, 3)]
    assert rank_intervals(entries) == [RankInterval(1, 2, False), RankInterval(1, 2, False), RankInterval(3, 3, True)]


def test_not_being_separable_is_not_transitive() -> None:
    # the middle one is noisy against both of the others, which differ by 0.06 on every task
    base, noise = random_entry(0.0, 1), np.tile([0.1, -0.1], 12)
    entries = [base + 0.03 + noise, base, base - 0.03 + noise]
    assert rank_intervals(entries) == [RankInterval(1, 2, False), RankInterval(1, 3, False), RankInterval(2, 3, True)]


def test_one_entry_alone_is_first() -> None:
    assert rank_intervals([random_entry(0.0, 1)]) == [RankInterval(1, 1, False)]


def test_eleven_tasks_carry_no_rank_intervals() -> None:
    assert rank_intervals([np.zeros(11)]) == "Rank intervals need 12 tasks; there are 11."


def test_the_interval_of_a_difference_is_about_the_estimate() -> None:
    found = compare_correctness(matrix([[0.5]] * 12), matrix([[0.5]] * 6 + [[WRONG]] * 6))
    assert isinstance(found.interval, Interval)
    assert found.interval.low < found.estimate < found.interval.high
