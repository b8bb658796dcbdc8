"""Estimate a ratio with a confidence interval from the values of blocks (design §4.7).

A block's value is log median(baseline) − log median(candidate); a session's is the mean of its blocks, a case's the
mean of its sessions. The spread between sessions is larger than blocks within one show: it is what the host's A/A floor
and the blocks let expect, or the observed spread where that is larger. All intervals are Student's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev, variance

from evaluator.distributions import f_quantile, t_quantile
from evaluator.records.calibration import Floor
from evaluator.thresholds import (
    BLOCKS_HALF_WIDTH,
    CONFIDENCE,
    EXTEND_HALF_WIDTH,
    EXTEND_SHARE,
    SPREAD_SESSIONS,
    VARIANCE_TEST,
)


@dataclass(frozen=True, slots=True)
class RatioEstimate:
    """`log_ratio` > 0: the candidate is faster. The interval is at thresholds.CONFIDENCE."""

    log_ratio: float
    variance: float
    df: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def is_wide(self) -> bool:
        """Whether more sessions are needed. Only the width decides, so that stopping does not bias the ratio."""
        return self.half_width > EXTEND_HALF_WIDTH and self.half_width > EXTEND_SHARE * abs(self.log_ratio)


def widened(found: RatioEstimate, error: float) -> RatioEstimate:
    """Return the estimate with another error of its log ratio, one standard deviation, which sessions share."""
    if not error or math.isinf(found.variance):
        return found
    spread = found.variance + error**2
    half = _quantile(found.df) * math.sqrt(spread)
    return RatioEstimate(found.log_ratio, spread, found.df, found.log_ratio - half, found.log_ratio + half)


def block_value(baseline_ns: Sequence[float], candidate_ns: Sequence[float]) -> float:
    """Return the log ratio of medians; every time must be positive and finite."""
    times = (*baseline_ns, *candidate_ns)
    if not baseline_ns or not candidate_ns or not all(math.isfinite(time) and time > 0 for time in times):
        raise ValueError("a block needs positive, finite times of both sides")
    return math.log(median(baseline_ns)) - math.log(median(candidate_ns))


def has_narrow_blocks(blocks: Sequence[float], floor: Floor | None) -> bool:
    """Whether more blocks of a session would hardly narrow the case's interval. Only their width decides."""
    half = _quantile(len(blocks) - 1) * stdev(blocks) / math.sqrt(len(blocks))
    return half <= max(BLOCKS_HALF_WIDTH, floor.sd if floor else 0.0)


def estimate(sessions: Sequence[Sequence[float]], floor: Floor | None) -> RatioEstimate:
    """Estimate the ratio from the block values of each session.

    Without a floor only the first SPREAD_SESSIONS tell the spread between sessions: from fewer of them nothing is
    known about it, so the interval is infinite.
    """
    if not sessions or not all(sessions):
        raise ValueError("an estimate needs at least one session, and each at least one block")
    means = [fmean(blocks) for blocks in sessions]
    log_ratio = fmean(means)
    spread, df = _spread(sessions, means, floor) if floor else _observed(means[:SPREAD_SESSIONS])
    if math.isinf(spread):
        return RatioEstimate(log_ratio, math.inf, df, -math.inf, math.inf)
    half = _quantile(df) * math.sqrt(spread / len(means))
    return RatioEstimate(log_ratio, spread / len(means), df, log_ratio - half, log_ratio + half)


def _observed(means: Sequence[float]) -> tuple[float, float]:
    return (variance(means), len(means) - 1) if len(means) == SPREAD_SESSIONS else (math.inf, 1.0)


def _spread(sessions: Sequence[Sequence[float]], means: list[float], floor: Floor) -> tuple[float, float]:
    """Return the variance of sessions, and its degrees of freedom: those of both its parts by Welch and Satterthwaite.

    An observed spread above what is expected counts in its place; far above, with its own degrees of freedom, too.
    """
    several = [blocks for blocks in sessions if len(blocks) > 1]
    within = sum(variance(blocks) / len(blocks) for blocks in several) / len(sessions)
    expected = within + floor.sd**2
    df = floor.df
    if within > 0:
        freedom = sum(len(blocks) - 1 for blocks in several)
        df = expected**2 / (within**2 / freedom + floor.sd**4 / floor.df)
    if len(means) == 1:
        return expected, df
    observed = variance(means)
    if observed > expected * f_quantile(1 - VARIANCE_TEST, len(means) - 1, floor.df):
        return observed, len(means) - 1
    return max(expected, observed), df


def _quantile(df: float) -> float:
    """Student's t at thresholds.CONFIDENCE; the next whole number below counts, which is the wider side."""
    return t_quantile((1 + CONFIDENCE) / 2, max(1, math.floor(df)))
