"""A GPU worker's report of its launches, with an emulated H100 driver that never loads a kernel."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
import triton
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

from evaluator.inside.gpu import launches as gpu_launches
from evaluator.inside.gpu.device import ignore_options_of_others
from evaluator.inside.gpu.launches import Launches
from evaluator.inside.isa.driver import DriverOf
from evaluator.inside.isa.launch import TRITONS_RUN, bind
from tests.evaluator import kernels_launch as kernels


class PretendedH100(DriverOf):
    utils = SimpleNamespace(get_device_properties=lambda device: {"max_shared_mem": 232_448})

    def __init__(self) -> None:
        super().__init__(GPUTarget("cuda", 90, 32))

    def get_current_device(self) -> str:  # type: ignore[override]  # a cache of its own beside the CPU's driver
        return "pretended H100"


class Pair(NamedTuple):
    first: object
    second: object


@triton.jit
def taking_anything(first, second, size):
    pass


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Launches]:
    monkeypatch.setattr(JITFunction, "run", TRITONS_RUN)
    monkeypatch.setattr(driver, "_active", PretendedH100())
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        yield Launches()


def warm_up(kernel: Any, *arguments: Any, **options: Any) -> Any:
    """Compile for the H100 without launching, which would need one."""
    return kernel.warmup(*arguments, grid=(1,), **options)


def test_a_launch_is_compiled_for_the_device_and_for_amds_targets(launches: Launches) -> None:
    a = torch.zeros(32, 128, dtype=torch.float16)
    compiled = warm_up(kernels.product, a, a, a, 128, M=32)
    assert "ptx" in compiled.asm
    assert launches.count == 1
    assert [(one["target"], one["configuration"], one["error"]) for one in launches.reports()] == [
        ("gfx942", "fp16, M=32, K%16=0", None),
        ("gfx950", "fp16, M=32, K%16=0", None),
    ]
    assert all(one["mfma"] > 0 and one["num_stages"] == 2 for one in launches.reports())  # AMD's default, not CUDA's 3


def test_a_specialisation_is_compiled_once(launches: Launches) -> None:
    x = torch.zeros(64)
    for _ in range(2):
        warm_up(kernels.copy, x, x, 48, BLOCK=16)
    assert launches.count == 2
    assert len(launches.reports()) == 2  # one for each target


def test_a_launch_waits_for_its_compilation_and_keeps_no_tensor(
    launches: Launches, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = torch.zeros(64)
    gone, forked = weakref.ref(x), []
    monkeypatch.setattr(os, "fork", lambda fork=os.fork: forked.append(1) or fork())
    warm_up(kernels.copy, x, out_ptr=x, size=52, BLOCK=16)
    del x
    assert (gone(), forked) == (None, [])
    assert [one["error"] for one in launches.reports()] == [None, None]
    assert len(forked) == 2


def test_the_stored_launch_is_specialised_like_the_original(launches: Launches) -> None:
    x = torch.zeros(64, dtype=torch.float16)
    described = TensorDescriptor(x.view(4, 16), [4, 16], [16, 1], [4, 16])
    for arguments in ((x, x[1:], 48), (x, described, 48), (x, (x, Pair(x[1:], 3)), 48), (x, None, 48)):
        warm_up(taking_anything, *arguments)
        launch = bind(taking_anything, arguments, {"debug": False, "instrumentation_mode": ""})
        kept = launch.without_memory()
        again = bind(taking_anything, kept.arguments, kept.options)
        assert (again.key, again.configuration) == (launch.key, launch.configuration)


def test_launches_left_after_the_time_limit_are_reported_as_not_compiled(
    launches: Launches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_launches, "COMPILE_S", 0.0)
    x = torch.zeros(64)
    warm_up(kernels.copy, x, x, 53, BLOCK=16)
    assert {one["error"] for one in launches.reports()} == {"not compiled after 0 s for all launches"}


def test_the_number_of_specialisations_is_bounded(launches: Launches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_launches, "MAX_SPECIALISATIONS", 1)
    x = torch.zeros(64)
    for block in (16, 32):
        warm_up(kernels.copy, x, x, 54, BLOCK=block)
    assert launches.count == 2
    assert {one["configuration"] for one in launches.reports()} == {"fp32, BLOCK=16"}


def test_amds_options_are_ignored_by_cuda_and_kept_for_amd(launches: Launches, monkeypatch: pytest.MonkeyPatch) -> None:
    from triton.backends import backends

    compiler = backends["nvidia"].compiler
    monkeypatch.setattr(compiler, "parse_options", compiler.parse_options)  # put back afterwards
    ignore_options_of_others()
    x = torch.zeros(64)
    warm_up(kernels.copy, x, x, 50, BLOCK=16, waves_per_eu=2)
    assert [(one["configuration"], one["error"]) for one in launches.reports()] == [
        ("fp32, BLOCK=16, waves_per_eu=2", None)
    ] * 2


def test_a_kernel_that_fits_the_device_but_not_amds_targets_is_reported_and_not_rejected(launches: Launches) -> None:
    a = torch.zeros(256, 1024, dtype=torch.float32)
    warm_up(kernels.product, a, a, a, 1024, M=128)
    ours, other = launches.reports()
    assert "bytes of LDS" in ours["error"]
    assert other["error"] is None
