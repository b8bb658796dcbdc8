"""Accounts for tests: a second factor, and a session that has shown it."""

from __future__ import annotations

import time
from typing import Any

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from django.contrib.auth.models import User
from django.test import Client

from runs.people.rights import needs_second_factor

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


def make_second_factor(user: User) -> Any:
    from allauth.mfa.models import Authenticator
    from allauth.mfa.utils import encrypt

    made, _ = Authenticator.objects.get_or_create(
        user=user, type=Authenticator.Type.TOTP, defaults={"data": {"secret": encrypt(SECRET)}}
    )
    return made


def show_second_factor(client: Client, user: User) -> None:
    """For whoever needs one; the session remembers it as after a real login."""
    if not needs_second_factor(user):
        return
    factor, session = make_second_factor(user), client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [
        {"method": "password", "at": time.time(), "username": user.username},
        {"method": "mfa", "at": time.time(), "id": factor.pk, "type": factor.type},
    ]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
