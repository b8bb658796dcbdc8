"""Rounds and what became of their cases."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from runs.models import Attempt, Round, UnseenEvaluation, UnseenMeasurement
from runs.verdicts import unseen_columns
from tests.factories.catalog import NOON, make_suite, numbers, sha256


def make_round(**values: Any) -> Round:
    """Revealed unless told otherwise."""
    number = next(numbers)
    if "suite" not in values:
        values["suite"] = make_suite()
    secret = sha256(("secret", number))
    defaults = {"slug": f"round-{number}", "secret": secret, "secret_hash": sha256(secret), "opened_at": NOON}
    defaults |= {"generator_version": "arena-unseen-1", "tasks_digest": sha256(("tasks", number))}
    return Round.objects.create(**defaults | {"revealed_at": NOON + timedelta(days=91)} | values)


Outcome = tuple[str, bool | None, bool | None]  # config category, baseline, candidate; None: our evaluation failed


def make_unseen(attempt: Attempt, *outcomes: Outcome, log_ratio: float | None = None) -> UnseenEvaluation:
    """A complete evaluation in its run's round; `log_ratio` is that of every case on which both sides are right."""
    is_complete = all(None not in sides for _, *sides in outcomes)
    evaluation = UnseenEvaluation.objects.create(
        attempt=attempt,
        round=attempt.result.run.round,
        state="done",
        is_complete=is_complete,
        begun_at=NOON,
        record_digest=sha256(("unseen record", next(numbers))),
    )
    cases = [_unseen_measurement(evaluation, number, *outcome, log_ratio) for number, outcome in enumerate(outcomes, 1)]
    UnseenEvaluation.objects.filter(pk=evaluation.pk).update(**unseen_columns(cases))
    UnseenMeasurement.objects.bulk_create(cases)
    return evaluation


def _unseen_measurement(
    evaluation: UnseenEvaluation,
    number: int,
    category: str,
    baseline: bool | None,
    candidate: bool | None,
    log_ratio: float | None,
) -> UnseenMeasurement:
    is_timed = bool(baseline and candidate and log_ratio is not None)
    return UnseenMeasurement(
        evaluation=evaluation,
        case=f"cols={100 + number},rows=4",
        category=category,
        profile="small",
        origin="generated",
        is_error=baseline is None or candidate is None,
        baseline_correct=baseline,
        correct=candidate,
        baseline_reason="" if baseline else "mismatch",
        reason="" if candidate else "mismatch",
        message="" if candidate else f"In case cols={100 + number}, 7 elements are wrong.",
        log_ratio=log_ratio if is_timed else None,
        is_eligible=is_timed,
    )
