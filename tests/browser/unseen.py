"""Boards with unseen cases to look at: a revealed round on a device clock, and one that is still secret."""

from __future__ import annotations

import math
from typing import Any

from runs.models import Attempt, Round, Run, Suite
from tests import factories

CATEGORIES = ("edge", "scale_up", "scale_down", "alignment", "alignment", "asymmetric", "production", "production")
RIGHT = tuple((name, True, True) for name in CATEGORIES)
HARDCODED = tuple((name, True, name not in ("scale_up", "alignment")) for name in CATEGORIES)
BEYOND = tuple((name, name != "edge", name != "edge") for name in CATEGORIES)
MORE_ROBUST = tuple((name, name != "edge", True) for name in CATEGORIES)
UNJUDGED = tuple((name, True, None if name == "edge" else True) for name in CATEGORIES)
ENTRIES = (  # agent, model, outcomes of tasks in turn, log speedup seen and unseen
    ("Careful tuner", "Large 4.6", (RIGHT,), 0.9, 1.0),
    ("Careful tuner", "Small 5", (*[RIGHT] * 13, HARDCODED, MORE_ROBUST), 0.5, 0.4),
    ("Hasty tuner", "Large 4.6", (*[RIGHT] * 5, HARDCODED, BEYOND, HARDCODED), 1.6, 0.6),
    ("Hasty tuner", "Small 5", (RIGHT, HARDCODED, UNJUDGED), 0.2, -0.4),
)


def make_unseen_places() -> list[str]:
    """Their addresses."""
    tasks = [
        factories.make_task(category=category)
        for category in ("hip2hip", "torch2hip", "triton2triton")
        for _ in range(5)
    ]
    suite = factories.make_suite(tasks, name="native", title="Native")
    revealed = factories.make_round(suite=suite, slug="autumn")
    secret = factories.make_round(suite=suite, slug="winter", opened_at="2027-02-01T12:00Z", revealed_at=None)
    device = factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)
    agents = {name: factories.make_agent(name=name) for name in ("Careful tuner", "Hasty tuner")}
    models = {name: factories.make_model_version(name=name) for name in ("Large 4.6", "Small 5")}
    for agent, model, outcomes, seen, unseen in ENTRIES:
        who = factories.make_configuration(agent=agents[agent], model=models[model])
        _timed(_run(suite, revealed, who, outcomes, unseen, device_class=device), seen)
        _run(suite, secret, who, outcomes, None, repeat=1)
    line = factories.make_agent(name="Baseline")
    who = factories.make_configuration(agent=line, model=None, role="reference_line")
    _timed(_run(suite, revealed, who, (RIGHT,), 0.0, device_class=device), 0.0)
    place = "/generalization/native/all/h100-sxm/"
    return [
        *("/generalization/", f"{place}?round=autumn", "/generalization/native/hip2hip/h100-sxm/?round=autumn"),
        *(f"{place}explore/{chart}/?round=autumn" for chart in ("quadrants", "speeds", "categories")),
        *("/generalization/native/all/cpu-x86_64/", "/generalization/smoke/all/cpu-x86_64/"),
    ]


def _run(
    suite: Suite, round: Round, who: Any, outcomes: tuple[Any, ...], log_ratio: float | None, **values: Any
) -> Run:
    run = factories.make_run(suite=suite, round=round, configuration=who, state="published", **values)
    for number, result in enumerate(run.results.order_by("task__path")):
        attempt = factories.publish(factories.make_attempt(result=result, status="passed"))
        ratio = None if log_ratio is None else log_ratio * (1 + 0.4 * math.sin(number))
        factories.make_unseen(attempt, *outcomes[number % len(outcomes)], log_ratio=ratio)
    return run


def _timed(run: Run, log_ratio: float) -> None:
    """Seen cases on the device clock, all made up."""
    for number, attempt in enumerate(Attempt.objects.filter(result__run=run).order_by("id")):
        times = {"baseline_t_dev_ms": 1.0, "candidate_t_dev_ms": 1.0, "is_eligible": True}
        one = log_ratio * (1 + 0.4 * math.cos(number))
        attempt.measurements.update(log_ratio=one, clocks={}, **times)
        Attempt.objects.filter(pk=attempt.pk).update(
            log_speedup=one, cautious_log_speedup=one, mean_speedup=math.exp(one)
        )
