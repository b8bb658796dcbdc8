"""Public runs on a device with a clock, written below the services from what was told of each task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leaderboard.statistics.answers import Told
from runs.models import Attempt, DeviceClass, Result, Run, Suite
from tests import factories


def h100() -> DeviceClass:
    return factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)


def make_timed_run(*, suite: Suite, name: str, told: Sequence[Told | None], role: str = "entry", **values: Any) -> Run:
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


def _attempt(result: Result, told: Told) -> Attempt:
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
