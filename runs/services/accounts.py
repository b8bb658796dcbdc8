"""Changes to other people's accounts: role, closing, password, second factor, name. Each needs a reason and is logged.

People change their own accounts through allauth, behind a password or a code. These functions refuse to act on the
actor's own account, so that they cannot be used to get around that.
"""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db import transaction

from runs.errors import RunError
from runs.models import AuditEntry
from runs.people import login_attempts
from runs.people.rights import Role
from runs.people.roles import role_of, set_role
from runs.services.audit_log import Actor, note

Action = AuditEntry.Action


@transaction.atomic
def make_account(*, username: str, email: str = "", password: str | None = None, actor: Actor, reason: str) -> User:
    """Create an account with the role of a visitor. Without a password, nobody can log in until one is set."""
    user = User.objects.create_user(username, email=email, password=password)
    _note(Action.MAKE_ACCOUNT, user, actor, reason)
    return user


@transaction.atomic
def give_role(*, user: User, role: Role, actor: Actor, reason: str) -> bool:
    """Replace the user's role; return False if it is the same.

    Raises:
        RunError: it is the actor's own account, or the only admin would lose the role.
    """
    _refuse_own_account(user, actor)
    before = role_of(user)
    if before == role:
        return False
    if before == Role.ADMIN:
        _refuse_the_last_admin(user)
    set_role(user, role)
    _note(Action.GIVE_ROLE, user, actor, reason, f"{before} → {role}")
    return True


@transaction.atomic
def close_account(*, user: User, actor: Actor, reason: str) -> bool:
    """Close the account, which ends its sessions and tokens; return False if it is closed already.

    Raises:
        RunError: it is the actor's own account, or the only admin's.
    """
    _refuse_own_account(user, actor)
    if not user.is_active:
        return False
    _refuse_the_last_admin(user)
    _save(user, is_active=False)
    _note(Action.CLOSE_ACCOUNT, user, actor, reason)
    return True


@transaction.atomic
def open_account(*, user: User, actor: Actor, reason: str) -> bool:
    """Reopen a closed account; return False if it is open."""
    _refuse_own_account(user, actor)
    if user.is_active:
        return False
    _save(user, is_active=True)
    _note(Action.OPEN_ACCOUNT, user, actor, reason)
    return True


@transaction.atomic
def rename_account(*, user: User, username: str, email: str, actor: Actor, reason: str) -> bool:
    """Change user name and email address; return False if both are the same."""
    _refuse_own_account(user, actor)
    changed = [
        what for what, old, new in (("name", user.username, username), ("address", user.email, email)) if old != new
    ]
    if not changed:
        return False
    before = user.username
    _save(user, username=username, email=email)
    _note(Action.CHANGE_ACCOUNT, user, actor, reason, f"{' and '.join(changed)} of {before}")
    return True


@transaction.atomic
def set_password(*, user: User, password: str, actor: Actor, reason: str) -> None:
    """Set a new password, which ends all sessions of the account."""
    _refuse_own_account(user, actor)
    user.set_password(password)
    user.save(update_fields=["password"])
    _note(Action.SET_PASSWORD, user, actor, reason)


@transaction.atomic
def reset_second_factor(*, user: User, actor: Actor, reason: str) -> bool:
    """Remove the second factor and forget failed attempts; return False if there was no second factor.

    Staff set up a new one at the next login.
    """
    _refuse_own_account(user, actor)
    count, _ = Authenticator.objects.filter(user=user).delete()
    login_attempts.forget_all(("account", user.username), ("code", str(user.pk)))
    if count:
        _note(Action.RESET_FACTOR, user, actor, reason)
    return bool(count)


def welcome(*, email_address: Any, **_: Any) -> None:
    """Make a visitor who confirms an email address a submitter. Other roles stay."""
    if role_of(email_address.user) == Role.VISITOR:
        give_role(user=email_address.user, role=Role.SUBMITTER, actor="sign-up", reason="confirmed an address")


def _refuse_own_account(user: User, actor: Actor) -> None:
    if isinstance(actor, User) and actor.pk == user.pk:
        raise RunError("you cannot change your own account here: use /account/, or ask another admin")


def _refuse_the_last_admin(user: User) -> None:
    """Lock all admins first, so that two who demote each other at once do not both succeed."""
    admins = User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk")
    if {admin.pk for admin in admins} == {user.pk}:
        raise RunError(f"{user} is the only admin: make somebody else an admin first")


def _save(user: User, **values: Any) -> None:
    for name, value in values.items():
        setattr(user, name, value)
    user.save(update_fields=list(values))


def _note(action: AuditEntry.Action, user: User, actor: Actor, reason: str, detail: str = "") -> None:
    if not reason.strip():
        raise RunError("give a reason: it is stored in the audit log")
    note(action, actor, reason.strip(), account=user, detail=detail)
