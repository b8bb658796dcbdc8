"""The instruments of the device clock as Python calls: fill and hold the device, flush its caches, run canaries.

Loaded before a candidate: the functions and classes used here are bound then, so a candidate that replaces torch's
names replaces them for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import torch

SOURCE = Path(__file__).with_name("instruments.cu")
THREADS = 1024
SIGNAL_PATIENCE_NS = 10_000_000_000  # then the device does not run our kernel at all
HIDE_NS = 500_000  # a launch of ours from Python takes 20 to 100 us on an H100 host
PEAK_READ_WORDS, PEAK_MATRIX, PEAK_RUNS = (1 << 18, 1 << 19, 1 << 20), 8192, 20  # 4, 8 and 16 MiB
NS_PER_TICK = 10  # of wall_clock64 on gfx942 and gfx950
KERNELS = ["nothing", "fill_and_hold", "read_all", "compute"]


class DeviceStuck(Exception):
    """Our own kernel did not start, or the device failed."""


class Instruments:
    """One set for a worker's life; all work goes to the stream that is current when it is called.

    `flush_bytes`: more than the device's caches hold together.
    """

    def __init__(self, flush_bytes: int) -> None:
        properties = torch.cuda.get_device_properties(0)
        self._blocks = properties.multi_processor_count * (properties.max_threads_per_multi_processor // THREADS)
        self._nothing, self._hold, self._read, self._compute = _compiled()
        self._state = torch.zeros(4, dtype=torch.int64, device="cuda")
        self._signal = torch.zeros(1, dtype=torch.int32, pin_memory=True)
        self._seen = self._signal.numpy()
        self._sink = torch.zeros(4, dtype=torch.float32, device="cuda")
        self._flushed = torch.zeros(flush_bytes // 4, dtype=torch.int32, device="cuda")
        self._ticket = 0
        self._event: Any = torch.cuda.Event
        self._elapsed, self._zero = torch.cuda.Event.elapsed_time, torch.Tensor.zero_
        self._synchronize = torch.cuda.synchronize

    def flush(self) -> None:
        """Read more than the caches hold; leaves no dirty line behind."""
        self._launch_read(self._flushed.numel() // 4)

    def hold(self, duration_ns: int, patience_ns: int) -> None:
        """Enqueue the kernel that fills the device and then holds it so long."""
        self._zero(self._state)
        self._ticket += 1
        arguments = [self._state, self._signal, self._ticket, duration_ns, patience_ns]
        self._hold(grid=(self._blocks, 1, 1), block=(THREADS, 1, 1), args=arguments)

    def await_full(self) -> bool:
        """Wait until the last `hold` has the device; False: something else was still at work on it."""
        until = perf_counter_ns() + SIGNAL_PATIENCE_NS
        while abs(int(self._seen[0])) != self._ticket:
            if perf_counter_ns() > until:
                raise DeviceStuck("the device did not start the kernel that holds it")
        return int(self._seen[0]) > 0

    def event(self) -> Any:
        event = self._event(enable_timing=True)
        event.record()
        return event

    def between_ns(self, begin: Any, end: Any) -> float:
        return float(self._elapsed(begin, end)) * 1e6

    def drain(self) -> None:
        """Wait for every stream of this process."""
        self._synchronize()

    def canary(self, read_words: int, rounds: int) -> tuple[float, float]:
        """Nanoseconds of a read and of arithmetic of fixed size, launch hidden."""
        self.hold(HIDE_NS, HIDE_NS)
        events = [self.event()]
        self._launch_read(read_words)
        events.append(self.event())
        self._compute(grid=(self._blocks, 1, 1), block=(256, 1, 1), args=[self._sink, rounds])
        events.append(self.event())
        self.drain()
        return self.between_ns(events[0], events[1]), self.between_ns(events[1], events[2])

    def empty(self, count: int) -> list[float]:
        """Nanoseconds between a pair of events around an empty kernel, launch hidden: E0."""
        times = []
        for _ in range(count):
            self.hold(HIDE_NS, HIDE_NS)
            begin = self.event()
            self._nothing(grid=(1, 1, 1), block=(1, 1, 1), args=[])
            end = self.event()
            self.drain()
            times.append(self.between_ns(begin, end))
        return times

    def peaks(self) -> tuple[float, float]:
        """The fastest read of what stays in the caches, bytes per second; the fastest matrix product, operations."""
        reads = [self._fastest(partial(self._launch_read, words), 16.0 * words) for words in PEAK_READ_WORDS]
        square = torch.randn(PEAK_MATRIX, PEAK_MATRIX, device="cuda", dtype=torch.bfloat16)
        product = self._fastest(lambda: torch.matmul(square, square), 2.0 * PEAK_MATRIX**3)
        return max(reads), product

    def heat(self, rounds: int) -> None:
        """Arithmetic on the whole device, waited for."""
        self._compute(grid=(8 * self._blocks, 1, 1), block=(256, 1, 1), args=[self._sink, rounds])
        self.drain()

    def _fastest(self, work: Callable[[], object], amount: float) -> float:
        """Amount per second in the best of some runs."""
        best_ns = float("inf")
        for _ in range(PEAK_RUNS):
            self.hold(HIDE_NS, HIDE_NS)
            begin = self.event()
            work()
            end = self.event()
            self.drain()
            best_ns = min(best_ns, self.between_ns(begin, end))
        return amount / best_ns * 1e9

    def _launch_read(self, words: int) -> None:
        self._read(grid=(2 * self._blocks, 1, 1), block=(512, 1, 1), args=[self._flushed, words, self._sink])


def _compiled() -> list[Any]:
    """The kernels in the order of KERNELS, by the runtime compiler that comes with torch (nvrtc or hiprtc)."""
    from torch.cuda._utils import _cuda_load_module, _nvrtc_compile

    source = SOURCE.read_text(encoding="utf-8").replace("ARENA_NS_PER_TICK", f"{NS_PER_TICK}ull")
    binary, _ = _nvrtc_compile(source, KERNELS[0])
    loaded: dict[str, Any] = _cuda_load_module(binary, KERNELS)  # type: ignore[assignment]
    return [loaded[name] for name in KERNELS]
