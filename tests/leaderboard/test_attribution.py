"""KernelBench-X's attribution from its own printed tables, and beside statsmodels."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from leaderboard.statistics.attribution import attribution, dispersion, separation

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


def test_of_two_methods_by_hand() -> None:
    # 3 and 1 of 4 pass: D₀ = −2·8·log ½ = 11.0904, D = −2·2·(3 log ¾ + log ¼) = 8.9974, 1 − D/D₀ = 0.18872
    found = attribution(np.array([[3.0, 0.0], [0.0, 1.0]]).sum(axis=1, keepdims=True), np.full((2, 1), 4.0), ridge=0)
    assert found.method == pytest.approx(0.18872, abs=5e-6)
    assert found.method_added == pytest.approx(11.0904 - 8.9974, abs=1e-4)


def test_nested_fits_without_a_ridge_and_pearsons_chi_squared_are_statsmodels() -> None:
    import statsmodels.api as sm

    passed, of = counts("compile")
    methods, categories = passed.shape
    method = np.repeat(np.eye(methods), categories, axis=0)[:, 1:]
    category = np.tile(np.eye(categories), (methods, 1))[:, 1:]
    pairs = np.column_stack([passed.ravel(), (of - passed).ravel()])

    def fit(*parts: np.ndarray) -> object:
        return sm.GLM(pairs, sm.add_constant(np.hstack(parts)), family=sm.families.Binomial()).fit(tol=1e-12)

    both = fit(method, category)
    found, spread = attribution(passed, of, ridge=0.0), dispersion(passed, of, is_separated=False)
    assert found.category_added == pytest.approx(fit(method).deviance - both.deviance, rel=1e-7)
    assert found.method_added == pytest.approx(fit(category).deviance - both.deviance, rel=1e-7)
    assert (spread.pearson, spread.df) == (pytest.approx(both.pearson_chi2, rel=1e-6), both.df_resid)


def test_the_papers_correct_answers_have_no_finite_fit_without_a_ridge_and_its_compiled_ones_do() -> None:
    # Table 3: no method solves a task of Quantization or SpatialOps; Table 4: every category and method has both
    correct, compiled = separation(*counts("correct")), separation(*counts("compile"))
    assert (correct.is_separated, correct.all_passed, correct.none_passed, correct.cells) == (True, 0, 25, 60)
    assert (compiled.is_separated, compiled.all_passed, compiled.none_passed) == (False, 2, 9)
    assert dispersion(*counts("correct"), is_separated=True).p is None


def test_a_cell_of_failures_alone_leaves_the_fit_finite_and_a_cut_in_two_does_not() -> None:
    of = np.full((2, 2), 4.0)
    assert not separation(np.array([[0.0, 2.0], [1.0, 3.0]]), of).is_separated
    # The first method has no pass in the first category, the second no failure in the other: one cut, ever better.
    assert separation(np.array([[0.0, 2.0], [2.0, 4.0]]), of).is_separated


@pytest.mark.parametrize("seed", [1, 2])
def test_a_fit_is_finite_where_the_graph_says_so(seed: int) -> None:
    """Against Newton's method itself: coefficients that grow without end have a slope that never vanishes."""
    draw = np.random.default_rng(seed)
    kinds = set()
    for _ in range(60):
        of = draw.integers(1, 4, size=(3, 3)).astype(float)
        passed = np.floor(draw.random((3, 3)) * (of + 1))
        expected = _grows(passed, of)
        kinds.add(expected)
        assert separation(passed, of).is_separated is expected
    assert kinds == {True, False}


def _grows(passed: np.ndarray, of: np.ndarray) -> bool:
    """Whether a linear programme finds a direction in which no cell's likelihood falls, and some cell's rises."""
    from scipy.optimize import linprog

    rows, columns = passed.shape
    design = np.hstack([np.repeat(np.eye(rows), columns, axis=0), np.tile(np.eye(columns), (rows, 1))])
    won, lost = passed.ravel() > 0, (of - passed).ravel() > 0
    signed = np.vstack([design[won], -design[lost]])
    found = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=[(-1, 1)] * design.shape[1])
    return bool(-found.fun > 1e-7)


def test_pearsons_chi_squared_of_binomial_cells_is_rejected_about_as_often_as_it_should_be() -> None:
    # 4 methods on the paper's categories, of 2 to 60 tasks: 5 % of 400 are 20, and three standard errors 13
    draw = np.random.default_rng(1)
    sizes = np.array([10, 60, 9, 5, 22, 20, 6, 6, 2, 2, 6, 3, 10, 12, 3], dtype=float)
    of = np.broadcast_to(sizes, (4, 15))
    score = draw.normal(0, 0.5, 4)[:, None] + draw.normal(0, 0.7, 15)
    rejected = []
    while len(rejected) < 400:
        passed = draw.binomial(of.astype(int), 1 / (1 + np.exp(-score))).astype(float)
        if not separation(passed, of).is_separated:
            rejected.append(dispersion(passed, of, is_separated=False).p < 0.05)
    assert 7 <= sum(rejected) <= 40


def test_cells_that_vary_more_are_found() -> None:
    of = np.full((4, 6), 20.0)
    passed = np.array([[2, 18, 3, 17, 10, 10], [18, 2, 17, 3, 10, 10]] * 2, dtype=float)
    assert dispersion(passed, of, is_separated=False).p < 1e-6
    assert dispersion(np.array([[1.0, 0.0]]), np.full((1, 2), 2.0), is_separated=False) is None
