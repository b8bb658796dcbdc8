"""A site with something of everything, and somebody of every role, each with something of their own."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client

from runs.models import Submission
from runs.people.rights import Role
from runs.people.roles import set_role
from runs.services import registry, tokens, webhooks
from tests import factories
from tests.accounts import show_second_factor
from tests.browser.site import Site, make_site

UNPROVED = " without second factor"
WALKERS = (*Role, "member", *(f"{role}{UNPROVED}" for role in (Role.MAINTAINER, Role.OPERATOR, Role.ADMIN)))


@dataclass(frozen=True)
class Things:
    """Of one person, by the names that addresses have for them."""

    submission: int
    token: int
    audit: int
    secret: str


@dataclass
class World:
    site: Site
    clients: dict[str, Client] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
    own: dict[str, Things] = field(default_factory=dict)
    public: list[str] = field(default_factory=list)

    def things_of(self, walker: str, *, own: bool) -> Things:
        """The walker's, or those of another submitter who is no walker."""
        return self.own[walker if own else "other"]


def make_world() -> World:
    world = World(make_site())
    webhooks.send_test(webhook=registry.register_webhook(url="https://example.org/hook", actor="admin"))
    for walker in (*WALKERS, "other"):
        world.clients[walker] = Client()
        if walker == Role.VISITOR:
            continue
        name = walker.replace(" ", "-")
        user = User.objects.create_user(name, email=f"{name}@example.org", password="a long enough secret")
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        set_role(user, role_of_walker(walker))
        world.users[walker], world.own[walker] = user, _things_of(user)
        _let_in(world.clients[walker], User.objects.get(pk=user.pk), proved=UNPROVED not in walker)
    return world


def role_of_walker(walker: str) -> Role:
    if walker in ("member", Role.VISITOR):
        return Role.VISITOR
    return Role.SUBMITTER if walker == "other" else Role(walker.removesuffix(UNPROVED))


def _let_in(client: Client, user: User, *, proved: bool) -> None:
    client.force_login(user)
    if proved:
        show_second_factor(client, user)
        return
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time()}]
    session.save()


def _things_of(user: User) -> Things:
    run = factories.make_run(status="passed", origin="imported", bundle_digest=factories.sha256(user.username))
    submission = factories.make_submission(run=run, submitter=user, submitter_name=user.username)
    until = datetime.now(UTC) + timedelta(days=10)
    audit = factories.make_audit(run.results.first(), reply_until=until)
    factories.make_review(submission)
    token, secret = tokens.make_token(user=user, name="ci")
    assert Submission.objects.filter(submitter=user).count() == 1
    return Things(submission.pk, token.pk, audit.pk, secret)
