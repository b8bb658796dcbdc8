"""The table of roles and rights, and one predicate for each right.

A role is a Django group of the same name (`people/roles.py` creates them from this table), except that an admin is a
superuser and a visitor is everybody else. Views and the admin ask predicates, never roles, so that a right can be moved
between roles here alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from django.contrib.auth.models import AnonymousUser, User

AnyUser = User | AnonymousUser


class Role(StrEnum):
    """The role of a user; everybody has exactly one."""

    VISITOR = "visitor"
    SUBMITTER = "submitter"
    MAINTAINER = "maintainer"
    OPERATOR = "operator"
    ADMIN = "admin"


ROLES = {
    Role.VISITOR: "Everybody, with or without an account.",
    Role.SUBMITTER: "Submits results. Confirming an email address gives this role.",
    Role.MAINTAINER: "Decides what is public: reviews, audits and publishes results, and maintains the registry.",
    Role.OPERATOR: "Operates hosts and the queue. Decides nothing about results.",
    Role.ADMIN: "Manages accounts, and may do everything else.",
}
STAFF = (Role.MAINTAINER, Role.OPERATOR, Role.ADMIN)  # they need a second factor
EVERYBODY, MEMBERS = tuple(Role), (Role.SUBMITTER, *STAFF)
MAINTAINERS, OPERATORS = (Role.MAINTAINER, Role.ADMIN), (Role.OPERATOR, Role.ADMIN)


@dataclass(frozen=True, slots=True)
class Right:
    """One right. `permissions` are Django's, as "app.codename"; a name ending in * matches all that begin with it."""

    name: str
    text: str
    roles: tuple[Role, ...]
    permissions: tuple[str, ...] = ()


RIGHTS = (
    Right("read", "Read and download public data, use the API", EVERYBODY),
    Right("submit", "Submit bundles; create and revoke own tokens", MEMBERS, ("runs.submit_bundle",)),
    Right("own", "See own submissions in full, add facts to them, reply to audits, take them down", MEMBERS),
    Right(
        "review", "Verify, close and take down submissions, decide reviews", MAINTAINERS, ("runs.review_submission",)
    ),
    Right("audit", "Audit results", MAINTAINERS, ("runs.audit_result",)),
    Right("publish", "Publish and withdraw results", MAINTAINERS, ("runs.publish_run",)),
    Right("start", "Start runs, including those that cost money", STAFF, ("runs.add_run",)),
    Right("run", "Pause, resume, cancel and repeat runs", STAFF, ("runs.rerun_run",)),
    Right(
        "register",
        "Register agents, models, configurations, suites and webhooks",
        MAINTAINERS,
        (
            *("runs.add_agent", "runs.change_agent", "runs.add_modelversion", "runs.change_modelversion"),
            *("runs.add_configuration", "runs.change_configuration", "runs.add_suite", "runs.add_webhook"),
        ),
    ),
    Right(
        "hosts",
        "Register and disable hosts and device classes, lift quarantines",
        OPERATORS,
        ("runs.add_host", "runs.change_host", "runs.add_deviceclass", "runs.change_deviceclass"),
    ),
    Right("view", "View everything in the admin, including drafts and the audit log", STAFF, ("runs.view_*",)),
    Right("revoke", "Revoke anybody's tokens", OPERATORS, ("runs.change_apitoken",)),
    Right("people", "Give roles, close accounts, reset second factors", (Role.ADMIN,)),
    Right("unseen", "See outcomes of unseen cases before their round is revealed", (Role.ADMIN,)),
)
BY_NAME = {right.name: right for right in RIGHTS}
STAFF_PERMISSIONS = frozenset(
    permission for right in RIGHTS if Role.SUBMITTER not in right.roles for permission in right.permissions
)


class Owned(Protocol):
    """Something with a submitter."""

    submitter_id: int | None


def may_submit(user: AnyUser) -> bool:
    return _has(user, "submit")


def may_review(user: AnyUser) -> bool:
    return _has(user, "review")


def may_audit(user: AnyUser) -> bool:
    return _has(user, "audit")


def may_publish(user: AnyUser) -> bool:
    return _has(user, "publish")


def may_start(user: AnyUser) -> bool:
    return _has(user, "start")


def may_run(user: AnyUser) -> bool:
    return _has(user, "run")


def may_register(user: AnyUser) -> bool:
    return _has(user, "register")


def may_manage_hosts(user: AnyUser) -> bool:
    return _has(user, "hosts")


def may_view_admin(user: AnyUser) -> bool:
    return user.is_active and bool(user.is_staff)


def may_revoke(user: AnyUser) -> bool:
    return _has(user, "revoke")


def may_manage_people(user: AnyUser) -> bool:
    return user.is_active and bool(user.is_superuser)


def may_see_unseen(user: AnyUser) -> bool:
    return user.is_active and bool(user.is_superuser)


def owns(user: AnyUser, thing: Owned) -> bool:
    """Return whether the user submitted it. What a command submitted has no owner."""
    return user.is_active and thing.submitter_id is not None and thing.submitter_id == user.pk


def may_see(user: AnyUser, thing: Owned) -> bool:
    """Return whether the user may see all of a submission, including its problems."""
    return owns(user, thing) or may_review(user)


def may_take_down(user: AnyUser, thing: Owned) -> bool:
    return owns(user, thing) or may_review(user)


def needs_second_factor(user: AnyUser) -> bool:
    """Return whether the user is staff, or has a right of staff as an individual permission."""
    if not user.is_authenticated:
        return False
    return bool(user.is_staff or user.is_superuser or STAFF_PERMISSIONS & user.get_all_permissions())


def _has(user: AnyUser, name: str) -> bool:
    return user.has_perms(BY_NAME[name].permissions)
