"""No page that is not public opens to staff, or to whoever has a second factor, before this session has shown it.

Public pages are the same for everybody, so nobody is asked there, and their answers know no session. Whoever needs a
second factor and has none is led to where one is made; until then nothing else of the account can be reached. There is
no exception for requests from this host: behind a proxy on the same machine all requests would be such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import ResolverMatch, reverse
from django.utils.http import urlencode

from runs.people.rights import needs_second_factor

PUBLIC = ("leaderboard", "api")  # namespaces
BY_TOKEN = {"desk:api_submit", "desk:api_status"}  # a session counts for nothing there
ALWAYS = {"account_login", "account_logout", "account_reauthenticate", "roles"}
WHILE_ASKED = {*ALWAYS, "mfa_reauthenticate"}
WHILE_MISSING = {*ALWAYS, "mfa_activate_totp"}


class SecondFactorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        match = request.resolver_match
        if match is None or _is_public(match) or not request.user.is_authenticated:
            return None
        kept = set(Authenticator.objects.filter(user=request.user.pk).values_list("pk", flat=True))
        if kept:
            return None if _is_shown(request, kept) else _led(request, match, "mfa_reauthenticate", WHILE_ASKED)
        if needs_second_factor(request.user):
            return _led(request, match, "mfa_activate_totp", WHILE_MISSING)
        return None


def remember(request: HttpRequest, user: Any, authenticator: Authenticator, **_: Any) -> None:
    """Making a second factor shows it: the code that was asked for came from there."""
    record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)


authenticator_added.connect(remember, dispatch_uid="runs.people.second_factor")


def _is_public(match: ResolverMatch) -> bool:
    return match.namespaces[:1] in ([name] for name in PUBLIC) or match.view_name in BY_TOKEN


def _is_shown(request: HttpRequest, kept: set[int]) -> bool:
    """By one that still exists: taking it away ends what it opened."""
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" and record.get("id") in kept for record in records)


def _led(request: HttpRequest, match: ResolverMatch, name: str, meanwhile: set[str]) -> HttpResponse | None:
    if match.view_name in meanwhile:
        return None
    here = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("account")
    return HttpResponseRedirect(f"{reverse(name)}?{urlencode({'next': here})}")
