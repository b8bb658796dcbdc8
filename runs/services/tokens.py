"""Tokens for programs: made, shown once, kept as a hash, and known again. The trail says who made and revoked each."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from runs.errors import RunError
from runs.models import ApiToken, AuditEntry
from runs.services.audit_log import Actor, note

PREFIX = "arena_"  # so that a scanner of leaked secrets can tell
SECRET_BYTES = 32
MOST_DAYS = 366
MOST_TOKENS = 20  # of one user that are valid at a time: more are forgotten ones
OWN = "one's own"


@transaction.atomic
def make_token(
    *,
    user: User,
    name: str,
    days: int = 90,
    scope: str = ApiToken.Scope.SUBMIT,
    actor: Actor | None = None,
    reason: str = "",
) -> tuple[ApiToken, str]:
    """The row, and the token itself, which nobody sees again. Without an actor: by the user.

    Raises:
        RunError: it has no name, would last less than a day or more than a year, or the user has too many; it is for
            somebody else, and nobody says why.
    """
    if not name.strip() or not 1 <= days <= MOST_DAYS:
        raise RunError(f"a token has a name and lasts 1 to {MOST_DAYS} days")
    if valid_tokens(user).count() >= MOST_TOKENS:
        raise RunError(f"{MOST_TOKENS} of your tokens are valid: revoke one first")
    text = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    expires_at = timezone.now() + timedelta(days=days)
    row = ApiToken.objects.create(
        user=user, name=name.strip()[:60], digest=_digest(text), scope=scope, expires_at=expires_at
    )
    _note(AuditEntry.Action.MAKE_TOKEN, row, actor or user, reason)
    return row, text


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: Actor, reason: str = "") -> int:
    """1, or 0 where it was revoked before.

    Raises:
        RunError: it is somebody else's, and nobody says why.
    """
    count = ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())
    if count:
        _note(AuditEntry.Action.REVOKE_TOKEN, token, actor, reason)
    return count


def token_of(*, text: str) -> ApiToken | None:
    """The row, if it is valid now and its user is active; noted as used, whatever it may do."""
    row = _valid().filter(digest=_digest(text), user__is_active=True).select_related("user").first()
    if row is not None:
        ApiToken.objects.filter(pk=row.pk).update(used_at=timezone.now())
    return row


def valid_tokens(user: User) -> QuerySet[ApiToken]:
    return _valid().filter(user=user)


def _valid() -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(revoked_at__isnull=True, expires_at__gt=timezone.now())


def _note(action: AuditEntry.Action, token: ApiToken, actor: Actor, reason: str) -> None:
    why = reason.strip() or (OWN if actor == token.user else "")
    if not why:
        raise RunError("say why: it stands in the trail")
    note(action, actor, why, account=token.user, detail=f"token {token.pk}, “{token.name}”, {token.scope}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
