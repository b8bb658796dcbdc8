"""Starts runs of a built-in agent, one for each repeat: all of them, or none if it cannot work or would overspend."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from evaluator.agents.readiness import missing_settings
from evaluator.records.record import PROTOCOL
from runs import agents, candidates
from runs.errors import RunError
from runs.models import AuditEntry, Configuration, DeviceClass, Host, Round, Run, Suite
from runs.models.results import LAST_REPEAT
from runs.services import audit_log
from runs.services.audit_log import Actor
from runs.services.run_actions import create_run
from runs.services.spending import estimate_of, refuse_to_overspend

REPEATS = 3  # as in the paper
EVALUATION_S = 1800  # of a job's time limit, reserved for the evaluation after the session


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
    """Create `repeats` drafts, numbered from `repeat`, with all attempts queued. The estimate goes into the audit log.

    Raises:
        RunError: the numbers are invalid, one of the runs exists already, or the agent is not built in, lacks
            something, takes none of the tasks, or would exceed a cap.
    """
    if repeats < 1 or not 0 <= repeat <= LAST_REPEAT + 1 - repeats:
        expected = f"at least 1, numbered from 0 to {LAST_REPEAT}"
        raise RunError(f"seen {repeats} repeats from number {repeat} on; expected {expected}")
    numbers = range(repeat, repeat + repeats)
    same = same_runs(configuration=configuration, suite=suite, device_class=device_class, numbers=numbers)
    if known := same.first():
        raise RunError(f"{same_text(known)}, at /run/{known.pk}/")
    if tasks_left_out(configuration, suite) == suite.tasks.count():
        takes = ", ".join(agents.categories_of(configuration))
        kind = "" if agents.agent_of(configuration).takes_plain else " that are not plain"
        raise RunError(f"{configuration} takes tasks of {takes}{kind}, and {suite} has none of them")
    is_session = agents.works_in_sessions(configuration)
    if is_session:
        _refuse_unready(configuration, device_class)
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
        for number in numbers
    ]
    estimate = estimate_text(configuration=configuration, suite=suite, repeats=repeats)
    for run in runs:
        audit_log.note(AuditEntry.Action.START, actor, note, run=run, detail=estimate)
    return runs


def tasks_left_out(configuration: Configuration, suite: Suite) -> int:
    """Return how many tasks of the suite the agent does not take, by their category or because they are plain."""
    taken = suite.tasks.filter(category__in=agents.categories_of(configuration))
    if not agents.agent_of(configuration).takes_plain:
        taken = taken.filter(is_plain=False)
    return suite.tasks.count() - taken.count()


def same_runs(
    *, configuration: Configuration, suite: Suite, device_class: DeviceClass, numbers: range
) -> QuerySet[Run]:
    """Return runs of these repeats that are not withdrawn, and not cancelled as a whole.

    A run that evaluates an upload again is none of them, nor is a draft that an upload brought.
    """
    same = Run.objects.filter(configuration=configuration, suite=suite, device_class=device_class, protocol=PROTOCOL)
    same = same.filter(repeat__in=numbers, verifies__isnull=True).exclude(state=Run.State.WITHDRAWN)
    same = same.exclude(state=Run.State.DRAFT, origin=Run.Origin.IMPORTED)
    cancelled = Q(state=Run.State.DRAFT, cancelled__gte=1, cancelled=F("tasks"))
    return same.with_progress().exclude(cancelled).order_by("repeat", "pk")


def next_repeat(run: Run) -> int:
    """Return the number of the first repeat after all that there are under the current protocol."""
    same = Run.objects.filter(configuration=run.configuration, suite=run.suite, device_class=run.device_class)
    last = same.filter(protocol=PROTOCOL).aggregate(last=Max("repeat"))["last"]
    return 0 if last is None else int(last) + 1


def same_text(run: Run) -> str:
    """Return what to do in place of starting a run that exists already."""
    return f"{run} is repeat {run.repeat} of this already: run it again there, or start from repeat {next_repeat(run)}"


def estimate_text(*, configuration: Configuration, suite: Suite, repeats: int) -> str:
    """Return a sentence on what the runs are estimated to cost; empty if they call no paid model.

    Raises:
        RunError: the configuration cannot start.
    """
    if not agents.works_in_sessions(configuration):
        return ""
    if missing := missing_settings(agents.agent_of(configuration)):
        raise RunError(f"{configuration} is {missing}")
    estimate = estimate_of(configuration)
    return estimate.text(repeats, suite.tasks.count()) if estimate.task_usd is not None else ""


def _refuse_unready(configuration: Configuration, device_class: DeviceClass) -> None:
    agent = agents.agent_of(configuration)
    longest_s = settings.JOB_LIMIT_S - EVALUATION_S
    if agent.settings.timeout_s > longest_s:
        raise RunError(f"{configuration}: timeout_s is {agent.settings.timeout_s:.0f}; here at most {longest_s}")
    agents.refuse_forbidden_settings(configuration)
    missing = missing_settings(agent)
    if missing is None and not set(agents.HOST_REQUIREMENTS) & set(configuration.settings):
        missing = _lacking_everywhere(agent.name, device_class)
    if missing:
        raise RunError(f"{configuration} is {missing}")


def _lacking_everywhere(agent: str, device_class: DeviceClass) -> str | None:
    """Return what the agent lacks if it lacks something on every host of the class; None otherwise.

    A host whose worker has never reported counts as able.
    """
    hosts = Host.objects.filter(device_class=device_class, is_enabled=True)
    lacks = [host.agents.get(agent, "") for host in hosts]
    return lacks[0] if lacks and all(lacks) else None
