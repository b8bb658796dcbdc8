from __future__ import annotations

import math
import random

import pytest

from evaluator.distributions import f_quantile, t_quantile
from evaluator.judge.timing.estimate import block_value, estimate
from evaluator.records.calibration import Floor


@pytest.mark.parametrize(
    ("probability", "df", "expected"),
    [(0.975, 1, 12.7062), (0.975, 2, 4.30265), (0.975, 5, 2.57058), (0.95, 10, 1.81246), (0.975, math.inf, 1.95996)],
)
def test_t_quantiles_are_those_of_the_printed_tables(probability: float, df: float, expected: float) -> None:
    assert t_quantile(probability, df) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("df1", "df2", "expected"), [(2, 19, 5.92588), (5, 19, 4.17077), (2, math.inf, 4.60517), (5, math.inf, 3.01725)]
)
def test_f_quantiles_are_those_of_the_printed_tables(df1: float, df2: float, expected: float) -> None:
    assert f_quantile(0.99, df1, df2) == pytest.approx(expected, rel=1e-4)


def test_a_block_is_the_log_ratio_of_medians() -> None:
    assert block_value([20, 22, 900], [10, 11, 1]) == pytest.approx(math.log(22 / 10))


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_block_needs_positive_finite_times(bad: float) -> None:
    with pytest.raises(ValueError, match="positive, finite"):
        block_value([1.0, bad], [1.0])


def test_one_session_without_a_floor_claims_nothing() -> None:
    only = estimate([[0.1, 0.1, 0.1]], None)
    assert only.log_ratio == pytest.approx(0.1)
    assert (only.low, only.high) == (-math.inf, math.inf)


def test_the_floor_of_the_host_counts_even_when_sessions_agree() -> None:
    quiet = estimate([[0.1] * 10] * 3, Floor(0.01, 19))
    assert quiet.half_width == pytest.approx(1.95996 * 0.01 / math.sqrt(3), rel=1e-4)


def test_a_spread_far_above_the_floor_replaces_it() -> None:
    wild = estimate([[0.0] * 10, [0.1] * 10, [0.2] * 10], Floor(0.001, 19))
    assert wild.df == 2
    assert wild.half_width == pytest.approx(4.30265 * 0.1 / math.sqrt(3), rel=1e-4)


@pytest.mark.parametrize("session_sd", [0.0, 0.005, 0.02])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(session_sd: float) -> None:
    draw = random.Random(7)
    trials, covered = 800, 0
    for _ in range(trials):
        shifts = [draw.gauss(0.3, session_sd) for _ in range(3)]
        found = estimate(
            [[draw.gauss(shift, 0.01) for _ in range(10)] for shift in shifts], Floor(max(session_sd, 1e-6), 19)
        )
        covered += found.low <= 0.3 <= found.high
    assert 0.93 <= covered / trials <= 0.985


def test_stopping_by_width_ignores_the_sign() -> None:
    assert estimate([[0.5, 0.1]], Floor(0.1, 19)).is_wide
    assert not estimate([[5.0, 5.0]], Floor(0.1, 19)).is_wide
