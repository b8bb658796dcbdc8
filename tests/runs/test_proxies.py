"""Static proxies of references, against counts by hand."""

from __future__ import annotations

import ast

import pytest

from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import TaskSpec
from runs.code_quality.proxies import complexities, proxies_of
from runs.services.catalog import mirror_tasks

BY_HAND = '''"""A module."""

import torch
import torch.nn.functional as F
from torch import nn
from math import sqrt

SCALE = torch.tensor(2.0)  # in no function: counts nowhere


def scaled(x, by=None):  # span 1
    """A docstring is no statement that counts."""
    if by is None:  # span 2, complexity 2
        by = sqrt(2)  # span 3, assignment 1; math is not torch
    x *= by  # span 4, assignment 2
    return x  # span 5


def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:  # span 6
    total: float = 0.0  # span 7, assignment 3
    kept: list[torch.Tensor]  # span 8; a type alone assigns nothing
    for step in range(3):  # span 9, complexity 2
        if step and (half := step / 2) > 0.5:  # span 10, complexity 3, and 4 by `and`; assignment 4
            total += half  # span 11, assignment 5
    h = F.relu(torch.matmul(x, y))  # span 12, assignment 6, calls 1 and 2
    h = nn.functional.softmax(scaled(h).mul(total), dim=-1)  # span 13, assignment 7, call 3: .mul() is a method
    return h if total else torch.zeros_like(h)  # span 14, call 4, complexity 5
'''


def test_the_proxies_of_a_module_are_those_counted_by_hand() -> None:
    assert proxies_of(BY_HAND) == {"assignments": 7, "calls": 4, "complexity": 5, "span": 14}


def test_comments_docstrings_and_line_breaks_change_no_proxy() -> None:
    bare = ast.parse(BY_HAND)
    bare.body = bare.body[1:]  # without the module's docstring; unparse leaves comments and line breaks out
    assert proxies_of(ast.unparse(bare).replace(",", ",\n" + " " * 8)) == proxies_of(BY_HAND)


def test_a_function_inside_another_counts_once_and_its_branches_are_its_own() -> None:
    source = "def f(x):\n    def g(y):\n        z = y if y else 1\n        return z\n    return g(x)"
    # f: 1; g: 1 + 1 for the conditional expression. def f, def g, z = …, return z, return g(x) are five statements.
    assert sorted(complexities(ast.parse(source))) == [1, 2]
    assert proxies_of(source) == {"assignments": 1, "calls": 0, "complexity": 2, "span": 5}


def test_a_source_without_a_function_has_none() -> None:
    with pytest.raises(ValueError, match="no proxies"):
        proxies_of("x = 1")


@pytest.mark.django_db
def test_a_task_that_starts_from_pytorch_has_proxies_and_no_other_has(specs: list[TaskSpec]) -> None:
    adam = load_task("torch2triton/kernelbenchx/Adam")
    rows = mirror_tasks(specs=[adam, *specs])
    # Five assignments (grad three times, square, root), torch.maximum, branches by `if maximize` and `if amsgrad`;
    # def, if, five assignments, three calls in place and return.
    assert rows[adam.id].proxies == {"assignments": 5, "calls": 1, "complexity": 3, "span": 11}
    assert [rows[spec.id].proxies for spec in specs] == [{}, {}]
