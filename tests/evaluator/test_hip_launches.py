"""What gfx942 refuses at a launch, and which memory kernels may read."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from evaluator.inside.hip_cpu.runtime import FiberRuntime

LAUNCH_FAILURE, INVALID_VALUE = 719, 1
READABLE = (
    "tensor",
    "end",
    "carried",
    "lambda",
    "table",
    "malloc",
    "registered",
    "device variable",
    "constant",
    "unnamed namespace",
)
UNREADABLE = ("stack", "heap", "global", "carried stack", "captured heap")


@pytest.fixture(scope="module")
def module(hip_module: Callable[..., ModuleType]) -> ModuleType:
    return hip_module("launches")


def test_every_way_to_bound_and_to_launch_a_kernel_is_checked(module: ModuleType) -> None:
    out = torch.zeros(256, dtype=torch.int32)
    assert set(module.bounds(out, 65 + 1).values()) == {LAUNCH_FAILURE}
    assert not out.any()
    allowed = module.bounds(out, 64)
    assert set(allowed.values()) == {0}
    assert len(allowed) == 13
    assert out.tolist() == [1] * 64 + [0] * 192


def test_a_suggested_block_keeps_to_the_bounds(module: ModuleType) -> None:
    assert module.suggested_block() == 64


def test_static_and_dynamic_shared_memory_count_together(module: ModuleType) -> None:
    out = torch.zeros(64)
    fits, too_much = module.shared(out, 65_536 - 40_000), module.shared(out, 65_536 - 40_000 + 16)
    assert set(fits.values()) == {0}
    assert too_much == {"own": INVALID_VALUE, "called": INVALID_VALUE, "sized": INVALID_VALUE, "small": 0}


def test_a_refused_launch_that_nobody_asks_about_is_told_once(module: ModuleType) -> None:
    runtime = FiberRuntime(Path(module.__file__ or ""), owner=None)
    module.bounds(torch.zeros(64, dtype=torch.int32), 66)
    assert runtime.refused_launch() == "", "the source asks after each launch"
    module.unasked(torch.zeros(64))
    assert runtime.refused_launch() == (
        "40000 bytes of static and 40000 of dynamic shared memory in own(float*), gfx942 has 65536 "
        "(hipErrorInvalidValue)"
    )
    assert runtime.refused_launch() == ""


def test_kernels_that_ran_are_named(module: ModuleType) -> None:
    module.shared(torch.zeros(64), 256)
    ran = set(FiberRuntime(Path(module.__file__ or ""), owner=None).kernels_that_ran())
    assert {"own(float*)", "called(float*)", "void sized<64>(float*)"} <= ran


# Prints a line for each kind of pointer: the signal that ended the process, and what the kernel read.
READER = """
import importlib.util, os, sys, torch
from pathlib import Path
from evaluator.inside.devices import RedZones
from evaluator.inside.hip_cpu.runtime import FiberRuntime

product, allocator, *kinds = sys.argv[1:]
zones = RedZones(allocator, guard=False)
spec = importlib.util.spec_from_file_location(Path(product).stem, product)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
runtime = FiberRuntime(Path(product), zones.owner)
for kind in kinds:
    if not (child := os.fork()):
        print("read", module.reads(torch.full((4,), 7.0), kind)[0].item(), flush=True)
        os._exit(0)
    if os.WIFSIGNALED(status := os.waitpid(child, 0)[1]):
        print("signal", os.WTERMSIG(status), flush=True)
"""


@pytest.fixture(scope="module")
def read_through(module: ModuleType, hip_toolchain: dict[str, Any]) -> Callable[..., list[str]]:
    def read(*kinds: str) -> list[str]:
        command = [sys.executable, "-c", READER, str(module.__file__), hip_toolchain["allocator"], *kinds]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert (kinds == READABLE) != ("a kernel got a pointer to memory of the host" in done.stderr)
        return done.stdout.splitlines()

    return read


def test_kernels_read_memory_of_the_device(read_through: Callable[..., list[str]]) -> None:
    values = {"device variable": 1.0, "constant": 5.0, "registered": 9.0, "unnamed namespace": 14.0}
    assert read_through(*READABLE) == [f"read {values.get(kind, 7.0)}" for kind in READABLE]


def test_a_pointer_to_the_host_may_be_carried_along(read_through: Callable[..., list[str]]) -> None:
    assert read_through("unread") == ["read 7.0"]


def test_kernels_cannot_read_memory_of_the_host(read_through: Callable[..., list[str]]) -> None:
    assert read_through(*UNREADABLE) == [f"signal {int(signal.SIGSEGV)}"] * len(UNREADABLE)
