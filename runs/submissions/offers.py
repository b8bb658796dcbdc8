"""What a reader may do on the page of a result, run or submission: the buttons at its top."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from runs.actions import RESULT_ACTIONS, RUN_ACTIONS, SUBMISSION_ACTIONS, RowAction
from runs.models import Result, Run, Submission
from runs.people.rights import AnyUser, may_audit, may_publish, may_review, may_run, may_start
from runs.services.starts import next_repeat

MAY = {"run": may_run, "publish": may_publish, "audit": may_audit, "review": may_review}  # by the right of an action
RELATED = {  # what the page of another row offers, too
    "run": ("publish", "withdraw", "undo"),
    "submission": ("verify", "stop_verification"),
}


class Kind(NamedTuple):
    rows: QuerySet[Any]
    actions: tuple[RowAction, ...]


class Offer(NamedTuple):
    url: str
    text: str


KINDS = {  # by the name of their public page
    "result": Kind(Result.objects.select_related("task", "run__configuration", "published_attempt"), RESULT_ACTIONS),
    "run": Kind(Run.objects.select_related("configuration", "suite", "device_class"), RUN_ACTIONS),
    "submission": Kind(Submission.objects.select_related("run__device_class"), SUBMISSION_ACTIONS),
}


def offers_on(request: HttpRequest, kind: str, row: int) -> list[Offer]:
    """Return what the reader may do on the page of a row. Without a session nothing is asked of the database."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return []
    user = request.user
    if not any(may(user) for may in MAY.values()):
        return []
    found = KINDS[kind].rows.filter(pk=row).first()
    return [] if found is None else list(_offers(user, kind, found))


def _offers(user: AnyUser, kind: str, row: Any) -> Iterator[Offer]:
    if kind == "result" and may_audit(user) and row.attempts.filter(ended_at__isnull=False).exists():
        yield Offer(reverse("submissions:audit", args=[row.pk]), "Audit")
    for action in KINDS[kind].actions:
        if MAY[action.right](user) and action.fits(row):
            yield Offer(_address(kind, row, action), action.title)
    if isinstance(row, Run) and may_start(user) and not row.is_from_outside:
        asked = {"configuration": row.configuration_id, "suite": row.suite_id, "device_class": row.device_class_id}
        asked |= {"repeat": next_repeat(row), "repeats": 1}
        yield Offer(f"{reverse('admin:runs_run_add')}?{urlencode(asked)}", "Start another repeat")
    for other, related in _related(row):
        for action in KINDS[other].actions:
            if action.name in RELATED[other] and MAY[action.right](user) and action.fits(related):
                yield Offer(_address(other, related, action), f"{action.title} ({related})")


def _address(kind: str, row: Any, action: RowAction) -> str:
    return reverse(f"submissions:act_on_{kind}", args=[row.pk, action.name])


def _related(row: Result | Run | Submission) -> Iterator[tuple[str, Any]]:
    """Yield the run of a result or submission, and the submission of a result or run."""
    run = row if isinstance(row, Run) else row.run
    if run is not None and run is not row:
        yield "run", run
    submission = None if isinstance(row, Submission) else Submission.objects.filter(run=run).first()
    if submission is not None:
        yield "submission", submission
