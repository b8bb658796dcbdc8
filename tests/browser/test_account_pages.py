"""The pages of accounts in Chromium: each judged by axe, and the way in as a person goes it, without JavaScript."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from playwright.sync_api import expect

from runs.people.rights import Role
from runs.people.roles import set_role
from tests.people.conftest import code_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
PASSWORD = "a long enough secret"
OPEN = ("/login/", "/account/sign-up/", "/account/reset/", "/account/email/sent/", "/account/inactive/", "/roles/")
OWN = (
    *("/account/", "/account/email/", "/account/password/", "/account/again/", "/account/second-factor/"),
    *("/account/second-factor/remove/", "/account/recovery/", "/account/recovery/new/", "/logout/"),
)


@pytest.fixture
def maintainer() -> User:
    user = User.objects.create_user("sam", email="sam@example.org", password=PASSWORD)
    set_role(user, Role.MAINTAINER)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    EmailAddress.objects.create(user=user, email="a.rather.long.address.of.sam@mail.department.example.org")
    return user


def test_every_page_of_accounts_is_clean_in_both_schemes_wide_and_narrow(maintainer, visit) -> None:
    visitor = visit()
    for address in OPEN:
        visitor.go(address)
        visitor.judge(address)
    page = visitor.go("/admin/")
    page.get_by_label("Username").fill("sam")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("are not correct")).to_be_visible()
    visitor.judge("login-refused")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Set up a second factor")
    visitor.judge("enrol")
    [secret] = set(re.findall(r"<code>([A-Z2-7]{32})</code>", page.content()))
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Turn on").click()
    expect(page.locator(".codes li")).to_have_count(10)
    visitor.judge("codes")
    page.get_by_role("link", name="to the admin").click()
    expect(page.get_by_role("heading", name="Registry, runs and publication")).to_be_visible()
    for address in OWN:
        visitor.go(address)
        visitor.judge(address)


def test_an_admin_gets_in_without_javascript_and_a_stranger_is_told(maintainer, visit) -> None:
    visitor = visit(javascript=False)
    page = visitor.go("/review/")
    page.get_by_label("Username").fill("sam")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Set up a second factor")
    [secret] = set(re.findall(r"<code>([A-Z2-7]{32})</code>", page.content()))
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Turn on").click()
    expect(page.locator(".codes li")).to_have_count(10)
    page = visitor.go("/review/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Review queue")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log in", exact=True)).to_be_visible()
