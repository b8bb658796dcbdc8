"""One stage of a login in place of allauth's: an account without any address has none to confirm."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage


class ConfirmationStage(EmailVerificationStage):  # type: ignore[misc]
    """Such accounts are made by an admin or by `make_admin`; whoever signs up gives an address."""

    def handle(self) -> tuple[Any, bool]:
        user = self.login.user  # None: a known address signs up again, and must not learn that it is known
        if user is not None and not user.email and not EmailAddress.objects.filter(user=user).exists():
            return None, True
        return super().handle()  # type: ignore[no-any-return]
