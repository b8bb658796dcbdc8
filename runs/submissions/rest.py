"""Submissions by program: POST /api/v1/submissions/ with a token, what became of one's own, more facts by PATCH."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evaluator.bundles.parsers import ParseError, parse_json
from evaluator.codec import plain_text
from runs.errors import RunError
from runs.models import ApiToken, Submission
from runs.people import login_attempts
from runs.people.addresses import client_address, network_of
from runs.people.rights import may_hand_in
from runs.services import tokens
from runs.services.facts import declare, sayable
from runs.submissions.forms import FactsForm, HandInForm, SaidForm, problems_of
from runs.submissions.taking import is_too_large, take
from runs.submissions.uploading import MOST_BYTES

KEY_CHARACTERS = 100
FACTS_BYTES = 16 << 10
KINDS = ("Bearer", "Token")  # of the Authorization header
View = Callable[..., HttpResponse]


def with_token(*scopes: ApiToken.Scope) -> Callable[[View], View]:
    """The view gets the token's user. Cookies count for nothing here, so no other site can use them."""

    def guarded(view: View) -> View:
        @csrf_exempt
        @never_cache
        @wraps(view)
        def asked(request: HttpRequest, **parts: Any) -> HttpResponse:
            token = _token_of(request)
            if isinstance(token, HttpResponse):
                return token
            if token.scope not in scopes:
                seen = f"a token that may only {token.get_scope_display()}"
                return _refusal(403, "Authorization", seen, "a token for this", "Make one at /submit/tokens/.")
            if not may_hand_in(token.user):
                return _refusal(403, "Authorization", f"{token.user} may not hand in", "the role of a submitter")
            return view(request, user=token.user, **parts)

        return asked

    return guarded


@with_token(ApiToken.Scope.SUBMIT)
@require_POST
def submit(request: HttpRequest, user: User) -> HttpResponse:
    """The same fields as the form's, as multipart/form-data. 202: received. 200: these bytes are known."""
    key = request.headers.get("Idempotency-Key", "")
    if request.content_type != "multipart/form-data":
        return _refusal(415, "Content-Type", request.content_type or "nothing", "multipart/form-data")
    if len(key) > KEY_CHARACTERS:
        return _refusal(400, "Idempotency-Key", f"{len(key)} characters", f"{KEY_CHARACTERS} at most")
    form = HandInForm(request.POST, request.FILES)
    if is_too_large(request):
        return _refusal(413, "form: bundle", "a longer file", f"{MOST_BYTES >> 20} MiB at most")
    if not form.is_valid():
        return _refused(400, problems_of(form))
    try:
        submission, is_new = take(form, user, key)
    except RunError as error:
        return _refusal(409, "Idempotency-Key", str(error), "another key for other bytes")
    return JsonResponse(_public(submission), status=202 if is_new else 200)


@csrf_exempt
@require_http_methods(["GET", "PATCH"])
def one(request: HttpRequest, submission: int) -> HttpResponse:
    return (add_facts if request.method == "PATCH" else status)(request, submission=submission)


@with_token(ApiToken.Scope.SUBMIT, ApiToken.Scope.LOOK)
@require_GET
def status(request: HttpRequest, user: User, submission: int) -> HttpResponse:
    row = _of(user, submission)
    return JsonResponse(_told(row)) if row else _not_theirs(submission)


@with_token(ApiToken.Scope.SUBMIT)
def add_facts(request: HttpRequest, user: User, submission: int) -> HttpResponse:
    """A JSON object of facts that nobody said so far, by the names of the form. All of them are added, or none."""
    if request.content_type != "application/json":
        return _refusal(415, "Content-Type", request.content_type or "nothing", "application/json")
    row, facts = _of(user, submission), _facts_in(request)
    if row is None:
        return _not_theirs(submission)
    if isinstance(facts, HttpResponse):
        return facts
    form = FactsForm(sayable(row), facts)
    if late := [name for name in facts if name not in form.fields]:
        left = ", ".join(form.fields) or "none: all that can be said is said, or it is too late"
        return _refusal(409, late[0], "a fact that was said before, or cannot be said any more", f"one of {left}")
    if not form.is_valid():
        return _refused(400, problems_of(form))
    try:
        row = declare(submission=row, facts=form.declared(), actor=user)
    except RunError as error:
        return _refusal(409, "the facts", str(error), "what this site can register")
    return JsonResponse(_told(row))


def _facts_in(request: HttpRequest) -> dict[str, str] | HttpResponse:
    """As text by name, or what is answered instead."""
    try:
        raw = parse_json(request.body) if len(request.body) <= FACTS_BYTES else None
    except RequestDataTooBig:
        raw = None
    except ParseError as error:
        return _refusal(400, "the body", str(error), "a JSON object")
    if raw is None:
        return _refusal(413, "the body", "null, or too much", f"a JSON object of at most {FACTS_BYTES >> 10} KiB")
    if not isinstance(raw, dict):
        return _refusal(400, "the body", type(raw).__name__, "a JSON object")
    for name, value in raw.items():
        if name not in SaidForm.base_fields:
            return _refusal(400, plain_text(name)[:80], "a fact", f"one of {', '.join(SaidForm.base_fields)}")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return _refusal(400, name, type(value).__name__, "text or a number")
    return {name: str(value) for name, value in raw.items()}


def _of(user: User, submission: int) -> Submission | None:
    return Submission.objects.select_related("run").filter(pk=submission, submitter=user).first()


def _not_theirs(submission: int) -> JsonResponse:
    return _refusal(404, "address", f"submission {submission}", "a submission of this token's user")


def _told(row: Submission) -> dict[str, Any]:
    """To whom it belongs."""
    names = ("outcome", "format", "problems", "findings", "not_said", "declared_on")
    told = {name: getattr(row, name) for name in names}
    return _public(row) | told | {"declared": row.said, "run": row.run_id, "next": row.next_step}


def _public(submission: Submission) -> dict[str, Any]:
    url = reverse("leaderboard:submission", args=[submission.pk])
    return {"submission": submission.pk, "state": submission.state, "digest": submission.digest, "url": url}


def _refusal(status: int, place: str, seen: str, expected: str, hint: str = "") -> JsonResponse:
    problem = {"place": place, "seen": seen, "expected": expected, "hint": hint}
    return _refused(status, [problem])


def _token_of(request: HttpRequest) -> ApiToken | HttpResponse:
    """The request's token, or what is answered instead. Wrong ones are counted by address."""
    who = ("address", network_of(client_address(request)))
    if wait_s := login_attempts.seconds_to_wait(who):
        return _later(wait_s)
    kind, _, text = request.headers.get("Authorization", "").partition(" ")
    token = tokens.token_of(text=text.strip()) if kind in KINDS else None
    if token is not None:
        return token
    if text:
        login_attempts.note(who)
    answer = _refusal(401, "Authorization", "no valid token", "Bearer TOKEN", "Make one at /submit/tokens/.")
    answer["WWW-Authenticate"] = "Bearer"
    return answer


def _later(wait_s: int) -> JsonResponse:
    answer = _refusal(429, "Authorization", "too many wrong tokens", f"another try in {wait_s} s")
    answer["Retry-After"] = str(wait_s)
    return answer


def _refused(status: int, problems: list[dict[str, str]]) -> JsonResponse:
    """Problem details (RFC 9457), with every problem in `problems` as a bundle has them."""
    lines = ("{place}: seen {seen}; expected {expected}. {hint}".format(**one).strip() for one in problems)
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": "\n".join(lines)}
    return JsonResponse(body | {"problems": problems}, status=status, content_type="application/problem+json")
