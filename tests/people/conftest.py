"""People of every role; a site that sends mail; a clock for codes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from runs.people.rights import Role
from runs.people.roles import set_role

PASSWORD = "a long enough secret"


@pytest.fixture(autouse=True)
def nothing_is_counted_yet() -> None:
    cache.clear()  # allauth counts sign-ups and resets there


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """person("sam", Role.MAINTAINER)"""

    def made(name: str, role: Role = Role.VISITOR, **values: Any) -> User:
        user = User.objects.create_user(name, password=PASSWORD, **values)
        set_role(user, role)
        return user

    return made


@pytest.fixture
def mailing(settings: Any) -> None:
    settings.EMAIL_HOST, settings.SITE_URL = "mail.example", "https://board.example"
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


def log_in(client: Client, name: str, password: str = PASSWORD, **more: str) -> Any:
    return client.post("/login/", {"login": name, "password": password} | more)


def code_of(secret: str, *, steps: int = 0) -> str:
    """What an app shows now, or so many half minutes later."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))
