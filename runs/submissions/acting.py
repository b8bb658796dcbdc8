"""The page that confirms an action on a result, a run or a submission, and does it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from evaluator.wording import counted
from runs.actions import RowAction, carry_out, newest_entry
from runs.admin.base import REFUSED, sentence_of, user_of
from runs.models import Attempt, Result, Review, Run, Submission
from runs.people.decorators import needs
from runs.services.publishing import open_questions
from runs.submissions.forms import ActForm
from runs.submissions.offers import KINDS, MAY
from runs.submissions.views import render_page


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def act(request: HttpRequest, kind: str, row: int, action: str) -> HttpResponse:
    """Say what an action will do and ask for a reason; do it once that is given."""
    chosen = next((one for one in KINDS[kind].actions if one.name == action), None)
    if chosen is None:
        raise Http404
    return needs(MAY[chosen.right])(_act)(request, kind=kind, row=row, action=chosen)


def _act(request: HttpRequest, *, kind: str, row: int, action: RowAction) -> HttpResponse:
    found = get_object_or_404(KINDS[kind].rows, pk=row)
    if not action.fits(found):
        messages.warning(request, f"“{action.title}” has nothing to do on {found} as it is now. Nothing was changed.")
        return redirect(f"leaderboard:{kind}", found.pk)
    questions = _questions(found) if "over_questions" in action.asks else []
    form = ActForm(action.asks, request.POST if request.method == "POST" else None, row=found, questions=len(questions))
    if request.method == "POST" and form.is_valid():
        try:
            asked = {"actor": user_of(request), **form.cleaned_data}
            count = carry_out(found, action, asked, request.POST.get("newest", ""))
            messages.success(request, f"{counted(count, *action.done)}.")
            return redirect(f"leaderboard:{kind}", found.pk)
        except REFUSED as error:
            form.add_error(None, f"{sentence_of(error)}.")
    title, back = f"{action.title}: {found}", reverse(f"leaderboard:{kind}", args=[found.pk])
    context = {
        "form": form,
        "action": action,
        "facts": list(_facts(found)),
        "questions": questions,
        "back": back,
        "newest": newest_entry(found),
    }
    return render_page(request, "act", title, context, above=(back, capfirst(str(found))))


def _questions(row: Run | Submission) -> list[Review]:
    submission = row if isinstance(row, Submission) else Submission.objects.filter(run=row).first()
    return list(open_questions(submission)) if submission else []


def _facts(row: Result | Run | Submission) -> Iterator[tuple[str, str]]:
    """Yield what the row is and how it stands, as terms and texts."""
    if isinstance(row, Submission):
        yield "File", f"{row.file_name}, from {row.submitter_name}"
        yield "State", row.get_outcome_display() or row.get_state_display()
        return
    run = row if isinstance(row, Run) else row.run
    yield "Configuration", str(run.configuration)
    if isinstance(row, Result):
        yield "Task", row.task.path
        attempts = row.attempts.filter(is_latest=True)
    else:
        yield "Board", f"{run.suite}, {run.device_class}, {run.protocol}, repeat {run.repeat}"
        attempts = Attempt.objects.newest().filter(result__run=run)
    yield "State of the run", run.get_state_display()
    ends = Counter(Attempt.Status(one.status).label for one in attempts)
    yield "Newest attempts", ", ".join(f"{count} {label}" for label, count in ends.most_common()) or "none"
    if held := attempts.filter(is_held=True).exclude(result__audit=Result.Audit.HACKED).count():
        yield "Held", f"{counted(held, 'result')}: not ranked until an audit clears it"
