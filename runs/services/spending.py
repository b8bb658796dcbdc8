"""Limits what runs of a paid model spend.

There is an estimate before runs start, a cap for each run and day of a configuration, and one for the site's day. Caps
are checked before each session, and a session is given what is left, so that it can stop within its task.

An unknown cost never counts as zero: a session that reported none, or was lost, counts with the estimate. So does each
session still to come when another run is started: several starts in a row cannot exceed a cap together.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Avg, Count, Q, Sum

from evaluator.wording import counted
from runs import agents, redaction
from runs.errors import RunError
from runs.models import AgentSession, Attempt, AuditEntry, Configuration, Result, Run
from runs.querysets import AgentSessionQuerySet, AttemptQuerySet, today
from runs.services.leases import Lease, leased
from runs.services.replaced import replaced_today, spent_on_replaced
from runs.services.run_actions import cancel_results

ACTOR = "spending cap"


@dataclass(frozen=True, slots=True)
class _Cap:
    """A cap, what has been spent of it, and, when a run is started, what sessions still to come may spend."""

    title: str
    usd: float
    spent_usd: float
    waiting_usd: float = 0.0

    @property
    def left_usd(self) -> float:
        return max(self.usd - self.spent_usd - self.waiting_usd, 0.0)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The estimated cost of one task in US dollars, and where it comes from. None: no paid model is called."""

    task_usd: float | None
    source: str

    def text(self, runs: int, tasks: int) -> str:
        """Return the estimate for this many runs of this many tasks, as one sentence."""
        if self.task_usd is None:
            return "It calls no paid model."
        whole, run = runs * tasks * self.task_usd, tasks * self.task_usd
        each = counted(tasks, "task")
        parts = f"{runs} runs of {each} are" if runs > 1 else f"A run of {each} is"
        task = f"{self.task_usd:.4g} USD a task, {self.source}"
        return f"{parts} estimated at {whole:.2f} USD, {run:.2f} USD a run: {task}."


def estimate_of(configuration: Configuration) -> CostEstimate:
    """Estimate a task's cost: the mean of past sessions, else the configuration's `expected_task_usd`.

    Raises:
        RunError: the model is paid and there is neither, or the agent is not built in.
    """
    if not agents.is_paid(agents.agent_of(configuration)):
        return CostEstimate(None, "")
    ours = {"result__run__origin": Run.Origin.RUN_HERE, "result__run__configuration": configuration}
    known = AgentSession.objects.filter(cost_usd__isnull=False, **ours)
    seen = known.aggregate(mean=Avg("cost_usd"), count=Count("pk"))
    if seen["mean"]:
        return CostEstimate(seen["mean"], f"the mean of {counted(seen['count'], 'session')} here")
    if configuration.expected_task_usd is not None:
        return CostEstimate(configuration.expected_task_usd, "as the configuration expects")
    raise RunError(
        f"{configuration} calls a paid model, and no session has reported what a task costs: set expected_task_usd"
    )


def refuse_to_overspend(configuration: Configuration, *, tasks: int, runs: int) -> None:
    """Refuse new runs that could exceed a cap. Called in the transaction that makes them: a second start waits for it.

    Raises:
        RunError: a cap or an estimate is missing, or the estimate exceeds what is left.
    """
    Configuration.objects.select_for_update(no_key=True).get(pk=configuration.pk)
    estimate = estimate_of(configuration)
    if estimate.task_usd is None:
        return
    if configuration.run_cap_usd is None or configuration.day_cap_usd is None:
        raise RunError(f"{configuration} calls a paid model: set run_cap_usd and day_cap_usd first")
    run_usd, text = tasks * estimate.task_usd, estimate.text(runs, tasks)
    if run_usd > configuration.run_cap_usd:
        raise RunError(f"{text} The cap for a run is {configuration.run_cap_usd:.2f} USD.")
    for cap in _day_caps(configuration, estimate.task_usd, is_start=True):
        if runs * run_usd > cap.left_usd:
            queued = " after queued sessions" if cap.waiting_usd else ""
            raise RunError(f"{text} Of {cap.title} of {cap.usd:.2f} USD, {cap.left_usd:.2f} are left{queued}.")


def left_to_spend(*, run: Run) -> float:
    """Return how many US dollars a session that begins now may cost; infinite if it calls no paid model.

    Other running sessions count with the estimate, although each may cost more.

    Raises:
        RunError: there is no estimate.
    """
    task_usd = estimate_of(run.configuration).task_usd
    return min((cap.left_usd for cap in _caps(run, task_usd)), default=inf) if task_usd is not None else inf


@transaction.atomic
def stop_at_cap(*, lease: Lease) -> bool:
    """Before a session that could exceed a cap, cancel all of the run's attempts that still need one.

    Return whether the leased attempt was cancelled.
    """
    configuration = "result__run__configuration"
    attempt = leased(lease).select_related(f"{configuration}__agent", f"{configuration}__model").first()
    if attempt is None or not agents.needs_session(attempt.result):
        return False
    run = attempt.result.run
    if (because := _reached(run)) is None:
        return False
    waiting = Result.objects.filter(run=run, attempts__in=Attempt.objects.open(), candidate_files={})
    cancel_results(results=list(waiting), actor=ACTOR, reason=redaction.redacted(because))
    return True


def _reached(run: Run) -> str | None:
    """Return a sentence about the cap that one more task could exceed; None if there is none."""
    configuration = run.configuration
    try:
        task_usd = estimate_of(configuration).task_usd
        caps = _caps(run, task_usd) if task_usd is not None else []
    except RunError as error:
        return str(error)
    if task_usd is None:
        return None
    if configuration.run_cap_usd is None or configuration.day_cap_usd is None:
        return "a paid model needs a cap for a run and one for a day"
    for cap in caps:
        if task_usd > cap.left_usd:
            spent = f"{cap.spent_usd:.2f} USD are spent, and a task is estimated at {task_usd:.4g} USD"
            return f"{spent}: {cap.title} is {cap.usd:.2f} USD"
    return None


def _caps(run: Run, task_usd: float) -> list[_Cap]:
    run_cap = run.configuration.run_cap_usd
    replaced_usd = spent_on_replaced(AuditEntry.objects.filter(run=run), task_usd)
    spent_usd = _spent(AgentSession.objects.filter(result__run=run), task_usd) + replaced_usd
    of_run = [] if run_cap is None else [_Cap("the cap for a run", run_cap, spent_usd)]
    return of_run + _day_caps(run.configuration, task_usd)


def _day_caps(configuration: Configuration, task_usd: float, *, is_start: bool = False) -> list[_Cap]:
    """Return the caps of the configuration's and the site's day.

    Raises:
        RunError: another configuration that spends today has no estimate.
    """
    caps, own, site = [], configuration.day_cap_usd, settings.DAY_CAP_USD
    if own is not None:
        spent_usd, waiting_usd = _spent_today(configuration, task_usd), _waiting(configuration, task_usd)
        caps.append(_Cap("the cap for a day", own, spent_usd, waiting_usd if is_start else 0.0))
    if site is not None:
        begun = AgentSession.objects.filter(started_at__gte=today(), attempt__isnull=False)
        of_begun, of_waiting = Q(runs__results__session__in=begun), Q(runs__results__attempts__in=_to_come())
        of_begun |= Q(runs__audit_entries__in=replaced_today())
        busy = Configuration.objects.filter(of_begun | of_waiting if is_start else of_begun).distinct()
        each = [(one, estimate_of(one).task_usd or 0.0) for one in busy]
        spent_usd = sum(_spent_today(*one) for one in each)
        waiting_usd = sum(_waiting(*one) for one in each) if is_start else 0.0
        caps.append(_Cap("this site's cap for a day", site, spent_usd, waiting_usd))
    return caps


def _to_come() -> AttemptQuerySet[Attempt]:
    """Return open attempts whose session is still to come: it has not begun, or was lost with its worker."""
    unwritten: Any = {
        "result__candidate_files": {},
        "result__candidate_problems": [],
        "result__published_attempt": None,
    }
    ours = {"result__run__origin": Run.Origin.RUN_HERE, "result__run__verifies": None}
    not_over = Q(result__session=None) | Q(result__session__ended="")
    waiting = Attempt.objects.open().filter(not_over, **unwritten, **ours)
    return waiting.exclude(status=Attempt.Status.RUNNING, session__isnull=False)


def _waiting(configuration: Configuration, task_usd: float) -> float:
    return _to_come().filter(result__run__configuration=configuration).count() * task_usd


def _spent_today(configuration: Configuration, task_usd: float) -> float:
    mine = AgentSession.objects.filter(result__run__configuration=configuration, started_at__gte=today())
    again = AuditEntry.objects.filter(run__configuration=configuration)
    replaced_usd = spent_on_replaced(again, task_usd, day=today().date())
    return _spent(mine.filter(attempt__isnull=False), task_usd) + replaced_usd


def _spent(sessions: AgentSessionQuerySet[AgentSession], task_usd: float) -> float:
    """Return the reported costs, plus the estimate for each session that reported none, still runs or was lost."""
    found = sessions.aggregate(
        reported=Sum("cost_usd", default=0.0),
        unreported=Count("pk", filter=Q(cost_usd__isnull=True)),
        lost=Sum("abandoned", default=0),
    )
    return float(found["reported"] + (found["unreported"] + found["lost"]) * task_usd)
