"""KernelBench-X's statistics by hand, and its attribution from its own printed tables, beside statsmodels."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from leaderboard.statistics.kernelbenchx import (
    Task,
    attribution,
    efficiency,
    funnel,
    pearson,
    portability,
    speedups,
    task_speedup,
    trajectory,
    unsolved,
)

PUBLISHED = Path(__file__).parents[2] / "runs" / "published"
METHODS = ("AutoTriton", "GEAK", "KernelAgent", "Claude")  # the paper leaves the one out that solves nothing


def task(name: str, reference=(), candidate=(), *, category="Math", correct=True) -> Task:
    return Task(name, category, True, correct, tuple(reference), tuple(candidate))


def counts(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Passed and all, methods × categories, from the printed percentages."""
    with (PUBLISHED / f"kernelbenchx_category_{kind}_pct.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    of = np.array([[float(row["tasks"]) for row in rows]] * len(METHODS))
    share = np.array([[float(row[method]) for row in rows] for method in METHODS])
    return np.round(share * of / 100), of


def test_calls_and_right_answers_are_counted_over_all_tasks() -> None:
    tasks = [task("a"), Task("b", "Math", True, False), Task("c", "Math", False, False)]
    found = funnel(tasks)
    assert (found.called, found.correct, found.of, found.correct_per_call) == (2, 1, 3, 0.5)
    assert funnel(tasks[2:]).correct_per_call is None


def test_a_task_s_speedup_is_the_ratio_of_sums() -> None:
    assert task_speedup(task("a", [4.0, 2.0], [1.0, 2.0])) == 2  # not the mean of 4 and 1


@pytest.mark.parametrize(
    "rows", [((), ()), ((1.0, 2.0), (1.0,)), ((1.0,), (None,)), ((1.0,), (0.0,)), ((1.0,), (-1.0,))]
)
def test_a_missing_or_impossible_row_fails_the_task(rows) -> None:
    assert task_speedup(task("a", *rows)) is None


def test_a_nan_and_an_infinity_fail_the_task() -> None:
    assert task_speedup(task("a", [1.0], [float("nan")])) is None
    assert task_speedup(task("a", [float("inf")], [1.0])) is None


def test_a_wrong_answer_has_no_speedup() -> None:
    assert task_speedup(task("a", [4.0], [1.0], correct=False)) is None


def test_the_means_of_speedups_are_kept_apart() -> None:
    # ratios 4, 1, 1/2; sums 4 + 10 + 1 by 1 + 10 + 2
    tasks = [task("a", [4.0], [1.0]), task("b", [10.0], [10.0]), task("c", [1.0], [2.0]), task("d", correct=False)]
    found = speedups(tasks)
    assert found is not None
    assert (found.tasks, found.median, found.slower_than_baseline) == (3, 1, 1)
    assert (found.arithmetic, found.geometric, found.overall) == pytest.approx((5.5 / 3, 2 ** (1 / 3), 15 / 13))
    assert speedups([task("d", correct=False)]) is None


def test_efficiency_is_the_larger_share_of_a_peak_and_more_than_all_is_flagged() -> None:
    found = efficiency(time_s=1e-3, moved_bytes=2e9, operations=1e9, peak_bytes_s=4e12, peak_ops_s=1e14)
    assert (found.iou, found.mfu, found.better, found.is_impossible) == pytest.approx((0.5, 0.01, 0.5, False))
    assert efficiency(time_s=1e-4, moved_bytes=2e9, operations=0, peak_bytes_s=4e12, peak_ops_s=1e14).is_impossible


def test_portability_needs_two_devices() -> None:
    assert portability({"h100": 2.0, "mi300x": 0.5, "a100": None}) == 4
    assert portability({"h100": 2.0, "mi300x": None}) is None


def test_what_no_method_solves_is_named_by_category() -> None:
    one = [task("a"), task("b", category="Quantization", correct=False), task("c", correct=False)]
    other = [task("a", correct=False), task("b", category="Quantization", correct=False), task("c")]
    assert unsolved({"one": one, "other": other}) == {"Quantization": ["b"]}


def test_rescued_and_persistent_answers_have_their_own_speedups() -> None:
    before = [task("a", [2.0], [1.0]), task("b", correct=False), task("c", [1.0], [1.0])]
    after = [task("a", [3.0], [1.0]), task("b", [1.2], [1.0]), task("c", correct=False)]
    found = trajectory(before, after)
    assert (found.rescued, found.persistent, found.lost) == (1, 1, 1)
    assert (found.rescued_speedup, found.persistent_speedup) == pytest.approx((1.2, 3.0))


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


def test_a_static_measure_correlates_with_failure_or_says_that_it_cannot() -> None:
    r, n = pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    assert (r, n) == (pytest.approx(3**0.5 / 2), 3)
    with pytest.raises(ValueError, match="constant"):
        pearson(np.ones(3), np.arange(3.0))
