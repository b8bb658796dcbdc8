"""torch.cuda for an emulated GPU: one idle MI300X, on which all work is done at once."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from evaluator.inside import mi300x
from evaluator.inside.unsupported import lacking


class Event:
    """An event that uses the host's clock."""

    def __init__(self, *arguments: object, **options: object) -> None:
        self._ns = 0

    def record(self, stream: object = None) -> None:
        self._ns = time.perf_counter_ns()

    def elapsed_time(self, end_event: Event) -> float:
        return (end_event._ns - self._ns) / 1e6

    def query(self) -> bool:
        return True

    def wait(self, stream: object = None) -> None:
        pass

    def synchronize(self) -> None:
        pass


class Stream:
    """A stream; all work is in order already."""

    cuda_stream = 0
    device_index = 0

    def __init__(self, *arguments: object, **options: object) -> None:
        self.device = torch.device("cuda", 0)

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        pass

    def wait_event(self, event: object) -> None:
        pass

    def wait_stream(self, stream: object) -> None:
        pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Nothing(contextlib.AbstractContextManager["Nothing"]):
    """A context that changes nothing: a device, a stream."""

    def __init__(self, *arguments: object, **options: object) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


STREAM = Stream()
PROPERTIES = SimpleNamespace(
    name=mi300x.NAME,
    gcnArchName=f"{mi300x.ARCHITECTURE}:sramecc+:xnack-",
    major=mi300x.CAPABILITY[0],
    minor=mi300x.CAPABILITY[1],
    multi_processor_count=mi300x.COMPUTE_UNITS,
    warp_size=mi300x.WAVE,
    total_memory=mi300x.MEMORY_BYTES,
    shared_memory_per_block=mi300x.LDS_BYTES,
    shared_memory_per_multiprocessor=mi300x.LDS_BYTES,
    regs_per_multiprocessor=mi300x.REGISTERS,
    max_threads_per_block=mi300x.WORKGROUP_THREADS,
    max_threads_per_multi_processor=mi300x.COMPUTE_UNIT_THREADS,
    L2_cache_size=mi300x.L2_BYTES,
    clock_rate=mi300x.CLOCK_KHZ,
    memory_clock_rate=mi300x.MEMORY_CLOCK_KHZ,
    memory_bus_width=mi300x.MEMORY_BUS_BITS,
    is_integrated=0,
    is_multi_gpu_board=0,
)


def _each(names: tuple[str, ...], make: Callable[[], Any]) -> dict[str, Any]:
    """Return a separate object for each name, since dynamo's import fails if two names share one."""
    return {name: make() for name in names}


def answering(value: object) -> Callable[..., Any]:
    """Return a function that returns `value` for any arguments."""
    return lambda *arguments, **options: value


NAMES: dict[str, Any] = {
    **_each(("is_available", "is_initialized", "is_bf16_supported"), lambda: answering(True)),
    **_each(("init", "_lazy_init", "synchronize", "set_device", "set_stream", "empty_cache"), lambda: answering(None)),
    **_each(("ipc_collect", "reset_peak_memory_stats", "reset_max_memory_allocated"), lambda: answering(None)),
    **_each(("manual_seed", "manual_seed_all", "seed", "seed_all", "set_sync_debug_mode"), lambda: answering(None)),
    **_each(("current_device", "memory_allocated", "max_memory_allocated", "memory_reserved"), lambda: answering(0)),
    **_each(("max_memory_reserved", "utilization"), lambda: answering(0)),
    **_each(("current_stream", "default_stream"), lambda: answering(STREAM)),
    **_each(("device", "device_of", "stream", "StreamContext"), lambda: type("Nothing", (Nothing,), {})),
    **_each(("CUDAGraph", "graph", "make_graphed_callables"), lambda: lacking("CUDA graphs")),
    "is_current_stream_capturing": answering(False),
    "device_count": answering(1),
    "get_device_name": answering(mi300x.NAME),
    "get_device_capability": answering(mi300x.CAPABILITY),
    "get_device_properties": answering(PROPERTIES),
    "get_arch_list": answering([mi300x.ARCHITECTURE]),
    "mem_get_info": answering((mi300x.MEMORY_BYTES, mi300x.MEMORY_BYTES)),
    "get_rng_state": lambda device=None: torch.get_rng_state(),
    "set_rng_state": answering(None),
    "Event": Event,
    "Stream": Stream,
    "ExternalStream": Stream,
}
