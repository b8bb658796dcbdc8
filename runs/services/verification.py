"""Verifications: evaluate an imported run's candidates again on our hosts, and compare the outcomes."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Sequence

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluator.errors import TaskError, UsageError
from evaluator.records.record import PROTOCOL
from evaluator.tasks.cards import known_between_cards
from evaluator.unseen.generate import GENERATOR_VERSION
from runs import candidates
from runs.comparisons import ComparedResult, bundle_verdict, compare
from runs.errors import RunError
from runs.models import (
    Attempt,
    AuditEntry,
    DeviceClass,
    Result,
    Review,
    Round,
    Run,
    Submission,
    TaskVerdict,
    UnseenMeasurement,
    Verification,
)
from runs.services.audit_log import Actor, note
from runs.services.queue_order import QueuePositions
from runs.services.run_actions import cancel_results, queue_first
from runs.services.submissions import end
from runs.trust import Trust, trust_text

Action, State = AuditEntry.Action, Submission.State
POLICY, STARTED_AT_ONCE = "policy", 10  # the actor; verifications that one sweep starts
MOST_DRAWN = 999  # tasks; the limit of ARENA_VERIFY
log = logging.getLogger(__name__)
REPRODUCED = (Verification.Verdict.REPRODUCED, Verification.Verdict.PARTLY)
COMPARED = (Submission.State.ACCEPTED, Submission.State.CLOSED)


@transaction.atomic
def begin_verification(
    *, submission: Submission, device_class: DeviceClass, sample: int | None = None, actor: Actor, reason: str = ""
) -> Verification:
    """Queue the candidates of a submission's run on our hosts of a device class: all tasks, or `sample` random ones.

    They run only in the strong sandbox, and on unseen cases, too. The draw cannot be predicted.

    Raises:
        RunError: there is nothing to evaluate, a verification runs already, or a task has changed.
    """
    submission = Submission.objects.select_for_update(of=("self",)).select_related("run").get(pk=submission.pk)
    if submission.state not in COMPARED or submission.run is None:
        raise RunError(f"{submission} is {submission.get_state_display()}: it has nothing to verify")
    claimed = submission.run
    chosen = _chosen(claimed, sample)
    try:
        with transaction.atomic():
            measured = _measured_run(claimed, device_class, chosen, actor)
            verification = Verification.objects.create(
                claimed=claimed, measured=measured, sample=sample, asked_by_name=str(actor)
            )
    except IntegrityError as error:  # verification_one_open_per_run
        raise RunError(f"{claimed} is being verified already") from error
    if submission.state == State.ACCEPTED:
        submission.state = State.VERIFYING
        submission.save(update_fields=["state"])
    what = f"{len(chosen)} of its tasks on {device_class}, as {measured}"
    note(Action.VERIFY, actor, f"{what}: {reason}" if reason else what, submission=submission)
    return verification


@transaction.atomic
def stop_verification(*, submission: Submission, actor: Actor, reason: str) -> Verification:
    """End the verification that runs, without a verdict: open attempts are cancelled, the submission waits as before.

    Raises:
        RunError: none runs.
    """
    submission = Submission.objects.select_for_update(of=("self",)).get(pk=submission.pk)
    verification = Verification.objects.filter(claimed=submission.run_id, closed_at__isnull=True).first()
    if verification is None:
        raise RunError(f"{submission} is not being verified")
    cancel_results(results=verification.measured.results.all(), actor=actor, reason=reason)
    verification.verdict, verification.closed_at = Verification.Verdict.STOPPED, timezone.now()
    verification.save(update_fields=["verdict", "closed_at"])
    if submission.state == State.VERIFYING:
        submission.state = State.ACCEPTED
        submission.save(update_fields=["state"])
    note(Action.CONCLUDE, actor, f"stopped: {reason}", submission=submission)
    return verification


def verify_by_policy() -> int:
    """Start verifications of accepted submissions that never had one, as the setting `VERIFY` says; return how many.

    Submissions of device classes without a host here wait for a maintainer.
    """
    if settings.VERIFY == "none":
        return 0
    waiting = Submission.objects.filter(state=State.ACCEPTED, run__verifications__isnull=True)
    waiting = waiting.filter(run__device_class__hosts__is_enabled=True).select_related("run__device_class").distinct()
    sample = None if settings.VERIFY == "all" else int(settings.VERIFY)
    return sum(_started(submission, sample) for submission in waiting.order_by("received_at")[:STARTED_AT_ONCE])


def _started(submission: Submission, sample: int | None) -> bool:
    assert submission.run is not None
    device_class = submission.run.device_class
    try:
        begin_verification(submission=submission, device_class=device_class, sample=sample, actor=POLICY)
    except RunError as error:
        log.debug("%s: %s", submission, error)
        return False
    return True


def conclude_verifications() -> int:
    """Conclude every verification whose run has no open attempt left; return how many."""
    waiting = Verification.objects.filter(closed_at__isnull=True)
    waiting = waiting.exclude(measured__results__attempts__status__in=("queued", "running"))
    return sum(_conclude(verification.pk) for verification in waiting)


@transaction.atomic
def _conclude(verification_id: int) -> bool:
    verification = Verification.objects.select_for_update().filter(pk=verification_id, closed_at__isnull=True).first()
    if verification is None:
        return False
    rows = _compared(verification)
    outcomes = [row.outcome for row in TaskVerdict.objects.bulk_create(rows)]
    verification.compared_tasks = sum(one != "not_comparable" for one in outcomes)
    verification.reproduced_tasks = sum(one in ("reproduced", "faster") for one in outcomes)
    verification.verdict, verification.closed_at = bundle_verdict(outcomes), timezone.now()
    verification.save()
    _update_claimed_run(verification)
    submission = Submission.objects.get(run=verification.claimed_id)
    text = _text_of(verification)
    note(Action.CONCLUDE, "verification", text, submission=submission)
    if verification.verdict == Verification.Verdict.NOT_REPRODUCED:
        Review.objects.create(
            kind=Review.Kind.NOT_REPRODUCED, submission=submission, detail=text, opened_by_name="verification"
        )
    if submission.state == State.VERIFYING:
        end(submission, Submission.Outcome.VERIFIED, "verification", text)
    return True


def _text_of(verification: Verification) -> str:
    if verification.verdict in REPRODUCED:
        return trust_text(Trust.REPRODUCED, verification.reproduced_tasks, verification.compared_tasks)
    return f"{verification.get_verdict_display()}: {verification.reproduced_tasks} of {verification.compared_tasks}"


def _update_claimed_run(verification: Verification) -> None:
    """Mark the run as reproduced on n of m tasks if at least half are; else it is as claimed."""
    run = verification.claimed
    if verification.verdict in REPRODUCED:
        run.trust = Trust.REPRODUCED
        run.reproduced_tasks, run.verified_tasks = verification.reproduced_tasks, verification.compared_tasks
    else:
        run.trust, run.reproduced_tasks, run.verified_tasks = Trust.CLAIMED, None, None
    run.save(update_fields=["trust", "reproduced_tasks", "verified_tasks"])


def _chosen(claimed: Run, sample: int | None) -> Sequence[Result]:
    """Return the results to evaluate: all with sources, or a random sample."""
    results = list(claimed.results.exclude(candidate_files={}).select_related("task"))
    if sample is not None and not 1 <= sample <= MOST_DRAWN:
        raise RunError(f"seen {sample} tasks to draw; expected 1 to {MOST_DRAWN}")
    if not results:
        raise RunError(f"{claimed} has no candidate to evaluate")
    chosen = results if sample is None else random.SystemRandom().sample(results, min(sample, len(results)))
    for result in chosen:
        try:
            candidates.spec_of(result.task)
        except (TaskError, UsageError) as error:
            raise RunError(f"{result} cannot be evaluated here: {error}") from error
    return sorted(chosen, key=lambda result: result.task.path)


def _measured_run(claimed: Run, device_class: DeviceClass, chosen: Sequence[Result], actor: Actor) -> Run:
    run = Run.objects.create(
        configuration=claimed.configuration,
        suite=claimed.suite,
        device_class=device_class,
        repeat=claimed.repeat,
        protocol=PROTOCOL,
        round=claimed.round or _revealed_round(),
        verifies=claimed,
        note=f"Verification of run {claimed.pk}, started by {actor}"[:200],
    )
    positions = QueuePositions()
    for result in chosen:
        again = Result.objects.create(
            run=run,
            task=result.task,
            candidate_digest=result.candidate_digest,
            candidate_files=result.candidate_files,
            candidate_problems=result.candidate_problems,
        )
        queue_first(again, positions)
    return run


def _revealed_round() -> Round | None:
    """Return the newest revealed round: a run without a round is verified on its unseen cases. It covers any task."""
    revealed = Round.objects.filter(revealed_at__isnull=False, generator_version=GENERATOR_VERSION)
    return revealed.order_by("-revealed_at").first()


def _compared(verification: Verification) -> list[TaskVerdict]:
    claims = _attempts_by_task(verification.claimed)
    rows = []
    for task, measured in _attempts_by_task(verification.measured).items():
        comparison = compare(_side(claims[task]), _side(measured), _between_cards(measured))
        unseen = _unseen_text(claims[task], measured)
        rows.append(
            TaskVerdict(
                verification=verification,
                claimed=claims[task],
                measured=measured,
                outcome=comparison.outcome,
                because=f"{comparison.because}{unseen}"[:300],
                log_difference=comparison.log_difference,
                allowed=comparison.allowed,
            )
        )
    return rows


def _unseen_text(claimed: Attempt, measured: Attempt) -> str:
    """Return how many unseen cases were correct on each side, as a clause for a sentence; empty if there are none.

    Both rounds are revealed, or imported runs would have no such rows.
    """
    counts = []
    for who, attempt in (("claimed", claimed), ("measured", measured)):
        rows = UnseenMeasurement.objects.filter(evaluation__attempt=attempt, is_error=False)
        if total := rows.count():
            counts.append(f"{who} {rows.filter(correct=True).count()} of {total}")
    return f"; unseen cases correct: {', '.join(counts)}" if counts else ""


def _attempts_by_task(run: Run) -> dict[int, Attempt]:
    """Return each task's published attempt, else its newest, by the task's primary key."""
    related = ("host", "result__task", "result__run__device_class")
    rows = Attempt.objects.filter(result__run=run).select_related(*related).order_by("number")
    found = {attempt.result.task_id: attempt for attempt in rows}
    return found | {row.result.task_id: row for row in rows if row.pk == row.result.published_attempt_id}


def _side(attempt: Attempt) -> ComparedResult:
    device_class = attempt.result.run.device_class
    return ComparedResult(
        status=attempt.status,
        device_class=device_class.slug,
        protocol=attempt.protocol,
        is_functional=device_class.is_functional,
        log_speedup=attempt.log_speedup,
        low=attempt.log_speedup_low,
        high=attempt.log_speedup_high,
        log_paper_speedup=math.log(attempt.paper_speedup) if attempt.paper_speedup else None,
        card=attempt.host.facts.get("card_uuid", "") if attempt.host else "",
    )


def _between_cards(attempt: Attempt) -> float:
    """Return by how much two cards may differ on the attempt's task; 0 where that is not known."""
    known = known_between_cards(attempt.result.run.device_class.slug, attempt.protocol)
    return known.half_width(attempt.result.task.path) if known else 0.0
