"""LU and Cholesky factors, eigenvectors: right answers pass, and each relation turns away what keeps all others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from evaluator.judge.answers import comparisons
from evaluator.judge.draws import Draw, Seed, contents_of
from evaluator.judge.reference import Reference
from evaluator.tasks.expressions import parse
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import Bound, TaskSpec

Outputs = dict[str, torch.Tensor]
Change = Callable[[torch.Tensor, Outputs], Outputs]  # of the input and a right answer
NOTHING = Bound(1e30, parse(1), "switched off")


def problem(name: str, change: Change, off: str | None = None, kind: str = "standard") -> str | None:
    """What is wrong with a changed answer to a draw, or None; `off`: a relation that is not asked."""
    task = without(load_task(f"torch2triton/kernelbenchx/{name}"), off)
    case, source = task.cases[0], Reference(task)
    contents = contents_of(task, case, Draw("standard" if kind == "standard" else "special", kind, 0), Seed(b"factors"))
    wanted = source.outputs(case, contents)
    found = {name: value.float() for name, value in change(torch.as_tensor(contents["a"]).double(), wanted).items()}
    judged = comparisons(source, case, contents, found, wanted, baseline=None, least_scales={})
    return next((one.detail.split()[0] for one in judged if one.reason), None)


def without(task: TaskSpec, off: str | None) -> TaskSpec:
    bounds = {"float32": NOTHING, "float64": NOTHING}
    relations = (replace(one, bounds=bounds, exact="") if one.name == off else one for one in task.relations)
    return replace(task, relations=tuple(relations))


def unit(like: torch.Tensor) -> torch.Tensor:
    return torch.eye(*like.shape[-2:]).double().expand_as(like)


def same(a: torch.Tensor, right: Outputs) -> Outputs:
    return right


def in_half_precision(a: torch.Tensor, right: Outputs) -> Outputs:
    return {name: value.half() for name, value in right.items()}


def unpivoted(a: torch.Tensor, right: Outputs) -> Outputs:
    lower, upper = unit(a).clone(), a.clone()
    for j in range(a.shape[1]):
        lower[:, j + 1 :, j] = upper[:, j + 1 :, j] / upper[:, j, j, None]
        upper[:, j + 1 :] -= lower[:, j + 1 :, j, None] * upper[:, j, None]
    return {"p": unit(a), "l": lower, "u": upper.triu()}


@pytest.mark.parametrize("kind", ["standard", "zero", "signs", "few", "far"])
def test_factors_of_any_matrix_are_right(kind: str) -> None:
    assert problem("lu", same, kind=kind) is None


def test_either_of_two_equal_pivots_is_right() -> None:
    """Of entries that are 1 or -1 all are equally large, and the first row may stay where it is."""

    def other_choice(a: torch.Tensor, right: Outputs) -> Outputs:
        p, lower, upper = torch.linalg.lu(a.flip(1))
        return {"p": p.flip(1), "l": lower, "u": upper}

    assert problem("lu", other_choice, kind="signs") is None


@pytest.mark.parametrize(
    ("relation", "change"),
    [
        ("residual", lambda a, right: {**right, "u": unit(a)}),
        ("permutation", lambda a, right: {**right, "p": 2 * right["p"], "u": right["u"] / 2}),
        ("lower", lambda a, right: {**right, "l": right["l"] / 2, "u": 2 * right["u"]}),
        ("upper", lambda a, right: {"p": unit(a), "l": unit(a), "u": a}),
        ("multipliers", unpivoted),
    ],
)
def test_each_relation_of_lu_is_needed(relation: str, change: Change) -> None:
    assert problem("lu", change) == relation
    assert problem("lu", change, off=relation) is None


def test_a_row_that_is_there_twice_is_no_permutation() -> None:
    """Where the matrix is zero nothing else shows it."""

    def twice(a: torch.Tensor, right: Outputs) -> Outputs:
        return {**right, "p": right["p"][:, :, :1].expand_as(right["p"])}

    assert problem("lu", twice, kind="zero") == "permutation"


@pytest.mark.parametrize("kind", ["standard", "diagonal", "reflection", "rank_one"])
def test_any_signs_and_any_basis_of_equal_eigenvalues_are_right(kind: str) -> None:
    def another_basis(a: torch.Tensor, right: Outputs) -> Outputs:
        values, vectors = right["values"], -right["vectors"]
        if kind == "reflection":  # all eigenvalues but the first are 1
            turn = torch.linalg.qr(torch.randn(a.shape[1] - 1, a.shape[1] - 1).double()).Q
            vectors = torch.cat([vectors[:, :, :1], vectors[:, :, 1:] @ turn], 2)
        return {"values": values, "vectors": vectors}

    assert problem("eig", another_basis, kind=kind) is None


@pytest.mark.parametrize(
    ("relation", "change"),
    [
        ("residual", lambda a, right: {**right, "vectors": unit(a)}),
        ("orthogonality", lambda a, right: {**right, "vectors": right["vectors"] * 2}),
        ("orthogonality", lambda a, right: {**right, "vectors": right["vectors"] * 0}),
    ],
)
def test_each_relation_of_eigenvectors_is_needed(relation: str, change: Change) -> None:
    assert problem("eig", change) == relation
    assert problem("eig", change, off=relation) is None


def test_eigenvalues_are_in_ascending_order() -> None:
    def descending(a: torch.Tensor, right: Outputs) -> Outputs:
        return {"values": right["values"].flip(1), "vectors": right["vectors"].flip(2)}

    assert problem("eig", descending) == "values:"


def test_the_sign_of_a_column_of_a_cholesky_factor_is_not_free_and_its_zeros_are_exact() -> None:
    def turned(a: torch.Tensor, right: Outputs) -> Outputs:
        return {"factor": -right["factor"]}

    def with_rest(a: torch.Tensor, right: Outputs) -> Outputs:
        return {"factor": right["factor"] + 1e-30 * a.triu(1)}

    assert problem("cholesky", same, kind="close_to_singular") is None
    assert problem("cholesky", lambda a, right: {"factor": unit(a)}) == "residual"
    for change, relation in ((turned, "diagonal"), (with_rest, "triangle")):
        assert problem("cholesky", change) == relation
        assert problem("cholesky", change, off=relation) is None


@pytest.mark.parametrize("kind", ["standard", "zero_diagonal", "permutation"])
def test_a_solution_is_judged_by_what_it_leaves(kind: str) -> None:
    assert problem("solve", same, kind=kind) is None
    assert problem("solve", lambda a, right: {"x": 0 * right["x"]}, kind=kind) == "residual"
    assert problem("solve", lambda a, right: {"x": 1e6 * right["x"]}, kind=kind) == "residual"


@pytest.mark.parametrize("name", ["lu", "eig", "cholesky", "solve"])
def test_half_precision_is_not_enough(name: str) -> None:
    assert problem(name, in_half_precision) is not None
