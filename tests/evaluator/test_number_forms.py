"""Complex numbers as pairs, and the four 8-bit floats: drawn, compared, and run where the device has them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from evaluator.gates.correctness import note_left_out
from evaluator.judge.compare import compare
from evaluator.judge.draws import Draw, Seed, contents_of
from evaluator.judge.reference import Reference
from evaluator.tasks.expressions import parse
from evaluator.tasks.float8 import LARGEST, lacking, runs_on
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import ITEMSIZE, Case, Output, TaskSpec, Tolerance

CASE = Case((("n", 16),), "small")
FLOAT8 = sorted(LARGEST)
TOLERANCE = Tolerance(c=1.0, n=parse(1), tau=1e-3, because="test")


@pytest.fixture(scope="module")
def scaled_mm() -> TaskSpec:
    return load_task("triton2triton/arena/scaled_mm")


@pytest.fixture(scope="module")
def fftn() -> TaskSpec:
    return load_task("torch2triton/kernelbenchx/fftn")


def in_pairs(spec: Output, seen: list[list[float]], wanted: list[list[float]], eps: float = 1.0):
    tolerance = replace(TOLERANCE, c=eps / torch.finfo(torch.float32).eps)
    reference = torch.tensor(wanted).double()
    return compare(torch.tensor(seen), reference, spec=spec, tolerance=tolerance, case=CASE, baseline=None)


def test_the_parts_of_a_complex_number_are_judged_together():
    """|y − r| = 4e-3 beside |r| + RMS = 6.2: right; of a part that is 0 alone it is more than 1e-3 of 2.2 + 0."""
    wanted = [[0.0, 4.0], [2.0, 0.0], [0.0, -1.0], [2.0, 0.0]]
    seen = [[0.004, 4.0], *wanted[1:]]
    assert in_pairs(Output("y", (), "float32", complex=True), seen, wanted).reason is None
    assert in_pairs(Output("y", (), "float32"), seen, wanted).reason == "mismatch"
    turned = [[4.0, 0.0], *wanted[1:]]
    assert in_pairs(Output("y", (), "float32", complex=True), turned, wanted).reason == "mismatch"


@pytest.mark.parametrize(("value", "reason"), [(math.nan, "nan"), (math.inf, "infinite")])
def test_a_part_that_is_not_finite_makes_the_number_wrong(value, reason):
    wanted = [[0.0, 4.0], [2.0, 0.0]]
    assert in_pairs(Output("y", (), "float32", complex=True), [[0.0, 4.0], [2.0, value]], wanted).reason == reason


def test_references_see_and_return_complex_numbers(fftn):
    case = fftn.cases[1]
    contents = contents_of(fftn, case, Draw("standard", "standard", 0), Seed())
    x = contents["x"]
    assert isinstance(x, torch.Tensor)
    y = Reference(fftn).outputs(case, contents)["y"]
    assert (y.shape, y.dtype) == (x.shape, torch.float64)
    scale = 1 / math.sqrt(case.numbers["height"] * case.numbers["width"])
    assert torch.allclose(y[:, 0, 0], x.double().sum((1, 2)) * scale), "frequency 0 is the sum of all"


@pytest.mark.parametrize("dtype", FLOAT8)
def test_what_is_drawn_for_an_8_bit_float_is_a_number(dtype, scaled_mm):
    (item,) = (one for one in scaled_mm.inputs if one.name == "a")
    wide = replace(item, distribution=("normal", (parse(0), parse(1e6))), shape=(parse(999),))
    task = replace(scaled_mm, inputs=(wide,))
    case = replace(task.cases[0], axes=(*((k, v) for k, v in task.cases[0].axes if k != "dtype"), ("dtype", dtype)))
    for kind in ("standard", "outlier"):
        drawn = contents_of(task, case, Draw(kind, kind, 0), Seed())["a"]
        assert isinstance(drawn, torch.Tensor)
        assert (str(drawn.dtype), drawn.itemsize) == (f"torch.{dtype}", ITEMSIZE[dtype])
        assert bool(drawn.double().isfinite().all())
        assert float(drawn.double().abs().max()) == LARGEST[dtype] == torch.finfo(drawn.dtype).max


@pytest.mark.parametrize("dtype", FLOAT8)
def test_outputs_in_8_bits_are_compared_by_their_own_eps(dtype):
    kind = getattr(torch, dtype)
    reference = torch.tensor([1.0, 1.5, -2.0, 0.0]).double()
    spec, tolerance = Output("y", (), dtype), replace(TOLERANCE, c=0.1)
    options = {"spec": spec, "tolerance": tolerance, "case": CASE, "baseline": None}
    right = reference.to(kind)
    next_up = (right.view(torch.uint8) + torch.tensor([1, 0, 0, 0], dtype=torch.uint8)).view(kind)
    found = compare(right, reference, **options)
    assert found.reason is None
    assert found.allowed_rmse == pytest.approx(0.1 * (float(next_up[0].double()) - 1))
    assert compare(next_up, reference, **options).reason == "mismatch"
    poison = torch.full((4,), 0xFF, dtype=torch.uint8).view(kind)
    assert compare(poison, reference, **options).reason in ("nan", "mismatch")


def test_a_device_runs_the_cases_whose_forms_it_has(scaled_mm):
    amd = {"float8_e4m3fnuz", "float8_e5m2fnuz"}
    assert (lacking("sm_90"), lacking("sm_80")) == (amd, amd | {"float8_e4m3fn"})
    assert lacking("gfx942") == lacking("cpu") == frozenset()
    run = {str(case.value("dtype")) for case in scaled_mm.cases if runs_on(scaled_mm, case, "sm_90")}
    assert run == {"float8_e4m3fn", "float8_e5m2"}


class OnHopper:
    """A context of the correctness gate on an H200."""

    def __init__(self, task: TaskSpec) -> None:
        self.task, self.backend, self.findings = task, self, []
        self.architecture, self.profiles = "sm_90", ("small",)


def test_the_record_says_which_cases_were_not_run(scaled_mm, fftn):
    context, other = OnHopper(scaled_mm), OnHopper(fftn)
    note_left_out(context)
    note_left_out(other)
    (finding,) = context.findings
    assert finding.text.startswith("sm_90 has no float8_e4m3fnuz, float8_e5m2fnuz, so these cases are not run: biased=")
    assert finding.text.count("dtype=") == 2
    assert other.findings == []
