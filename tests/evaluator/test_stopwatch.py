"""The worker's side of a timed call, on the CPU, with instruments that only record their calls."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from evaluator.inside.channel import SharedMemory, sealed_memory
from evaluator.inside.gpu.stopwatch import GpuStopwatch

INPUTS = [
    {"name": "x", "shape": [4], "dtype": "float32", "layout": "contiguous", "static": False, "offset": 0, "after": 256},
    {
        "name": "w",
        "shape": [4],
        "dtype": "float32",
        "layout": "contiguous",
        "static": True,
        "offset": 512,
        "after": 768,
    },
    {"name": "times", "value": 2.0, "static": False},
]
OUTPUTS = [{"name": "y", "shape": [4], "dtype": "float32", "may_alias": [], "offset": 1024}]


class Notes:
    """Instruments without a device; an event is the number of notes at its time."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.full = True

    def __getattr__(self, name: str) -> Any:
        return lambda *_: self.notes.append(name)

    def event(self) -> int:
        self.notes.append("event")
        return len(self.notes)

    def await_full(self) -> bool:
        return self.full

    def has_passed(self, _: int) -> bool:
        return False

    def between_ns(self, begin: int, end: int) -> float:
        return float(end - begin)


def right(x, w, times):
    return times * x + w


@pytest.fixture
def mailbox() -> SharedMemory:
    return SharedMemory(sealed_memory(4096), 4096)


def armed(mailbox: SharedMemory, entry: Any = right, hook: Any = None) -> tuple[GpuStopwatch, Notes]:
    notes = Notes()
    watch = GpuStopwatch(
        entry,
        hook,
        notes,
        spacer_ns=(1, 2),
        spacer_factor=2.0,
        patience_ns=1,
        device="cpu",  # type: ignore[arg-type]
    )
    watch.arm(INPUTS, OUTPUTS, "return")
    for name, start in (("x", 0.0), ("w", 100.0)):
        mailbox.tensor(0, [8], torch.float32).copy_(torch.arange(8) + start)
        watch.slab(mailbox, name, 0, 8, "float32")
    watch.ready(2, {"w": [0, 1]})
    return watch, notes


def test_a_block_uses_the_given_windows_and_any_call_can_be_picked(mailbox: SharedMemory) -> None:
    watch, _ = armed(mailbox)
    told = watch.block([{"buffer": 0, "windows": {"x": 1}}, {"buffer": 1, "windows": {"x": 3}}])
    assert told["problem"] is None
    assert (told["crowded"], told["visible"]) == ([False, False], [False, False])
    for index, expected in ((0, [102.0, 105, 108, 111]), (1, [107.0, 110, 113, 116])):
        watch.pick(mailbox, index)
        assert mailbox.tensor(1024, [4], torch.float32).tolist() == expected


def test_a_timed_call_is_made_while_the_device_is_held_and_followed_by_another_hold(mailbox: SharedMemory) -> None:
    watch, notes = armed(mailbox, lambda x, w, times: (notes.notes.append("call"), right(x, w, times))[1])
    notes.notes.clear()
    watch.block([{"buffer": 0, "windows": {"x": 0}}])
    assert notes.notes == ["take_over", "flush", "hold", "event", "call", "event", "hold", "event", "drain"]


def test_a_device_that_cannot_be_filled_is_reported(mailbox: SharedMemory) -> None:
    watch, notes = armed(mailbox)
    notes.full = False
    assert watch.block([{"buffer": 0, "windows": {"x": 0}}])["crowded"] == [True]


def test_the_state_of_prepare_takes_the_place_of_static_inputs(mailbox: SharedMemory) -> None:
    watch, _ = armed(mailbox, lambda x, times, state: times * x + state, hook=lambda w: w + 1)
    watch.block([{"buffer": 1, "windows": {"x": 0}}])
    watch.pick(mailbox, 0)
    assert mailbox.tensor(1024, [4], torch.float32).tolist() == [102.0, 105, 108, 111]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (lambda x, w, times: right(x, w, times)[:1].expand(4), "wrong_layout"),
        (lambda x, w, times: right(x, w, times).double(), "wrong_dtype"),
        (lambda x, w, times: right(x, w, times)[:2], "wrong_shape"),
        (lambda x, w, times: [x, w], "wrong_count"),
        (lambda x, w, times: x, "aliases_input"),
        (lambda x, w, times: torch.nn.Parameter(right(x, w, times)), "wrong_type"),
    ],
)
def test_an_output_of_another_form_ends_the_block(mailbox: SharedMemory, entry: Any, reason: str) -> None:
    watch, _ = armed(mailbox, entry)
    problem = watch.block([{"buffer": 0, "windows": {"x": 0}}])["problem"]
    assert problem is not None
    assert problem[0] == reason  # type: ignore[index]


def test_a_returned_tensor_cannot_be_reused_as_an_output(mailbox: SharedMemory) -> None:
    def once(x, w, times, seen={}):  # noqa: B006
        return seen.setdefault("y", right(x, w, times))

    watch, _ = armed(mailbox, once)
    watch.block([{"buffer": 0, "windows": {"x": 0}}, {"buffer": 0, "windows": {"x": 0}}])
    watch.pick(mailbox, 1)
    assert mailbox.tensor(1024, [4], torch.float32).isnan().all()


def test_patching_torch_does_not_change_the_checks(mailbox: SharedMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, _ = armed(mailbox, lambda x, w, times: right(x, w, times)[:1].expand(4))
    monkeypatch.setattr(torch.Tensor, "is_contiguous", lambda *_: True)
    monkeypatch.setattr(torch.Tensor, "stride", lambda *_: (1,))
    assert watch.block([{"buffer": 0, "windows": {"x": 0}}])["problem"] is not None


def test_a_loop_gives_one_reading_or_one_per_call(mailbox: SharedMemory) -> None:
    watch, _ = armed(mailbox)
    assert len(watch.loop(1, 5, pairs=False)) == 1
    assert len(watch.loop(1, 5, pairs=True)) == 5


def test_host_time_after_a_visible_call_is_not_counted_as_device_work(mailbox: SharedMemory) -> None:
    watch, notes = armed(mailbox)
    calls = [{"buffer": 0, "windows": {"x": 0}}]
    hidden = watch.block(calls)["after_ns"]
    notes.has_passed = lambda event: True  # type: ignore[method-assign]
    assert hidden == [2.0]
    assert watch.block(calls)["after_ns"] == [0.0]
