"""Public runs on a device with a clock, written without the services, from the values of each result."""

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
    *, suite: Suite, name: str, results: Sequence[ResultValues | None], role: str = "entry", **values: Any
) -> Run:
    """Make a public run. `results` are in the order of the tasks' paths; None: no result is published."""
    if "configuration" not in values:
        agent = factories.make_agent(name=name)
        values["configuration"] = factories.make_configuration(agent=agent, model=None, role=role)
    values.setdefault("device_class", h100())
    run = factories.make_run(suite=suite, state="published", **values)
    for result, one in zip(run.results.order_by("task__category", "task__path"), results, strict=True):
        if one is not None:
            factories.publish(_attempt(result, one))
    return run


def _attempt(result: Result, values: ResultValues) -> Attempt:
    status = "passed" if values.correct else "wrong_output" if values.compiled else "build_failed"
    return factories.make_attempt(
        result=result,
        status=status,
        measured=False,
        flags=[],
        log_speedup=values.log_speedup,
        cautious_log_speedup=values.log_speedup,
        log_speedup_low=values.low,
        log_speedup_high=values.high,
        paper_speedup=values.paper_speedup,
    )


@pytest.fixture
def timed(db: None) -> Callable[..., Run]:
    """Make a public run on twelve HIP tasks of a device with a clock; a number is the log ratio of a correct result."""
    tasks = [
        factories.make_task(
            source="arena" if n < 8 else "rocm", provenance={"operator_type": "reduce" if n % 2 else ""}
        )
        for n in range(TASKS)
    ]
    suite = factories.make_suite(tasks, name="timed")

    def make(name: str, results: Sequence[ResultValues | float | None], **values: Any) -> Run:
        given = [right(one) if isinstance(one, float) else one for one in results]
        return make_timed_run(suite=suite, name=name, results=given, **values)

    return make


def noisy(mean: float, spread: float = 0.05) -> list[float]:
    """Log ratios of the tasks around a mean."""
    return [mean + spread * (-1) ** n * (n % 4 + 1) / 4 for n in range(TASKS)]
