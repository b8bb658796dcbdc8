"""The meaning of a kernel's source in the interpreter, as in Triton's compiler. Every kernel is compiled too."""

from __future__ import annotations

import pytest
import torch

from evaluator.inside import triton_cpu
from tests.evaluator import kernels_language as kernels

LAUNCHES = triton_cpu.install()


@pytest.fixture(autouse=True)
def _compile_and_execute(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", True)


def integers(size):
    return torch.full((size,), -9, dtype=torch.int32)


def test_a_loop_variable_is_a_tensor_so_that_division_truncates():
    out = integers(8)
    kernels.loop_halves[(1,)](out, 0, 8, BLOCK=8)
    assert out.tolist() == [-1, -1, 0, 0, 0, 1, 1, 2]


def test_tl_range_takes_a_step_and_hints():
    out = integers(6)
    kernels.loop_tl_range[(1,)](out, 6)
    assert out.tolist() == [-1, -9, 1, -9, 0, -9]


def test_a_loop_can_run_down():
    out = integers(4)
    kernels.loop_down[(1,)](out, 3)
    assert out.tolist() == [-9, 2, 1, 0]


def test_an_unrolled_loop_has_python_numbers():
    out = integers(5)
    kernels.unrolled[(1,)](out, N=5)
    assert out.tolist() == [0, 0, 1, 2, 4]


@pytest.mark.parametrize(("limit", "steps"), [(100, 4), (2, 2)])
def test_a_while_loop_ends_on_either_condition(limit, steps):
    out = integers(1)
    kernels.while_loop[(1,)](torch.tensor([16.0]), out, limit)
    assert out.item() == steps


def test_an_assigned_number_is_a_32_bit_tensor():
    out = integers(1)
    kernels.wrapping_assignment[(1,)](out)
    assert out.item() == -(2**31)


@pytest.mark.parametrize(("upper", "expected"), [(None, [1, 2, 100, 9]), (2.5, [1, 2, 2.5, 9])])
def test_branches_conditional_expressions_and_early_returns(upper, expected):
    out = torch.full((4,), 9.0)
    kernels.branches[(4,)](torch.tensor([-1.0, 2.0, -3.0, 4.0]), out, 3, BLOCK=4, UPPER=upper)
    assert out.tolist() == expected


def test_jit_functions_are_called_and_passed_as_constants():
    x, out = torch.arange(4.0), torch.empty(4)
    kernels.nested[(1,)](x, out, BLOCK=4, FUNCTION=kernels.square)
    assert torch.equal(out, (2 * x + 0.5) ** 2 + x)


def test_names_imported_from_triton_and_constexpr_globals_are_found():
    x, out = torch.arange(6.0), torch.empty(6)
    kernels.imported_by_name[(3,)](x, out)
    assert torch.equal(out, 3 * x)
    assert vars(kernels).keys().isdisjoint({"np", "interpreter_semantic", "__triton_meaning__"})


def test_a_kernel_sees_the_locals_around_it():
    x = torch.ones(4)
    kernels.scaler(5)[(1,)](x, BLOCK=4)
    kernels.scaler(7)[(1,)](x, BLOCK=4)
    assert x.tolist() == [35.0] * 4


def test_a_shape_takes_part_in_arithmetic_with_tensors():
    x, out = torch.ones(4), torch.empty(8)
    kernels.shape_arithmetic[(2,)](x, out, BLOCK=4)
    assert out.tolist() == [0.25] * 4 + [4.25] * 4


def test_shapes_are_changed_and_changed_back():
    x, out = torch.randn(8, 4), torch.empty(8, 4)
    kernels.shapes[(1,)](x, out, M=8, N=4)
    assert torch.equal(out, x + 1)


def test_random_numbers_are_uniform_normal_and_the_same_for_a_seed():
    out, again = torch.empty(3, 1024), torch.empty(3, 1024)
    kernels.random_numbers[(1,)](out, 17, BLOCK=1024)
    kernels.random_numbers[(1,)](again, 17, BLOCK=1024)
    assert torch.equal(out, again)
    assert abs(out[0].mean() - 0.5) < 0.05
    assert out[0].min() >= 0
    assert out[0].max() < 1
    assert abs(out[1].std() - 1) < 0.1
    assert abs(out[2].mean() - 0.5) < 0.1


@pytest.mark.parametrize("kernel", ["asserting", "asserting_in_pythons_words"])
def test_a_failing_device_assert_is_an_exception_with_its_line(kernel):
    launch = getattr(kernels, kernel)[(1,)]
    options = {"BLOCK": 4} if kernel == "asserting" else {}
    launch(torch.tensor([1.0, 2.0, 3.0, 4.0]), 5.0, **options)
    with pytest.raises(
        triton_cpu.DeviceAssertFailed, match=rf"program \(0, 0, 0\): x is too large, kernel {kernel}, line"
    ):
        launch(torch.tensor([9.0, 9.0, 9.0, 9.0]), 5.0, **options)


def test_an_assumption_that_does_not_hold_is_an_exception():
    kernels.assuming[(1,)](integers(1), 4)
    with pytest.raises(triton_cpu.DeviceAssertFailed, match="assume failed"):
        kernels.assuming[(1,)](integers(1), 3)


def test_device_print_names_the_program_and_static_print_is_the_compilers(capfd):
    kernels.printing[(2,)](torch.tensor([1.5]))
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    assert lines == [[*f"({program}, 0, 0) {text}: [1.5]".split()] for program in (0, 1) for text in ("x is", "again")]


def test_inline_assembly_compiles_and_is_unsupported_by_name():
    with pytest.raises(triton_cpu.UnsupportedFeature, match="inline assembly"):
        kernels.with_inline_assembly[(1,)](torch.ones(64), torch.empty(64), BLOCK=64)


def test_features_that_the_interpreter_lacks_are_named(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", False)
    x, scale = torch.ones(64, 64).to(torch.float8_e4m3fn), torch.full((64, 2), 127, dtype=torch.uint8)
    with pytest.raises(triton_cpu.UnsupportedFeature, match="dot_scaled"):
        kernels.with_scaled_dot[(1,)](x, scale, torch.empty(64, 64), N=64)
    with pytest.raises(triton_cpu.UnsupportedFeature, match="Gluon"):
        kernels.in_gluon[(1,)](x)


def test_a_constexpr_default_is_its_value():
    x = torch.tensor([2.0])
    kernels.with_default[(1,)](x)
    assert x.item() == 6.0


def test_an_optional_pointer_may_be_none():
    x, out = torch.ones(4), torch.empty(4)
    kernels.with_optional[(1,)](x, None, out, BLOCK=4)
    assert out.tolist() == [1.0] * 4
    kernels.with_optional[(1,)](x, x, out, BLOCK=4)
    assert out.tolist() == [2.0] * 4


def test_tuples_are_arguments():
    x, y, out = torch.arange(4.0), torch.arange(8.0), torch.empty(4)
    kernels.with_tuple[(1,)]((x, y), out, (1, 2), BLOCK=4)
    assert torch.equal(out, x + y[::2])
