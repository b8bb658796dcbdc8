"""The profiler's activity trace of a candidate's calls: CUPTI through torch's kineto. The judge reads it afterwards.

Each call is three ranges with all work done at their ends: new contents and a flush of the caches, the call, and a copy
of its outputs, in which work that was put off until somebody reads them has to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import torch

from evaluator.inside.caller import Caller

PREPARE, CALL, CONSUME = RANGES = ("arena prepare", "arena call", "arena consume")  # also of rocprofv3's markers
GAP_S = 0.001  # between ranges: more than host and device times in one trace differ
# Not torch.profiler.profile, which wraps it: that one imports torch.compile first, in 4 s.
_profile = torch.autograd.profiler.profile
_record, _synchronize = torch.profiler.record_function, torch.cuda.synchronize


class ActivityTrace:
    """Serves the command `trace` of harness.py, for one trace after another."""

    def __init__(self, workspace: Path, mailbox: Any) -> None:
        self._workspace, self._mailbox = workspace, mailbox
        self._flushed: torch.Tensor | None = None
        self._tracer: Any = None

    def handlers(self) -> dict[str, Callable[..., dict[str, object]]]:
        return {"begin": self.begin, "call": self.call, "end": self.end}

    def begin(self, caller: Caller, flush_bytes: int) -> dict[str, object]:
        """Start the profiler."""
        self._flushed = torch.zeros(flush_bytes // 4, dtype=torch.int32, device="cuda")
        _synchronize()
        self._tracer = profiler()
        self._tracer.__enter__()
        return {}

    def call(self, caller: Caller) -> dict[str, object]:
        """Make one call, on the contents that are in the mailbox."""
        assert self._flushed is not None
        with _range(PREPARE):
            caller.prepare(self._mailbox)
            caller.transform()
            self._flushed.zero_()
        with _range(CALL):
            caller.call()
        with _range(CONSUME):
            for output in caller.returned:
                output.clone()
        return {}

    def end(self, caller: Caller, path: str) -> dict[str, object]:
        """Stop the profiler and write its trace to a file of the workspace, as JSON in Chrome's format."""
        self._tracer.__exit__(None, None, None)
        self._tracer.export_chrome_trace(str(self._workspace / path))
        self._flushed, self._tracer = None, None
        return {}


def profiler() -> Any:
    """Return torch's profiler of host and device, as a context manager."""
    return _profile(use_device="cuda", use_kineto=True)


@contextmanager
def _range(name: str) -> Iterator[None]:
    """Name a part of the trace; the device is idle at both its ends."""
    sleep(GAP_S)
    with _record(name):
        yield
        _synchronize()
    sleep(GAP_S)
