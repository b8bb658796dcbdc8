"""API tokens: created, shown once, stored as a hash, and revoked. The audit log records who did."""

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

PREFIX = "arena_"  # so that scanners for leaked secrets recognise it
SECRET_BYTES = 32
MOST_DAYS = 366
MOST_TOKENS = 20  # valid tokens of one user: more would be forgotten ones
OWN = "own token"


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
    """Create a token; return its row and the token itself, which is never shown again. The default actor is the user.

    Raises:
        RunError: the name is missing, the days are out of range, the user has too many tokens, or a token for somebody
            else has no reason.
    """
    if not name.strip() or not 1 <= days <= MOST_DAYS:
        raise RunError(f"a token needs a name and lasts 1 to {MOST_DAYS} days")
    if valid_tokens(user).count() >= MOST_TOKENS:
        raise RunError(f"{user} has {MOST_TOKENS} valid tokens: revoke one first")
    text = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    expires_at = timezone.now() + timedelta(days=days)
    row = ApiToken.objects.create(
        user=user, name=name.strip()[:60], digest=_digest(text), scope=scope, expires_at=expires_at
    )
    _note(AuditEntry.Action.MAKE_TOKEN, row, actor or user, reason)
    return row, text


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: Actor, reason: str = "") -> int:
    """Revoke a token; return 1, or 0 if it was revoked before.

    Raises:
        RunError: it is somebody else's token, and no reason is given.
    """
    count = ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())
    if count:
        _note(AuditEntry.Action.REVOKE_TOKEN, token, actor, reason)
    return count


def token_of(*, text: str) -> ApiToken | None:
    """Return the row of a valid token of an active user and record its use; None if there is none."""
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
        raise RunError("give a reason: it is stored in the audit log")
    note(action, actor, why, account=token.user, detail=f"token {token.pk}, “{token.name}”, {token.scope}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
