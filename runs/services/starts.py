"""New runs of an agent of ours: one for each repeat, refused as a whole where it could not work or would overspend."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from evaluator.agents.readiness import missing_settings
from runs import agents, candidates
from runs.errors import RunError
from runs.models import AuditEntry, Configuration, DeviceClass, Host, Round, Run, Suite
from runs.models.results import LAST_REPEAT
from runs.services import audit_log
from runs.services.audit_log import Actor
from runs.services.entries import create_run
from runs.services.spending import estimate_of, refuse_to_overspend

REPEATS = 3  # as the paper's
EVALUATION_S = 1800  # of the worker's last resort, left for the verdict after a session


@transaction.atomic
def start_runs(
    *,
    configuration: Configuration,
    suite: Suite,
    device_class: DeviceClass,
    repeats: int = REPEATS,
    repeat: int = 0,
    round: Round | None = None,
    actor: Actor,
    note: str = "",
) -> list[Run]:
    """Drafts of `repeats` repeats, counted from `repeat`, each with all its attempts in the queue. The trail says who
    started them, at what estimate.

    Raises:
        RunError: it would be no run, or the agent is none of ours, lacks something, or may spend no more.
    """
    if repeats < 1 or not 0 <= repeat <= LAST_REPEAT + 1 - repeats:
        expected = f"at least 1, numbered from 0 to {LAST_REPEAT}"
        raise RunError(f"seen {repeats} repeats from number {repeat} on; expected {expected}")
    is_session = agents.works_in_sessions(configuration)
    if is_session:
        _refuse_what_lacks_something(configuration, device_class)
        refuse_to_overspend(configuration, tasks=suite.tasks.count(), runs=repeats)
    runs = [
        create_run(
            configuration=configuration,
            suite=suite,
            device_class=device_class,
            written=None if is_session else candidates.written_by(configuration, suite, number),
            repeat=number,
            round=round,
            actor=actor,
            note=note,
        )
        for number in range(repeat, repeat + repeats)
    ]
    told = told_estimate(configuration=configuration, suite=suite, repeats=repeats)
    for run in runs:
        audit_log.note(AuditEntry.Action.START, actor, note, run=run, detail=told)
    return runs


def told_estimate(*, configuration: Configuration, suite: Suite, repeats: int) -> str:
    """What runs are estimated to cost; nothing where they cost nothing.

    Raises:
        RunError: what cannot start has no estimate.
    """
    if not agents.works_in_sessions(configuration):
        return ""
    if missing := missing_settings(agents.agent_of(configuration)):
        raise RunError(f"{configuration} is {missing}")
    estimate = estimate_of(configuration)
    return estimate.text(repeats, suite.tasks.count()) if estimate.task_usd is not None else ""


def _refuse_what_lacks_something(configuration: Configuration, device_class: DeviceClass) -> None:
    agent = agents.agent_of(configuration)
    longest_s = settings.JOB_LIMIT_S - EVALUATION_S
    if agent.settings.timeout_s > longest_s:
        raise RunError(f"{configuration}: timeout_s is {agent.settings.timeout_s:.0f}; here at most {longest_s}")
    agents.refuse_what_asks_too_much(configuration)
    missing = missing_settings(agent)
    if missing is None and not set(agents.HOST_REQUIREMENTS) & set(configuration.settings):
        missing = _lacking_everywhere(agent.name, device_class)
    if missing:
        raise RunError(f"{configuration} is {missing}")


def _lacking_everywhere(agent: str, device_class: DeviceClass) -> str | None:
    """What it lacks on the hosts of a class, if none can do; a host whose worker never said is not counted out."""
    hosts = Host.objects.filter(device_class=device_class, is_enabled=True)
    said = [host.agents.get(agent, "") for host in hosts]
    return said[0] if said and all(said) else None
