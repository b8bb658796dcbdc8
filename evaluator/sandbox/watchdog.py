"""Ends a sandbox whose processes together use more than its limits. The kernel's own limits hold for each one alone.

The processes are added up a few times a second, with or without a control group, which bounds them in between.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from evaluator.errors import SandboxError
from evaluator.inside.limits import Limits
from evaluator.sandbox.cgroup import ControlGroup
from evaluator.sandbox.usage import memory_of, usage_below

INTERVAL_S = 0.2
GiB = 1 << 30


class Watchdog:
    """A thread that watches the processes below a zygote from the first `renew` until `stop`.

    `exceeded` names the limit that the processes exceeded. It is set before `end`, which must kill them all, is called.
    """

    def __init__(self, zygote: int, limits: Limits, group: ControlGroup | None, end: Callable[[], None]) -> None:
        self.exceeded: str | None = None
        self._zygote, self._limits, self._group, self._end = zygote, limits, group, end
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._spent_s = 0.0  # the group's processor time before the present worker

    def renew(self) -> None:
        """Begin to count a new worker's processor time."""
        self._spent_s = self._group.cpu_s if self._group else 0.0
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """Watch no longer; the control group may be removed afterwards."""
        self._stopped.set()
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(INTERVAL_S):
            try:
                self.exceeded = self._excess()
            except OSError:  # its control group has vanished, so nothing bounds it: our fault
                return self._kill()
            if self.exceeded is not None:
                return self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(SandboxError):  # whoever closes the sandbox raises it again
            self._end()

    def _excess(self) -> str | None:
        """Return which limit the processes exceed, cheapest test first; None if they keep them all."""
        limits, usages = self._limits, usage_below(self._zygote)
        if (count := sum(usage.threads for usage in usages)) > limits.processes:
            return f"{count} processes and threads, at most {limits.processes}"
        cpu_s = sum(usage.cpu_s for usage in usages)
        if self._group:
            cpu_s = max(cpu_s, self._group.cpu_s - self._spent_s)
        if cpu_s > limits.total_cpu_s:
            return f"{cpu_s:.0f} s of processor time, at most {limits.total_cpu_s}"
        most = limits.total_memory_bytes
        if self._group and self._group.is_out_of_memory:
            return f"more than {most / GiB:.3g} GiB of memory"
        if sum(usage.resident_bytes for usage in usages) > most and (memory := memory_of(usages)) > most:
            return f"{memory / GiB:.1f} GiB of memory, at most {most / GiB:.3g}"
        return None
