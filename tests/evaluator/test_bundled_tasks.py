"""The task folders of this repository pass every check of the validator that runs no candidate."""

from __future__ import annotations

import pytest

from evaluator.taskreader import load_task, task_ids
from evaluator.taskspec import TaskSpec
from evaluator.validate.checks import STILL
from evaluator.validate.subject import Subject

LONG = ("reference", "second", "spread")  # both references on every small case and draw: seconds a task
TASKS = {task_id: load_task(task_id) for task_id in task_ids()}


def test_it_bundles_two_tasks_of_every_category_and_eight_of_triton() -> None:
    assert {
        "triton2triton/arena/softmax",
        "triton2triton/arena/fused_add_rms_norm",
        "triton2triton/arena/flash_attention",
        "triton2triton/arena/fused_moe",
        "triton2triton/arena/paged_decode_attention",
        "triton2triton/arena/per_token_group_quant_fp8",
        "triton2triton/arena/ssd_chunk_scan",
        "triton2triton/arena/topk_topp_sampling",
        "hip2hip/arena/GELU",
        "hip2hip/arena/layer_normalization",
        "torch2hip/arena/SiLU",
        "torch2hip/arena/SoftmaxModule",
    } <= TASKS.keys()


@pytest.mark.parametrize(
    "check", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in STILL]
)
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_it_passes(task: TaskSpec, check: str) -> None:
    assert list(STILL[check](Subject(task))) == []
