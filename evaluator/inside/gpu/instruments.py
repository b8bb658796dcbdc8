"""The instruments of the device clock: fill and hold the device, flush its caches, run canaries.

Loaded before the candidate. Everything that timing uses is bound then, from torch only C functions, which cannot be
patched: a candidate that replaces torch.cuda.Event or torch.cuda.synchronize changes nothing here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import torch

SOURCE = Path(__file__).with_name("instruments.cu")
THREADS = 1024
SIGNAL_PATIENCE_NS = 10_000_000_000  # after this the device does not run our kernel at all
HIDE_NS = 500_000  # longer than enqueueing any of our own measured launches
EVERYTHING = 1 << 30  # larger than any buffer
PEAK_SPANS, PEAK_WORDS = (1 << 18, 1 << 19, 1 << 20), 1 << 24  # 4, 8 and 16 MiB, read repeatedly up to 256 MiB
PEAK_MATRIX, PEAK_RUNS = 8192, 20
NS_PER_TICK = 10  # wall_clock64 on gfx942 and gfx950
_zero, _matmul = torch._C.TensorBase.zero_, torch.matmul
_int, _pointer = ctypes.c_int, ctypes.c_void_p
KERNELS: dict[str, list[Any]] = {  # name → argument types
    "nothing": [],
    "fill_and_hold": [_pointer, _pointer, _int, _int, _int],
    "read_all": [_pointer, _int, _int, _pointer],
    "compute": [_pointer, _int],
}


class DeviceStuck(Exception):
    """Our own kernel did not start, or the device failed."""


class Instruments:
    """A worker's instruments; all their work goes to the default stream.

    `flush_bytes`: more than the size of all caches of the device.
    """

    def __init__(self, flush_bytes: int) -> None:
        card = torch.cuda.get_device_properties(0)
        self._blocks = card.multi_processor_count * (card.max_threads_per_multi_processor // THREADS)
        self._stream: Any = torch.cuda.default_stream()
        self._kernels, self._forget_persisting = _kernels(self._stream.cuda_stream)
        self._state = torch.zeros(4, dtype=torch.int64, device="cuda")
        self._signal = torch.zeros(1, dtype=torch.int32, pin_memory=True)
        self._seen = self._signal.numpy()
        self._sink = torch.zeros(4, dtype=torch.float32, device="cuda")
        self._flushed = torch.zeros(flush_bytes // 4, dtype=torch.int32, device="cuda")
        self._pointers = [tensor.data_ptr() for tensor in (self._state, self._signal, self._flushed, self._sink)]
        self._flush_words = self._flushed.numel() // 4
        self._ticket = 0
        base: Any = torch._C._CudaEventBase
        self._new_event, self._record, self._elapsed, self._query = base, base.record, base.elapsed_time, base.query
        self._synchronize, self._set_stream = torch._C._cuda_synchronize, torch._C._cuda_setStream

    def take_over(self) -> None:
        """Make the default stream current again, as the candidate may have changed it."""
        stream = self._stream
        self._set_stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)

    def flush(self) -> None:
        """Read more than the caches hold: no dirty or persisting lines are left."""
        if self._forget_persisting is not None:
            self._forget_persisting()
        self._read(self._flush_words)

    def hold(self, duration_ns: int, patience_ns: int) -> None:
        """Enqueue the kernel that fills the device and holds it for this time."""
        _zero(self._state)
        self._ticket += 1
        state, signal, _, _ = self._pointers
        self._kernels["fill_and_hold"](self._blocks, THREADS, state, signal, self._ticket, duration_ns, patience_ns)

    def await_full(self) -> bool:
        """Wait until the last `hold` fills the device; return False if other work was still running on it."""
        until = perf_counter_ns() + SIGNAL_PATIENCE_NS
        while abs(int(self._seen[0])) != self._ticket:
            if perf_counter_ns() > until:
                raise DeviceStuck("the device did not start the holding kernel")
        return int(self._seen[0]) > 0

    def event(self) -> Any:
        """Record and return an event on the default stream."""
        event = self._new_event(enable_timing=True)
        self._record(event, self._stream)
        return event

    def has_passed(self, event: Any) -> bool:
        return bool(self._query(event))

    def between_ns(self, begin: Any, end: Any) -> float:
        return float(self._elapsed(begin, end)) * 1e6

    def drain(self) -> None:
        """Wait for every stream of this process."""
        self._synchronize()

    def canary(self, read_words: int, rounds: int) -> tuple[float, float]:
        """Time a read and arithmetic of fixed size, in ns, without launch time and with flushed caches."""
        self.flush()
        self.hold(HIDE_NS, HIDE_NS)
        events = [self.event()]
        self._read(read_words)
        events.append(self.event())
        self._compute(self._blocks, rounds)
        events.append(self.event())
        self.drain()
        return self.between_ns(events[0], events[1]), self.between_ns(events[1], events[2])

    def empty(self, count: int) -> list[float]:
        """Return `count` readings of E0: ns between two events around an empty kernel, without launch time."""
        return [self._hidden(lambda: self._kernels["nothing"](1, 1)) for _ in range(count)]

    def peaks(self) -> tuple[float, float]:
        """Return peak rates: bytes/s of reads from the caches, and operations/s of a matrix product."""
        reads = [16e9 * PEAK_WORDS / self._fastest(partial(self._read, PEAK_WORDS, span)) for span in PEAK_SPANS]
        square = torch.randn(PEAK_MATRIX, PEAK_MATRIX, device="cuda", dtype=torch.bfloat16)
        return max(reads), 2e9 * PEAK_MATRIX**3 / self._fastest(partial(_matmul, square, square))

    def heat(self, rounds: int) -> None:
        """Run arithmetic on the whole device and wait for it."""
        self._compute(8 * self._blocks, rounds)
        self.drain()

    def _fastest(self, work: Callable[[], object]) -> float:
        return min(self._hidden(work) for _ in range(PEAK_RUNS))

    def _hidden(self, work: Callable[[], object]) -> float:
        """Time work in ns, its launch hidden behind a hold."""
        self.hold(HIDE_NS, HIDE_NS)
        begin = self.event()
        work()
        end = self.event()
        self.drain()
        return self.between_ns(begin, end)

    def _read(self, words: int, span: int = EVERYTHING) -> None:
        _, _, flushed, sink = self._pointers
        self._kernels["read_all"](2 * self._blocks, 512, flushed, words, span, sink)

    def _compute(self, blocks: int, rounds: int) -> None:
        self._kernels["compute"](blocks, 256, self._pointers[3], rounds)


class CompiledKernel:
    """A compiled kernel, called with blocks, threads and arguments. A launch takes 3 us; torch's own call takes 30."""

    def __init__(self, launch: Any, handle: Any, stream: int, types: list[Any]) -> None:
        self._launch, self._handle, self._stream = launch, handle, _pointer(stream)
        self._values = [kind() for kind in types]
        self._arguments = (_pointer * max(len(types), 1))(*[ctypes.addressof(value) for value in self._values])

    def __call__(self, blocks: int, threads: int, *values: int) -> None:
        for holder, value in zip(self._values, values, strict=True):
            holder.value = value
        code = self._launch(self._handle, blocks, 1, 1, threads, 1, 1, 0, self._stream, self._arguments, None)
        if code != 0:
            raise DeviceStuck(f"the driver rejects a launch of the instruments: error {code}")


def _kernels(stream: int) -> tuple[dict[str, CompiledKernel], Callable[[], int] | None]:
    """Compile the kernels with torch's runtime compiler (nvrtc or hiprtc); return them, and a function that resets
    persisting cache lines, if there is one."""
    from torch.cuda._utils import _cuda_load_module, _get_gpu_runtime_library, _nvrtc_compile

    source = SOURCE.read_text(encoding="utf-8").replace("ARENA_NS_PER_TICK", f"{NS_PER_TICK}ull")
    binary, _ = _nvrtc_compile(source, "nothing")
    loaded: dict[str, Any] = _cuda_load_module(binary, list(KERNELS))  # type: ignore[assignment]
    driver = _get_gpu_runtime_library()
    launch = driver.cuLaunchKernel
    kernels = {name: CompiledKernel(launch, loaded[name].func, stream, types) for name, types in KERNELS.items()}
    return kernels, None if torch.version.hip else driver.cuCtxResetPersistingL2Cache
