"""Assumptions of the attribution, by hand, by permutation, and beside scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.statistics.explanation import ALL_ALIKE, ONE_TYPE, Explanation, explain
from leaderboard.statistics.permutations import dependence, effects

HALVES = np.array([0] * 12 + [1] * 12)


def drawn(seed: int, chances: np.ndarray) -> np.ndarray:
    return (np.random.default_rng(seed).random(chances.shape) < chances).astype(float)


def test_entries_that_agree_on_every_task_vary_as_often_as_there_are_entries() -> None:
    one = np.tile([1.0, 0.0, 1.0], 8)
    found = dependence(np.array([one, one, one]), HALVES)
    # Totals are 3 times the outcome: 9 times its variance, over 3 times
    assert (found.ratio, found.p) == (pytest.approx(3.0), 1 / 1000)


def test_the_ratio_of_agreement_by_hand() -> None:
    # One type of 4 tasks. Entries 1100 and 1010: each has Σ(y − ½)² = 1, so 2; totals 2 1 1 0: 1 + 0 + 0 + 1 = 2
    outcomes, one_type = np.array([[1.0, 1, 0, 0], [1, 0, 1, 0]]), np.zeros(4, dtype=int)
    assert dependence(outcomes, one_type).ratio == pytest.approx(1.0)
    # And 1100 with 0011: totals are all 1
    assert dependence(np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]]), one_type).ratio == pytest.approx(0.0)
    assert dependence(np.ones((2, 4)), one_type) is None


def test_a_permutation_p_is_the_exact_one() -> None:
    # Of the C(4,2)² arrangements of 1100 and 1100, a sixth have the same two tasks: p = 1/6
    outcomes = np.array([[1.0, 1, 0, 0], [1, 1, 0, 0]])
    assert dependence(outcomes, np.zeros(4, dtype=int)).p == pytest.approx(1 / 6, abs=0.04)
    # Types aabb with totals 2 2 0 0: of the 6 assignments, 2 separate the totals as far: p = 1/3
    assert effects(outcomes, np.array([0, 0, 1, 1])).category_p == pytest.approx(1 / 3, abs=0.05)


def test_the_p_of_the_entry_is_cochrans() -> None:
    from statsmodels.stats.contingency_tables import cochrans_q

    outcomes = drawn(5, np.array([[0.3] * 60, [0.45] * 60, [0.5] * 60]))
    assert effects(outcomes, np.arange(60) % 3).method_p == pytest.approx(cochrans_q(outcomes.T).pvalue, abs=0.03)


def test_independent_entries_are_rejected_about_one_time_in_twenty() -> None:
    # 200 draws: 10 expected, and three standard errors are 9.2
    found = [dependence(drawn(seed, np.full((3, 24), 0.4)), HALVES).p < 0.05 for seed in range(200)]
    assert 1 <= sum(found) <= 20


def test_the_same_outcomes_have_the_same_p() -> None:
    outcomes = drawn(1, np.full((4, 24), 0.5))
    assert explain(outcomes, HALVES, has_repeats=False) == explain(outcomes.copy(), HALVES, has_repeats=False)


def test_chi_squared_has_a_p_where_nothing_speaks_against_it() -> None:
    from scipy.stats import chi2

    types = np.array([0] * 40 + [1] * 40)
    found = explain(drawn(2, np.where(types, 0.3, 0.7)[None, :].repeat(3, axis=0)), types, has_repeats=False)
    assert isinstance(found, Explanation)
    assert found.no_chi_squared == ()
    assert found.chi_squared.category_p == pytest.approx(chi2.sf(found.plain.category_added, 1), rel=1e-9)
    assert found.chi_squared.method_p == pytest.approx(chi2.sf(found.plain.method_added, 2), rel=1e-9)
    assert found.chi_squared.category_p < 0.001 < 0.05 < found.chi_squared.method_p
    assert found.permuted.category_p == 1 / (found.permuted.permutations + 1)


def test_chi_squared_has_none_where_an_assumption_does_not_hold() -> None:
    one = drawn(3, np.full((1, 24), 0.5))
    agreeing = explain(np.vstack([one, one, 1 - one]), HALVES, has_repeats=True)
    assert agreeing.chi_squared is None
    assert "Runs of one entry on one task are not independent." in agreeing.no_chi_squared
    same = explain(np.vstack([one, one, one]), HALVES, has_repeats=False)
    assert "Entries agree about single tasks." in same.no_chi_squared
    outcomes = np.vstack([np.r_[one[0, :12], np.zeros(12)]] * 3)
    separated = explain(outcomes, HALVES, has_repeats=False)
    assert separated.plain is None
    assert separated.no_chi_squared[0] == "The model without a ridge has no finite fit."
    assert separated.ridge.category > 0


def test_runs_weigh_as_a_share_of_their_task() -> None:
    """Two runs each that agree say what one says."""
    outcomes = drawn(4, np.full((3, 24), 0.5))
    assert explain(outcomes, HALVES, has_repeats=True).ridge == explain(outcomes, HALVES, has_repeats=False).ridge


def test_what_is_too_small_is_refused_with_the_reason() -> None:
    outcomes = drawn(1, np.full((3, 24), 0.5))
    two = "An attribution needs 3 complete entries that solve a task; there are 2."
    assert explain(outcomes[:2], HALVES, has_repeats=False) == two
    few = explain(outcomes[:, 7:17], HALVES[7:17], has_repeats=False)
    assert few == "An attribution needs 12 tasks; there are 10."
    assert explain(outcomes, np.zeros(24, dtype=int), has_repeats=False) == ONE_TYPE
    assert explain(np.ones((3, 24)), HALVES, has_repeats=False) == ALL_ALIKE
