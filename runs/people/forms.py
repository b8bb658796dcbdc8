"""The forms that ask for a code, with a limit on wrong ones that all web processes share."""

from __future__ import annotations

from allauth.core import context as allauth_context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from django.core.exceptions import ValidationError

from runs.people import login_attempts
from runs.people.adapters import refuse_guesses
from runs.people.addresses import client_address, network_of


class _Limited:
    """Counts for the account whose code it is, and for the address. A code is good once: allauth remembers that in a
    cache, which each web process has of its own.
    """

    def clean_code(self) -> str:
        address = network_of(client_address(allauth_context.request))
        whos = ("code", str(self.user.pk)), ("address", address)  # type: ignore[attr-defined]
        refuse_guesses(*whos)
        code: str = super().clean_code()  # type: ignore[misc]
        if login_attempts.take(("used", f"{whos[0][1]} {''.join(filter(str.isalnum, code))}")):
            raise ValidationError("This code was used. Wait for the next one.", code="used_code")
        login_attempts.was_right(*whos)
        return code


class CodeForm(_Limited, AuthenticateForm):  # type: ignore[misc]
    """At a login."""


class CodeAgainForm(_Limited, ReauthenticateForm):  # type: ignore[misc]
    """Of somebody who is logged in."""
