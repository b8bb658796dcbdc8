"""Estimate a ratio with a confidence interval from the values of blocks (design §4.7).

A block's value is log median(baseline) − log median(candidate); a session's is the mean of its blocks, a case's the
mean of its sessions. The spread between sessions is larger than blocks within one show: it is the host's A/A floor, or
the observed spread where that is significantly larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, variance

from evaluator.distributions import f_quantile, t_quantile
from evaluator.records.calibration import Floor
from evaluator.thresholds import CONFIDENCE, EXTEND_HALF_WIDTH, EXTEND_SHARE, VARIANCE_TEST


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


def block_value(baseline_ns: Sequence[float], candidate_ns: Sequence[float]) -> float:
    """Return the log ratio of medians; every time must be positive and finite."""
    times = (*baseline_ns, *candidate_ns)
    if not baseline_ns or not candidate_ns or not all(math.isfinite(time) and time > 0 for time in times):
        raise ValueError("a block needs positive, finite times of both sides")
    return math.log(median(baseline_ns)) - math.log(median(candidate_ns))


def estimate(sessions: Sequence[Sequence[float]], floor: Floor | None) -> RatioEstimate:
    """Estimate the ratio from the block values of each session. Without a floor the observed spread is used.

    With one session and no floor nothing is known about differences between processes, so the interval is infinite.
    """
    if not sessions or not all(sessions):
        raise ValueError("an estimate needs at least one session, and each at least one block")
    means = [fmean(blocks) for blocks in sessions]
    log_ratio = fmean(means)
    spread, df = _variance(sessions, means, floor)
    if math.isinf(spread):
        return RatioEstimate(log_ratio, math.inf, df, -math.inf, math.inf)
    half = t_quantile((1 + CONFIDENCE) / 2, df) * math.sqrt(spread)
    return RatioEstimate(log_ratio, spread, df, log_ratio - half, log_ratio + half)


def _variance(sessions: Sequence[Sequence[float]], means: list[float], floor: Floor | None) -> tuple[float, float]:
    """Return the variance of the mean over sessions, and its degrees of freedom."""
    count = len(means)
    observed = variance(means) if count > 1 else None
    if floor is None:
        return (observed / count, count - 1) if observed is not None else (math.inf, 1.0)
    within = fmean([variance(blocks) / len(blocks) if len(blocks) > 1 else 0.0 for blocks in sessions])
    expected = within + floor.sd**2
    if observed is not None and expected > 0:
        limit = f_quantile(1 - VARIANCE_TEST, count - 1, floor.df)
        if observed / expected > limit:
            return observed / count, count - 1
    return expected / count, math.inf
