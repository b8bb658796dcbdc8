"""Tokens for programs: made, shown once, kept as a hash, and known again."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from runs.errors import RunError
from runs.models import ApiToken

PREFIX = "arena_"  # so that a scanner of leaked secrets can tell
SECRET_BYTES = 32
MOST_DAYS = 366


@transaction.atomic
def make_token(*, user: User, name: str, days: int = 90) -> tuple[ApiToken, str]:
    """The row, and the token itself, which nobody sees again.

    Raises:
        RunError: it has no name, or would last less than a day or more than a year.
    """
    if not name.strip() or not 1 <= days <= MOST_DAYS:
        raise RunError(f"a token has a name and lasts 1 to {MOST_DAYS} days")
    text = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    expires_at = timezone.now() + timedelta(days=days)
    row = ApiToken.objects.create(user=user, name=name.strip()[:60], digest=_digest(text), expires_at=expires_at)
    return row, text


def revoke_token(*, token: ApiToken) -> int:
    """1, or 0 where it was revoked before."""
    return ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())


def user_of_token(*, text: str, scope: str) -> User | None:
    """Whose it is, if it is valid now, has the scope and its user is active; noted as used."""
    now = timezone.now()
    rows = ApiToken.objects.filter(
        digest=_digest(text), scope=scope, revoked_at__isnull=True, expires_at__gt=now, user__is_active=True
    )
    row = rows.select_related("user").first()
    if row is None:
        return None
    ApiToken.objects.filter(pk=row.pk).update(used_at=now)
    return row.user


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
