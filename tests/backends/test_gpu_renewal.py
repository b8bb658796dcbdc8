"""The renewal of derived inputs on a GPU: what a call is given is what the judge computes, in at most 200 µs a call."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from evaluator.backends import get_backend, present
from evaluator.judge.draws import Seed
from evaluator.judge.timing.remote import RemoteStopwatch
from evaluator.judge.timing.slabs import Slabs
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import Case, TaskSpec
from tests.evaluator.test_clocked_session import Here

TASKS = ("triton2triton/arena/compute_slot_mappings", "torch2triton/kernelbenchx/fused_cholesky_solve")
KERNELS = ("arrange", "move", "reorder_runs")
MOST_US = 200.0  # of the renewal of all derived inputs, before each timed call
CALLS = 5

pytestmark = pytest.mark.gpu


def entry_of(task: TaskSpec, case: Case, seen: list[dict[str, Any]]) -> Any:
    """Return a candidate that keeps what it is given and answers with zeros."""

    def entry(**given: Any) -> Any:
        seen.append(
            {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in given.items()}
        )
        outputs = [
            torch.zeros(
                [int(extent.value(case.numbers)) for extent in output.shape],
                dtype=getattr(torch, task.dtype_of(output.dtype, case)),
                device="cuda",
            )
            for output in task.outputs
        ]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    return entry


@pytest.mark.parametrize("task_id", TASKS)
def test_a_call_is_given_what_the_judge_says_and_in_time(task_id, tmp_path):
    if "cuda" not in present():
        pytest.skip("this host has no cuda")
    task, backend = load_task(task_id), get_backend("cuda")
    cases = task.cases_of(("full",))
    pools = [Slabs(task, case, Seed(), 0, "cuda") for case in cases]  # by the judge, which has no bench in its process
    for case, slabs in zip(cases, pools, strict=True):
        seen: list[dict[str, Any]] = []
        worker = Here(task, tmp_path, entry_of(task, case, seen), backend)
        side = SimpleNamespace(task=task, device="cuda")
        watch = RemoteStopwatch(SimpleNamespace(worker=worker, side=side, key=worker.key), trusted=True)  # type: ignore[arg-type]
        watch.arm(slabs)
        calls = slabs.plan(CALLS)
        watch.block(calls)
        for call, given in zip(calls, seen, strict=True):
            for name, value in slabs.contents(call).items():
                assert not isinstance(value, torch.Tensor) or torch.equal(given[name], value), (case.id, name)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            watch.block(calls)
        times_us = {event.key: event.self_device_time_total / CALLS for event in profile.key_averages()}
        renewal_us = sum(times_us.get(name, 0.0) for name in KERNELS)
        print(f"{case.id}: {renewal_us:.1f} us a call", {name: times_us.get(name) for name in KERNELS})  # noqa: T201
        assert 0 < renewal_us <= MOST_US, case.id
