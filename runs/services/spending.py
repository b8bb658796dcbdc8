"""What runs of a paid model may spend: an estimate before they start, caps for a run and a day, for one configuration
and for the site, and the stop between tasks. A session is told what is left, so that it can stop within its task.

What nobody knows is never counted as nothing: a session without a cost, and one that was lost, counts as estimated.
Before a start so does each session that is still to come: several starts in a row promise no more than one may.
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
from runs.services.claims import Lease, held
from runs.services.entries import cancel_results
from runs.services.replaced import replaced_today, spent_on_replaced

ACTOR = "spending cap"


@dataclass(frozen=True, slots=True)
class _Cap:
    """Most that may be spent, what was, and, before a start, what sessions that are still to come may."""

    title: str
    usd: float
    spent_usd: float
    waiting_usd: float = 0.0

    @property
    def left_usd(self) -> float:
        return max(self.usd - self.spent_usd - self.waiting_usd, 0.0)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """US dollars for one task, and whose word that is. None: it calls no paid model."""

    task_usd: float | None
    source: str

    def text(self, runs: int, tasks: int) -> str:
        """One sentence for so many runs of so many tasks."""
        if self.task_usd is None:
            return "It calls no paid model."
        whole, run = runs * tasks * self.task_usd, tasks * self.task_usd
        each = counted(tasks, "task")
        parts = f"{runs} runs of {each} are" if runs > 1 else f"A run of {each} is"
        task = f"{self.task_usd:.4g} USD a task, {self.source}"
        return f"{parts} estimated at {whole:.2f} USD, {run:.2f} USD a run: {task}."


def estimate_of(configuration: Configuration) -> CostEstimate:
    """By the sessions there were, else by what the configuration expects.

    Raises:
        RunError: it is paid, and neither says anything; or it is none of ours.
    """
    if not agents.is_paid(agents.agent_of(configuration)):
        return CostEstimate(None, "")
    known = AgentSession.objects.filter(result__run__configuration=configuration, cost_usd__isnull=False)
    seen = known.aggregate(mean=Avg("cost_usd"), count=Count("pk"))
    if seen["mean"]:
        return CostEstimate(seen["mean"], f"the mean of {counted(seen['count'], 'session')} here")
    if configuration.expected_task_usd is not None:
        return CostEstimate(configuration.expected_task_usd, "as its configuration expects")
    raise RunError(f"{configuration} calls a paid model, and no session says what a task costs: set expected_task_usd")


def refuse_to_overspend(configuration: Configuration, *, tasks: int, runs: int) -> None:
    """Before runs are made, within the transaction that makes them: a second start of it waits, then sees the first.

    Raises:
        RunError: there is no cap or no estimate, or the estimate is above what is left.
    """
    Configuration.objects.select_for_update(no_key=True).get(pk=configuration.pk)
    estimate = estimate_of(configuration)
    if estimate.task_usd is None:
        return
    if configuration.run_cap_usd is None or configuration.day_cap_usd is None:
        raise RunError(f"{configuration} calls a paid model: set run_cap_usd and day_cap_usd before it starts")
    run_usd, told = tasks * estimate.task_usd, estimate.text(runs, tasks)
    if run_usd > configuration.run_cap_usd:
        raise RunError(f"{told} The cap of a run is {configuration.run_cap_usd:.2f} USD.")
    for cap in _day_caps(configuration, estimate.task_usd, is_start=True):
        if runs * run_usd > cap.left_usd:
            beside = ", beside what waits to be run" if cap.waiting_usd else ""
            raise RunError(f"{told} Of {cap.title} of {cap.usd:.2f} USD, {cap.left_usd:.2f} are left{beside}.")


def left_to_spend(*, run: Run) -> float:
    """US dollars that a session which begins now may cost; infinite where its configuration calls no paid model.

    Sessions that go on beside it count as estimated: each may still cost more than that.

    Raises:
        RunError: nobody can say.
    """
    task_usd = estimate_of(run.configuration).task_usd
    return min((cap.left_usd for cap in _caps(run, task_usd)), default=inf) if task_usd is not None else inf


@transaction.atomic
def stop_at_cap(*, claim: Lease) -> bool:
    """Before a session: where it could exceed a cap, what its run has not begun is cancelled, with the reason.

    True: the claimed attempt is cancelled, too.
    """
    configuration = "result__run__configuration"
    attempt = held(claim).select_related(f"{configuration}__agent", f"{configuration}__model").first()
    if attempt is None or not agents.awaits_session(attempt.result):
        return False
    run = attempt.result.run
    if (because := _reached(run)) is None:
        return False
    waiting = Result.objects.filter(run=run, attempts__in=Attempt.objects.open(), candidate_files={})
    cancel_results(results=list(waiting), actor=ACTOR, reason=redaction.shown(because))
    return True


def _reached(run: Run) -> str | None:
    """Which cap one more task could exceed."""
    configuration = run.configuration
    try:
        task_usd = estimate_of(configuration).task_usd
        caps = _caps(run, task_usd) if task_usd is not None else []
    except RunError as error:
        return str(error)
    if task_usd is None:
        return None
    if configuration.run_cap_usd is None or configuration.day_cap_usd is None:
        return "a paid model without a cap for a run and for a day"
    for cap in caps:
        if task_usd > cap.left_usd:
            said = f"{cap.spent_usd:.2f} USD are spent, and a task is estimated at {task_usd:.4g}"
            return f"{said}: {cap.title} is {cap.usd:.2f} USD"
    return None


def _caps(run: Run, task_usd: float) -> list[_Cap]:
    run_cap = run.configuration.run_cap_usd
    replaced_usd = spent_on_replaced(AuditEntry.objects.filter(run=run), task_usd)
    spent_usd = _spent(AgentSession.objects.filter(result__run=run), task_usd) + replaced_usd
    of_run = [] if run_cap is None else [_Cap("the cap of a run", run_cap, spent_usd)]
    return of_run + _day_caps(run.configuration, task_usd)


def _day_caps(configuration: Configuration, task_usd: float, *, is_start: bool = False) -> list[_Cap]:
    """
    Raises:
        RunError: nobody can say what another configuration spends.
    """
    caps, own, site = [], configuration.day_cap_usd, settings.DAY_CAP_USD
    if own is not None:
        spent_usd, waiting_usd = _spent_today(configuration, task_usd), _waiting(configuration, task_usd)
        caps.append(_Cap("the cap of a day", own, spent_usd, waiting_usd if is_start else 0.0))
    if site is not None:
        begun = AgentSession.objects.filter(started_at__gte=today(), attempt__isnull=False)
        of_begun, of_waiting = Q(runs__results__session__in=begun), Q(runs__results__attempts__in=_to_come())
        of_begun |= Q(runs__trail__in=replaced_today())
        busy = Configuration.objects.filter(of_begun | of_waiting if is_start else of_begun).distinct()
        each = [(one, estimate_of(one).task_usd or 0.0) for one in busy]
        spent_usd = sum(_spent_today(*one) for one in each)
        waiting_usd = sum(_waiting(*one) for one in each) if is_start else 0.0
        caps.append(_Cap("this site's cap of a day", site, spent_usd, waiting_usd))
    return caps


def _to_come() -> AttemptQuerySet:
    """Attempts that a session is still to be held for: none is begun, or it was lost with its worker."""
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


def _spent(sessions: AgentSessionQuerySet, task_usd: float) -> float:
    """What they said, and the estimate for each that said nothing, runs still, or was lost."""
    found = sessions.aggregate(
        said=Sum("cost_usd", default=0.0),
        silent=Count("pk", filter=Q(cost_usd__isnull=True)),
        lost=Sum("abandoned", default=0),
    )
    return float(found["said"] + (found["silent"] + found["lost"]) * task_usd)
