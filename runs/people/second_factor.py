"""Middleware that requires the second factor, from staff and from everybody who has one, on all pages but public ones.

Public pages are the same for everybody, but for links to actions, which ask for the factor themselves. Staff without a
second factor are redirected to set one up, and can reach nothing else of their account until they have. Requests from
this host are no exception: behind a proxy on the same machine, every request would be one.
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
BY_TOKEN = {"submissions:api_submit", "submissions:api_status"}  # these ignore sessions
ALWAYS = {"account_login", "account_logout", "account_reauthenticate", "roles"}
WHILE_UNPROVED = {*ALWAYS, "mfa_reauthenticate"}
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
        factors = set(Authenticator.objects.filter(user=request.user.pk).values_list("pk", flat=True))
        if factors:
            return (
                None
                if _is_proved(request, factors)
                else _redirected(request, match, "mfa_reauthenticate", WHILE_UNPROVED)
            )
        if needs_second_factor(request.user):
            return _redirected(request, match, "mfa_activate_totp", WHILE_MISSING)
        return None


def remember(request: HttpRequest, user: Any, authenticator: Authenticator, **_: Any) -> None:
    """Count setting up a second factor as proving it, because that asks for a code."""
    record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)


authenticator_added.connect(remember, dispatch_uid="runs.people.second_factor")


def _is_public(match: ResolverMatch) -> bool:
    return match.namespaces[:1] in ([name] for name in PUBLIC) or match.view_name in BY_TOKEN


def _is_proved(request: HttpRequest, factors: set[int]) -> bool:
    """Return whether this session has proved a second factor that still exists."""
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" and record.get("id") in factors for record in records)


def _redirected(request: HttpRequest, match: ResolverMatch, name: str, meanwhile: set[str]) -> HttpResponse | None:
    if match.view_name in meanwhile:
        return None
    here = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("account")
    return HttpResponseRedirect(f"{reverse(name)}?{urlencode({'next': here})}")
