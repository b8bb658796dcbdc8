"""Pearson's r and Fisher's interval beside scipy.stats, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.statistics.correlation import CONSTANT, correlation
from leaderboard.statistics.ratios import POINTS, ratios


@pytest.mark.parametrize(("seed", "n"), [(1, 12), (2, 40), (3, 176)])
def test_it_is_scipys(seed: int, n: int) -> None:
    from scipy.stats import pearsonr

    draw = np.random.default_rng(seed)
    first = draw.integers(0, 9, n).astype(float)
    second = 0.1 * first + draw.normal(size=n)
    expected = pearsonr(first, second)
    found, ends = correlation(first, second), expected.confidence_interval(0.95)
    assert (found.r, found.tasks) == (pytest.approx(expected.statistic), n)
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))


def test_by_hand() -> None:
    # 1 … 12 against its parity: Σ(a − 6.5)² = 143, Σ(b − ½)² = 3, Σ(a − 6.5)(b − ½) = 3, so r = 3/√429 = 0.14484;
    # artanh r = 0.14587, ± 1.96/3 = 0.65332: −0.50745 to 0.79919, whose tanh are −0.46801 and 0.66355
    found = correlation(np.arange(1.0, 13.0), np.arange(1, 13) % 2 == 0)
    assert found.r == pytest.approx(0.14484, abs=1e-5)
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.46801, 0.66355), abs=1e-4)


def test_there_is_none_for_few_tasks_or_without_a_difference() -> None:
    assert correlation(np.arange(11.0), np.arange(11.0)).refused == "A correlation needs 12 tasks; there are 11."
    constant = correlation(np.ones(12), np.arange(12.0))
    assert (constant.r, constant.refused) == (None, CONSTANT)
    rounded = correlation(np.arange(12.0), np.array([0.2 + 0.4 + 0.6] * 6 + [0.6 + 0.6] * 6))  # 1.2 but for rounding
    assert (rounded.r, rounded.refused) == (None, CONSTANT)
    line = correlation(np.arange(12.0), 2 * np.arange(12.0))
    assert (line.r, line.interval) == (pytest.approx(1.0), None)


def test_ratios_by_hand() -> None:
    # 1 1.2 1.4 2 4 8: median 1.7, mean 17.6/6
    found = ratios([(f"task {at}", value) for at, value in enumerate((4.0, 1.0, 1.2, 8.0, 1.4, 2.0))])
    assert (found.pairs, found.median, found.largest) == (6, pytest.approx(1.7), 8.0)
    assert found.mean == pytest.approx(17.6 / 6)
    assert dict(zip(POINTS, found.at_most, strict=True))[2.0] == pytest.approx(4 / 6)


def test_ratios_of_few_tasks_are_refused() -> None:
    found = ratios([("one", 2.0)] * 6)
    assert (found.median, found.pairs, found.tasks) == (None, 6, 1)
    assert found.refused == "A distribution needs a speed on two device classes in 6 tasks; there is 1."
