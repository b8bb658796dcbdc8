"""Judge and bench of a timed session together, in one process on the CPU: a test of their protocol.

The processor is the device, so times have no meaning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from evaluator.backends import Sample, get_backend
from evaluator.gates.performance import _clock
from evaluator.inside.channel import SharedMemory, sealed_memory
from evaluator.inside.harness import Harness
from evaluator.judge.draws import Contents, Seed
from evaluator.judge.layout import mailbox_bytes
from evaluator.judge.rejection import Rejection
from evaluator.judge.seal import leave_key
from evaluator.judge.timing.clocks import other_clocks
from evaluator.judge.timing.session import CaseTimes, Pair, time_case
from evaluator.judge.timing.slabs import Slabs
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import BLOCKS

BACKEND = SimpleNamespace(torch_device="cpu", cache_bytes=1 << 20, bench=get_backend("cpu").bench)


class Here:
    """A worker in this process: the harness's commands, with every message through JSON."""

    def __init__(self, task: TaskSpec, folder: Path, entry: Callable[..., Any], backend: Any = BACKEND) -> None:
        size = mailbox_bytes(task, task.cases)
        self.mailbox = SharedMemory(sealed_memory(size), size)
        self._harness = Harness(None, self.mailbox, str(folder))  # type: ignore[arg-type]
        self.key = leave_key(self.mailbox)
        self.call("clock", timeout_s=1, **_clock(backend))
        assert self._harness.timing is not None
        self._harness.timing.attach(entry, None)

    def call(self, op: str, *, timeout_s: float, **fields: Any) -> dict[str, Any]:
        reply = self._harness.handlers()[op](**json.loads(json.dumps(fields)))
        answer: dict[str, Any] = json.loads(json.dumps(reply))
        return answer

    def freeze(self) -> None: ...
    def thaw(self) -> None: ...
    def output(self) -> str:
        return ""


@pytest.fixture
def session(tiny_task: Callable[[str], TaskSpec], tmp_path: Path) -> Callable[[Callable[..., Any]], tuple[Pair, Slabs]]:
    """Return session(forward), which opens the pair of the tiny task's baseline and a candidate."""
    task = tiny_task("triton2triton")

    def make(candidate: Callable[..., Any]) -> tuple[Pair, Slabs]:
        workers = [Here(task, tmp_path, entry) for entry in (lambda x: 2 * x, candidate)]
        side = SimpleNamespace(task=task, device="cpu")
        runners = [SimpleNamespace(worker=worker, side=side, key=worker.key) for worker in workers]
        steady = Sample(1980, 2619, 50, 400.0, ())
        return Pair(*runners, lambda: steady), Slabs(task, task.cases[0], Seed(), 0, "cpu")  # type: ignore[arg-type]

    return make


def doubled(_: str, contents: Contents, outputs: Mapping[str, torch.Tensor]) -> Rejection | None:
    x = contents["x"]
    assert isinstance(x, torch.Tensor)
    return None if torch.equal(outputs["y"], 2 * x) else Rejection("mismatch", "not doubled")


def test_a_right_candidate_gets_times_on_every_clock(session) -> None:
    pair, slabs = session(lambda x: x + x)
    times = time_case(pair, slabs, doubled)
    assert isinstance(times, CaseTimes)
    assert len(times.values) >= BLOCKS
    assert times.session.judged >= BLOCKS
    clocks = other_clocks(pair, paper=True).clocks
    assert set(clocks) == {"t_call", "aka_loop", "aka_events"}


def test_a_candidate_that_caches_outputs_is_wrong_in_its_timed_calls(session) -> None:
    seen: dict[int, torch.Tensor] = {}
    pair, slabs = session(lambda x: seen.setdefault(x.data_ptr(), 2 * x).clone())
    rejection = time_case(pair, slabs, doubled)
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "mismatch"


def test_a_view_in_place_of_an_output_is_rejected(session) -> None:
    pair, slabs = session(lambda x: (2 * x)[:1].expand(x.numel()))
    rejection = time_case(pair, slabs, doubled)
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "wrong_layout"
