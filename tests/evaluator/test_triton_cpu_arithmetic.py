"""Element types and operations in the interpreter, compared with torch."""

from __future__ import annotations

import pytest
import torch

from evaluator.inside import triton_cpu
from tests.evaluator import kernels_arithmetic as kernels

LAUNCHES = triton_cpu.install()
FLOATS = [torch.float32, torch.float16, torch.bfloat16]
SIZE = 500
BINARY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "mod": torch.fmod,
    "maximum": torch.fmax,
    "minimum": torch.fmin,
    "max_builtin": torch.fmax,
    "min_builtin": torch.fmin,
    "where": lambda x, y: torch.where(x > y, x, y),
}
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]
UNARY = {
    "neg": torch.neg,
    "abs": torch.abs,
    "half": lambda x: x * 0.5,
    "plus_one": lambda x: x + 1,
    "reciprocal": torch.reciprocal,
    "square_sum": lambda x: x * x + x,
    "clamp": lambda x: x.clamp(-0.5, 0.5),
}
FLOAT32_ONLY = ["exp", "exp2", "sin", "cos", "erf", "floor", "ceil", "sigmoid", "tanh"]
POSITIVE_ONLY = ["log", "log2", "sqrt", "rsqrt", "log1p", "lgamma"]
SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -2.5, 3e-39]


@pytest.fixture(autouse=True)
def _interpret_only(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", False)


def run(kernel, *tensors, dtype, **constants):
    out = torch.empty(tensors[0].shape, dtype=dtype)
    kernel[(2,)](*tensors, out, tensors[0].numel(), BLOCK=256, **constants)
    return out


def same(actual, expected):
    torch.testing.assert_close(actual, expected, equal_nan=True, rtol=0, atol=0)


def values(dtype, seed=0):
    numbers = torch.randn(SIZE, generator=torch.Generator().manual_seed(seed)) * 3
    numbers[seed::50] = torch.tensor([*SPECIAL, 0.5, -1.0])
    return numbers.to(dtype)


@pytest.mark.filterwarnings("ignore:builtin m.. on non-scalar:UserWarning")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", BINARY)
def test_a_binary_operation_is_torchs(operation, dtype):
    x, y = values(dtype), values(dtype, seed=1)
    same(run(kernels.binary, x, y, dtype=dtype, OP=operation), BINARY[operation](x.double(), y.double()).to(dtype))


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int32])
@pytest.mark.parametrize("operation", COMPARISONS)
def test_a_comparison_is_torchs_with_nan_too(operation, dtype):
    x, y = (torch.randint(-3, 3, (SIZE,)) if dtype == torch.int32 else values(torch.float32, seed) for seed in (0, 1))
    x, y = x.to(dtype), y.to(dtype)
    x[:100] = y[:100]
    assert torch.equal(run(kernels.binary, x, y, dtype=torch.bool, OP=operation), getattr(torch, operation)(x, y))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", ["maximum", "minimum"])
def test_min_and_max_propagate_nan_only_if_asked(operation, dtype):
    x, y = values(dtype), values(dtype, seed=1)
    asked = run(kernels.binary, x, y, dtype=dtype, OP=f"{operation}_nan")
    same(asked, getattr(torch, operation)(x, y))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", UNARY)
def test_a_unary_operation_rounds_once_per_step(operation, dtype):
    x = values(dtype).nan_to_num(0.25)
    same(run(kernels.unary, x, dtype=dtype, OP=operation), UNARY[operation](x))


@pytest.mark.parametrize("operation", [*FLOAT32_ONLY, *POSITIVE_ONLY])
def test_a_float32_function_is_torchs_to_the_last_bits(operation):
    x = values(torch.float32).nan_to_num(0.25, posinf=5.0, neginf=-5.0)
    x = x.abs() + 0.1 if operation in POSITIVE_ONLY else x
    expected = getattr(torch, operation)(x)
    torch.testing.assert_close(run(kernels.unary, x, dtype=x.dtype, OP=operation), expected, rtol=1e-5, atol=1e-6)


def test_clamp_turns_nan_into_the_lower_bound_unless_asked_to_propagate():
    x = torch.tensor([float("nan"), 2.0, -2.0, 0.25])
    assert run(kernels.unary, x, dtype=x.dtype, OP="clamp").tolist() == [-0.5, 0.5, -0.5, 0.25]
    assert run(kernels.unary, x, dtype=x.dtype, OP="clamp_nan")[0].isnan()


def test_device_library_functions_follow_c():
    x = torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4999998])
    assert run(kernels.unary, x, dtype=x.dtype, OP="round").tolist() == [1, 2, 3, -1, -2, -3, 2]
    assert run(kernels.unary, x, dtype=x.dtype, OP="rint").tolist() == [0, 2, 2, 0, -2, -2, 2]
    torch.testing.assert_close(run(kernels.unary, x, dtype=x.dtype, OP="i0"), torch.special.i0(x))
    torch.testing.assert_close(run(kernels.binary, x.abs(), x, dtype=x.dtype, OP="pow"), x.abs() ** x)
    assert run(kernels.unary, torch.tensor([1.0, float("nan")]), dtype=torch.int32, OP="isnan").tolist() == [0, 1]


def test_a_device_library_function_that_amd_lacks_is_unsupported():
    with pytest.raises(triton_cpu.UnsupportedFeature, match=r"libdevice\.saturatef"):
        run(kernels.unary, torch.ones(4), dtype=torch.float32, OP="saturatef")


def test_fma_rounds_after_the_sum():
    x = torch.full((4,), 1 + 2**-13)
    y = torch.full((4,), -(1 - 2**-13))
    exact = (x.double() * y.double() + x.double()).float()
    assert torch.equal(run(kernels.binary, x, y, dtype=x.dtype, OP="fma"), exact)
    assert not torch.equal(x * y + x, exact)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
def test_integer_division_truncates_as_in_c(dtype):
    x = torch.tensor([-7, -7, 7, 7, 6, -6, 0], dtype=dtype)
    y = torch.tensor([2, -2, 2, -2, 3, 3, 5], dtype=dtype)
    assert run(kernels.binary, x, y, dtype=dtype, OP="floordiv").tolist() == [-3, 3, 3, -3, 2, -2, 0]
    assert run(kernels.binary, x, y, dtype=dtype, OP="mod").tolist() == [-1, -1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("operation", ["add", "sub", "mul"])
def test_32_bit_integers_wrap(operation):
    x = torch.tensor([2**31 - 1, -(2**31), 123456789], dtype=torch.int32)
    expected = getattr(torch, operation)(x, x)
    assert torch.equal(run(kernels.binary, x, x, dtype=torch.int32, OP=operation), expected)


def test_shifts_keep_or_drop_the_sign_by_type():
    x = torch.tensor([-8, -1, 5], dtype=torch.int32)
    by = torch.tensor([1, 31, 1], dtype=torch.int32)
    assert run(kernels.binary, x, by, dtype=torch.int32, OP="rshift").tolist() == [-4, -1, 2]
    unsigned = run(kernels.binary, x.view(torch.uint32), by.view(torch.uint32), dtype=torch.uint32, OP="rshift")
    assert unsigned.tolist() == [2**31 - 4, 1, 2]
    assert run(kernels.binary, x, by, dtype=torch.int32, OP="lshift").tolist() == [-16, -(2**31), 10]


@pytest.mark.parametrize("operation", ["and", "or", "xor"])
def test_bitwise_operations_are_torchs(operation):
    x, y = (torch.arange(-50, 50, dtype=torch.int32) * factor for factor in (7, 13))
    expected = getattr(torch, f"bitwise_{operation}")(x, y)
    assert torch.equal(run(kernels.binary, x, y, dtype=torch.int32, OP=operation), expected)


def test_logical_words_act_lane_by_lane():
    x, y = torch.tensor([1.0, 1.0, -1.0, -1.0]), torch.tensor([1.0, -1.0, 1.0, -1.0])
    assert run(kernels.binary, x, y, dtype=torch.bool, OP="both").tolist() == [True, False, False, False]
    assert run(kernels.binary, x, y, dtype=torch.bool, OP="either").tolist() == [True, True, True, False]
    assert run(kernels.binary, x, y, dtype=torch.bool, OP="not_greater").tolist() == [True, False, True, True]


@pytest.mark.parametrize("source", [*FLOATS, torch.float64, torch.int32])
@pytest.mark.parametrize("target", [*FLOATS, torch.float64])
def test_a_cast_to_a_float_is_torchs(source, target):
    x = values(torch.float32).nan_to_num(2.0, posinf=9.0, neginf=-9.0).mul(1.2345).to(source)
    out = torch.empty(SIZE, dtype=target)
    kernels.cast[(1,)](x, out, SIZE, BLOCK=512)
    same(out, x.to(target))


def test_a_cast_to_bf16_rounds_ties_to_even_and_keeps_nan_and_inf():
    x = torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-8, 3.4e38, float("nan"), float("-inf"), 1e-40])
    out = torch.empty(7, dtype=torch.bfloat16)
    kernels.cast[(1,)](x, out, 7, BLOCK=8)
    same(out, x.bfloat16())


@pytest.mark.parametrize("target", [torch.bfloat16, torch.float16])
def test_a_cast_toward_zero_never_grows(target):
    x = torch.randn(SIZE, generator=torch.Generator().manual_seed(3))
    out = torch.empty(SIZE, dtype=target)
    kernels.cast[(1,)](x, out, SIZE, BLOCK=512, ROUNDING="rtz")
    step = 2.0**-7 if target == torch.bfloat16 else 2.0**-10
    assert (out.float().abs() <= x.abs()).all()
    assert (out.float().abs() > x.abs() * (1 - step)).all()


def test_a_float_beyond_an_integers_range_saturates():
    x = torch.tensor([3e9, -3e9, float("nan"), 2.9, -2.9, float("inf")])
    out = torch.empty(6, dtype=torch.int32)
    kernels.cast[(1,)](x, out, 6, BLOCK=8)
    assert out.tolist() == [2**31 - 1, -(2**31), 0, 2, -2, 2**31 - 1]


@pytest.mark.parametrize(
    "target", [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz], ids=str
)
def test_fp8_is_converted_both_ways_as_torch_does(target):
    x = torch.linspace(-100, 100, SIZE)
    out = torch.empty(SIZE, dtype=target)
    kernels.cast[(1,)](x, out, SIZE, BLOCK=512)
    assert torch.equal(out.float(), x.to(target).float())
    back = torch.empty(SIZE, dtype=torch.bfloat16)
    kernels.cast[(1,)](out, back, SIZE, BLOCK=512)
    assert torch.equal(back.float(), out.float())


def test_a_float_argument_is_a_float32_tensor_and_a_bool_argument_a_condition():
    x, out = torch.ones(16, dtype=torch.float16), torch.empty(16)
    kernels.scaled[(1,)](x, out, 0.1, True, BLOCK=16)
    torch.testing.assert_close(out, torch.full((16,), 1.1))
    kernels.scaled[(1,)](x, out, 0.1, False, BLOCK=16)
    torch.testing.assert_close(out, torch.full((16,), 0.1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fnuz], ids=str)
def test_dot_accumulates_in_float32(dtype):
    generator = torch.Generator().manual_seed(5)
    a, b = torch.randn(32, 64, generator=generator).to(dtype), torch.randn(64, 16, generator=generator).to(dtype)
    out = torch.empty(32, 16)
    kernels.dot[(1,)](a, b, out, M=32, N=16, K=64)
    torch.testing.assert_close(out, 2 * (a.float() @ b.float()), rtol=1e-5, atol=1e-4)


def test_dot_of_int8_is_exact_in_int32():
    a, b = torch.randint(-128, 127, (32, 64), dtype=torch.int8), torch.randint(-128, 127, (64, 16), dtype=torch.int8)
    out = torch.empty(32, 16, dtype=torch.int32)
    kernels.dot[(1,)](a, b, out, M=32, N=16, K=64)
    assert torch.equal(out, 2 * (a.int() @ b.int()))
