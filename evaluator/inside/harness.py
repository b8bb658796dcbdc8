"""The commands of a worker: the evaluator's code in the process that runs the candidate."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from evaluator.inside import loading
from evaluator.inside.bench import Timing
from evaluator.inside.caller import Caller, Spec
from evaluator.inside.channel import Channel, SharedMemory
from evaluator.inside.devices import DEVICES, DeviceOperations
from evaluator.inside.gpu import kernel_files
from evaluator.inside.gpu.device import GpuDevice
from evaluator.inside.gpu.trace import ActivityTrace
from evaluator.inside.hip_cpu import build_both
from evaluator.inside.hip_gpu import build_for_gpu
from evaluator.inside.limits import DeviceKind

_undisturbed = torch._C.DisableTorchFunction  # turns torch function modes off, the emulated GPU's and a candidate's
COMMANDS = (
    *("put", "take", "build", "attach", "clock", "load"),
    *("kernels", "restore", "open", "compile", "prepare", "call", "fetch", "report", "time", "trace"),
)
Handler = Callable[..., dict[str, object]]


class Harness:
    """Serves the commands; each is a method that takes the message's fields. No seed or expected output is here."""

    def __init__(self, channel: Channel, mailbox: SharedMemory, workspace: str) -> None:
        self.channel, self.mailbox, self.workspace = channel, mailbox, Path(workspace)
        self.entry: Callable[..., Any] | None = None
        self.hook: Callable[..., Any] | None = None  # prepare(**static inputs) -> state
        self.caller: Caller | None = None
        self.device: DeviceOperations | None = None
        self.timing: Timing | None = None
        self.activity = ActivityTrace(self.workspace, mailbox)
        self._kernel_cache = self.workspace / ".triton"

    def handlers(self) -> dict[str, Handler]:
        """Return the commands by name."""
        return {name: getattr(self, name) for name in COMMANDS}

    def put(self, path: str, offset: int, size: int, append: bool) -> dict[str, object]:
        """Write (or append) bytes of the mailbox to a file of the workspace."""
        target = self._inside(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab" if append else "wb") as file:
            file.write(self.mailbox.view(offset, size))
        return {}

    def take(self, path: str, start: int, size: int) -> dict[str, object]:
        """Copy a part of a workspace file into the mailbox; return the file's size."""
        with self._inside(path).open("rb") as file:
            file.seek(start)
            data = file.read(size)
        self.mailbox.view(0, len(data))[:] = data
        return {"copied": len(data), "size": self._inside(path).stat().st_size}

    def build(self, path: str, toolchain: dict[str, Any], limit_s: float) -> dict[str, object]:
        """Compile a HIP source for this host's device and for AMD's targets in parallel. Nothing of it is run."""
        building = build_both if toolchain["kind"] == "cpu" else build_for_gpu
        return dict(building(self._inside(path), self.workspace, toolchain, limit_s))

    def attach(self, device: DeviceKind, **options: Any) -> dict[str, object]:
        """Set up the device before the candidate is loaded. Options: see inside/devices.py."""
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        self.device = DEVICES[device](**options)
        return {}

    def clock(self, **options: Any) -> dict[str, object]:
        """Set up the instruments of the device clock before the candidate is loaded."""
        self.timing = Timing(self.mailbox, options)
        return {}

    def load(self, path: str, function: str, prepares: bool) -> dict[str, object]:
        """Import the candidate. Its code may run in this process from now on."""
        module = self._device().load(self._inside(path))
        self.entry = loading.entry_of(module, function)
        self.hook = getattr(module, "prepare", None) if prepares else None
        if self.timing is not None:
            self.timing.attach(self.entry, self.hook)
        return {}

    def open(self, inputs: list[Spec], outputs: list[Spec], style: str) -> dict[str, object]:
        """Prepare for one case."""
        assert self.entry is not None
        self.caller = Caller(self.entry, inputs, outputs, style, self.hook, self._device().kind)
        return {}

    def compile(self) -> dict[str, object]:
        """Make a first call that compiles kernels, and on the CPU does not run them; raise only compiler errors."""
        caller, device = self._caller(), self._device()
        with _undisturbed():
            caller.prepare(self.mailbox)
        try:
            with device.only_compiling():
                caller.transform()
                caller.call()
                device.synchronize()
        except Exception as error:
            if device.is_refusal(error):
                raise
            # Host code that reads results may see poison here and fail; the real call decides.
            return {"ignored": type(error).__name__}
        if self.timing is not None:
            caller.rest()
        return {}

    def kernels(self, path: str, limit_s: float) -> dict[str, object]:
        """Compile what `compile` has noted, in a worker that compiles ahead; pack the kernels into a file."""
        device = self._device()
        assert isinstance(device, GpuDevice)
        told = device.compile_noted(limit_s)
        kernel_files.pack(self._kernel_cache, self._inside(path))
        return told

    def restore(self, path: str) -> dict[str, object]:
        """Fill Triton's cache with packed kernels before the candidate is loaded; with none where that fails."""
        archive = self._inside(path)
        try:
            return {"kernels": kernel_files.unpack(archive, self._kernel_cache)}
        except (ValueError, OSError) as error:
            shutil.rmtree(self._kernel_cache, ignore_errors=True)
            return {"refused": str(error)}
        finally:
            archive.unlink()

    def prepare(self, order: int = 0, values: dict[str, Any] | None = None) -> dict[str, object]:
        """Make new tensors for the next call, and let the candidate prepare its static inputs.

        `order`: see set_order in inside/devices.py. `values`: the numbers of this call.
        """
        self._device().set_order(order)
        with _undisturbed():
            self._caller().prepare(self.mailbox, values)
        self._device().watch()
        self._caller().transform()
        self._device().synchronize()
        return {}

    def call(self) -> dict[str, object]:
        """Call the candidate; the judge measures the time from command to reply."""
        self._caller().call()
        self._device().synchronize()
        return {}

    def fetch(self) -> dict[str, object]:
        """Copy outputs and inputs into the mailbox, unless outputs have a wrong form or red zones are damaged."""
        with _undisturbed():
            problem = self._caller().problem() or self._damage()
            if problem is None:
                self._caller().fetch(self.mailbox)
        outputs = {} if problem is not None else self._caller().output_bytes(self.mailbox)
        lengths = {} if problem is not None else self._caller().lengths()
        told = {"problem": problem, "lengths": lengths, "coverage": self._device().coverage(outputs)}
        return {**told, "refused": self._device().refused_launch()}

    def time(self, what: str, **fields: Any) -> dict[str, object]:
        """Run a command of inside/bench.py."""
        assert self.timing is not None
        return self.timing.handlers()[what](**fields)

    def trace(self, what: str, **fields: Any) -> dict[str, object]:
        """Run a command of inside/gpu/trace.py."""
        return self.activity.handlers()[what](self._caller(), **fields)

    def report(self) -> dict[str, object]:
        """Report every kernel launched so far, as cross-compiled, and faults that the candidate may have caught."""
        return self._device().report()

    def _damage(self) -> tuple[str, str] | None:
        damaged = self._device().damaged()
        return ("wrote_outside", f"buffers with a damaged red zone: {damaged}") if damaged else None

    def _device(self) -> DeviceOperations:
        assert self.device is not None
        return self.device

    def _caller(self) -> Caller:
        assert self.caller is not None
        return self.caller

    def _inside(self, path: str) -> Path:
        if os.path.isabs(path) or ".." in Path(path).parts:
            raise ValueError(f"{path} is not in the workspace")
        return self.workspace / path
