"""The review queue and its actions: submissions, reviews, and held or suspect results that wait for a maintainer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from runs.admin.base import user_of
from runs.errors import RunError
from runs.models import Result, Review, Submission
from runs.people.decorators import needs
from runs.people.rights import may_audit, may_publish, may_review
from runs.services import audits, publishing, submissions, verification
from runs.submissions.forms import AuditForm, DecisionForm, VerifyForm
from runs.submissions.uploading import takes_files
from runs.submissions.views import render_page

MOST = 50  # of each kind
LEADERS, MOST_LEADERS = 3, 600  # results of each task and device to audit by activity, and of all tasks


@require_safe
@never_cache
@needs(may_review)
def queue(request: HttpRequest) -> HttpResponse:
    open_reviews = Review.objects.filter(closed_at__isnull=True).select_related("submission", "audit__result__task")
    results = Result.objects.select_related("task", "run__configuration", "published_attempt")
    leaders = results.leaders(LEADERS)
    held = results.filter(published_attempt__is_held=True, run__state="published")
    context = {
        "waiting": Submission.objects.filter(state="accepted").select_related("run")[:MOST],
        "reviews": open_reviews[:MOST],
        "held": held.exclude(audit__in=("suspect", "hacked", "contaminated", "harness_fault"))[:MOST],
        "suspects": results.filter(audit="suspect").prefetch_related("audits__replies")[:MOST],
        "leaders": leaders.select_related("run__device_class").prefetch_related("audits")[:MOST_LEADERS],
        "now": timezone.now(),
        "form": DecisionForm(),
        "verify": VerifyForm(),
    }
    return render_page(request, "review", "Review queue", context)


@require_POST
@needs(may_review)
def decide(request: HttpRequest, review: int) -> HttpResponse:
    row, form = get_object_or_404(Review, pk=review), DecisionForm(request.POST)
    text = form.cleaned_data["text"] if form.is_valid() else ""
    done = f"The review of submission {row.submission_id} is closed."
    return _acted(request, done, lambda: audits.decide_review(review=row, decision=text, actor=user_of(request)))


@require_POST
@needs(may_review)
def verify(request: HttpRequest, submission: int) -> HttpResponse:
    row, form = get_object_or_404(Submission, pk=submission), VerifyForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was changed: choose a device class, and a number of tasks or none.")
        return redirect("submissions:review")
    asked = form.cleaned_data
    done = f"Verification of submission {row.pk} has started. Its page shows the progress."
    return _acted(
        request, done, lambda: verification.begin_verification(submission=row, actor=user_of(request), **asked)
    )


@require_POST
@needs(may_review)
def close(request: HttpRequest, submission: int) -> HttpResponse:
    row = get_object_or_404(Submission, pk=submission)
    reason = request.POST.get("text", "")[:300]
    done = f"Submission {row.pk} is closed."
    return _acted(request, done, lambda: submissions.close(submission=row, actor=user_of(request), reason=reason))


@require_POST
@needs(may_publish)
def publish(request: HttpRequest, submission: int) -> HttpResponse:
    """Publish the submission's run, or its claims if it is of another benchmark."""
    row = get_object_or_404(Submission.objects.select_related("run"), pk=submission)
    actor = user_of(request)
    if row.run is None:
        done = f"The claims of submission {row.pk} are public."
        return _acted(request, done, lambda: submissions.publish_claims(submission=row, actor=actor))
    run = row.run
    return _acted(request, f"Run {run.pk} is public.", lambda: publishing.publish_run(run=run, actor=actor))


@never_cache
@needs(may_audit)
@takes_files
def audit(request: HttpRequest, result: int) -> HttpResponse:
    """Show and record audits of one result."""
    row = get_object_or_404(Result.objects.select_related("task", "run__configuration"), pk=result)
    form = AuditForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            audits.audit_result(result=row, actor=user_of(request), **form.cleaned_data)
            return redirect(f"/result/{row.pk}/")
        except RunError as error:
            form.add_error(None, f"{capfirst(str(error))}.")
    context = {"form": form, "result": row, "audits": row.audits.all()}
    return render_page(request, "audit", f"Audit of result {row.pk}", context)


def _acted(request: HttpRequest, done: str, action: Callable[[], Any]) -> HttpResponse:
    """Carry out an action, report success (`done`) or the refusal, and return to the review queue."""
    try:
        action()
        messages.success(request, done)
    except RunError as error:
        messages.error(request, f"Nothing was changed: {error}.")
    return redirect("submissions:review")
