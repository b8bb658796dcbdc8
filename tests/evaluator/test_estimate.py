from __future__ import annotations

import math
import random
from statistics import fmean

import pytest

from evaluator.distributions import f_quantile, t_quantile
from evaluator.judge.timing.estimate import block_value, estimate, has_narrow_blocks
from evaluator.records.calibration import Floor
from scripts.stopping_coverage import BUNDLES, measure, measured_noise, scenarios


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


def test_without_a_floor_the_first_three_sessions_alone_tell_the_spread() -> None:
    means = [[0.1], [0.2], [0.3], [0.2], [0.2]]
    assert estimate(means[:2], None).is_wide
    for count in (3, 4, 5):
        found = estimate(means[:count], None)
        assert found.df == 2
        assert found.half_width == pytest.approx(4.30265 * 0.1 / math.sqrt(count), rel=1e-4)


def test_the_floor_of_the_host_counts_even_when_sessions_agree() -> None:
    quiet = estimate([[0.1] * 10] * 3, Floor(0.01, 19))
    assert quiet.half_width == pytest.approx(2.09302 * 0.01 / math.sqrt(3), rel=1e-4)


def test_a_spread_above_the_floor_widens_the_interval() -> None:
    wide = estimate([[0.0] * 10, [0.02] * 10], Floor(0.01, 19))
    assert wide.df == 19
    assert wide.half_width == pytest.approx(2.09302 * 0.01, rel=1e-4)


def test_blocks_that_tell_little_lower_the_degrees_of_freedom() -> None:
    blocks = [0.0, 0.1, 0.0, 0.1]
    assert estimate([blocks] * 2, Floor(0.0001, 19)).df == pytest.approx(6, rel=1e-3)
    assert estimate([blocks] * 2, Floor(1.0, 19)).df == pytest.approx(19, rel=0.01)


def test_a_spread_far_above_the_floor_replaces_it() -> None:
    wild = estimate([[0.0] * 10, [0.1] * 10, [0.2] * 10], Floor(0.001, 19))
    assert wild.df == 2
    assert wild.half_width == pytest.approx(4.30265 * 0.1 / math.sqrt(3), rel=1e-4)


def test_a_session_has_enough_blocks_once_they_are_narrow_or_narrower_than_the_floor() -> None:
    blocks = [0.0, 0.004, 0.0, 0.004]  # a half-width of 3.18 * 0.00231 / 2
    assert has_narrow_blocks(blocks, None)
    assert not has_narrow_blocks([2 * value for value in blocks], None)
    assert not has_narrow_blocks([2 * value for value in blocks], Floor(0.007, 19))
    assert has_narrow_blocks([2 * value for value in blocks], Floor(0.008, 19))
    assert has_narrow_blocks([5 - value for value in blocks], None), "the ratio itself decides nothing"


def test_an_interval_that_ends_its_own_measurement_covers_the_truth() -> None:
    noises = measured_noise(BUNDLES[-1:])  # of six tasks
    tried = [one for one in scenarios() if one.baseline in noises and one.times_host == 1]
    found = [measure(one, noises, 30) for one in tried]
    assert fmean(one.share for one in found) >= 0.94
    for scenario, one in zip(tried, found, strict=True):
        assert one.sessions >= 2 if scenario.knows_floor else one.sessions >= 3
    assert min(one.blocks for one in found) < 16, "sessions end early"


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
