"""This site's adapters for allauth: sign-up, limits on login attempts, mails, and encryption of second factors."""

from __future__ import annotations

import base64
import time
from functools import cache
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.core import context as allauth_context
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme

from runs.people import login_attempts
from runs.people.addresses import client_address, network_of

FRESH_S = 600  # how long after a login the password is not asked for again
OMITTED_MESSAGES = (  # the next page shows the outcome anyway
    *("account/messages/logged_in.txt", "account/messages/logged_out.txt"),
    *("mfa/messages/totp_activated.txt", "mfa/messages/recovery_codes_generated.txt"),
)
STAGES = {"allauth.account.stages.EmailVerificationStage": "runs.people.stages.ConfirmationStage"}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """This site's rules for accounts."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGN_UP)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt.

        Raises:
            ValidationError: there were too many; the message says how long to wait.
        """
        refuse_after_too_many(*_keys_of(request, credentials))

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            login_attempts.forget_newest(*_keys_of(request, credentials))
        return user

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def get_login_stages(self) -> list[str]:
        return [STAGES.get(stage, stage) for stage in super().get_login_stages()]

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return whether the last login is too long ago to go without the password."""
        request = allauth_context.request
        records = get_authentication_records(request, request.user)
        return not records or time.time() - records[-1]["at"] > FRESH_S

    def is_safe_url(self, url: str) -> bool:
        """Return whether a redirect stays on this site: the URL must not name a host, not even ours."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def add_message(
        self, request: HttpRequest, level: int, message_template: str = "", *rest: Any, **more: Any
    ) -> None:
        if message_template not in OMITTED_MESSAGES:
            super().add_message(request, level, message_template, *rest, **more)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an email whose links start with SITE_URL, not a request's Host; nothing without a mail server."""
        if not settings.EMAIL_HOST:
            return
        site = SimpleNamespace(name="ArenaBoard", domain=urlsplit(settings.SITE_URL).netloc)
        values = {name: self._with_site_url(value) for name, value in context.items()}
        super().send_mail(template_prefix, email, {"current_site": site} | values)

    def _with_site_url(self, value: Any) -> Any:
        parts = urlsplit(value) if isinstance(value, str) and value.startswith("http") else None
        if parts is None or parts.netloc != allauth_context.request.get_host():
            return value
        return settings.SITE_URL.rstrip("/") + parts._replace(scheme="", netloc="").geturl()


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts second factors with a key derived from SECRET_KEY, so that a copied database does not reveal them."""

    def get_totp_issuer(self) -> str:
        return "ArenaBoard"

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def encrypt(self, text: str) -> str:
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a second factor.

        Raises:
            InvalidToken: SECRET_KEY has changed since it was encrypted.
        """
        return _box().decrypt(encrypted_text.encode()).decode()


def refuse_after_too_many(*keys: login_attempts.Key) -> None:
    """Count an attempt before it is checked; it counts as failed until `forget_newest`.

    Raises:
        ValidationError: one of the keys has had too many failed attempts.
    """
    if wait_s := login_attempts.count_attempt(*keys):
        raise ValidationError(
            f"Too many failed attempts. Try again in {-(-wait_s // 60)} min.", code="too_many_attempts"
        )


def _keys_of(request: HttpRequest, credentials: dict[str, Any]) -> tuple[login_attempts.Key, login_attempts.Key]:
    return ("account", credentials.get("username") or ""), ("address", network_of(client_address(request)))


@cache
def _box() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(salted_hmac("runs.people.second_factor", "", algorithm="sha256").digest()))
