"""KernelBench-X's attribution from its own printed tables, and beside statsmodels."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from leaderboard.statistics.attribution import attribution

PUBLISHED = Path(__file__).parents[2] / "runs" / "loading" / "tables"
METHODS = ("AutoTriton", "GEAK", "KernelAgent", "Claude")  # the paper leaves the one out that solves nothing


def counts(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Passed and all, methods × categories, from the printed percentages."""
    with (PUBLISHED / f"kernelbenchx_category_{kind}_pct.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    of = np.array([[float(row["tasks"]) for row in rows]] * len(METHODS))
    share = np.array([[float(row[method]) for row in rows] for method in METHODS])
    return np.round(share * of / 100), of


def test_the_attribution_of_right_answers_is_the_printed_one() -> None:
    # printed: method 3.3 %, category 9.4 %; the printed 34.6 and 13.0 are differences of log L, so half of ΔD
    found = attribution(*counts("correct"))
    assert f"{found.method:.1%} {found.category:.1%}" == "3.3% 9.4%"
    assert (found.category_added / 2, found.method_added / 2) == pytest.approx((34.6, 13.0), abs=0.1)
    assert (found.category_df, found.method_df) == (14, 3)


def test_without_a_ridge_the_fit_is_statsmodels() -> None:
    import statsmodels.api as sm

    passed, of = counts("compile")
    kept = passed.sum(axis=0) > 0
    passed, of = passed[:, kept], of[:, kept]
    methods, categories = passed.shape
    method = np.repeat(np.eye(methods), categories, axis=0)[:, 1:]
    won, lost = passed.ravel(), (of - passed).ravel()
    model = sm.GLM(np.column_stack([won, lost]), sm.add_constant(method), family=sm.families.Binomial()).fit()
    null = sm.GLM(np.column_stack([won, lost]), np.ones((len(won), 1)), family=sm.families.Binomial()).fit()
    found = attribution(passed, of, ridge=1e-9)
    of_tasks = -2 * (won * np.log(won.sum() / of.sum()) + lost * np.log(lost.sum() / of.sum())).sum()
    assert found.method * of_tasks == pytest.approx(null.deviance - model.deviance, rel=1e-6)
