"""Reasons for a GPU's errors, from the texts that torch, Triton and the runtimes print."""

from __future__ import annotations

import pytest

from evaluator.judge.rejection import rejection_of
from evaluator.sandbox import Ended, WorkerDied, WorkerFault

ILLEGAL = "an illegal memory access was encountered"
RAISED = [
    ("torch.AcceleratorError", f"CUDA error: {ILLEGAL}\nSearch for `cudaErrorIllegalAddress'", "out_of_bounds"),
    ("builtins.RuntimeError", f"Triton Error [CUDA]: {ILLEGAL}", "out_of_bounds"),
    ("torch.AcceleratorError", "CUDA error: misaligned address", "device_error"),
    ("torch.AcceleratorError", "CUDA error: device-side assert triggered", "device_error"),
    ("torch.AcceleratorError", "HIP error: unspecified launch failure", "device_error"),
    ("builtins.RuntimeError", "Triton Error [CUDA]: misaligned address", "device_error"),
    ("builtins.ValueError", "the shapes differ", "raised"),
    ("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 100.00 GiB.", "out_of_memory"),
    ("builtins.RuntimeError", "std::bad_alloc", "out_of_memory"),  # from our red zones
    ("triton.compiler.errors.CompilationError", "at 3:4: invalid operands of type pointer", "compiler_error"),
    ("triton.runtime.errors.OutOfResources", "out of resource: shared memory, Required: 262144", "compiler_error"),
    ("builtins.RuntimeError", "PassManager::run failed", "compiler_error"),
]


@pytest.mark.parametrize(("kind", "text", "reason"), RAISED)
def test_an_exception_of_the_device_gets_its_reason(kind: str, text: str, reason: str) -> None:
    name = kind.removeprefix("builtins.")
    traceback = f'Traceback (most recent call last):\n  File "softmax.py", line 3\n{name}: {text}'
    assert rejection_of(WorkerFault("call", kind, traceback, "")).reason == reason


def test_a_device_error_behind_another_exception_is_found() -> None:
    hidden = (
        "Traceback (most recent call last):\ntorch.AcceleratorError: CUDA error: misaligned address\n\n"
        "During handling of the above exception, another exception occurred:\n\nValueError: no luck"
    )
    assert rejection_of(WorkerFault("call", "builtins.ValueError", hidden, "")).reason == "device_error"


def test_an_abort_after_a_fault_on_an_amd_card_is_an_access_out_of_bounds() -> None:
    printed = "Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x7f0. Reason: Unknown."
    died = WorkerDied("call", Ended(exit_code=None, signal="SIGABRT", killed=False, leftovers=0), printed)
    assert rejection_of(died).reason == "out_of_bounds"
