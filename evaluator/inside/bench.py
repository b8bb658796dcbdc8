"""The Python side of the bench: loads the compiled library (evaluator/bench), and serves its commands in a worker.

Made before the candidate is loaded. What is measured, and what is copied from the candidate's outputs, passes from the
library to the judge under a seal: this module only hands it on, so nothing is gained by replacing it.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from evaluator.inside.caller import Spec, takes_positions
from evaluator.inside.channel import PAGE_BYTES

KERNELS_FOLDER = Path(__file__).parent / "gpu"
KERNELS = (
    *("nothing", "fill_and_hold", "read_all", "compute", "renew", "consume", "await_release", "finish"),
    *("arrange", "move", "reorder_runs"),
)
THREADS = 1024
NS_PER_TICK = 10  # wall_clock64 on gfx942 and gfx950
PEAK_SPANS, PEAK_WORDS = (1 << 18, 1 << 19, 1 << 20), 1 << 24  # 4, 8 and 16 MiB, read repeatedly up to 256 MiB
PEAK_MATRIX, PEAK_RUNS = 8192, 20
COMMANDS = (
    *("arm", "slab", "ready", "block", "pick", "loop", "enqueue", "settle"),
    *("canary", "heat", "empty", "peaks"),
)


class Timing:
    """Serves the timing commands. Created before the candidate is loaded; `attach` is called afterwards."""

    def __init__(self, mailbox: Any, clock: dict[str, Any]) -> None:
        self._mailbox, self._clock = mailbox, clock
        self._outputs: list[Spec] = []
        self._bench = _bench(mailbox, clock)

    def handlers(self) -> dict[str, Callable[..., dict[str, object]]]:
        return {name: getattr(self, name) for name in COMMANDS}

    def attach(self, entry: Callable[..., Any], hook: Callable[..., Any] | None) -> None:
        clock = self._clock
        least, most = clock["spacer_ns"]
        self._bench.attach(
            entry, hook, takes_positions(entry), least, most, clock["spacer_factor"], clock["patience_ns"]
        )

    def arm(self, inputs: list[Spec], outputs: list[Spec], style: str) -> dict[str, object]:
        """Start a new case; free the last one's memory."""
        if self._clock["device"] != "cpu":
            torch.cuda.empty_cache()
        self._outputs = outputs
        self._bench.arm(inputs, outputs, style == "out")
        return {}

    def slab(self, name: str, offset: int, size: int, index: int = 0, sets: int = 1) -> dict[str, object]:
        """Copy one input's slab, or its part of one of the pool's sets, from the mailbox to the device."""
        self._bench.slab(name, self._mailbox.view(offset, size), index, sets)
        return {}

    def ready(self, buffers: int, windows: list[list[int]]) -> dict[str, object]:
        """Make the sets of inputs; static inputs get their contents now, and `prepare` makes its state from them."""
        self._bench.ready(buffers, windows)
        return {}

    def block(self, nonce: int, calls: list[list[int]]) -> dict[str, object]:
        """Time calls, each given as its buffer, where the windows of other inputs begin, and the word of its set."""
        return dict(self._bench.block(nonce, calls))

    def pick(self, index: int) -> dict[str, object]:
        """Copy the outputs of one call of the last block to the mailbox."""
        sizes = [_bytes(spec) for spec in self._outputs]
        views = [self._mailbox.view(spec["offset"], size) for spec, size in zip(self._outputs, sizes, strict=True)]
        counts = self._bench.pick(index, views)
        told = zip(self._outputs, counts, strict=True)
        return {"lengths": {spec["name"]: count for spec, count in told if spec["varying"]}}

    def loop(self, nonce: int, warmups: int, calls: int, pairs: bool, cleared_bytes: int) -> dict[str, object]:
        """Call repeatedly on one set of inputs; ns of all calls together, or of each with `pairs`.

        Before each timed call, and outside of its pair, a buffer of `cleared_bytes` is cleared; 0: none.
        """
        return dict(self._bench.loop(nonce, warmups, calls, pairs, cleared_bytes))

    def enqueue(self, calls: list[list[int]], spare: int, limit_ns: int, empty: bool) -> dict[str, object]:
        """Enqueue a block of calls behind a hold that the judge ends; with `empty` nothing is called.

        Calls are given as in `block`, but the windows of tensors follow from what the judge writes to end the hold.
        """
        return dict(self._bench.enqueue(calls, spare, limit_ns, empty))

    def settle(self, nonce: int, calls: int) -> dict[str, object]:
        """Wait for that block, and return the digests of its outputs."""
        return dict(self._bench.settle(nonce, calls))

    def canary(self, read_words: int, rounds: int) -> dict[str, object]:
        """Time a read and arithmetic of fixed size, in ns, without launch time and with flushed caches."""
        return {"times_ns": self._bench.canary(read_words, rounds)}

    def empty(self, count: int) -> dict[str, object]:
        """Return `count` readings of E0: ns between two events around an empty kernel, without launch time."""
        return {"times_ns": [self._hidden(self._bench.nothing) for _ in range(count)]}

    def peaks(self) -> dict[str, object]:
        """Return peak rates: bytes/s of reads from the caches, and operations/s of a matrix product."""
        read = self._bench.read
        reads = [16e9 * PEAK_WORDS / self._fastest(partial(read, PEAK_WORDS, span)) for span in PEAK_SPANS]
        square = torch.randn(PEAK_MATRIX, PEAK_MATRIX, device="cuda", dtype=torch.bfloat16)
        flops_per_s = 2e9 * PEAK_MATRIX**3 / self._fastest(partial(torch.matmul, square, square))
        return {"bytes_per_s": max(reads), "flops_per_s": flops_per_s}

    def heat(self, rounds: int) -> dict[str, object]:
        """Run arithmetic on the whole device and wait for it."""
        self._bench.heat(rounds)
        return {}

    def _fastest(self, work: Callable[[], object]) -> float:
        return min(self._hidden(work) for _ in range(PEAK_RUNS))

    def _hidden(self, work: Callable[[], object]) -> float:
        """Time work in ns, its launch hidden behind a hold."""
        self._bench.hide()
        work()
        return float(self._bench.shown())


def _bench(mailbox: Any, clock: dict[str, Any]) -> Any:
    page = mailbox.view(mailbox.size - PAGE_BYTES, PAGE_BYTES)
    bench, device = _loaded(clock["library"]).Bench, clock["device"]
    if device == "cpu":
        return bench(page, False, [], 0, 1, clock["flush_bytes"], None, None)
    card, stream = torch.cuda.get_device_properties(0), torch.cuda.default_stream()
    blocks = card.multi_processor_count * (card.max_threads_per_multi_processor // THREADS)
    ours = {name: getattr(stream, name) for name in ("stream_id", "device_index", "device_type")}
    kernels = _kernels()
    # The candidate may make another stream the current one; this function of C takes the default stream back.
    return bench(page, True, kernels, stream.cuda_stream, blocks, clock["flush_bytes"], torch._C._cuda_setStream, ours)


def _loaded(library: str) -> Any:
    loader = importlib.machinery.ExtensionFileLoader("arena_bench", library)
    spec = importlib.util.spec_from_file_location("arena_bench", library, loader=loader)
    if spec is None:
        raise ImportError(f"{library} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _kernels() -> list[int]:
    """Compile the kernels with torch's runtime compiler (nvrtc or hiprtc); return their handles, in order."""
    from torch.cuda._utils import _cuda_load_module, _nvrtc_compile

    binary, _ = _nvrtc_compile(kernels_source(), KERNELS[0])
    loaded: dict[str, Any] = _cuda_load_module(binary, list(KERNELS))  # type: ignore[assignment]
    _loaded_modules.append(loaded)
    return [int(loaded[name].func.value) for name in KERNELS]


def kernels_source() -> str:
    """Return the source of all kernels as one text: the runtime compiler has no folders."""
    source, header = ((KERNELS_FOLDER / name).read_text(encoding="utf-8") for name in ("bench.cu", "renewal.h"))
    return source.replace("ARENA_NS_PER_TICK", f"{NS_PER_TICK}ull").replace('#include "renewal.h"\n', header)


_loaded_modules: list[Any] = []  # a module that is freed takes its kernels along


def _bytes(spec: Spec) -> int:
    count: int = getattr(torch, spec["dtype"]).itemsize
    for extent in spec["shape"]:
        count *= extent
    return count
