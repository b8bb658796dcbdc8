"""Achieved rates, their shares of a device's peaks and the least time of a case, each by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evaluator.bundles.kernelbenchx import golden
from evaluator.tasks.peaks import KERNELBENCHX_MACHINES, PEAKS
from evaluator.tasks.reader import load_task
from evaluator.tasks.roofline import (
    NO_WORK,
    TF32_ROUNDING,
    UNKNOWN_CLASS,
    CaseWork,
    TimedWork,
    case_work,
    efficiency,
    peak_name,
    roof_of,
    total,
)
from evaluator.tasks.spec import Case

SOFTMAX, MATMUL = "triton2triton/arena/softmax", "torch2hip/arena/SimpleMatmulModule"


def case_of(**axes):
    return Case(tuple(sorted(axes.items())), "full")


def test_a_copy_of_a_gigabyte_is_bound_by_memory():
    work = case_work(load_task(SOFTMAX), case_of(rows=8192, cols=16384, dtype="float32"))
    roof = roof_of(work, "h100-sxm")
    assert roof.bound == "memory"
    assert roof.time_ns == pytest.approx(2 * 8192 * 16384 * 4 / 3.35e12 * 1e9)


def test_a_large_product_is_bound_by_arithmetic_of_its_dtype():
    task = load_task(MATMUL)
    size = {"batch": 1, "m": 4096, "k": 4096, "n": 4096}
    half, single = (case_work(task, case_of(dtype=dtype, **size)) for dtype in ("bfloat16", "float32"))
    assert roof_of(half, "h100-sxm").bound == roof_of(single, "h100-sxm").bound == "arithmetic"
    assert roof_of(half, "h100-sxm").time_ns == pytest.approx(2 * 4096**3 / 989.4e12 * 1e9)
    assert roof_of(single, "h100-sxm").time_ns == pytest.approx(2 * 4096**3 / 66.9e12 * 1e9)
    assert roof_of(single, "h100-sxm", 1.2e-3).time_ns == pytest.approx(2 * 4096**3 / 494.7e12 * 1e9)


def test_an_unknown_device_or_dtype_has_no_roof():
    task = load_task(SOFTMAX)
    work = case_work(task, case_of(rows=8, cols=8, dtype="float32"))
    assert roof_of(work, "cpu-x86_64") is None
    assert roof_of(replace(work, dtype="int16"), "h100-sxm") is None
    assert roof_of(CaseWork(0, 0, "float32"), "h100-sxm") is None


def test_a_measured_time_gives_rates_and_shares():
    """1 ms on an H100: 1.005 GB are 1.005 TB/s, 30 % of 3.35; 0.0669 TFLOP are 66.9 TFLOP/s, all of float32's."""
    found = efficiency(TimedWork.of_case(CaseWork(1.005e9, 66.9e9, "float32"), 1.0, 1e-6), "h100-sxm")
    assert (found.bytes_per_s, found.flops_per_s) == (pytest.approx(1.005e12), pytest.approx(66.9e12))
    assert (found.iou, found.mfu, found.score) == (pytest.approx(0.3), pytest.approx(1.0), pytest.approx(1.0))
    assert found.missing == ""


@pytest.mark.parametrize(("dtype", "peak"), [("int8", 1978.9e12), ("float8_e4m3fn", 1978.9e12), ("float16", 989.4e12)])
def test_each_dtype_is_held_against_its_own_peak(dtype, peak):
    found = efficiency(TimedWork(1e-3, 0.0, {dtype: peak / 4e3}), "h200-sxm")
    assert (found.iou, found.mfu, found.score) == (None, pytest.approx(0.25), pytest.approx(0.25))


def test_float32_is_held_against_tf32_where_the_limit_of_its_error_admits_that():
    """A limit of 4 × 3e-4, as with a baseline in TF32, admits it; 5.4e-6, as of matmul, does not."""
    assert peak_name("float32", 4 * 3e-4) == "tf32"
    assert peak_name("float32", TF32_ROUNDING) == "tf32"
    assert peak_name("float32", math.nextafter(TF32_ROUNDING, 0)) == "float32"
    assert peak_name("float32", 5.4e-6) == peak_name("float32", None) == peak_name("float32", 0.0) == "float32"
    assert peak_name("bfloat16", 8e-3) == "bfloat16"
    work = CaseWork(0.0, 494.7e9, "float32")
    strict, loose = (efficiency(TimedWork.of_case(work, 2.0, limit), "h100-sxm") for limit in (5.4e-6, 1.2e-3))
    assert loose.mfu == pytest.approx(0.5)
    assert strict.mfu == pytest.approx(494.7 / 66.9 / 2)  # 3.7: above the peak, and shown as it is


def test_a_share_above_the_peak_is_returned_as_it_is():
    """6.7 GB in 1 ms are twice the memory's 3.35 TB/s."""
    assert efficiency(TimedWork(1e-3, 6.7e9, {"float32": 0.0}), "h100-sxm").score == pytest.approx(2.0)


def test_without_operations_there_is_no_mfu_and_the_score_is_that_of_memory():
    found = efficiency(TimedWork(1e-3, 3.35e8, {"int64": 0.0}), "h100-sxm")
    assert (found.flops_per_s, found.mfu) == (None, None)
    assert (found.iou, found.score, found.missing) == (pytest.approx(0.1), pytest.approx(0.1), "")


def test_without_a_peak_there_is_no_score_but_the_rates_stay():
    unknown = efficiency(TimedWork(1e-3, 1e9, {"float32": 1e9}), "cpu-x86_64")
    assert (unknown.bytes_per_s, unknown.iou, unknown.mfu, unknown.score) == (pytest.approx(1e12), None, None, None)
    assert unknown.missing == UNKNOWN_CLASS
    dtype = efficiency(TimedWork(1e-3, 3.35e8, {"float32": 1e9, "int16": 1.0}), "h100-sxm")
    assert (dtype.iou, dtype.mfu, dtype.score) == (pytest.approx(0.1), None, None)
    assert dtype.missing == "no peak of int16 arithmetic is known for this device class"
    assert efficiency(TimedWork(1e-3, 0.0, {"float32": 0.0}), "h100-sxm").missing == NO_WORK


@pytest.mark.parametrize(
    ("seconds", "moved"), [(0.0, 1e9), (math.nan, 1e9), (1e-3, math.nan), (1e-3, math.inf), (-1.0, 1.0)]
)
def test_a_number_that_cannot_be_right_gives_no_rate(seconds, moved):
    found = efficiency(TimedWork(seconds, moved, {"float32": 0.0}), "h100-sxm")
    assert (found.bytes_per_s, found.iou, found.score) == (None, None, None)


def test_a_task_is_total_work_over_total_time_and_each_dtype_counts_by_its_own_peak():
    """Two cases on an H100: 1 GB and 66.9 GFLOP of float32 in 3 ms, 2 GB and 989.4 GFLOP of bfloat16 in 2 ms.

    3 GB / 5 ms = 0.6 TB/s. 1056.3 GFLOP / 5 ms = 211.26 TFLOP/s. At their peaks the operations would take 1 ms each:
    2 ms / 5 ms = 40 %. The mean of the two MFUs, (1/3 + 1/2) / 2 = 42 %, is another number.
    """
    parts = [
        TimedWork.of_case(CaseWork(1e9, 66.9e9, "float32"), 3.0, 1e-6),
        TimedWork.of_case(CaseWork(2e9, 989.4e9, "bfloat16"), 2.0, 8e-3),
    ]
    found = efficiency(total(parts), "h100-sxm")
    assert found.bytes_per_s == pytest.approx(0.6e12)
    assert found.flops_per_s == pytest.approx(211.26e12)
    assert found.iou == pytest.approx(0.6 / 3.35)
    assert found.mfu == found.score == pytest.approx(0.4)
    assert total([]) is None


def test_every_device_says_where_its_figures_are_from():
    assert {golden_name: name in PEAKS for golden_name, name in KERNELBENCHX_MACHINES.items()} == dict.fromkeys(
        ("4090", "5090", "a100", "h20", "h800", "l20"), True
    )
    assert set(golden.COPIES) <= set(KERNELBENCHX_MACHINES)
    for name, peaks in PEAKS.items():
        assert name == peaks.device_class
        assert peaks.source
        assert peaks.checked
        assert peaks.bytes_per_s > 1e11
        assert peaks.flops_per_s["float16"] == peaks.flops_per_s["bfloat16"] > peaks.flops_per_s["float32"] / 2
        assert peaks.flops_per_s["tf32"] >= peaks.flops_per_s["float32"]
