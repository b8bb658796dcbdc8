"""Golden values by hand; the working stands beside each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from leaderboard import statistics


def test_wilson_is_the_textbook_interval() -> None:
    # p = 5/6, n = 6, z² = 3.841459: centre 1.153455/1.640243 = 0.703221, half 1.194923·√0.049825 = 0.266725
    found = statistics.wilson(5 / 6, 6)
    assert (found.low, found.high) == pytest.approx((0.436496, 0.969946), abs=2e-6)


def test_wilson_of_all_and_of_none_stays_between_zero_and_one() -> None:
    # p = 1, n = 24: low = 1/(1 + z²/24) = 0.862024
    everything, nothing = statistics.wilson(1, 24), statistics.wilson(0, 24)
    assert (everything.low, everything.high) == pytest.approx((0.862024, 1), abs=2e-6)
    assert (nothing.low, nothing.high) == pytest.approx((0, 0.137976), abs=2e-6)


def test_runs_of_a_task_are_discounted_by_their_agreement() -> None:
    # task means 1, 0, 1/2; between = 2·(1/4 + 1/4)/2 = 1/2, within = (1/2)/3 = 1/6; ρ̂ = (1/3)/(2/3) = 1/2;
    # n = 6/1.5 = 4
    outcomes = [[True, True], [False, False], [True, False]]
    assert statistics.agreement(*statistics.counted(outcomes)) == pytest.approx(0.5)
    assert statistics.effective_size(*statistics.counted(outcomes)) == pytest.approx(4)


def test_runs_that_all_agree_count_once() -> None:
    assert statistics.effective_size(*statistics.counted([[True] * 3, [False] * 3])) == pytest.approx(2)
    assert statistics.effective_size(*statistics.counted([[True] * 3, [True] * 3])) == pytest.approx(2)


def test_runs_that_disagree_more_than_strangers_count_fully() -> None:
    # every task once right and once wrong: between = 0, so ρ̂ < 0 is cut to 0
    assert statistics.effective_size(*statistics.counted([[True, False]] * 6)) == pytest.approx(12)


def test_one_run_has_as_many_draws_as_tasks() -> None:
    assert statistics.effective_size(*statistics.counted([[True], [False], [True]])) == pytest.approx(3)


def test_a_rate_of_six_tasks_has_an_interval() -> None:
    found = statistics.rate([[True]] * 5 + [[False]], of=6)
    assert (found.count, found.of, found.refused) == (5, 6, None)
    assert found.interval == statistics.wilson(5 / 6, 6)


def test_a_rate_of_five_tasks_has_none_and_says_why() -> None:
    found = statistics.rate([[True]] * 5, of=5)
    assert found.interval is None
    assert found.share == 1
    assert found.refused == "An interval needs 6 tasks; there are 5."


def test_while_something_is_missing_only_the_ends_are_known() -> None:
    found = statistics.rate([[True], [True], [False]], of=6)
    assert found.share is None
    assert found.interval is None
    assert (found.worst, found.best) == pytest.approx((2 / 6, 5 / 6))


def test_a_rate_of_nothing_is_no_number() -> None:
    found = statistics.rate([], of=0)
    assert (found.share, found.worst, found.best) == (None, None, None)


def test_equal_values_share_a_rank() -> None:
    assert statistics.ranks([0.5, 0.9, 0.5, 0.1]) == [2, 1, 2, 4]
    assert statistics.ranks([0.3, 0.3, 0.3]) == [1, 1, 1]


def test_values_that_only_look_equal_do_not_share_one() -> None:
    assert statistics.ranks([1 / 3, 0.3333]) == [1, 2]


def test_the_site_loads_no_more_of_scipy_than_special_functions() -> None:
    """scipy.stats would cost each web process 50 MB more, statsmodels 80."""
    code = "import sys, leaderboard.statistics.ranking, leaderboard.statistics.spread; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "scipy.special" in loaded
    assert not {"scipy.stats", "scipy.optimize", "pandas", "statsmodels"} & set(loaded)
