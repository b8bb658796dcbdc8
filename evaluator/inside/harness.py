"""The commands a worker understands: the only code of ours in the process that runs the candidate."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from evaluator.inside import loading, triton_cpu
from evaluator.inside.bench import Bench, Spec
from evaluator.inside.channel import Channel, SharedMemory
from evaluator.inside.hip_cpu import build_both

_undisturbed = torch._C.DisableTorchFunction  # modes off: neither the pretended GPU's nor a candidate's see our work
MAX_FAULTS = 5
COMMANDS = ("put", "take", "build", "load", "open", "compile", "prepare", "call", "fetch", "report")


class Harness:
    """It holds no seed, no expected output and no verdict. Each command is a method; its fields are the message's."""

    def __init__(self, channel: Channel, mailbox: SharedMemory, workspace: str) -> None:
        self.channel, self.mailbox, self.workspace = channel, mailbox, Path(workspace)
        self.entry: Callable[..., Any] | None = None
        self.hook: Callable[..., Any] | None = None  # prepare(**static inputs) -> state
        self.bench: Bench | None = None
        self.zones: loading.RedZones | None = None

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
        """Compile a HIP source for this processor and for gfx942, side by side. Nothing of it is run."""
        return dict(build_both(self._inside(path), self.workspace, toolchain, limit_s))

    def load(
        self,
        path: str,
        function: str,
        prepares: bool,
        allocator: str | None,
        reverse: bool,
        cross_compile: bool,
        memory_mb: int,
    ) -> dict[str, object]:
        """Import the candidate. From here on its code may run in this process.

        `reverse`: programs (HIP: lanes, by HIPCPU_REVERSE) run from the last to the first, against guard pages.
        """
        _lower_memory_limit(memory_mb << 20)
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        if allocator is not None:
            self.zones = loading.RedZones(allocator, guard=reverse)
        launches = triton_cpu.install()
        launches.compile, launches.reverse = cross_compile, reverse
        target = self._inside(path)
        module = (loading.load_extension if target.suffix == ".so" else loading.load_python)(target)
        self.entry = loading.entry_of(module, function)
        self.hook = getattr(module, "prepare", None) if prepares else None
        return {}

    def open(self, inputs: list[Spec], outputs: list[Spec], style: str) -> dict[str, object]:
        """Get ready for one case."""
        assert self.entry is not None
        self.bench = Bench(self.entry, inputs, outputs, style, self.hook)
        return {}

    def compile(self) -> dict[str, object]:
        """Run the host code of a call with kernels compiled but not run; only a compiler's refusal counts."""
        bench = self._bench()
        with _undisturbed():
            bench.prepare(self.mailbox)
        with triton_cpu.install().only_compiling():
            try:
                bench.transform()
                bench.call()
            except triton_cpu.CompileFailed:
                raise
            except Exception as error:
                # Host code that looks at results sees poison here; what it then does wrong, the real call will show.
                return {"ignored": type(error).__name__}
        return {}

    def prepare(self) -> dict[str, object]:
        """Fresh tensors for the next call, and what the candidate makes of its static inputs."""
        with _undisturbed():
            self._bench().prepare(self.mailbox)
        self._bench().transform()
        return {}

    def call(self) -> dict[str, object]:
        """The judge takes the time between its command and the answer."""
        self._bench().call()
        return {}

    def fetch(self) -> dict[str, object]:
        """Outputs and inputs as raw bytes into the mailbox, if they are of the right form."""
        with _undisturbed():
            problem = self._bench().problem() or self._damage()
            if problem is None:
                self._bench().fetch(self.mailbox)
        return {"problem": problem}

    def report(self) -> dict[str, object]:
        """What the cross-compiler said about every kernel launched so far, and what a candidate may have swallowed."""
        launches = triton_cpu.install()
        return {"launches": launches.count, "kernels": launches.reports(), "faults": launches.faults[:MAX_FAULTS]}

    def _damage(self) -> tuple[str, str] | None:
        damaged = self.zones.damaged() if self.zones else 0
        return ("wrote_outside", f"{damaged} buffers with a damaged red zone") if damaged else None

    def _bench(self) -> Bench:
        assert self.bench is not None
        return self.bench

    def _inside(self, path: str) -> Path:
        if os.path.isabs(path) or ".." in Path(path).parts:
            raise ValueError(f"{path} does not lie in the workspace")
        return self.workspace / path


def _lower_memory_limit(size: int) -> None:
    """The task's own limit, where it is below the sandbox's."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or size < hard:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
