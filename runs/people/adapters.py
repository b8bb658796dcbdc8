"""What allauth asks this site: who may sign up, who guesses too often, what a mail says, how a secret is kept."""

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

FRESH_S = 600  # after a login nothing needs the password again for so long
NEVER_TOLD = (  # the next page shows it
    *("account/messages/logged_in.txt", "account/messages/logged_out.txt"),
    *("mfa/messages/totp_activated.txt", "mfa/messages/recovery_codes_generated.txt"),
)
STAGES = {"allauth.account.stages.EmailVerificationStage": "runs.people.stages.ConfirmationStage"}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts of this site."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGN_UP)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Counts the try.

        Raises:
            ValidationError: nothing is tried now; the sentence says for how long.
        """
        refuse_guesses(*_guessers(request, credentials))

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            login_attempts.was_right(*_guessers(request, credentials))
        return user

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def get_login_stages(self) -> list[str]:
        return [STAGES.get(stage, stage) for stage in super().get_login_stages()]

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Who logged in just now has just shown the password; a session that was left open asks for it again."""
        request = allauth_context.request
        records = get_authentication_records(request, request.user)
        return not records or time.time() - records[-1]["at"] > FRESH_S

    def is_safe_url(self, url: str) -> bool:
        """Only within this site: a redirect names no host, not even ours."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def add_message(
        self, request: HttpRequest, level: int, message_template: str = "", *rest: Any, **more: Any
    ) -> None:
        if message_template not in NEVER_TOLD:
            super().add_message(request, level, message_template, *rest, **more)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """With addresses from SITE_URL, never from what a request calls this host. Without a server nothing is sent."""
        if not settings.EMAIL_HOST:
            return
        site = SimpleNamespace(name="ArenaBoard", domain=urlsplit(settings.SITE_URL).netloc)
        told = {name: self._at_home(value) for name, value in context.items()}
        super().send_mail(template_prefix, email, {"current_site": site} | told)

    def _at_home(self, value: Any) -> Any:
        parts = urlsplit(value) if isinstance(value, str) and value.startswith("http") else None
        if parts is None or parts.netloc != allauth_context.request.get_host():
            return value
        return settings.SITE_URL.rstrip("/") + parts._replace(scheme="", netloc="").geturl()


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Secrets of second factors lie encrypted under the secret key: a copy of the database alone gives none away."""

    def get_totp_issuer(self) -> str:
        return "ArenaBoard"

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def encrypt(self, text: str) -> str:
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """
        Raises:
            InvalidToken: the secret key is another one than when it was written.
        """
        return _box().decrypt(encrypted_text.encode()).decode()


def refuse_guesses(*whos: login_attempts.Who) -> None:
    """Before a guess is looked at, which counts as wrong from here on.

    Raises:
        ValidationError: one of these was wrong too often.
    """
    if wait_s := login_attempts.take(*whos):
        raise ValidationError(f"Too many wrong tries. Try again in {-(-wait_s // 60)} min.", code="too_many_guesses")


def _guessers(request: HttpRequest, credentials: dict[str, Any]) -> tuple[login_attempts.Who, login_attempts.Who]:
    return ("account", credentials.get("username") or ""), ("address", network_of(client_address(request)))


@cache
def _box() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(salted_hmac("runs.people.second_factor", "", algorithm="sha256").digest()))
