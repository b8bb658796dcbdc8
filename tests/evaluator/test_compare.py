from __future__ import annotations

import math

import pytest
import torch

from evaluator.errors import TaskError
from evaluator.judge.compare import Deviation, compare, deviation, not_finite
from evaluator.judge.rejection import Rejection
from evaluator.tasks.expressions import parse
from evaluator.tasks.spec import Case, Output, Sampled, Tolerance

CASE = Case((("n", 16),), "small")
LOOSE = Tolerance(c=1.0, n=parse("n"), tau=1e-4, because="test")


def judged(output, reference, *, baseline=None, tolerance=LOOSE, nan="forbidden", least_scale=0.0):
    spec = Output("y", (), "float32", nan=nan)
    return compare(
        output,
        reference,
        spec=spec,
        tolerance=tolerance,
        case=CASE,
        baseline=baseline,
        least_scale=least_scale,
    )


def test_an_equal_output_is_right_with_error_zero():
    reference = torch.randn(100).double()
    found = judged(reference.float(), reference.float().double())
    assert found.reason is None
    assert found.relative_rmse == 0.0


def test_the_bound_is_c_eps_root_n_or_four_times_the_baselines_error():
    reference = torch.ones(1000, dtype=torch.float64)
    output = (reference * (1 + 1e-6)).float()
    eps = torch.finfo(torch.float32).eps
    assert judged(output, reference).allowed_rmse == pytest.approx(eps * 4)
    assert judged(output, reference).reason == "mismatch"
    assert judged(output, reference, baseline=Deviation(1e-6, 1e-6)).allowed_rmse == pytest.approx(4e-6)
    assert judged(output, reference, baseline=Deviation(1e-6, 1e-6)).reason is None


def test_one_wrong_element_among_many_fails_by_the_element_rule():
    reference = torch.ones(1_000_000, dtype=torch.float64)
    output = reference.float()
    output[7] = 1.001
    found = judged(output, reference, baseline=Deviation(1.0, 1e-5))
    assert found.reason == "mismatch"
    assert "1 of 1000000 values" in found.detail
    assert judged(output, reference, baseline=Deviation(1.0, 1.2e-4)).reason == "mismatch"
    assert judged(output, reference, baseline=Deviation(1.0, 1.3e-4)).reason is None, "5e-4 beside its (scale + |r|)"


@pytest.mark.parametrize(("value", "reason"), [(math.nan, "nan"), (math.inf, "infinite"), (-math.inf, "infinite")])
def test_a_value_that_is_not_finite_is_wrong(value, reason):
    reference = torch.ones(10, dtype=torch.float64)
    output = reference.float()
    output[3] = value
    assert judged(output, reference).reason == reason


def test_infinities_are_right_only_where_the_reference_has_the_same():
    reference = torch.tensor([1.0, math.inf, -math.inf], dtype=torch.float64)
    assert judged(torch.tensor([1.0, math.inf, -math.inf]), reference).reason is None
    assert judged(torch.tensor([1.0, -math.inf, -math.inf]), reference).reason == "infinite"
    assert judged(torch.tensor([1.0, 5.0, -math.inf]), reference).reason == "infinite"


def test_an_output_beyond_the_dtypes_range_may_be_infinite():
    """As in NormalAttention_dot with an outlier: outputs of 6.6e5 in float16, whose largest number is 65504."""
    reference = torch.tensor([6.6e5, -7e4, 65500.0, 1.0])
    right = torch.tensor([math.inf, -math.inf, math.inf, 1.0], dtype=torch.float16)
    assert judged(right, reference).reason is None
    assert deviation(right[[0, 1, 3]], reference[[0, 1, 3]].double()) == Deviation(0.0, 0.0)
    for at, wrong in ((0, -math.inf), (1, math.inf), (3, math.inf), (0, math.nan), (0, 1.0)):
        other = right.clone()
        other[at] = wrong
        assert judged(other, reference).reason in ("infinite", "nan", "mismatch")
    assert judged(torch.full((4,), math.inf), reference).reason == "infinite", "float32 holds them all"


def test_nan_matches_nan_only_where_declared():
    reference = torch.tensor([1.0, math.nan], dtype=torch.float64)
    output = torch.tensor([1.0, math.nan])
    assert judged(output, reference.nan_to_num()).reason == "nan"
    assert judged(output, reference, nan="as_reference").reason is None
    assert judged(torch.tensor([1.0, 2.0]), reference, nan="as_reference").reason == "nan"


@pytest.mark.parametrize(
    ("output", "reference", "nan"),
    [(math.nan, 1.0, "forbidden"), (math.nan, 1.0, "as_reference"), (1.0, math.nan, "as_reference")],
)
def test_the_sentence_about_nan_is_true_of_nan_too_many_and_too_few(output, reference, nan):
    assert sentence_about(output, reference, nan) == (
        "The output and the reference hold NaN in different places: y: 1 of 2 values."
    )


@pytest.mark.parametrize(("output", "reference"), [(math.inf, 1.0), (1.0, math.inf), (-math.inf, math.inf)])
def test_the_sentence_about_infinity_is_true_of_infinities_too_many_too_few_and_of_another_sign(output, reference):
    assert sentence_about(output, reference) == (
        "The output and the reference differ in infinite values: y: 1 of 2 values."
    )


def sentence_about(output, reference, nan="forbidden"):
    found = judged(torch.tensor([1.0, output]), torch.tensor([1.0, reference], dtype=torch.float64), nan=nan)
    return Rejection(found.reason, found.detail).sentence


def test_zeros_against_a_zero_reference_are_right_and_anything_else_is_wrong():
    reference = torch.zeros(8, dtype=torch.float64)
    assert judged(torch.zeros(8), reference).reason is None
    assert judged(torch.full((8,), 1e-20), reference).reason == "mismatch"


def test_integers_and_bools_must_be_equal():
    spec = Output("y", (), "int32")
    same = torch.arange(5, dtype=torch.int32)
    assert compare(same, same.long(), spec=spec, tolerance=None, case=CASE, baseline=None).reason is None
    other = same.clone()
    other[0] = 9
    found = compare(other, same.long(), spec=spec, tolerance=None, case=CASE, baseline=None)
    assert found.reason == "mismatch"
    assert "1 of 5" in found.detail


def test_a_single_output_near_zero_is_judged_by_its_usual_size():
    reference = torch.tensor([1e-5], dtype=torch.float64)
    output = (reference + 1e-7).float()
    assert judged(output, reference).reason == "mismatch"
    assert judged(output, reference, least_scale=1.0).reason is None
    assert judged(output, reference, least_scale=1.0).relative_rmse == pytest.approx(1e-7, rel=1e-3)
    assert deviation(output, reference, 1.0).rmse == pytest.approx(1e-7, rel=1e-3)
    assert judged(-output, reference * 1e5, least_scale=1.0).reason == "mismatch"


def test_a_deviation_by_hand():
    reference = torch.tensor([3.0, 4.0], dtype=torch.float64)
    output = torch.tensor([3.0, 4.5])
    assert deviation(output, reference).rmse == pytest.approx(math.sqrt(0.125) / math.sqrt(12.5))
    assert deviation(output, reference).worst == pytest.approx(0.5 / (math.sqrt(12.5) + 4))


def test_a_baseline_that_overflows_widens_no_tolerance():
    assert deviation(torch.tensor([3.0, math.inf]), torch.tensor([3.0, 4.0], dtype=torch.float64)) is None


def test_an_output_that_underflows_is_zero_and_zeros_widen_no_tolerance():
    reference = torch.full((100,), 1e-60, dtype=torch.float64)
    zeros = torch.zeros(100)
    assert judged(zeros, reference).reason is None
    assert deviation(zeros, reference).rmse < 1e-20
    assert judged(torch.full((100,), 1e-37), reference, baseline=deviation(zeros, reference)).reason == "mismatch"


def test_a_reference_with_forbidden_nan_is_a_task_error():
    reference = torch.tensor([1.0, float("nan")], dtype=torch.float64)
    with pytest.raises(TaskError, match="the reference holds NaN"):
        judged(torch.ones(2), reference)
    with pytest.raises(TaskError, match="the reference holds NaN"):
        compare(
            torch.ones(2, dtype=torch.int64),
            reference,
            spec=Output("y", (), "int64", sampled=Sampled(parse("2"), "seed")),
            tolerance=None,
            case=CASE,
            baseline=None,
        )


def test_an_expected_integer_beyond_the_dtype_is_not_matched_by_its_truncated_bits():
    left = torch.tensor([300 - 256], dtype=torch.int8)
    assert judged(left, torch.tensor([300])).reason == "mismatch"


def test_a_varying_output_of_another_length_is_wrong_even_if_it_begins_right():
    spec, wanted = Output("kept", (parse("n"),), "int32", varying=True), torch.tensor([4, 5])

    def found(*values):
        output = torch.tensor(values, dtype=torch.int32)
        return compare(output, wanted, spec=spec, tolerance=None, case=CASE, baseline=None)

    assert found(4, 5).reason is None
    assert found(4, 6).reason == "mismatch"
    assert found(4).reason == found(4, 5, 0).reason == found().reason == "wrong_shape"
    assert found(4).detail == "kept is [1], for these inputs expected [2]"
    assert deviation(torch.ones(3), torch.ones(2, dtype=torch.float64)) is None


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16])
def test_an_output_that_is_not_unique_may_be_an_8_bit_float(dtype):
    spec = Output("y", (), "float8_e4m3fn", unique=False)
    assert not_finite(torch.tensor([1.0, 2.0]).to(dtype), spec) is None
    assert not_finite(torch.tensor([1.0, math.nan]).to(dtype), spec).reason == "nan"
