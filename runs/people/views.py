"""The user's own account, the public table of roles and rights, and what replaces the admin's own login."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.views import EmailView as AllauthEmailView
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from runs.people.rights import RIGHTS, ROLES
from runs.people.roles import role_of


@require_safe
def roles(request: HttpRequest) -> HttpResponse:
    """Show the table of roles and rights, which is public."""
    rows = [(right.text, [(role, role in right.roles) for role in ROLES]) for right in RIGHTS]
    context = {"page": {"title": "Roles and rights", "crumbs": []}, "roles": ROLES, "rows": rows}
    return render(request, "people/roles.html", context)


@never_cache
@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)
    role, addresses = role_of(user), EmailAddress.objects.filter(user=user)
    context = {
        "page": {"title": "Your account", "crumbs": []},
        "role": role,
        "rights": [right.text for right in RIGHTS if role in right.roles],
        "addresses": addresses,
        "may_confirm": bool(settings.EMAIL_HOST) and not any(one.verified for one in addresses),
        "has_second_factor": Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists(),
    }
    return render(request, "people/account.html", context)


class EmailView(AllauthEmailView):  # type: ignore[misc]
    """allauth's page of email addresses, which also says so when it sends no link within three minutes of the last."""

    def _action_send(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super()._action_send(request, *args, **kwargs)
        if not self._did_send_verification_email:
            messages.warning(
                request, "No link was sent, because one was sent a moment ago. Try again in three minutes."
            )
        return response


@never_cache
def admin_login(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """Redirect to the site's login, which limits attempts and asks for the second factor.

    Raises:
        Http404: the user is logged in but not staff.
    """
    wanted = request.GET.get("next", "")
    target = wanted if url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) else reverse("admin:index")
    if not request.user.is_authenticated:
        return HttpResponseRedirect(f"{reverse('account_login')}?{urlencode({'next': target})}")
    if not request.user.is_staff:
        raise Http404
    return HttpResponseRedirect(target)


def admin_password(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """Redirect to the site's own form, which limits attempts and sends a mail."""
    return HttpResponseRedirect(reverse("account_change_password"))
