"""Complex numbers as pairs, and the four 8-bit floats: drawn, compared, and run where the device has them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from evaluator.gates.correctness import note_left_out
from evaluator.judge import answers
from evaluator.judge.compare import compare
from evaluator.judge.draws import Draw, Seed, contents_of
from evaluator.judge.reference import Reference
from evaluator.tasks.expressions import parse
from evaluator.tasks.float8 import LARGEST, lacking, runs_on
from evaluator.tasks.reader import load_task, read_task
from evaluator.tasks.spec import ITEMSIZE, Case, Output, TaskSpec, Tolerance
from tests.conftest import TESTS

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


def reason(name: str, answer, change=lambda task: task) -> str | None:
    """What the judge of a tiny task says of the answer to an outlier draw; `change` switches a rule off."""
    task = change(read_task(TESTS / "tiny" / "triton2triton" / "tests" / name, f"triton2triton/tests/{name}"))
    case, reference = task.cases[0], Reference(task)
    contents = contents_of(task, case, Draw("outlier", "outlier", 0), Seed(b"cheats3"))
    numbers = [value for value in contents.values() if isinstance(value, torch.Tensor)]
    found, wanted, none = {"y": answer(*numbers)}, reference.outputs(case, contents), dict[str, float]()
    judged = answers.comparisons(reference, case, contents, found, wanted, baseline=None, least_scales=none)
    return next((one.reason for one in judged if one.reason), None)


def parts_apart(task: TaskSpec) -> TaskSpec:
    """Judge each part by itself, against the same reference."""
    (output,) = task.outputs
    return replace(task, outputs=(replace(output, complex=False),))


def turned_back(x, w):
    return torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(w).conj().resolve_conj())


def by_three_products(x, w):
    (a, b), (c, d) = x.unbind(1), w.unbind(1)
    first = c * (a + b)
    return torch.stack([first - b * (c + d), first + a * (d - c)], 1)


def test_a_complex_number_of_the_right_size_is_wrong_and_three_products_are_right(monkeypatch):
    """What tests/cheats/triton/79_right_size.py does, and its twin, of which a small part is off beside a large one."""

    def of_sizes(output, reference, *, spec, **options):
        return compare(output.norm(dim=1), reference.norm(dim=1), spec=replace(spec, complex=False), **options)

    assert reason("turned", by_three_products) is None
    assert reason("turned", by_three_products, parts_apart) == "mismatch"
    assert reason("turned", turned_back) == "mismatch"
    monkeypatch.setattr(answers, "compare", of_sizes)
    assert reason("turned", turned_back) is None


def test_whole_numbers_must_be_equal(monkeypatch):
    """What tests/cheats/triton/10_whole_numbers_as_floats.py does."""

    def summed(x):
        return x.float().sum(1).int()

    def as_floats(output, reference, **options):
        return compare(output.float(), reference.double(), **{**options, "tolerance": TOLERANCE})

    assert reason("row_sums", summed) == "mismatch"
    monkeypatch.setattr(answers, "compare", as_floats)
    assert reason("row_sums", summed) is None


def test_eight_bits_are_rounded_to_the_nearest():
    """What tests/cheats/triton/10_eight_bits_cut_off.py does."""

    def cut_off(x):
        return ((x / 2).view(torch.int32) >> 21 << 21).view(torch.float32).to(torch.float8_e5m2)

    def loosely(task: TaskSpec) -> TaskSpec:
        return replace(task, tolerance={name: Tolerance(1.0, parse(1), 0.25, "test") for name in task.tolerance})

    assert reason("eight_bits", lambda x: (x / 2).to(torch.float8_e5m2)) is None
    assert reason("eight_bits", cut_off) == "mismatch"
    assert reason("eight_bits", cut_off, loosely) is None
