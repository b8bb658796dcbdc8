"""The commands a worker understands: the only code of ours in the process that runs the candidate."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from evaluator.inside import loading
from evaluator.inside.caller import Caller, Spec
from evaluator.inside.channel import Channel, SharedMemory
from evaluator.inside.devices import DEVICES, DeviceOperations
from evaluator.inside.gpu.commands import Timing
from evaluator.inside.hip_cpu import build_both
from evaluator.inside.hip_gpu import build_for_gpu
from evaluator.inside.limits import DeviceKind

_undisturbed = torch._C.DisableTorchFunction  # modes off: neither the pretended GPU's nor a candidate's see our work
COMMANDS = (
    *("put", "take", "build", "attach", "clock", "load"),
    *("open", "compile", "prepare", "call", "fetch", "report", "time"),
)
Handler = Callable[..., dict[str, object]]


class Harness:
    """It holds no seed, no expected output and no verdict. Each command is a method; its fields are the message's."""

    def __init__(self, channel: Channel, mailbox: SharedMemory, workspace: str) -> None:
        self.channel, self.mailbox, self.workspace = channel, mailbox, Path(workspace)
        self.entry: Callable[..., Any] | None = None
        self.hook: Callable[..., Any] | None = None  # prepare(**static inputs) -> state
        self.bench: Caller | None = None
        self.device: DeviceOperations | None = None
        self.timing: Timing | None = None

    def handlers(self) -> dict[str, Handler]:
        """Every command by its name."""
        return {name: getattr(self, name) for name in COMMANDS}

    def put(self, path: str, offset: int, size: int, append: bool) -> dict[str, object]:
        """Write (or append) bytes of the mailbox to a file of the workspace."""
        target = self._inside(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab" if append else "wb") as file:
            file.write(self.mailbox.view(offset, size))
        return {}

    def take(self, path: str, start: int, size: int) -> dict[str, object]:
        """Copy a part of a workspace file into the mailbox; says how many bytes the file has in all."""
        with self._inside(path).open("rb") as file:
            file.seek(start)
            data = file.read(size)
        self.mailbox.view(0, len(data))[:] = data
        return {"copied": len(data), "size": self._inside(path).stat().st_size}

    def build(self, path: str, toolchain: dict[str, Any], limit_s: float) -> dict[str, object]:
        """Compile a HIP source for this host's device and for gfx942, side by side. Nothing of it is run."""
        building = build_both if toolchain["kind"] == "cpu" else build_for_gpu
        return dict(building(self._inside(path), self.workspace, toolchain, limit_s))

    def attach(self, device: DeviceKind, **options: Any) -> dict[str, object]:
        """Get the device ready, before the candidate is near: what fails here is ours. Options: inside/devices.py."""
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        self.device = DEVICES[device](**options)
        return {}

    def clock(self, **options: Any) -> dict[str, object]:
        """Get the instruments of the device clock ready, before the candidate is near."""
        self.timing = Timing(self.mailbox, options)
        return {}

    def load(self, path: str, function: str, prepares: bool) -> dict[str, object]:
        """Import the candidate. From here on its code may run in this process."""
        module = self._device().load(self._inside(path))
        self.entry = loading.entry_of(module, function)
        self.hook = getattr(module, "prepare", None) if prepares else None
        if self.timing is not None:
            self.timing.attach(self.entry, self.hook)
        return {}

    def open(self, inputs: list[Spec], outputs: list[Spec], style: str) -> dict[str, object]:
        """Get ready for one case."""
        assert self.entry is not None
        self.bench = Caller(self.entry, inputs, outputs, style, self.hook, self._device().kind)
        return {}

    def compile(self) -> dict[str, object]:
        """A first call, with kernels compiled and on the CPU not run; only a compiler's refusal counts."""
        bench, device = self._bench(), self._device()
        with _undisturbed():
            bench.prepare(self.mailbox)
        try:
            with device.only_compiling():
                bench.transform()
                bench.call()
                device.synchronize()
        except Exception as error:
            if device.is_refusal(error):
                raise
            # Host code that looks at results may see poison here; what it then does wrong, the real call will show.
            return {"ignored": type(error).__name__}
        if self.timing is not None:
            bench.rest()
        return {}

    def prepare(self) -> dict[str, object]:
        """Fresh tensors for the next call, and what the candidate makes of its static inputs."""
        with _undisturbed():
            self._bench().prepare(self.mailbox)
        self._bench().transform()
        self._device().synchronize()
        return {}

    def call(self) -> dict[str, object]:
        """The judge takes the time between its command and the answer."""
        self._bench().call()
        self._device().synchronize()
        return {}

    def fetch(self) -> dict[str, object]:
        """Outputs and inputs as raw bytes into the mailbox, if they are of the right form."""
        with _undisturbed():
            problem = self._bench().problem() or self._damage()
            if problem is None:
                self._bench().fetch(self.mailbox)
        return {"problem": problem}

    def time(self, what: str, **fields: Any) -> dict[str, object]:
        """A command of inside/gpu/commands.py."""
        assert self.timing is not None
        return self.timing.handlers()[what](**fields)

    def report(self) -> dict[str, object]:
        """What the cross-compiler said about every kernel launched so far, and what a candidate may have swallowed."""
        return self._device().report()

    def _damage(self) -> tuple[str, str] | None:
        damaged = self._device().damaged()
        return ("wrote_outside", f"buffers with a damaged red zone: {damaged}") if damaged else None

    def _device(self) -> DeviceOperations:
        assert self.device is not None
        return self.device

    def _bench(self) -> Caller:
        assert self.bench is not None
        return self.bench

    def _inside(self, path: str) -> Path:
        if os.path.isabs(path) or ".." in Path(path).parts:
            raise ValueError(f"{path} does not lie in the workspace")
        return self.workspace / path
