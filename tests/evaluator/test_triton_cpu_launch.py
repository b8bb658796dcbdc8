"""Launches: grids, options, autotuners, heuristics, warm-ups, hooks and interpretation."""

from __future__ import annotations

import contextlib
import importlib
import sys

import pytest
import torch
import triton
import triton.testing

from evaluator.inside import triton_cpu
from tests.evaluator import kernels_launch as kernels

LAUNCHES = triton_cpu.install()


@pytest.fixture(autouse=True)
def _compile_and_execute(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", True)
    monkeypatch.setattr(LAUNCHES, "execute", True)


def reports_of(kernel, target="gfx942"):
    return [report for report in LAUNCHES.reports() if (report["kernel"], report["target"]) == (kernel, target)]


def test_installing_twice_gives_the_same_launches():
    assert triton_cpu.install() is LAUNCHES


def test_a_grid_may_have_three_axes_and_be_a_list():
    out = torch.empty(24, dtype=torch.int32)
    kernels.place[[2, 3, 4]](out)
    assert torch.equal(out, torch.arange(24, dtype=torch.int32))


def test_a_grid_function_gets_the_bound_arguments():
    x, out, seen = torch.randn(300), torch.empty(300), {}

    def grid(bound):
        seen.update(bound)
        return (triton.cdiv(bound["x_ptr"].nelement(), bound["BLOCK"]),)

    kernels.copy[grid](x, out, size=300, BLOCK=128, num_warps=2)
    assert torch.equal(out, x)
    assert (seen["size"], seen["BLOCK"]) == (300, 128)


def test_an_empty_grid_does_nothing():
    out = torch.zeros(4, dtype=torch.int32)
    kernels.place[(0,)](out)
    assert out.sum() == 0


def test_every_launch_is_counted():
    before = LAUNCHES.count
    for _ in range(3):
        kernels.place[(1,)](torch.empty(1, dtype=torch.int32))
    assert LAUNCHES.count == before + 3


def test_without_execute_a_launch_only_compiles(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "execute", False)
    out = torch.zeros(64)
    kernels.copy[(1,)](torch.ones(64), out, 64, BLOCK=64, num_warps=1)
    assert out.sum() == 0
    assert reports_of("copy")[-1]["num_warps"] == 1


def test_an_autotuner_compiles_every_configuration_and_runs_the_first_once():
    x, out = torch.ones(512), torch.zeros(512)
    kernels.tuned_add[lambda bound: (triton.cdiv(512, bound["BLOCK"]),)](x, out, 512)
    assert out.tolist() == [1.0] * 512
    assert kernels.tuned_add.best_config.kwargs["BLOCK"] == 128
    assert [report["num_warps"] for report in reports_of("tuned_add")] == [2, 4]


def test_heuristics_see_the_tuned_constants():
    x, out = torch.ones(500), torch.zeros(500)
    kernels.tuned_add[lambda bound: (triton.cdiv(500, bound["BLOCK"]),)](x, out, 500)
    assert out.tolist() == [1.0] * 500


def test_an_autotuner_skips_a_configuration_that_is_too_large():
    a, b, out = torch.randn(64, 256), torch.randn(256, 64), torch.empty(64, 64)
    kernels.tuned_product[(1,)](a, b, out, 256, M=64)
    torch.testing.assert_close(out, a @ b, rtol=1e-4, atol=1e-4)
    assert kernels.tuned_product.best_config.num_stages == 1
    first, second = reports_of("product")[-2:]
    assert "of LDS, a workgroup has 65536" in first["error"]
    assert second["error"] is None


def test_a_warm_up_compiles_and_gives_figures_and_a_launcher():
    x, out = torch.randn(64), torch.zeros(64)
    compiled = kernels.copy.warmup(x, out, 64, BLOCK=64, num_warps=2, grid=(1,))
    compiled._init_handles()
    assert out.sum() == 0
    assert compiled.n_regs > 0
    assert (compiled.n_spills, compiled.metadata.num_warps) == (0, 2)
    compiled[(1, 1, 1)](x, out, 64, 64)
    assert torch.equal(out, x)


def test_a_warm_up_takes_element_types_for_tensors():
    assert kernels.copy.warmup(torch.float16, torch.float16, 64, BLOCK=64, grid=(1,)).n_regs > 0


def test_pre_run_hooks_run_once_a_launch():
    x, seen = torch.ones(64), []
    kernels.copy.add_pre_run_hook(lambda *arguments, **options: seen.append(options["BLOCK"]))
    kernels.copy[(1,)](x, x, 64, BLOCK=32)
    kernels.copy.pre_run_hooks.clear()
    assert seen == [32]


def test_missing_arguments_are_pythons_error():
    with pytest.raises(TypeError, match="size"):
        kernels.copy[(1,)](torch.ones(4), torch.ones(4), BLOCK=4)


def test_a_fault_that_the_candidate_catches_is_reported():
    with contextlib.suppress(triton_cpu.OutOfBounds):
        kernels.copy[(1,)](torch.frombuffer(bytearray(16), dtype=torch.float32), torch.ones(8), 8, BLOCK=8)
    kind, text = LAUNCHES.faults[-1]
    assert kind == "OutOfBounds"
    assert "4 of 8 active lanes" in text


def test_a_jit_function_is_not_called_from_the_host():
    with pytest.raises(RuntimeError, match="outside of the scope of a kernel"):
        kernels.product(1, 2)


def test_a_hand_made_benchmark_calls_once_and_takes_one_millisecond():
    calls = []
    assert triton.testing.do_bench(lambda: calls.append(1), warmup=25, rep=100) == 1.0
    assert triton.testing.do_bench(lambda: calls.append(1), quantiles=[0.5, 0.2]) == [1.0, 1.0]
    assert len(calls) == 2


def test_the_active_driver_stands_for_an_mi300x():
    driver = triton.runtime.driver.active
    assert driver.get_current_target().arch == "gfx942"
    assert driver.utils.get_device_properties(0)["multiprocessor_count"] == 304
    with pytest.raises(triton_cpu.UnsupportedFeature, match="the candidate compiled itself"):
        _ = driver.launcher_cls


def test_tritons_own_interpreter_is_rejected(monkeypatch):
    monkeypatch.setattr(triton.knobs.runtime, "interpret", True)
    with pytest.raises(triton_cpu.TritonChanged, match="TRITON_INTERPRET"):
        triton_cpu.install.__wrapped__()


def test_an_unsupported_triton_version_is_named(monkeypatch):
    monkeypatch.delattr(triton.runtime.jit, "compute_cache_key")
    for name in [
        name for name in sys.modules if name.startswith(("evaluator.inside.triton_cpu", "evaluator.inside.isa"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(RuntimeError, match=rf"triton {triton.__version__} .*compute_cache_key"):
        importlib.import_module("evaluator.inside.triton_cpu")
