"""A task of tasks/ with public answers on a device with a clock: what was given, who solved it, the best kernel."""

from __future__ import annotations

from datetime import timedelta
from math import log

from evaluator.tasks.reader import load_task
from tests import factories

SPEEDUPS = {"Patient tuner": 1.31, "Quick tuner": 1.18, "Patient tuner with a second model": 1.62}


def make_task_place() -> list[str]:
    """Its runs were published one day after the other; their speedups are made up."""
    spec = load_task("hip2hip/arena/GELU")
    task = factories.make_task(name="GELU", digest=spec.digest, description=spec.description)
    device = factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)
    suite = factories.make_suite([task], name="one-task")
    for day, (name, speedup) in enumerate(SPEEDUPS.items()):
        configuration = factories.make_configuration(agent=factories.make_agent(name=name), model=None)
        at = factories.NOON + timedelta(days=day)
        run = factories.make_run(
            suite=suite, configuration=configuration, device_class=device, state="published", published_at=at
        )
        value = log(speedup)
        speeds = {"log_speedup": value, "cautious_log_speedup": value}
        ends = {"log_speedup_low": value - 0.02, "log_speedup_high": value + 0.02}
        attempt = factories.make_attempt(result=run.results.get(), status="passed", **speeds, **ends)
        ratios = {"log_ratio": value, "log_ratio_low": value - 0.03, "log_ratio_high": value + 0.03}
        times = {"baseline_t_dev_ms": 1.0, "candidate_t_dev_ms": 1 / speedup}
        attempt.measurements.update(**ratios, **times, is_eligible=True)
        factories.publish(attempt)
    address = "/task/hip2hip/arena/GELU/"
    return [address, f"{address}explore/best/", f"{address}explore/pair/"]
