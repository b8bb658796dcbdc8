"""How much of correctness the method and the task category explain (KernelBench-X, arXiv 2605.04956).

Explained deviance is 1 − D/D₀ of a ridge logistic model on one indicator for each method and category. The paper names
neither its ridge nor its counts; λ = 1 and the counts of its Table 3 reproduce its 3.3 and 9.4 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.results import Numbers

RIDGE = 1.0  # λ
STEPS, CLOSE = 100, 1e-10  # of Newton's method


@dataclass(frozen=True, slots=True)
class Attribution:
    """Shares of the null deviance that logistic models of passing explain."""

    method: float
    category: float
    both: float
    category_added: float  # ΔD = −2 Δlog L of adding the category to the method
    method_added: float
    category_df: int
    method_df: int


def attribution(passed: Numbers, of: Numbers, ridge: float = RIDGE) -> Attribution:
    """Fit logistic models on methods, on categories and on both. `passed` and `of` are counts, methods × categories.

    Every indicator has a coefficient; the ridge (λ/2·Σβ²) makes them unique. The intercept is not penalised.
    """
    methods, categories = passed.shape
    method = np.repeat(np.eye(methods), categories, axis=0)
    category = np.tile(np.eye(categories), (methods, 1))
    won, trials = passed.ravel(), of.ravel()
    nothing = _deviance(np.zeros((len(won), 0)), won, trials, ridge)
    alone = [_deviance(columns, won, trials, ridge) for columns in (method, category)]
    both = _deviance(np.hstack([method, category]), won, trials, ridge)
    return Attribution(
        method=1 - alone[0] / nothing,
        category=1 - alone[1] / nothing,
        both=1 - both / nothing,
        category_added=alone[0] - both,
        method_added=alone[1] - both,
        category_df=categories - 1,
        method_df=methods - 1,
    )


def _deviance(columns: Numbers, won: Numbers, of: Numbers, ridge: float) -> float:
    """−2 log L at the penalised fit, by Newton's method."""
    design = np.hstack([np.ones((len(won), 1)), columns])
    penalty = ridge * np.diag([0.0, *[1.0] * columns.shape[1]])
    beta = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-design @ beta))
        slope = design.T @ (won - of * chance) - penalty @ beta
        curve = (design * (of * chance * (1 - chance))[:, None]).T @ design + penalty
        step = np.linalg.solve(curve, slope)
        beta += step
        if np.abs(step).max() < CLOSE:
            break
    score = design @ beta
    return float(-2 * (won * score - of * np.logaddexp(0, score)).sum())
