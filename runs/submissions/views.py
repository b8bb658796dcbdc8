"""Pages for submitters: submit a bundle, own submissions in full, tokens. Never cached or public."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django.conf import settings
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
from runs.errors import QuotaError, RunError
from runs.models import ApiToken, AuditEntry, ResultAudit, Submission, Verification
from runs.people.decorators import needs
from runs.people.rights import AnyUser, may_see, may_submit, may_take_down, owns
from runs.services import takedowns
from runs.services.audits import reply_to_audit
from runs.services.facts import addable_facts, declare
from runs.services.quotas import usage_of
from runs.services.tokens import make_token, revoke_token
from runs.submissions.forms import FactsForm, SubmitForm, TokenForm
from runs.submissions.offers import offers_on
from runs.submissions.receiving import QUOTA_HINT, SaidOtherwise, is_too_large, receive
from runs.submissions.uploading import MOST_BYTES, takes_files

MOST_TOTALS = 100


def render_page(
    request: HttpRequest,
    template: str,
    title: str,
    context: Mapping[str, Any],
    above: tuple[str, str] = ("/submit/", "Submit"),
) -> HttpResponse:
    """Render a page of this app in the frame of all pages. `above` is the address and name of the page above it."""
    crumbs = [{"url": above[0], "text": above[1]}]
    place = {"page": {"title": title, "crumbs": crumbs}, "section": "submit", "route": "submissions"}
    return render(request, f"submissions/{template}.html", {**place, **context})


@never_cache
@needs(may_submit)
@takes_files
def upload(request: HttpRequest) -> HttpResponse:
    form = SubmitForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and is_too_large(request):
        form.add_error("bundle", f"The file is larger than {MOST_BYTES >> 20} MiB.")
    if request.method == "POST" and form.is_valid() and (received := _received(request, form)) is not None:
        return received
    if request.FILES and form.errors and "bundle" not in form.errors:
        form.add_error("bundle", "Choose the file again: browsers do not keep it when a form has errors.")
    mine = Submission.objects.filter(submitter=request.user.pk)
    most = {"most_mb": settings.QUOTA_MB, "most_open": settings.QUOTA_OPEN}
    context = {"form": form, "submissions": mine[:20], "usage": usage_of(user_of(request)), **most}
    return render_page(request, "upload", "Submit a bundle", context)


def _received(request: HttpRequest, form: SubmitForm) -> HttpResponse | None:
    """Return the way to the submission, or None with what is wrong among the form's errors."""
    try:
        submission, is_new = receive(form, user_of(request))
    except QuotaError as error:
        form.add_error("bundle", f"{capfirst(str(error))}. {QUOTA_HINT}")
        return None
    except SaidOtherwise as error:
        form.add_error(None, f"{capfirst(str(error))}.")
        return None
    if submission.submitter_id != request.user.pk:
        known = 'Somebody else has submitted this file before, as <a href="/submission/{}/">{}</a>.'
        form.add_error("bundle", format_html(known, submission.pk, submission))
        return None
    if not is_new:
        before = f"You submitted this file before, on {submission.received_at:%-d %b %Y}"
        messages.info(request, f"{before}: it is {submission}, shown here. Nothing was stored or checked again.")
    elif submission.audit_entries.filter(action=AuditEntry.Action.RECEIVE).count() > 1:
        messages.info(request, f"{capfirst(str(submission))} is checked once more, with the facts that you gave now.")
    return redirect("submissions:mine", submission.pk)


@require_safe
@never_cache
@login_required
def mine(request: HttpRequest, submission: int) -> HttpResponse:
    """Show everything about a submission, to its submitter and to maintainers."""
    return _render_submission(request, _get_submission(request, submission, may_see))


@never_cache
@login_required
def facts(request: HttpRequest, submission: int) -> HttpResponse:
    """Let the submitter add facts, while that is possible."""
    row = _get_submission(request, submission, owns)
    form = FactsForm(addable_facts(row), request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            declare(submission=row, facts=form.declared(), actor=user_of(request))
            return redirect("submissions:mine", submission)
        except RunError as error:
            form.add_error(None, f"{capfirst(str(error))}.")
    return render_page(request, "facts", f"Add facts to submission {row.pk}", {"form": form, "submission": row})


@require_POST
@never_cache
@login_required
def take_down(request: HttpRequest, submission: int) -> HttpResponse:
    """Take a submission down. It cannot be undone, so the form has a checkbox to confirm it."""
    row = _get_submission(request, submission, may_take_down)
    try:
        if "sure" not in request.POST:
            raise RunError("tick the box to confirm: a takedown cannot be undone")
        takedowns.take_down(submission=row, actor=user_of(request), reason=_text(request))
    except RunError as error:
        messages.error(request, f"Nothing was changed: {error}.")
        return _render_submission(request, row, _text(request))
    messages.success(request, f"Submission {row.pk} has been taken down.")
    return redirect("submissions:mine", submission)


@require_POST
@login_required
def reply(request: HttpRequest, audit: int) -> HttpResponse:
    row = get_object_or_404(ResultAudit, pk=audit, result__run__submission__isnull=False)
    if not owns(request.user, row.result.run.submission):
        raise PermissionDenied
    try:
        reply_to_audit(audit=row, text=_text(request), actor=user_of(request))
        messages.success(request, "Your reply was recorded. A maintainer will review it.")
    except RunError as error:
        messages.error(request, f"Nothing was changed: {error}.")
    return redirect("submissions:mine", row.result.run.submission.pk)


@never_cache
@needs(may_submit)
def tokens(request: HttpRequest) -> HttpResponse:
    """List and create tokens. A new token is shown in this response and never again."""
    form, text = TokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            _, text = make_token(user=user_of(request), **form.cleaned_data)
            form = TokenForm()  # an empty form, so that submitting it again creates no second token
        except RunError as error:
            form.add_error(None, f"{capfirst(str(error))}.")
    rows = ApiToken.objects.filter(user=request.user.pk)
    return render_page(
        request, "tokens", "Tokens", {"form": form, "token": text, "tokens": rows, "now": timezone.now()}
    )


@require_POST
@needs(may_submit)
def revoke(request: HttpRequest, token: int) -> HttpResponse:
    row = get_object_or_404(ApiToken, pk=token, user=request.user.pk)
    revoke_token(token=row, actor=user_of(request))
    messages.success(request, f"Token {row.name} has been revoked. Programs can no longer use it.")
    return redirect("submissions:tokens")


def _render_submission(request: HttpRequest, row: Submission, typed: str = "") -> HttpResponse:
    """Render the page of a submission. `typed` is the reason of a takedown that was refused."""
    audits = ResultAudit.objects.filter(result__run=row.run_id).select_related("result__task") if row.run_id else []
    context = {
        "submission": row,
        "audit_entries": row.audit_entries.order_by("at", "id"),
        "reviews": row.reviews.all(),
        "verifications": Verification.objects.filter(claimed=row.run_id) if row.run_id else [],
        "audits": [(audit, _may_reply(request, row, audit)) for audit in audits],
        "declared": [(field_label(name), value, _day(row, name)) for name, value in row.facts.items()],
        "missing": [field_label(name) for name in row.undeclared_facts],
        "may_add": owns(request.user, row) and bool(addable_facts(row)),
        "findings": _by_kind(row),
        "totals": row.about.get("totals", [])[:MOST_TOTALS],
        "typed": typed,
        "offers": offers_on(request, "submission", row.pk),
    }
    return render_page(request, "mine", f"Submission {row.pk}", context)


def _by_kind(submission: Submission) -> list[tuple[str, list[dict[str, Any]]]]:
    kinds = dict[str, list[dict[str, Any]]]()
    for one in submission.findings:
        kinds.setdefault(one["code"], []).append(one)
    return list(kinds.items())


def _day(submission: Submission, name: str) -> date | None:
    """Return the day on which the fact was added, if it was added later."""
    day = submission.declared_on.get(name)
    return date.fromisoformat(day) if day else None


def _get_submission(request: HttpRequest, submission: int, may: Callable[[AnyUser, Submission], bool]) -> Submission:
    row = get_object_or_404(Submission.objects.select_related("run__configuration", "submitter"), pk=submission)
    if not may(request.user, row):
        raise PermissionDenied
    return row


def _may_reply(request: HttpRequest, submission: Submission, audit: ResultAudit) -> bool:
    in_time = audit.reply_until is not None and audit.reply_until > timezone.now()
    return in_time and audit.taken_back_at is None and owns(request.user, submission) and not audit.replies.exists()


def _text(request: HttpRequest) -> str:
    return request.POST.get("text", "")[:10_000]
