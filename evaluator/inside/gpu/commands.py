"""The timing commands of a worker on a GPU, in addition to those of harness.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evaluator.inside.caller import Spec
from evaluator.inside.gpu.instruments import Instruments
from evaluator.inside.gpu.stopwatch import GpuStopwatch

COMMANDS = ("arm", "slab", "ready", "block", "pick", "loop", "canary", "heat", "empty", "peaks")


class Timing:
    """Serves the timing commands. Created before the candidate is loaded; `attach` is called afterwards."""

    def __init__(self, mailbox: Any, clock: dict[str, Any]) -> None:
        self._mailbox, self._clock = mailbox, clock
        self._instruments = Instruments(clock["flush_bytes"])
        self._stopwatch: GpuStopwatch | None = None

    def handlers(self) -> dict[str, Callable[..., dict[str, object]]]:
        return {name: getattr(self, name) for name in COMMANDS}

    def attach(self, entry: Callable[..., Any], hook: Callable[..., Any] | None) -> None:
        spacer = self._clock["spacer_ns"]
        self._stopwatch = GpuStopwatch(
            entry,
            hook,
            self._instruments,
            spacer_ns=(spacer[0], spacer[1]),
            spacer_factor=self._clock["spacer_factor"],
            patience_ns=self._clock["patience_ns"],
            device=self._clock["device"],
        )

    def arm(self, inputs: list[Spec], outputs: list[Spec], style: str) -> dict[str, object]:
        self._watch().arm(inputs, outputs, style)
        return {}

    def slab(self, name: str, offset: int, count: int, dtype: str) -> dict[str, object]:
        self._watch().slab(self._mailbox, name, offset, count, dtype)
        return {}

    def ready(self, buffers: int, windows: dict[str, list[int]]) -> dict[str, object]:
        self._watch().ready(buffers, windows)
        return {}

    def block(self, calls: list[dict[str, Any]]) -> dict[str, object]:
        return self._watch().block(calls)

    def pick(self, index: int) -> dict[str, object]:
        self._watch().pick(self._mailbox, index)
        return {}

    def loop(self, warmups: int, calls: int, pairs: bool) -> dict[str, object]:
        return {"events_ns": self._watch().loop(warmups, calls, pairs)}

    def canary(self, read_words: int, rounds: int) -> dict[str, object]:
        return {"times_ns": list(self._instruments.canary(read_words, rounds))}

    def empty(self, count: int) -> dict[str, object]:
        return {"times_ns": self._instruments.empty(count)}

    def peaks(self) -> dict[str, object]:
        bytes_per_s, flops_per_s = self._instruments.peaks()
        return {"bytes_per_s": bytes_per_s, "flops_per_s": flops_per_s}

    def heat(self, rounds: int) -> dict[str, object]:
        self._instruments.heat(rounds)
        return {}

    def _watch(self) -> GpuStopwatch:
        assert self._stopwatch is not None
        return self._stopwatch
