"""Public runs on a device with a clock, written below the services from what was told of each task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from leaderboard.statistics.results import ResultValues
from runs.models import Attempt, DeviceClass, Result, Run, Suite
from tests import factories
from tests.leaderboard.arrays import right

TASKS = 12


def h100() -> DeviceClass:
    return factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)


def make_timed_run(
    *, suite: Suite, name: str, told: Sequence[ResultValues | None], role: str = "entry", **values: Any
) -> Run:
    """`told` in the order of the tasks' paths; nothing is published where it is None. A configuration may be given."""
    if "configuration" not in values:
        agent = factories.make_agent(name=name)
        values["configuration"] = factories.make_configuration(agent=agent, model=None, role=role)
    values.setdefault("device_class", h100())
    run = factories.make_run(suite=suite, state="published", **values)
    for result, one in zip(run.results.order_by("task__category", "task__path"), told, strict=True):
        if one is not None:
            factories.publish(_attempt(result, one))
    return run


def _attempt(result: Result, told: ResultValues) -> Attempt:
    status = "passed" if told.correct else "wrong_output" if told.compiled else "build_failed"
    return factories.make_attempt(
        result=result,
        status=status,
        measured=False,
        flags=[],
        log_speedup=told.log_speedup,
        cautious_log_speedup=told.log_speedup,
        log_speedup_low=told.low,
        log_speedup_high=told.high,
        paper_speedup=told.paper_speedup,
    )


@pytest.fixture
def timed(db: None) -> Callable[..., Run]:
    """Make a public run on twelve HIP tasks of a device with a clock; a number is a right answer's log ratio."""
    tasks = [
        factories.make_task(
            source="arena" if n < 8 else "rocm", provenance={"operator_type": "reduce" if n % 2 else ""}
        )
        for n in range(TASKS)
    ]
    suite = factories.make_suite(tasks, name="timed")

    def make(name: str, told: Sequence[ResultValues | float | None], **values: Any) -> Run:
        given = [right(one) if isinstance(one, float) else one for one in told]
        return make_timed_run(suite=suite, name=name, told=given, **values)

    return make


def noisy(mean: float, spread: float = 0.05) -> list[float]:
    """Log ratios of the tasks around a mean."""
    return [mean + spread * (-1) ** n * (n % 4 + 1) / 4 for n in range(TASKS)]
