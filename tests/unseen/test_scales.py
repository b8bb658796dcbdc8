"""What a single output is judged by: with its own size alone, honest rounding is wrong now and then."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from evaluator.gates.context import Context
from evaluator.gates.scales import FEW_ELEMENTS, least_scales
from evaluator.judge.compare import compare
from evaluator.judge.draws import Seed
from evaluator.tasks.candidate import baseline
from evaluator.tasks.spec import Case
from tests.cheats.corpus import _task

CASES = 400


@pytest.fixture
def context():
    task = _task("triton2triton", "weighted")
    source = baseline(task)
    return Context(task, source, source, SimpleNamespace(torch_device="cpu"), None, seed=Seed(b"the same each time"))


def case_of(rows, cols=10):
    return Case((("rows", rows), ("cols", cols)), "small")


def wrong_by_rounding(context, scales):
    """Of dot products of ten numbers in float32, how many are wrong beside the exact ones."""
    generator, case, (spec,) = torch.Generator().manual_seed(0), case_of(1), context.task.outputs
    x = torch.randn(CASES, 10, generator=generator)
    w = torch.rand(CASES, 10, generator=generator) + 0.5
    exact, seen = (x.double() * w.double()).sum(1), (x * w).cumsum(1)[:, -1]
    tolerance = replace(context.task.tolerance["float32"], c=0.25)
    rules = {"spec": spec, "tolerance": tolerance, "case": case, "baseline": None}
    found = [
        compare(seen[i : i + 1], exact[i : i + 1], least_scale=scales.get("y", 0.0), **rules) for i in range(CASES)
    ]
    return sum(one.reason is not None for one in found)


def test_a_right_dot_product_is_hardly_ever_wrong_for_being_small(context):
    assert wrong_by_rounding(context, {}) > 0.1 * CASES
    assert wrong_by_rounding(context, least_scales(context, case_of(1))["standard"]) <= 0.02 * CASES


def test_the_scale_is_the_usual_size_of_the_output(context):
    """A sum of 10 products of a normal number and one between 0.5 and 1.5: about sqrt(10 · 13 / 12)."""
    scales = least_scales(context, case_of(40))
    assert scales["standard"]["y"] == pytest.approx((10 * 13 / 12) ** 0.5, rel=0.3)
    assert scales["large"]["y"] > 1000 * scales["standard"]["y"]


def test_outputs_with_many_elements_bring_their_scale_along(context):
    assert least_scales(context, case_of(FEW_ELEMENTS)) == {}
