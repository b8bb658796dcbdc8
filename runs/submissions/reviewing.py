"""The review queue: what waits for a person, and what was decided lately; audits, decisions, the fastest results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.db.models import Prefetch, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from runs.actions import newest_entry, refuse_if_changed
from runs.admin.base import user_of
from runs.errors import RunError
from runs.models import AuditEntry, Result, ResultAudit, Review, Run, Submission
from runs.people.decorators import needs
from runs.people.rights import may_audit, may_review
from runs.services import audits
from runs.services.quotes import sources_of
from runs.services.submissions import OUR_FAULT
from runs.submissions.forms import AuditForm, DecisionForm
from runs.submissions.uploading import takes_files
from runs.submissions.views import render_page

MOST = 50  # of each kind
DECIDED = ("decide", "close", "audit", "publish", "withdraw", "conclude")  # actions that take something off the queue
LEADERS, MOST_LEADERS = 3, 600  # results of each task and device to audit by activity, and of all tasks
State = Submission.State


class Decided(NamedTuple):
    """An entry of the audit log that took something off the queue."""

    at: datetime
    about: str
    url: str
    action: str
    by: str
    reason: str


@require_safe
@never_cache
@needs(may_review)
def queue(request: HttpRequest) -> HttpResponse:
    reviews = Review.objects.filter(closed_at__isnull=True).select_related("submission", "audit__result__task")
    results = Result.objects.select_related("task", "run__configuration", "published_attempt")
    held = results.filter(published_attempt__is_held=True, run__state=Run.State.PUBLISHED)
    counting = Prefetch("audits", ResultAudit.objects.filter(taken_back_at__isnull=True).prefetch_related("replies"))
    ours = {"state": State.REJECTED, "problems__0__place": OUR_FAULT.place}
    waiting: dict[str, Sequence[Any]] = {
        "undecided": _undecided(),
        "reviews": list(reviews[:MOST]),
        "held": list(held.exclude(audit__in=("suspect", "hacked", "contaminated", "harness_fault"))[:MOST]),
        "suspects": list(results.filter(audit="suspect").prefetch_related(counting)[:MOST]),
        "unchecked": list(Submission.objects.filter(**ours)[:MOST]),
    }
    count = sum(len(rows) for rows in waiting.values())
    context = {"count": count, "decided": list(_decided()), "now": timezone.now(), "form": DecisionForm(), **waiting}
    return render_page(request, "review", "Review queue", context)


@require_safe
@never_cache
@needs(may_review)
def fastest(request: HttpRequest) -> HttpResponse:
    """List the fastest results of each task, whose activity is worth tracing. None of them has to be."""
    leaders = Result.objects.select_related("task", "run__configuration", "published_attempt").leaders(LEADERS)
    leaders = leaders.select_related("run__device_class").prefetch_related("audits")
    context = {"leaders": leaders[:MOST_LEADERS]}
    return render_page(request, "fastest", "Fastest results of each task", context, ("/review/", "Review queue"))


@require_POST
@needs(may_review)
def decide(request: HttpRequest, review: int) -> HttpResponse:
    row, form = get_object_or_404(Review, pk=review), DecisionForm(request.POST)
    try:
        audits.decide_review(
            review=row, decision=form.cleaned_data["text"] if form.is_valid() else "", actor=user_of(request)
        )
        messages.success(request, f"The review of submission {row.submission_id} is closed.")
    except RunError as error:
        messages.error(request, f"Nothing was changed: {error}.")
    return redirect("submissions:review")


@never_cache
@needs(may_audit)
@takes_files
def audit(request: HttpRequest, result: int) -> HttpResponse:
    """Show the source and the audits of one result, and record another audit."""
    row = get_object_or_404(Result.objects.select_related("task", "run__configuration"), pk=result)
    form = AuditForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                refuse_if_changed(row, request.POST.get("newest", ""))  # a form sent twice
                audits.audit_result(result=row, actor=user_of(request), **form.cleaned_data)
            messages.success(request, "Your audit is public. “Take back the audit” undoes it.")
            return redirect("leaderboard:result", row.pk)
        except RunError as error:
            form.add_error(None, f"{capfirst(str(error))}.")
    context = {
        "form": form,
        "result": row,
        "audits": row.audits.all(),
        "sources": _numbered(row),
        "newest": newest_entry(row),
    }
    above = (f"/result/{row.pk}/", f"Result {row.pk}")
    return render_page(request, "audit", f"Audit of result {row.pk}", context, above)


def _undecided() -> list[Submission]:
    """Return accepted submissions of which nothing is public yet."""
    accepted = Submission.objects.filter(state=State.ACCEPTED).select_related("run__configuration")
    return list(accepted.filter(Q(run__isnull=True, is_public=False) | Q(run__state=Run.State.DRAFT))[:MOST])


def _decided() -> Iterator[Decided]:
    """Yield what was decided lately, newest first."""
    of_submission = Q(submission__isnull=False) | Q(run__submission__isnull=False, result__isnull=True)
    rows = AuditEntry.objects.filter(of_submission | Q(action="audit"), action__in=DECIDED)
    for entry in rows.select_related("submission", "run", "result__task")[:MOST]:
        row = entry.about
        kind = type(row).__name__.lower()
        text = row.task.path if isinstance(row, Result) else str(row)
        url = f"/{kind}/{row.pk}/" if row else ""
        yield Decided(entry.at, text, url, entry.get_action_display(), entry.actor_name, entry.reason)


def _numbered(result: Result) -> dict[str, str]:
    """Return the candidate's files as text with numbered lines; none where they cannot be read."""
    try:
        sources = sources_of(result)
    except RunError:
        return {}
    return {
        path: "\n".join(f"{number:>{len(str(len(lines)))}}  {line}" for number, line in enumerate(lines, 1))
        for path, lines in sources.items()
    }
