"""Roles as Django groups: created after every migration, read and set."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.db.models import Q

from runs.people.rights import RIGHTS, STAFF, Role

GROUPS = tuple(role for role in Role if role not in (Role.VISITOR, Role.ADMIN))


def make_groups(**_: Any) -> None:
    """Create a group for each role with exactly its permissions; write nothing that is already so."""
    wanted = {role: _permissions_of(role) for role in GROUPS}
    for role, permissions in wanted.items():
        group, _is_new = Group.objects.get_or_create(name=role)
        if set(group.permissions.values_list("pk", flat=True)) != permissions:
            group.permissions.set(permissions)


def role_of(user: User) -> Role:
    if user.is_superuser:
        return Role.ADMIN
    names = set(user.groups.values_list("name", flat=True))
    return next((role for role in reversed(GROUPS) if role in names), Role.VISITOR)


@transaction.atomic
def set_role(user: User, role: Role) -> None:
    """Replace the user's role and remove all individual permissions."""
    user.groups.set(Group.objects.filter(name=role) if role in GROUPS else [])
    user.user_permissions.clear()
    user.is_superuser, user.is_staff = role == Role.ADMIN, role in STAFF
    user.save(update_fields=["is_superuser", "is_staff"])


def _permissions_of(role: Role) -> set[int]:
    names = [name for right in RIGHTS if role in right.roles for name in right.permissions]
    if not names:
        return set()
    chosen = Q()
    for app, _, codename in (name.partition(".") for name in names):
        match = {"codename__startswith": codename[:-1]} if codename.endswith("*") else {"codename": codename}
        chosen |= Q(content_type__app_label=app, **match)
    return set(Permission.objects.filter(chosen).values_list("pk", flat=True))
