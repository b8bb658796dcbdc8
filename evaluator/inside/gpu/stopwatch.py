"""Timed calls of a loaded candidate on a GPU (design §4.5), as the judge commands them.

A call on T_dev: copy contents to one of several buffers, poison outputs, flush caches, fill and hold the device;
event, call, event; fill the device again, which shows work that was not waited for; copy the outputs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from time import perf_counter_ns
from typing import Any

import torch

from evaluator.inside.caller import Spec, problem_of, strided, takes_positions
from evaluator.inside.gpu.instruments import Instruments
from evaluator.inside.limits import DeviceKind

_base = torch._C.TensorBase  # C functions, which a candidate cannot patch
_copy, _fill, _clone, _view, _part = _base.copy_, _base.fill_, _base.clone, _base.view, _base.__getitem__
POISON = 0xFF
ALIVE = 7  # returned outputs kept, so that new ones get other addresses: these alone change times by a percent


class GpuStopwatch:
    """Times one case at a time: `arm` it, then warm up, time blocks, pick outputs, loop."""

    def __init__(
        self,
        entry: Callable[..., Any],
        hook: Callable[..., Any] | None,
        instruments: Instruments,
        *,
        spacer_ns: tuple[int, int],
        spacer_factor: float,
        patience_ns: int,
        device: DeviceKind,
    ) -> None:
        self._entry, self._hook, self._positional = entry, hook, takes_positions(entry)
        self._instruments, self._device = instruments, device
        self._spacer_ns, self._factor, self._patience_ns = spacer_ns, spacer_factor, patience_ns
        self._inputs: list[Spec] = []
        self._outputs: list[Spec] = []
        self._style = "return"
        self._slabs: dict[str, torch.Tensor] = {}
        self._buffers: list[dict[str, Any]] = []
        self._copies: list[list[torch.Tensor]] = []
        self._alive: deque[list[Any]] = deque(maxlen=ALIVE)
        self._enqueue_ns = 0

    def arm(self, inputs: list[Spec], outputs: list[Spec], style: str) -> None:
        """Start a new case; free the last one's memory."""
        self._inputs, self._outputs, self._style = inputs, outputs, style
        self._slabs, self._buffers, self._copies, self._enqueue_ns = {}, [], [], 0
        self._alive.clear()
        torch.cuda.empty_cache()

    def slab(self, mailbox: Any, name: str, offset: int, count: int, dtype: str) -> None:
        """Copy one input's slab from the mailbox to the device."""
        host: torch.Tensor = mailbox.tensor(offset, [count], getattr(torch, dtype))
        self._slabs[name] = host.to(self._device, copy=True)

    def ready(self, buffers: int, windows: Mapping[str, list[int]]) -> None:
        """Make the buffers; static inputs get their contents now, and `prepare` makes its state from them.

        `windows`: static input → the element where its window begins, for each buffer.
        """
        for index in range(buffers):
            given: dict[str, Any] = {spec["name"]: self._empty_or_value(spec) for spec in self._inputs}
            if self._style == "out":
                given |= {spec["name"]: strided(spec, self._device) for spec in self._outputs}
            for spec in self._inputs:
                if spec["static"] and "offset" in spec:
                    self._renew(spec, given[spec["name"]], windows[spec["name"]][index])
            self._buffers.append(self._with_state(given))
        self._instruments.drain()

    def block(self, calls: list[dict[str, Any]]) -> dict[str, object]:
        """Make timed calls. Each names its buffer and, for every input that is not static, where its window begins.

        Returns:
            problem: reason and detail if an output has the wrong form; then there are no other keys.
            dev_ns: ns between the events of each call. after_ns: ns from the stop event until the device could be
            filled again, minus the host's time for that if the device had to wait. visible: calls that were still being
            enqueued when the hold ended. crowded: calls before or after which the device could not be filled.
            enqueue_ns: the host's median time for one call.
        """
        self._copies, timed = [], []
        for call in calls:
            readings, problem = self._timed(call)
            if problem is not None:
                return {"problem": problem}
            timed.append(readings)
        self._instruments.drain()
        between = self._instruments.between_ns
        times = [(between(*call[0:2]), max(0.0, between(*call[1:3]) - call[6] * call[3])) for call in timed]
        host_ns = sorted(call[4] for call in timed)[len(timed) // 2]
        self._enqueue_ns = max(self._enqueue_ns, host_ns)
        return {
            "problem": None,
            "dev_ns": [dev_ns for dev_ns, _ in times],
            "after_ns": [after_ns for _, after_ns in times],
            "visible": [call[3] for call in timed],
            "crowded": [call[5] for call in timed],
            "enqueue_ns": host_ns,
        }

    def pick(self, mailbox: Any, index: int) -> None:
        """Copy the outputs of one call of the last block to the mailbox."""
        for spec, kept in zip(self._outputs, self._copies[index], strict=True):
            target: torch.Tensor = mailbox.tensor(spec["offset"], spec["shape"], getattr(torch, spec["dtype"]))
            _copy(target, kept)
        self._instruments.drain()

    def loop(self, warmups: int, calls: int, pairs: bool) -> list[float]:
        """Call repeatedly on one buffer, without new contents or flushes; return ns, per call with `pairs`."""
        given = self._buffers[0]
        for _ in range(warmups):
            self._call(given)
        self._instruments.drain()
        event, marks = self._instruments.event, []
        begin = event()
        for _ in range(calls):
            if pairs:
                marks.append(event())
            self._call(given)
            if pairs:
                marks.append(event())
        end = event()
        self._instruments.drain()
        between = self._instruments.between_ns
        if pairs:
            return [between(*pair) for pair in zip(marks[::2], marks[1::2], strict=True)]
        return [between(begin, end)]

    def _timed(self, call: dict[str, Any]) -> tuple[Any, tuple[str, str] | None]:
        """Make one timed call.

        Returns:
            (start, stop and end events, whether the host was visible, its ns in all, whether the device was crowded,
            the host's ns after the stop event), and the problem of an output or None.
        """
        tools, given = self._instruments, self._buffers[call["buffer"]]
        tools.take_over()
        self._fill_inputs(given, call["windows"])
        tools.flush()
        least, most = self._spacer_ns
        tools.hold(int(min(max(self._factor * self._enqueue_ns, least), most)), self._patience_ns)
        start = tools.event()
        full_before = tools.await_full()
        begin = perf_counter_ns()
        returned = self._call(given)
        stop = tools.event()
        stopped = perf_counter_ns()
        visible = tools.has_passed(start)
        tools.hold(0, self._patience_ns)
        end = tools.event()
        ended = perf_counter_ns()
        host_ns = ended - begin  # the time that the hold has to cover
        problem = self._copy_outputs(returned, given)
        crowded = not (tools.await_full() and full_before)
        return (start, stop, end, visible, host_ns, crowded, ended - stopped), problem

    def _fill_inputs(self, given: dict[str, Any], windows: Mapping[str, int]) -> None:
        """Copy new contents to every input that is not static; poison outputs that are passed in."""
        for spec in self._inputs:
            if "offset" in spec and not spec["static"]:
                self._renew(spec, given[spec["name"]], windows[spec["name"]])
        if self._style == "out":
            for spec in self._outputs:
                _poison(given[spec["name"]])

    def _renew(self, spec: Spec, buffer: torch.Tensor, begin: int) -> None:
        count = 1
        for extent in spec["shape"]:
            count *= extent
        _copy(buffer, _view(_part(self._slabs[spec["name"]], slice(begin, begin + count)), spec["shape"]))

    def _empty_or_value(self, spec: Spec) -> Any:
        return strided(spec, self._device) if "offset" in spec else spec["value"]

    def _with_state(self, given: dict[str, Any]) -> dict[str, Any]:
        if self._hook is None:
            return given
        static = {spec["name"] for spec in self._inputs if spec["static"]}
        state = self._hook(**{name: given[name] for name in given if name in static})
        return {name: value for name, value in given.items() if name not in static} | {"state": state}

    def _call(self, given: dict[str, Any]) -> list[Any]:
        result = self._entry(*given.values()) if self._positional else self._entry(**given)
        if self._style == "out":
            return [given[spec["name"]] for spec in self._outputs]
        return list(result) if type(result) in (tuple, list) else [result]

    def _copy_outputs(self, returned: list[Any], given: dict[str, Any]) -> tuple[str, str] | None:
        """Copy the outputs right after the call, then poison the returned tensors, so that they cannot be reused."""
        if len(returned) != len(self._outputs):
            return "wrong_count", f"{len(returned)} returned, {len(self._outputs)} expected"
        for spec, output in zip(self._outputs, returned, strict=True):
            if problem := problem_of(spec, output, given, self._device):
                return problem
        self._copies.append([_clone(output) for output in returned])
        for spec, output in zip(self._outputs, returned, strict=True):
            if not spec["may_alias"]:
                _poison(output)
        self._alive.append(returned)
        return None


def _poison(tensor: torch.Tensor) -> None:
    _fill(_view(_view(tensor, -1), torch.uint8), POISON)
