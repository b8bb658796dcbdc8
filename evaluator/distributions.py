"""Quantiles of Student's t and Fisher's F, from the incomplete beta function: evaluator hosts have no scipy."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

ITERATIONS, EPSILON, TINY = 300, 1e-14, 1e-300


@functools.cache
def t_quantile(probability: float, df: float) -> float:
    """The t with P(T ≤ t) = probability ≥ 0.5; df may be any positive number, including infinity."""
    if not 0.5 <= probability < 1 or not df > 0:
        raise ValueError(f"t quantile of {probability} with {df} degrees of freedom")
    if math.isinf(df):
        df = 1e9  # the normal distribution to nine digits
    return _bisect(lambda t: 1 - 0.5 * beta_cdf(df / (df + t * t), df / 2, 0.5), probability)


@functools.cache
def f_quantile(probability: float, df1: float, df2: float) -> float:
    """The f with P(F ≤ f) = probability."""
    if not 0 < probability < 1 or not (df1 > 0 and df2 > 0):
        raise ValueError(f"F quantile of {probability} with {df1} and {df2} degrees of freedom")
    df2 = min(df2, 1e9)
    return _bisect(lambda f: beta_cdf(df1 * f / (df1 * f + df2), df1 / 2, df2 / 2), probability)


def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by Lentz's continued fraction (Numerical Recipes, §6.4)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    log_front = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log_front) * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, ITERATIONS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for numerator in (even, odd):
            d, c = 1 / _away_from_zero(1 + numerator * d), _away_from_zero(1 + numerator / c)
            value *= c * d
        if abs(c * d - 1) < EPSILON:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def _bisect(cdf: Callable[[float], float], probability: float) -> float:
    low, high = 0.0, 1.0
    while cdf(high) < probability:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle) < probability else (low, middle)
    return high
