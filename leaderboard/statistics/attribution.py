"""How much of success the method and the task category explain (KernelBench-X, arXiv 2605.04956).

Explained deviance is 1 − D/D₀ of a logistic model on one indicator for each method and category. The paper names
neither its ridge nor its counts; λ = 1 and the counts of its Table 3 reproduce its 3.3 and 9.4 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import chdtrc, expit, ndtr

from leaderboard.statistics.results import Flags, Numbers

RIDGE = 1.0  # λ
STEPS, CLOSE = 100, 1e-10  # of Newton's method
SEPARATED = "The model without a ridge has no finite fit."
TOO_SPARSE = "The cells hold too few tasks to vary."


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


@dataclass(frozen=True, slots=True)
class Separation:
    """Cells of methods × categories in which everything passed, or nothing."""

    all_passed: int
    none_passed: int
    cells: int
    is_separated: bool  # the model without a ridge has no finite coefficients


@dataclass(frozen=True, slots=True)
class Dispersion:
    """Pearson's χ² of the model on both: about its degrees of freedom where cells vary as binomial counts do.

    p is the chance of one at least as large, by the normal approximation for sparse cells of Osius and Rojek (1992).
    """

    pearson: float
    df: int
    p: float | None
    refused: str | None  # why there is no p

    @property
    def ratio(self) -> float:
        return self.pearson / self.df


@dataclass(frozen=True, slots=True)
class _Fit:
    deviance: float  # −2 log L
    chances: Numbers  # fitted, methods × categories


def attribution(passed: Numbers, of: Numbers, ridge: float = RIDGE) -> Attribution:
    """Fit logistic models on methods, on categories and on both. `passed` and `of` are counts, methods × categories.

    With a ridge every indicator has a coefficient, which the penalty (λ/2·Σβ²) makes unique; the intercept is not
    penalised. Without one (0), the first method and the first category are the reference; `separation` says whether it
    has a finite fit.
    """
    nothing = _fit(passed, of, ridge).deviance
    method = _fit(passed, of, ridge, methods=True).deviance
    category = _fit(passed, of, ridge, categories=True).deviance
    both = _fit(passed, of, ridge, methods=True, categories=True).deviance
    return Attribution(
        method=1 - method / nothing,
        category=1 - category / nothing,
        both=1 - both / nothing,
        category_added=method - both,
        method_added=category - both,
        category_df=passed.shape[1] - 1,
        method_df=passed.shape[0] - 1,
    )


def separation(passed: Numbers, of: Numbers) -> Separation:
    """Whether the model on both has finite coefficients without a ridge, and the cells that are all or nothing.

    Where cell (i, j) has a pass, a_i + b_j may only grow in a direction in which the likelihood does not fall; where it
    has a failure, only shrink. No direction but a common shift is left exactly if the graph of methods and categories,
    with an arc one way for a pass and the other way for a failure, is strongly connected (as for the Rasch model).
    """
    won, lost = passed > 0, of - passed > 0
    arcs = np.block(
        [
            [np.eye(len(won), dtype=bool), lost],
            [won.T, np.eye(won.shape[1], dtype=bool)],
        ]
    )
    return Separation(
        all_passed=int((won & ~lost).sum()),
        none_passed=int((lost & ~won).sum()),
        cells=int((of > 0).sum()),
        is_separated=not _closure(arcs).all(),
    )


def dispersion(passed: Numbers, of: Numbers, *, is_separated: bool) -> Dispersion | None:
    """Pearson's χ² over cells; None where the model has as many parameters as there are cells.

    It is that of the model with a ridge where the one without has no finite fit: then it has no p.
    """
    is_cell = of > 0
    df = int(is_cell.sum()) - (passed.shape[0] + passed.shape[1] - 1)
    if df < 1:
        return None
    chances = _fit(passed, of, RIDGE if is_separated else 0.0, methods=True, categories=True).chances
    weights = of * chances * (1 - chances)
    pearson = float((((passed - of * chances) ** 2)[is_cell] / weights[is_cell]).sum())
    variance = 0.0 if is_separated else _pearson_variance(of, chances, weights)
    if variance <= CLOSE:
        return Dispersion(pearson, df, None, SEPARATED if is_separated else TOO_SPARSE)
    return Dispersion(pearson, df, float(ndtr((df - pearson) / sqrt(variance))), None)


def _pearson_variance(of: Numbers, chances: Numbers, weights: Numbers) -> float:
    """Variance of Pearson's χ² where cells hold few tasks: 2·Σ(1 − 1/n) and what is left of the cells' skewness."""
    is_cell = of > 0
    skew = np.divide(1 - 2 * chances, weights, out=np.zeros_like(weights), where=is_cell)
    kept = _kept(of.shape, ridge=0.0, methods=True, categories=True)
    explained = _sums(weights * skew)[kept]
    fitted = explained @ np.linalg.solve(_curve(weights)[np.ix_(kept, kept)], explained)
    return float(2 * (1 - 1 / of[is_cell]).sum() + (weights * skew**2).sum() - fitted)


def chi_squared_p(value: float, df: int) -> float:
    """Chance that χ² with `df` degrees of freedom is at least the value."""
    return float(chdtrc(df, max(value, 0.0)))


def _fit(passed: Numbers, of: Numbers, ridge: float, *, methods: bool = False, categories: bool = False) -> _Fit:
    """The penalised fit by Newton's method, with halved steps where a whole one would lower the likelihood."""
    rows, columns = passed.shape
    kept = _kept(passed.shape, ridge=ridge, methods=methods, categories=categories)
    penalty = np.full(1 + rows + columns, ridge)
    penalty[0] = 0.0
    beta, value = np.zeros(1 + rows + columns), -np.inf
    for _ in range(STEPS):
        chance = expit(_scores(beta, rows))
        slope = _sums(passed - of * chance) - penalty * beta
        curve = _curve(of * chance * (1 - chance)) + np.diag(penalty)
        step = np.zeros_like(beta)
        step[kept] = np.linalg.solve(curve[np.ix_(kept, kept)], slope[kept])
        while (found := _objective(passed, of, penalty, beta + step)) < value - CLOSE:
            step /= 2
        beta, value = beta + step, found
        if np.abs(step).max() < CLOSE:
            break
    scores = _scores(beta, rows)
    return _Fit(-2 * _likelihood(passed, of, scores), expit(scores))


def _kept(shape: tuple[int, ...], *, ridge: float, methods: bool, categories: bool) -> list[int]:
    """Parameters of a model, among the intercept, the methods' and the categories'.

    Without a ridge the first method and the first category have none.
    """
    rows, columns = shape
    first = 0 if ridge else 1
    kept = [0]
    kept += range(1 + first, 1 + rows) if methods else ()
    kept += range(1 + rows + first, 1 + rows + columns) if categories else ()
    return kept


def _scores(beta: Numbers, rows: int) -> Numbers:
    """The linear predictor of each cell."""
    return np.asarray(beta[0] + beta[1 : 1 + rows, None] + beta[1 + rows :])


def _sums(cells: Numbers) -> Numbers:
    """Of a value for each cell: its sum over all cells, over each method's, over each category's."""
    return np.concatenate([[cells.sum()], cells.sum(axis=1), cells.sum(axis=0)])


def _curve(weights: Numbers) -> Numbers:
    """The information matrix of all parameters, from the weight of each cell."""
    sums, rows = _sums(weights), len(weights)
    curve = np.diag(sums)
    curve[0], curve[:, 0] = sums, sums
    curve[1 : 1 + rows, 1 + rows :] = weights
    curve[1 + rows :, 1 : 1 + rows] = weights.T
    return curve


def _objective(passed: Numbers, of: Numbers, penalty: Numbers, beta: Numbers) -> float:
    return _likelihood(passed, of, _scores(beta, len(passed))) - float(penalty @ beta**2) / 2


def _likelihood(passed: Numbers, of: Numbers, scores: Numbers) -> float:
    return float((passed * scores - of * np.logaddexp(0, scores)).sum())


def _closure(arcs: Flags) -> Flags:
    """Which nodes can be reached from which."""
    reached = arcs
    while (further := (reached.astype(float) @ reached.astype(float) > 0)).sum() > reached.sum():
        reached = further
    return reached
