"""A stage of allauth's login that does not ask accounts without an email address to confirm one."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage


class ConfirmationStage(EmailVerificationStage):  # type: ignore[misc]
    """Admins and `make_admin` create accounts without an address; signing up requires one."""

    def handle(self) -> tuple[Any, bool]:
        user = self.login.user  # None: somebody signs up with a known address, which must not be revealed
        if user is not None and not user.email and not EmailAddress.objects.filter(user=user).exists():
            return None, True
        return super().handle()  # type: ignore[no-any-return]
