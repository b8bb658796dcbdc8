"""The API for submissions, with a token: submit by POST, read the status by GET, add facts by PATCH."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evaluator.bundles.parsers import ParseError, parse_json
from evaluator.codec import plain_text
from runs.errors import QuotaError, RunError
from runs.models import ApiToken, Submission
from runs.people import login_attempts
from runs.people.addresses import client_address, network_of
from runs.people.rights import may_submit
from runs.services import tokens
from runs.services.facts import addable_facts, declare
from runs.submissions.forms import DeclaredFactsForm, FactsForm, SubmitForm, problems_of
from runs.submissions.receiving import QUOTA_HINT, SaidOtherwise, is_too_large, receive
from runs.submissions.uploading import MOST_BYTES, take_files

KEY_CHARACTERS = 100
FACTS_BYTES = 16 << 10
TOKENS = "Create a token at /submit/tokens/."
SCHEMES = ("Bearer", "Token")  # of the Authorization header
View = Callable[..., HttpResponse]


def with_token(*scopes: ApiToken.Scope) -> Callable[[View], View]:
    """Return a decorator that passes the token's user to the view. Cookies are ignored, so CSRF cannot happen."""

    def guarded(view: View) -> View:
        @csrf_exempt
        @never_cache
        @wraps(view)
        def checked(request: HttpRequest, **parts: Any) -> HttpResponse:
            token = _token_of(request)
            if isinstance(token, HttpResponse):
                return token
            if token.scope not in scopes:
                seen = f"a token with the scope {token.scope}"
                return _refusal(403, "Authorization", seen, f"the scope {scopes[0]}", TOKENS)
            if not may_submit(token.user):
                return _refusal(403, "Authorization", f"{token.user}, who may not submit", "the role of a submitter")
            return view(request, user=token.user, **parts)

        return checked

    return guarded


@with_token(ApiToken.Scope.SUBMIT)
@require_POST
def submit(request: HttpRequest, user: User) -> HttpResponse:
    """Submit a bundle with the fields of the form, as multipart/form-data.

    202: received. 200: these bytes were submitted before. 409: and something else was said of them.
    """
    key = request.headers.get("Idempotency-Key", "")
    if request.content_type != "multipart/form-data":
        return _refusal(415, "Content-Type", request.content_type or "nothing", "multipart/form-data")
    if len(key) > KEY_CHARACTERS:
        return _refusal(400, "Idempotency-Key", f"{len(key)} characters", f"at most {KEY_CHARACTERS}")
    take_files(request)
    try:
        form = SubmitForm(request.POST, request.FILES)
    except UnreadablePostError:
        return _refusal(400, "the body", "an upload that ended early or came too slowly", "all of it")
    if is_too_large(request):
        return _refusal(413, "form: bundle", "a larger file", f"at most {MOST_BYTES >> 20} MiB")
    if not form.is_valid():
        return _refused(400, problems_of(form))
    try:
        submission, is_new = receive(form, user, key)
    except QuotaError as error:
        return _refusal(403, "your submissions", str(error), "fewer of them", QUOTA_HINT)
    except SaidOtherwise as error:
        return _refusal(409, "the form", str(error), "what was said of these bytes before")
    except RunError as error:
        return _refusal(409, "Idempotency-Key", str(error), "a new key for other bytes")
    return JsonResponse(_public(submission), status=202 if is_new else 200)


@csrf_exempt
@require_http_methods(["GET", "PATCH"])
def one(request: HttpRequest, submission: int) -> HttpResponse:
    return (add_facts if request.method == "PATCH" else status)(request, submission=submission)


@with_token(ApiToken.Scope.SUBMIT, ApiToken.Scope.READ)
@require_GET
def status(request: HttpRequest, user: User, submission: int) -> HttpResponse:
    row = _of(user, submission)
    return JsonResponse(_details(row)) if row else _not_found(submission)


@with_token(ApiToken.Scope.SUBMIT)
def add_facts(request: HttpRequest, user: User, submission: int) -> HttpResponse:
    """Add facts that nobody has declared yet: a JSON object with the form's field names. All are added, or none."""
    if request.content_type != "application/json":
        return _refusal(415, "Content-Type", request.content_type or "nothing", "application/json")
    row, facts = _of(user, submission), _facts_in(request)
    if row is None:
        return _not_found(submission)
    if isinstance(facts, HttpResponse):
        return facts
    form = FactsForm(addable_facts(row), facts)
    if late := [name for name in facts if name not in form.fields]:
        left = f"one of {', '.join(form.fields)}" if form.fields else "nothing: no fact can be added any more"
        return _refusal(409, late[0], "a fact that was declared before or cannot be added any more", left)
    if not form.is_valid():
        return _refused(400, problems_of(form))
    try:
        row = declare(submission=row, facts=form.declared(), actor=user)
    except RunError as error:
        return _refusal(409, "the facts", str(error), "facts that this site can register")
    return JsonResponse(_details(row))


def _facts_in(request: HttpRequest) -> dict[str, str] | HttpResponse:
    """Return the facts in the request's body as text by name, or an error response."""
    try:
        raw = parse_json(request.body) if len(request.body) <= FACTS_BYTES else None
    except RequestDataTooBig:
        raw = None
    except ParseError as error:
        return _refusal(400, "the body", str(error), "a JSON object")
    if raw is None:
        return _refusal(413, "the body", "null or too many bytes", f"a JSON object of at most {FACTS_BYTES >> 10} KiB")
    if not isinstance(raw, dict):
        return _refusal(400, "the body", type(raw).__name__, "a JSON object")
    for name, value in raw.items():
        if name not in DeclaredFactsForm.base_fields:
            return _refusal(
                400, plain_text(name)[:80], "an unknown fact", f"one of {', '.join(DeclaredFactsForm.base_fields)}"
            )
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return _refusal(400, name, type(value).__name__, "text or a number")
    return {name: str(value) for name, value in raw.items()}


def _of(user: User, submission: int) -> Submission | None:
    return Submission.objects.select_related("run").filter(pk=submission, submitter=user).first()


def _not_found(submission: int) -> JsonResponse:
    return _refusal(404, "address", f"submission {submission}", "a submission of this token's user")


def _details(row: Submission) -> dict[str, Any]:
    """Return all of a submission, for its submitter."""
    names = ("outcome", "format", "problems", "findings", "declared_on")
    details = {name: getattr(row, name) for name in names}
    return (
        _public(row)
        | details
        | {"declared": row.facts, "undeclared": row.undeclared_facts, "run": row.run_id, "next": row.next_step}
    )


def _public(submission: Submission) -> dict[str, Any]:
    url = reverse("leaderboard:submission", args=[submission.pk])
    return {"submission": submission.pk, "state": submission.state, "digest": submission.digest, "url": url}


def _refusal(status: int, place: str, seen: str, expected: str, hint: str = "") -> JsonResponse:
    problem = {"place": place, "seen": seen, "expected": expected, "hint": hint}
    return _refused(status, [problem])


def _token_of(request: HttpRequest) -> ApiToken | HttpResponse:
    """Return the request's token, or an error response. Invalid tokens are counted by network."""
    key = ("address", network_of(client_address(request)))
    if wait_s := login_attempts.seconds_to_wait(key):
        response = _refusal(429, "Authorization", "too many invalid tokens", f"another attempt in {wait_s} s")
        response["Retry-After"] = str(wait_s)
        return response
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    token = tokens.token_of(text=text.strip()) if scheme in SCHEMES else None
    if token is not None:
        return token
    if text:
        login_attempts.record(key)
    response = _refusal(401, "Authorization", "no valid token", "Bearer TOKEN", TOKENS)
    response["WWW-Authenticate"] = "Bearer"
    return response


def _refused(status: int, problems: list[dict[str, str]]) -> JsonResponse:
    """Return problem details (RFC 9457); `problems` lists all of them in the form of a bundle's problems."""
    lines = ("{place}: seen {seen}; expected {expected}. {hint}".format(**one).strip() for one in problems)
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": "\n".join(lines)}
    return JsonResponse(body | {"problems": problems}, status=status, content_type="application/problem+json")
