"""Judge and bench of a timed session together, in one process on the CPU: a test of their protocol.

The processor is the device, so times have no meaning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from evaluator.backends import Sample, get_backend
from evaluator.gates.performance import clock_options
from evaluator.inside.channel import SharedMemory, sealed_memory
from evaluator.inside.harness import Harness
from evaluator.judge.draws import Contents, Seed
from evaluator.judge.layout import mailbox_bytes
from evaluator.judge.reference import Reference
from evaluator.judge.rejection import Rejection
from evaluator.judge.seal import leave_key
from evaluator.judge.timing.clocks import other_clocks
from evaluator.judge.timing.session import CaseTimes, Judge, Pair, time_case
from evaluator.judge.timing.slabs import Slabs
from evaluator.tasks.expressions import parse
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import BLOCKS
from tests.conftest import TESTS

BACKEND = SimpleNamespace(torch_device="cpu", cache_bytes=1 << 20, bench=get_backend("cpu").bench)


class Here:
    """A worker in this process: the harness's commands, with every message through JSON."""

    def __init__(self, task: TaskSpec, folder: Path, entry: Callable[..., Any], backend: Any = BACKEND) -> None:
        size = mailbox_bytes(task, task.cases)
        self.mailbox = SharedMemory(sealed_memory(size), size)
        self._harness = Harness(None, self.mailbox, str(folder))  # type: ignore[arg-type]
        self.key = leave_key(self.mailbox)
        self.call("clock", timeout_s=1, **clock_options(backend))
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
    double = tiny_task("triton2triton")

    def make(
        candidate: Callable[..., Any], baseline: Callable[..., Any] = lambda x: 2 * x, task: TaskSpec = double
    ) -> tuple[Pair, Slabs]:
        workers = [Here(task, tmp_path, entry) for entry in (baseline, candidate)]
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


def judged(task: TaskSpec) -> Judge:
    """Return the judge that compares with the task's reference, exactly."""
    reference = Reference(task)

    def judge(_: str, contents: Contents, outputs: Mapping[str, torch.Tensor]) -> Rejection | None:
        wanted = reference.outputs(task.cases[0], contents)
        right = all(torch.equal(outputs[name], value.to(outputs[name].dtype)) for name, value in wanted.items())
        return None if right else Rejection("mismatch", "not equal")

    return judge


def ramp(start: float, step: int, n: int) -> torch.Tensor:
    return (start + torch.arange(n, dtype=torch.float64) * step).float()


def test_an_answer_that_is_kept_is_wrong_because_the_numbers_of_each_call_are_drawn(session) -> None:
    task = read_task(TESTS / "tiny/triton2triton/tests/ramp", "triton2triton/tests/ramp")
    kept: list[torch.Tensor] = []

    def keeping(**numbers: Any) -> torch.Tensor:
        if not kept:
            kept.append(ramp(**numbers))
        return kept[0].clone()

    rejection = time_case(*session(keeping, ramp, task), judged(task))
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "mismatch"
    kept.clear()
    fixed = tuple(replace(item, drawn=False, scalar=item.scalar or parse(1)) for item in task.inputs)
    task = replace(task, inputs=fixed)  # without the rule the same candidate passes
    assert isinstance(time_case(*session(keeping, ramp, task), judged(task)), CaseTimes)


def test_an_output_of_varying_length_is_timed_and_a_wrong_length_is_found(session) -> None:
    task = read_task(TESTS / "tiny/triton2triton/tests/kept", "triton2triton/tests/kept")
    assert isinstance(time_case(*session(lambda x: x[x > 0], lambda x: x[x > 0], task), judged(task)), CaseTimes)
    rejection = time_case(*session(lambda x: x[x > 0][:100], lambda x: x[x > 0], task), judged(task))
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "mismatch"


def test_a_view_in_place_of_an_output_is_rejected(session) -> None:
    pair, slabs = session(lambda x: (2 * x)[:1].expand(x.numel()))
    rejection = time_case(pair, slabs, doubled)
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "wrong_layout"


def test_fewer_blocks_can_be_wanted(session) -> None:
    pair, slabs = session(lambda x: x + x)
    times = time_case(pair, slabs, doubled, 3)
    assert isinstance(times, CaseTimes)
    counting = [block for block in times.session.blocks if block.void is None]
    assert len(counting) == 3 or times.is_disturbed
