"""Staff shows a second factor before anything of staff opens; whoever has one shows it in every session."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from runs.people.rights import STAFF, Role
from tests.accounts import SECRET, make_second_factor
from tests.people.conftest import PASSWORD, code_of, log_in

pytestmark = pytest.mark.django_db

OF_STAFF = ("/admin/", "/admin/runs/run/", "/review/", "/account/", "/account/password/", "/submit/tokens/")
MAKE = "/account/second-factor/app/"


@pytest.fixture
def committing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done after a commit is done at once: here nothing is ever committed."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda act, *_, **__: act())


def enrol(client: Client) -> tuple[str, list[str]]:
    """Make a second factor as the page asks for it: its secret, and the recovery codes that are shown."""
    page = client.get(MAKE).content.decode()
    [secret] = set(re.findall(r"<code>([A-Z2-7]{32})</code>", page))
    response = client.post(MAKE, {"code": code_of(secret)})
    assert response["Location"] == "/account/recovery/"
    return secret, re.findall(r"<code>(\d{8})</code>", client.get("/account/recovery/").content.decode())


@pytest.mark.parametrize("role", STAFF)
@pytest.mark.parametrize("address", OF_STAFF)
def test_staff_without_one_is_led_to_make_one(client: Client, person: Any, role: Role, address: str) -> None:
    person("sam", role)
    log_in(client, "sam")
    assert client.get(address)["Location"].startswith(f"{MAKE}?next=%2F")


@pytest.mark.parametrize("role", [Role.SUBMITTER, Role.OPERATOR])
def test_only_whose_role_needs_one_is_told_so(client: Client, person: Any, role: Role) -> None:
    person("sam", role)
    log_in(client, "sam")
    assert (b"Your role requires a second factor" in client.get(MAKE).content) == (role is Role.OPERATOR)


@pytest.mark.parametrize("role", [Role.SUBMITTER, Role.OPERATOR])
def test_only_staff_is_led_to_the_admin_from_the_own_pages(client: Client, person: Any, role: Role) -> None:
    client.force_login(person("sam", role))
    assert (b'<a href="/admin/">Admin</a>' in client.get("/account/").content) == (role is Role.OPERATOR)


def test_the_admin_leads_to_the_password_form_that_limits_attempts(client: Client, person: Any) -> None:
    client.force_login(person("sam", Role.OPERATOR))
    assert client.get("/admin/password_change/")["Location"] == "/account/password/"


@pytest.mark.parametrize("role", [Role.VISITOR, Role.SUBMITTER])
def test_others_are_not_asked(client: Client, person: Any, role: Role) -> None:
    person("sam", role)
    log_in(client, "sam")
    assert client.get("/account/").status_code == 200


def test_public_pages_ask_nobody_and_read_no_session(client: Client, person: Any) -> None:
    person("sam", Role.ADMIN)
    log_in(client, "sam")
    response = client.get("/tasks/")
    assert response.status_code == 200
    assert "Cookie" not in response.get("Vary", "")


def test_the_first_login_of_an_admin_leads_through_enrolment_to_the_admin(client: Client, committing: None) -> None:
    said = StringIO()
    call_command("make_admin", stdout=said)
    password = said.getvalue().split()[-1]
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/login/?next=%2Fadmin%2F"
    assert log_in(client, "admin", password, next="/admin/")["Location"] == "/admin/"
    assert client.get("/admin/")["Location"] == f"{MAKE}?next=%2Fadmin%2F"
    page = client.get(MAKE).content.decode()
    assert '<img class="qr" src="data:image/svg+xml;base64,' in page
    assert "<script" not in page
    secret, codes = enrol(client)
    assert len(codes) == 10
    assert b"They are not shown again" in client.get("/account/recovery/").content
    assert client.get("/admin/").status_code == 200
    again = Client()
    assert log_in(again, "admin", password, next="/admin/")["Location"] == "/account/second-factor/code/"
    assert again.get("/admin/", follow=True).redirect_chain[-1][0] == "/account/second-factor/code/"
    assert again.post("/account/second-factor/code/", {"code": code_of(secret, steps=1)})["Location"] == "/admin/"
    assert again.get("/admin/").status_code == 200


def test_a_recovery_code_lets_in_once(person: Any, committing: None) -> None:
    person("sam", Role.MAINTAINER)
    first = Client()
    log_in(first, "sam")
    _, codes = enrol(first)
    for is_in in (True, False):
        client = Client()
        log_in(client, "sam")
        client.post("/account/second-factor/code/", {"code": codes[0]})
        assert (client.get("/review/").status_code == 200) is is_in


def test_a_code_is_good_once(person: Any) -> None:
    make_second_factor(person("sam", Role.MAINTAINER))
    code = code_of(SECRET)
    for is_in in (True, False):
        client = Client()
        log_in(client, "sam")
        cache.clear()  # of one web process: the next one has its own
        client.post("/account/second-factor/code/", {"code": code})
        assert (client.get("/review/").status_code == 200) is is_in


def test_a_session_from_before_enrolment_has_to_show_it_and_cannot_take_it_away(person: Any, committing: None) -> None:
    person("sam", Role.MAINTAINER)
    old, new = Client(), Client()
    log_in(old, "sam")
    log_in(new, "sam")
    secret, _ = enrol(new)
    for address in ("/review/", "/account/second-factor/remove/", "/account/recovery/", "/account/password/"):
        assert old.get(address)["Location"].startswith("/account/second-factor/again/?next=")
    shown = old.post("/account/second-factor/again/?next=/review/", {"code": code_of(secret, steps=1)})
    assert shown["Location"] == "/review/"
    assert old.get("/review/").status_code == 200


def test_one_that_was_taken_away_opens_nothing_any_more(client: Client, person: Any) -> None:
    user = person("sam", Role.MAINTAINER)
    client.force_login(user)
    assert client.get("/review/").status_code == 200
    call_command("second_factor", reset="sam", stdout=StringIO())
    assert client.get("/review/")["Location"].startswith(MAKE)


def test_whoever_was_given_a_right_of_staff_by_hand_needs_one(client: Client, person: Any) -> None:
    from django.contrib.auth.models import Permission

    person("sam").user_permissions.add(Permission.objects.get(codename="review_submission"))
    log_in(client, "sam")
    assert client.get("/review/")["Location"].startswith(MAKE)


def test_the_password_is_asked_again_when_the_login_is_long_ago(client: Client, person: Any) -> None:
    person("sam", Role.MAINTAINER)
    log_in(client, "sam")
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": 1.0}]
    session.save()
    assert client.get(MAKE)["Location"].startswith("/account/again/?next=")
    assert client.post(f"/account/again/?next={MAKE}", {"password": PASSWORD})["Location"] == MAKE


def test_its_secret_lies_encrypted(client: Client, person: Any, committing: None) -> None:
    person("sam", Role.ADMIN)
    log_in(client, "sam")
    secret, codes = enrol(client)
    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept
    assert not any(code in kept for code in codes)


def test_the_shell_prints_the_code_of_a_secret_and_lets_a_lost_device_be_replaced(person: Any) -> None:
    make_second_factor(person("sam", Role.OPERATOR))
    said = StringIO()
    call_command("second_factor", secret=SECRET, stdout=said)
    assert said.getvalue().strip() in {code_of(SECRET), code_of(SECRET, steps=-1)}
    call_command("second_factor", reset="sam", stdout=said)
    assert "sets up a new second factor at the next login" in said.getvalue()
    assert not Authenticator.objects.exists()
