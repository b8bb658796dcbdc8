"""Sign-up, confirmation, login, logout, forgotten passwords: by our own pages, without JavaScript."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from runs.people.rights import Role
from runs.people.roles import role_of
from tests.people.conftest import PASSWORD, log_in

NEW = {"username": "newcomer", "email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}


def link_in(text: str) -> str:
    """The address in a mail, as a path."""
    [path] = re.findall(r"https://board\.example(/account/\S+)", text)
    return str(path)


def test_whoever_signs_up_and_confirms_the_address_is_a_submitter(client: Client, mailing: None, db: None) -> None:
    response = client.post("/account/sign-up/", NEW)
    assert response["Location"] == "/account/email/sent/"
    user = User.objects.get(username="newcomer")
    assert role_of(user) == Role.VISITOR
    assert log_in(Client(), "newcomer")["Location"] == "/account/email/sent/"
    path = link_in(mail.outbox[0].body)
    assert b"Confirm address" in client.get(path).content
    client.post(path)
    assert role_of(user) == Role.SUBMITTER
    assert log_in(client, "newcomer")["Location"] == "/account/"
    page = client.get("/account/").content
    assert b"newcomer, submitter" in page
    assert client.get("/submit/upload/").status_code == 200


def test_where_no_mail_is_sent_an_account_has_no_right_until_an_admin_gives_it(client: Client, db: None) -> None:
    page = client.get("/account/sign-up/").content
    assert b"This site sends no email" in page
    assert client.post("/account/sign-up/", NEW)["Location"] == "/account/"
    assert role_of(User.objects.get()) == Role.VISITOR
    assert client.get("/submit/upload/").status_code == 403
    assert mail.outbox == []


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_a_visitor_is_led_to_an_address_only_while_none_is_confirmed(
    client: Client, mailing: None, person: Any, is_confirmed: bool
) -> None:
    sam = person("sam", email="sam@example.org")
    EmailAddress.objects.create(user=sam, email=sam.email, primary=True, verified=is_confirmed)
    client.force_login(sam)
    assert (b"Confirm an email address" in client.get("/account/").content) is not is_confirmed


def test_a_link_that_is_not_sent_again_so_soon_is_said_not_to_be(client: Client, mailing: None, person: Any) -> None:
    sam = person("sam", email="sam@example.org")
    EmailAddress.objects.create(user=sam, email=sam.email, primary=True)
    client.force_login(sam)
    asked = {"email": sam.email, "action_send": ""}
    assert b"No link was sent" not in client.post("/account/email/", asked, follow=True).content
    assert b"No link was sent" in client.post("/account/email/", asked, follow=True).content
    assert len(mail.outbox) == 1


def test_sign_up_can_be_closed(client: Client, settings: Any, db: None) -> None:
    settings.SIGN_UP = False
    assert b"Sign-up is closed" in client.post("/account/sign-up/", NEW).content
    assert not User.objects.exists()


def test_a_known_address_is_not_told_to_whoever_signs_up_with_it(client: Client, mailing: None, person: Any) -> None:
    known = person("sam", email="new@example.org")
    EmailAddress.objects.create(user=known, email="new@example.org", verified=True, primary=True)
    assert client.post("/account/sign-up/", NEW)["Location"] == "/account/email/sent/"
    assert not User.objects.filter(username="newcomer").exists()
    assert "already exists" in mail.outbox[0].body


@pytest.mark.parametrize("name", ["admin", "Admin", "maintainer"])
def test_names_that_sound_like_ours_are_refused(client: Client, db: None, name: str) -> None:
    assert "username" in client.post("/account/sign-up/", NEW | {"username": name}).context["form"].errors


def test_a_forgotten_password_is_chosen_anew_by_mail(client: Client, mailing: None, person: Any) -> None:
    user = person("sam", email="sam@example.org")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    assert client.post("/account/reset/", {"email": user.email})["Location"] == "/account/reset/sent/"
    path = client.get(link_in(mail.outbox[0].body), follow=True).request["PATH_INFO"]
    chosen = {"password1": "another long secret", "password2": "another long secret"}
    assert client.post(path, chosen)["Location"] == "/account/reset/done/"
    assert log_in(Client(), "sam").status_code == 200
    assert log_in(Client(), "sam", "another long secret")["Location"] == "/account/"
    assert b"already been used" in Client().get(link_in(mail.outbox[0].body), follow=True).content


def test_an_unknown_address_gets_the_same_answer(client: Client, mailing: None, db: None) -> None:
    assert client.post("/account/reset/", {"email": "no@example.org"})["Location"] == "/account/reset/sent/"
    assert "do not have any record" in mail.outbox[0].body


def test_without_mail_a_forgotten_password_has_its_way_told_and_no_link_is_logged(
    client: Client, person: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    user = person("sam", email="sam@example.org")
    assert b"Ask an admin to set a new password" in client.get("/account/reset/").content
    client.post("/account/reset/", {"email": user.email})
    assert mail.outbox == []
    assert "/account/reset/" not in re.sub(r"(GET|POST) /account/reset/ \d+", "", capfd.readouterr().err)


def test_an_account_that_an_admin_made_without_address_logs_in_where_mail_is_sent(
    client: Client, mailing: None, person: Any
) -> None:
    person("sam")
    assert log_in(client, "sam")["Location"] == "/account/"


def test_a_closed_account_says_so(client: Client, person: Any) -> None:
    user = person("sam")
    user.is_active = False
    user.save()
    assert b"closed" in client.post("/login/", {"login": "sam", "password": PASSWORD}, follow=True).content or (
        log_in(client, "sam").status_code == 200
    )
    assert client.get("/account/").status_code == 302


def test_logging_out_ends_the_session_and_is_asked_by_a_form(client: Client, person: Any) -> None:
    person("sam")
    log_in(client, "sam")
    key = client.session.session_key
    assert b"on this device" in client.get("/logout/").content
    assert client.get("/account/").status_code == 200
    assert client.post("/logout/")["Location"] == "/"
    client.cookies["sessionid"] = key
    assert client.get("/account/").status_code == 302


def test_a_login_gets_a_session_of_its_own(client: Client, person: Any) -> None:
    person("sam")
    client.get("/login/")
    session = client.session
    session["planted"] = True
    session.save()
    planted = session.session_key
    client.cookies["sessionid"] = planted
    log_in(client, "sam")
    assert client.session.session_key != planted


def test_a_new_password_ends_all_other_sessions(person: Any) -> None:
    person("sam")
    here, elsewhere = Client(), Client()
    log_in(here, "sam")
    log_in(elsewhere, "sam")
    changed = {"oldpassword": PASSWORD, "password1": "another long secret", "password2": "another long secret"}
    assert here.post("/account/password/", changed).status_code == 302
    assert here.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
