"""Who may do what: the one table of roles and rights, and one predicate for each right.

A role is a group of Django's of the same name (`people/roles.py` makes them of this table), an admin is a superuser, a
visitor everybody else. Views and the admin ask a predicate, never a role: rights can move from role to role here alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from django.contrib.auth.models import AnonymousUser, User

Somebody = User | AnonymousUser


class Role(StrEnum):
    """Everybody has exactly one."""

    VISITOR = "visitor"
    SUBMITTER = "submitter"
    MAINTAINER = "maintainer"
    OPERATOR = "operator"
    ADMIN = "admin"


ROLES = {
    Role.VISITOR: "Everybody, with an account or without.",
    Role.SUBMITTER: "Hands in results. Whoever confirms an address becomes one.",
    Role.MAINTAINER: "Answers for what is public: reviews, audits, publishes, keeps the registry.",
    Role.OPERATOR: "Keeps hosts and queues at work; decides nothing about results.",
    Role.ADMIN: "Gives roles, and may do everything.",
}
STAFF = (Role.MAINTAINER, Role.OPERATOR, Role.ADMIN)  # they need a second factor
EVERYBODY, MEMBERS = tuple(Role), (Role.SUBMITTER, *STAFF)
RULING, RUNNING = (Role.MAINTAINER, Role.ADMIN), (Role.OPERATOR, Role.ADMIN)


@dataclass(frozen=True, slots=True)
class Right:
    """`permissions` are Django's, as "app.codename"; a name that ends in * means all that begin so."""

    name: str
    text: str
    roles: tuple[Role, ...]
    permissions: tuple[str, ...] = ()


RIGHTS = (
    Right("read", "Read all that is public, take it away, ask the API", EVERYBODY),
    Right("hand_in", "Hand in bundles; make and revoke tokens of one's own", MEMBERS, ("runs.submit_bundle",)),
    Right("own", "See what became of what one handed in, say what it lacks, answer audits, take it down", MEMBERS),
    Right("review", "Verify and close submissions, decide reviews", RULING, ("runs.review_submission",)),
    Right("audit", "Audit results", RULING, ("runs.audit_result",)),
    Right("publish", "Publish, withdraw", RULING, ("runs.publish_run",)),
    Right("start", "Start runs, and spend what they may cost", STAFF, ("runs.add_run",)),
    Right("run", "Pause runs, resume, cancel, run again", STAFF, ("runs.rerun_run",)),
    Right(
        "register",
        "Register agents, models, configurations and suites",
        RULING,
        (
            *("runs.add_agent", "runs.change_agent", "runs.add_modelversion", "runs.change_modelversion"),
            *("runs.add_configuration", "runs.change_configuration", "runs.add_suite"),
        ),
    ),
    Right(
        "hosts",
        "Register and disable hosts and device classes, lift quarantines",
        RUNNING,
        ("runs.add_host", "runs.change_host", "runs.add_deviceclass", "runs.change_deviceclass"),
    ),
    Right("look", "Look at every row in the admin, drafts and the trail included", STAFF, ("runs.view_*",)),
    Right("revoke", "Revoke anybody's tokens", RUNNING, ("runs.change_apitoken",)),
    Right("people", "Give roles, disable accounts, take away second factors", (Role.ADMIN,)),
    Right("unseen", "See outcomes of unseen cases before their round is revealed", (Role.ADMIN,)),
)
BY_NAME = {right.name: right for right in RIGHTS}
STAFF_PERMISSIONS = frozenset(
    permission for right in RIGHTS if Role.SUBMITTER not in right.roles for permission in right.permissions
)


class Owned(Protocol):
    """Something that somebody handed in."""

    submitter_id: int | None


def may_hand_in(user: Somebody) -> bool:
    return _has(user, "hand_in")


def may_review(user: Somebody) -> bool:
    return _has(user, "review")


def may_audit(user: Somebody) -> bool:
    return _has(user, "audit")


def may_publish(user: Somebody) -> bool:
    return _has(user, "publish")


def may_start(user: Somebody) -> bool:
    return _has(user, "start")


def may_run(user: Somebody) -> bool:
    return _has(user, "run")


def may_register(user: Somebody) -> bool:
    return _has(user, "register")


def may_keep_hosts(user: Somebody) -> bool:
    return _has(user, "hosts")


def may_look(user: Somebody) -> bool:
    return user.is_active and bool(user.is_staff)


def may_revoke(user: Somebody) -> bool:
    return _has(user, "revoke")


def may_manage_people(user: Somebody) -> bool:
    return user.is_active and bool(user.is_superuser)


def may_see_unseen(user: Somebody) -> bool:
    return user.is_active and bool(user.is_superuser)


def owns(user: Somebody, thing: Owned) -> bool:
    """Nobody owns what a command handed in."""
    return user.is_active and thing.submitter_id is not None and thing.submitter_id == user.pk


def may_see(user: Somebody, thing: Owned) -> bool:
    """All of a submission, its problems included."""
    return owns(user, thing) or may_review(user)


def may_take_down(user: Somebody, thing: Owned) -> bool:
    return owns(user, thing) or may_review(user)


def needs_second_factor(user: Somebody) -> bool:
    """Staff, and whoever was given a right of theirs by hand."""
    if not user.is_authenticated:
        return False
    return bool(user.is_staff or user.is_superuser or STAFF_PERMISSIONS & user.get_all_permissions())


def _has(user: Somebody, name: str) -> bool:
    return user.has_perms(BY_NAME[name].permissions)
