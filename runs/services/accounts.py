"""Accounts in the hands of others: roles, closing, passwords, second factors, names. Each change says why in the trail.

What people do with their own account is allauth's, behind a password or a code; nobody gets around those by way of
these, so they refuse whoever acts on the own account.
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
    """A visitor's. Without a password nobody logs in until one is set, or asked for by mail."""
    user = User.objects.create_user(username, email=email, password=password)
    _note(Action.MAKE_ACCOUNT, user, actor, reason)
    return user


@transaction.atomic
def give_role(*, user: User, role: Role, actor: Actor, reason: str) -> bool:
    """In place of the one before; False, and nothing changes, where it is the same.

    Raises:
        RunError: it is the actor's own, or nobody would be left who gives roles.
    """
    _refuse_the_own(user, actor)
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
    """Its sessions and tokens end with it. False where it is closed.

    Raises:
        RunError: it is the actor's own, or nobody would be left who gives roles.
    """
    _refuse_the_own(user, actor)
    if not user.is_active:
        return False
    _refuse_the_last_admin(user)
    _save(user, is_active=False)
    _note(Action.CLOSE_ACCOUNT, user, actor, reason)
    return True


@transaction.atomic
def open_account(*, user: User, actor: Actor, reason: str) -> bool:
    """False where it is open."""
    _refuse_the_own(user, actor)
    if user.is_active:
        return False
    _save(user, is_active=True)
    _note(Action.OPEN_ACCOUNT, user, actor, reason)
    return True


@transaction.atomic
def rename_account(*, user: User, username: str, email: str, actor: Actor, reason: str) -> bool:
    """Name and address, to which a new password is mailed. False where both are the same."""
    _refuse_the_own(user, actor)
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
    """Whoever is logged in there is logged out."""
    _refuse_the_own(user, actor)
    user.set_password(password)
    user.save(update_fields=["password"])
    _note(Action.SET_PASSWORD, user, actor, reason)


@transaction.atomic
def forget_second_factor(*, user: User, actor: Actor, reason: str) -> bool:
    """The next login makes a new one, and wrong tries are forgiven. False where there was none."""
    _refuse_the_own(user, actor)
    count, _ = Authenticator.objects.filter(user=user).delete()
    login_attempts.forgive(("account", user.username), ("code", str(user.pk)))
    if count:
        _note(Action.FORGET_FACTOR, user, actor, reason)
    return bool(count)


def welcome(*, email_address: Any, **_: Any) -> None:
    """Whoever reads mail there may hand in; who has a role keeps it."""
    if role_of(email_address.user) == Role.VISITOR:
        give_role(user=email_address.user, role=Role.SUBMITTER, actor="sign-up", reason="confirmed an address")


def _refuse_the_own(user: User, actor: Actor) -> None:
    if isinstance(actor, User) and actor.pk == user.pk:
        raise RunError("your own account stays: another admin may change it, and /account/ is where you do")


def _refuse_the_last_admin(user: User) -> None:
    """Locked, so that two who take each other's role do not both succeed."""
    admins = User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk")
    if {admin.pk for admin in admins} == {user.pk}:
        raise RunError(f"{user} is the only admin: make another one first")


def _save(user: User, **values: Any) -> None:
    for name, value in values.items():
        setattr(user, name, value)
    user.save(update_fields=list(values))


def _note(action: AuditEntry.Action, user: User, actor: Actor, reason: str, detail: str = "") -> None:
    if not reason.strip():
        raise RunError("say why: it stands in the trail")
    note(action, actor, reason.strip(), account=user, detail=detail)
