"""Bounds of a printed row, by hand."""

from __future__ import annotations

import pytest

from leaderboard.statistics.printed_bounds import bounds, contradicts, rank_below


def test_a_quantile_lies_between_two_tasks() -> None:
    # 1 + 23·0.25 = 6.75 and 25·0.25 = 6.25; 1 + 4·0.75 = 4
    assert rank_below(24, 0.25) == (6, pytest.approx(0.75))
    assert rank_below(24, 0.25, is_exclusive=True) == (6, pytest.approx(0.25))
    assert rank_below(5, 0.75) == (4, pytest.approx(0))


@pytest.mark.parametrize(
    ("quantile", "fast", "is_exclusive", "expected"),
    [
        (1.95, 15, False, False),  # P90 at 133.3: x[133] is below 2, so at most 148 − 133 = 15 are not
        (1.95, 16, False, True),
        (1.95, 15, True, True),  # at 134.1: x[134] is below 2, so at most 14 are not
        (2.10, 15, False, False),  # x[134] is at least 2, so at least 15 are
        (2.10, 14, False, True),
        (2.00, 3, False, False),  # may be rounded from 1.996, and from 2.004
    ],
)
def test_a_quantile_contradicts_fast_p(quantile: float, fast: int, is_exclusive: bool, expected: bool) -> None:
    assert contradicts(148, 0.9, quantile, 2, fast, is_exclusive=is_exclusive) is expected


def test_without_quantiles_the_bounds_are_those_of_a_sum() -> None:
    # five tasks with sum 10: all 2, or one 10 and four 0, whose squares are 100 − 5·4 = 80 from the mean, 80 / 4 = 20
    found = bounds(5, 2.0, 1.0, {}, {})
    assert found.sd_least == pytest.approx(0, abs=1e-6)
    assert found.sd_most == pytest.approx(20**0.5)
    assert found.geometric_most == pytest.approx(2)
    # (1·4/5 + 4) / 2 = 2.4, and 2 + 4/√5
    assert (found.largest_least, found.largest_most) == (pytest.approx(2.4), pytest.approx(2 + 4 / 5**0.5))


def test_fast_p_moves_the_bounds() -> None:
    # three of four tasks at least 1, one at least 2, sum 8: ends are (0, 1), (1, 2), (1, 2) and 2 or more.
    found = bounds(4, 2.0, 1.0, {}, {1: 3, 2: 1})
    # as equal as possible: 1, 2, 2, 3; farthest apart: 0, 1, 1, 6
    assert found.sd_least == pytest.approx(((1 + 0 + 0 + 1) / 3) ** 0.5, abs=1e-6)
    assert found.sd_most == pytest.approx(((4 + 1 + 1 + 16) / 3) ** 0.5)
    assert found.geometric_most == pytest.approx(12**0.25)


def test_tasks_that_are_never_correct_are_in_no_geometric_mean() -> None:
    # three failures: one task may be 0, and the three others 0, 4, 4, 4 have 4; with it all four have 3
    assert bounds(4, 3.0, 1.0, {}, {}, failures=3).geometric_most == pytest.approx(4)
