"""Runs whose candidates came out of agents' sessions, on a device with a clock: one whole, one that goes on."""

from __future__ import annotations

from math import log

from evaluator.records.sessions import Usage
from runs.models import AgentSession
from tests import factories

# Agent, output tokens and dollars a task; None: nobody says.
AGENTS = (("A thrifty agent", 3000, 0.04), ("An agent that spends", 64_000, 1.2), ("One that does not say", None, None))


def make_session_places() -> list[str]:
    device = factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)
    suite = factories.make_suite([factories.make_task() for _ in range(12)], name="worked-on")
    for number, (name, tokens, cost_usd) in enumerate(AGENTS):
        configuration = factories.make_configuration(agent=factories.make_agent(name=name))
        run = factories.make_run(suite=suite, configuration=configuration, device_class=device, state="published")
        usage = Usage(turns=4, input_tokens=tokens and 9 * tokens, output_tokens=tokens, cost_usd=cost_usd, model="m-1")
        for result in run.results.all():
            value = log(1.1 + 0.2 * number)
            speeds = {"log_speedup": value, "cautious_log_speedup": value}
            ends = {"log_speedup_low": value - 0.02, "log_speedup_high": value + 0.02}
            attempt = factories.make_attempt(result=result, status="passed", flags=[], **speeds, **ends)
            factories.publish(attempt)
            factories.make_session(result, usage=usage, settings={}, attempt=attempt)
    result = run.results.all()[0]
    draft = factories.make_run(suite=suite, device_class=device)
    working = factories.make_attempt(result=draft.results.all()[0], status="running")
    AgentSession.objects.create(
        result=working.result,
        attempt=working,
        agent="chat_loop",
        started_at=factories.NOON,
        checks=2,
        tail="── version 2: passed, 1.120×, 4.0 s\n" * 30,
    )
    place = "worked-on-1-h100-sxm"
    sessions = [f"/result/{result.pk}/session/?q=ls", f"/result/{working.result_id}/session/"]
    return [
        *sessions,
        f"/run/{run.pk}/",
        f"/run/{draft.pk}/",
        f"/result/{result.pk}/",
        f"/cost/explore/cost_usd-{place}/",
    ]
