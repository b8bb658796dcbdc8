"""Writes the audit log: one entry for each action, in the same transaction; webhooks are told of what is news."""

from __future__ import annotations

from django.contrib.auth.models import User

from runs.models import Attempt, AuditEntry, Host, Result, Round, Run, Submission
from runs.models.audit_log import DETAIL_CHARACTERS, REASON_CHARACTERS
from runs.services import webhooks

Actor = User | str  # a user, or the name of the command that acts


def note(
    action: AuditEntry.Action,
    actor: Actor,
    reason: str,
    detail: str = "",
    *,
    is_told: bool = True,
    **about: Run | Result | Attempt | Host | Round | Submission | AuditEntry | User | None,
) -> AuditEntry:
    """Write one entry, and tell webhooks of it unless the caller tells them of all that it does at once.

    `about` holds columns that say what it is about, such as run, result, host or account.
    A reason or detail that is too long for its column is cut off.
    """
    user = actor if isinstance(actor, User) else None
    name = user.get_username() if user else str(actor)
    texts = {"reason": reason[:REASON_CHARACTERS], "detail": detail[:DETAIL_CHARACTERS]}
    entry = AuditEntry.objects.create(action=action, actor=user, actor_name=name, **texts, **about)
    if is_told:
        webhooks.announce(entry)
    return entry
