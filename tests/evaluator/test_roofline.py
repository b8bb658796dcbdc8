from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.tasks.reader import load_task
from evaluator.tasks.roofline import roof_of
from evaluator.tasks.spec import Case


def case_of(**axes):
    return Case(tuple(sorted(axes.items())), "full")


def test_a_copy_of_a_gigabyte_is_bound_by_memory():
    roof = roof_of(
        load_task("triton2triton/arena/softmax"), case_of(rows=8192, cols=16384, dtype="float32"), "h100-sxm"
    )
    assert roof.bound == "memory"
    assert roof.time_ns == pytest.approx(2 * 8192 * 16384 * 4 / 3.35e12 * 1e9)


def test_a_large_product_is_bound_by_arithmetic_of_its_dtype():
    task = load_task("torch2hip/arena/SimpleMatmulModule")
    size = {"batch": 1, "m": 4096, "k": 4096, "n": 4096}
    half, single = (roof_of(task, case_of(dtype=dtype, **size), "h100-sxm") for dtype in ("bfloat16", "float32"))
    assert half.bound == single.bound == "arithmetic"
    assert half.time_ns == pytest.approx(2 * 4096**3 / 989.4e12 * 1e9)
    assert single.time_ns == pytest.approx(2 * 4096**3 / 66.9e12 * 1e9)


def test_an_unknown_device_or_task_has_no_roof():
    task = load_task("triton2triton/arena/softmax")
    case = case_of(rows=8, cols=8, dtype="float32")
    assert roof_of(task, case, "cpu-x86_64") is None
    assert roof_of(task, replace(case, axes=(("cols", 8), ("dtype", "float64"), ("rows", 8))), "h100-sxm") is None
