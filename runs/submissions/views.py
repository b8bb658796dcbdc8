"""Pages for people who are logged in: hand in, see one's own submissions, tokens. Never cached, never public."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from evaluator.wording import field_label
from runs.admin.base import user_of
from runs.errors import RunError
from runs.models import ApiToken, ResultAudit, Submission, Verification
from runs.people.decorators import needs
from runs.people.rights import Somebody, may_hand_in, may_see, may_take_down, owns
from runs.services import takedowns
from runs.services.audits import answer_audit
from runs.services.facts import declare, sayable
from runs.services.tokens import make_token, revoke_token
from runs.submissions.forms import FactsForm, HandInForm, TokenForm
from runs.submissions.taking import is_too_large, take
from runs.submissions.uploading import MOST_BYTES

MOST_TOTALS = 100


def shown(request: HttpRequest, template: str, title: str, context: Mapping[str, Any]) -> HttpResponse:
    """One of the desk's pages, in the frame of all pages."""
    crumbs = [{"url": "/submit/", "text": "Submit"}]
    place = {"page": {"title": title, "crumbs": crumbs}, "section": "submit", "route": "desk"}
    return render(request, f"submissions/{template}.html", {**place, **context})


@never_cache
@needs(may_hand_in)
def hand_in(request: HttpRequest) -> HttpResponse:
    form = HandInForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and is_too_large(request):
        form.add_error("bundle", f"It is longer than {MOST_BYTES >> 20} MiB.")
    if request.method == "POST" and form.is_valid():
        submission, is_new = take(form, user_of(request))
        if submission.submitter_id == request.user.pk:
            if not is_new:
                messages.info(request, f"These bytes are known: they are {submission}.")
            return redirect("desk:mine", submission.pk)
        known = '<a href="/submission/{}/">{}</a>, which somebody else handed in.'
        form.add_error("bundle", format_html(f"These bytes are known: they are {known}", submission.pk, submission))
    if request.FILES and form.errors and "bundle" not in form.errors:
        form.add_error("bundle", "A browser keeps no file beside a form that was refused: choose it again.")
    mine = Submission.objects.filter(submitter=request.user.pk)
    return shown(request, "hand_in", "Hand in a bundle", {"form": form, "submissions": mine[:20]})


@require_safe
@never_cache
@login_required
def mine(request: HttpRequest, submission: int) -> HttpResponse:
    """Everything about a submission, for its submitter and for maintainers."""
    return _whole(request, _asked_for(request, submission, may_see))


@never_cache
@login_required
def facts(request: HttpRequest, submission: int) -> HttpResponse:
    """What its submitter adds after hand-in, while it can still be said."""
    row = _asked_for(request, submission, owns)
    form = FactsForm(sayable(row), request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            declare(submission=row, facts=form.declared(), actor=user_of(request))
            return redirect("desk:mine", submission)
        except RunError as error:
            form.add_error(None, f"{capfirst(str(error))}.")
    return shown(request, "facts", f"What submission {row.pk} does not say", {"form": form, "submission": row})


@require_POST
@never_cache
@login_required
def take_down(request: HttpRequest, submission: int) -> HttpResponse:
    """It cannot be undone, so its form asks for a tick beside the reason."""
    row = _asked_for(request, submission, may_take_down)
    try:
        if "sure" not in request.POST:
            raise RunError("tick that it is meant: what is taken down cannot be brought back")
        takedowns.take_down(submission=row, actor=user_of(request), reason=_text(request))
    except RunError as error:
        messages.error(request, f"Nothing was changed: {error}.")
        return _whole(request, row, _text(request))
    messages.success(request, f"Submission {row.pk} is taken down.")
    return redirect("desk:mine", submission)


@require_POST
@login_required
def answer(request: HttpRequest, audit: int) -> HttpResponse:
    row = get_object_or_404(ResultAudit, pk=audit, result__run__submission__isnull=False)
    if not owns(request.user, row.result.run.submission):
        raise PermissionDenied
    try:
        answer_audit(audit=row, text=_text(request), actor=user_of(request))
        messages.success(request, "Your answer is kept, and waits for a maintainer.")
    except RunError as error:
        messages.error(request, f"Nothing was changed: {error}.")
    return redirect("desk:mine", row.result.run.submission.pk)


@never_cache
@needs(may_hand_in)
def tokens(request: HttpRequest) -> HttpResponse:
    """A token is shown on the answer to the form that made it, and never again."""
    form, text = TokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            _, text = make_token(user=user_of(request), **form.cleaned_data)
            form = TokenForm()  # filled in as it was, it would make a second one
        except RunError as error:
            form.add_error(None, f"{capfirst(str(error))}.")
    rows = ApiToken.objects.filter(user=request.user.pk)
    return shown(request, "tokens", "Tokens", {"form": form, "token": text, "tokens": rows, "now": timezone.now()})


@require_POST
@needs(may_hand_in)
def revoke(request: HttpRequest, token: int) -> HttpResponse:
    row = get_object_or_404(ApiToken, pk=token, user=request.user.pk)
    revoke_token(token=row, actor=user_of(request))
    messages.success(request, f"Token {row.name} is revoked: programs that use it are turned away.")
    return redirect("desk:tokens")


def _whole(request: HttpRequest, row: Submission, typed: str = "") -> HttpResponse:
    """`typed`: the reason of a takedown that was refused."""
    audits = ResultAudit.objects.filter(result__run=row.run_id).select_related("result__task") if row.run_id else []
    context = {
        "submission": row,
        "trail": row.trail.order_by("at", "id"),
        "reviews": row.reviews.all(),
        "verifications": Verification.objects.filter(claimed=row.run_id) if row.run_id else [],
        "audits": [(audit, _may_answer(request, row, audit)) for audit in audits],
        "declared": [(field_label(name), value, _day(row, name)) for name, value in row.said.items()],
        "asked": [field_label(name) for name in row.not_said],
        "may_say": owns(request.user, row) and bool(sayable(row)),
        "findings": _by_kind(row),
        "totals": row.about.get("totals", [])[:MOST_TOTALS],
        "typed": typed,
    }
    return shown(request, "mine", f"Submission {row.pk}, in full", context)


def _by_kind(submission: Submission) -> list[tuple[str, list[dict[str, Any]]]]:
    kinds = dict[str, list[dict[str, Any]]]()
    for one in submission.findings:
        kinds.setdefault(one["code"], []).append(one)
    return list(kinds.items())


def _day(submission: Submission, name: str) -> date | None:
    """On which it was said, if that was after hand-in."""
    day = submission.declared_on.get(name)
    return date.fromisoformat(day) if day else None


def _asked_for(request: HttpRequest, submission: int, may: Callable[[Somebody, Submission], bool]) -> Submission:
    row = get_object_or_404(Submission.objects.select_related("run__configuration", "submitter"), pk=submission)
    if not may(request.user, row):
        raise PermissionDenied
    return row


def _may_answer(request: HttpRequest, submission: Submission, audit: ResultAudit) -> bool:
    in_time = audit.answer_until is not None and audit.answer_until > timezone.now()
    return in_time and owns(request.user, submission) and not audit.answers.exists()


def _text(request: HttpRequest) -> str:
    return request.POST.get("text", "")[:10_000]
