"""Forms that ask for a password or code, with a limit on failed attempts that all web processes share."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.forms import ChangePasswordForm, SignupForm
from allauth.core import context as allauth_context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from runs.people import login_attempts
from runs.people.adapters import refuse_after_too_many
from runs.people.addresses import client_address, network_of


class _Limited:
    """Counts attempts by account and network, and lets each code be used once.

    allauth remembers used codes in a cache, but here each web process has a cache of its own.
    """

    def clean_code(self) -> str:
        address = network_of(client_address(allauth_context.request))
        keys = ("code", str(self.user.pk)), ("address", address)  # type: ignore[attr-defined]
        refuse_after_too_many(*keys)
        code: str = super().clean_code()  # type: ignore[misc]
        if login_attempts.count_attempt(("used", f"{keys[0][1]} {''.join(filter(str.isalnum, code))}")):
            raise ValidationError("This code has been used. Wait for the next one.", code="used_code")
        login_attempts.forget_newest(*keys)
        return code


class CodeForm(_Limited, AuthenticateForm):  # type: ignore[misc]
    """Asks for a code at login."""


class CodeAgainForm(_Limited, ReauthenticateForm):  # type: ignore[misc]
    """Asks somebody who is logged in for a code again."""


class NewPasswordForm(ChangePasswordForm):  # type: ignore[misc]
    """Asks for the old password and a new one. allauth's own compares the old one without counting."""

    def clean_oldpassword(self) -> str:
        password: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("enter_current_password")
        return password


class NewAccountForm(SignupForm):  # type: ignore[misc]
    """Makes an account with its address, or neither: its name would be taken, and nobody could confirm it."""

    @transaction.atomic
    def save(self, request: HttpRequest) -> User:
        user: User = super().save(request)
        return user
