"""Limits on failed attempts: by account and network for passwords and codes, by network for tokens."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.backends import ModelBackend
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from leaderboard.http import rate_limits
from runs.people import login_attempts
from runs.people.addresses import network_of
from runs.people.models import LoginAttempt
from runs.people.rights import Role
from runs.services import tokens
from tests import factories
from tests.accounts import SECRET, make_second_factor
from tests.people.conftest import PASSWORD, code_of, log_in

pytestmark = pytest.mark.django_db


def from_address(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


def test_after_ten_wrong_passwords_an_account_waits_whatever_address_asks(person: Any) -> None:
    person("sam")
    for number in range(10):
        log_in(from_address(f"10.0.0.{number}"), "sam", "wrong")
    refused = log_in(from_address("10.1.1.1"), "sam")
    assert b"Too many failed attempts. Try again in 15 min." in refused.content
    person("tom")
    assert log_in(from_address("10.1.1.1"), "tom")["Location"] == "/account/"


def test_an_account_is_let_in_when_the_oldest_failed_attempt_is_a_window_old(person: Any) -> None:
    person("sam")
    for _ in range(10):
        log_in(Client(), "SAM", "wrong")
    assert log_in(Client(), "sam").status_code == 200
    first = LoginAttempt.objects.order_by("at")[:2]
    LoginAttempt.objects.filter(pk__in=[one.pk for one in first]).update(at=timezone.now() - login_attempts.WINDOW)
    assert log_in(Client(), "sam")["Location"] == "/account/"


def test_being_refused_does_not_make_one_wait_longer(person: Any) -> None:
    person("sam")
    for _ in range(30):
        log_in(Client(), "sam", "wrong")
    assert LoginAttempt.objects.count() == 20  # ten for the account, ten for the address


def test_of_many_simultaneous_attempts_no_more_are_checked_than_are_allowed(person: Any, monkeypatch: Any) -> None:
    """Each attempt starts before the one before it has failed."""
    person("sam")
    checked = list[int]()

    def authenticate(*_: Any, **__: Any) -> None:
        checked.append(len(checked))
        if len(checked) < 30:
            log_in(Client(), "sam", "wrong")

    monkeypatch.setattr(ModelBackend, "authenticate", authenticate)
    log_in(Client(), "sam", "wrong")
    assert len(checked) == login_attempts.MOST["account"]


def test_the_right_password_does_not_count_and_clears_no_failed_attempt(person: Any) -> None:
    person("sam")
    log_in(Client(), "sam", "wrong")
    for _ in range(12):
        assert log_in(Client(), "sam").status_code == 302
    assert LoginAttempt.objects.count() == 2


def test_fifty_wrong_passwords_make_an_address_wait_for_every_account(person: Any) -> None:
    person("sam")
    for number in range(50):
        login_attempts.record(("account", f"nobody-{number}"), ("address", "10.0.0.1"))
    assert b"Too many failed attempts" in log_in(from_address("10.0.0.1"), "sam").content
    assert log_in(from_address("10.0.0.2"), "sam").status_code == 302


def test_an_address_of_ipv6_is_counted_as_its_network() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:2") != network_of("2001:db8:0:1::1")
    assert network_of("10.0.0.1") == "10.0.0.1"
    assert network_of("a socket") == "a socket"


def test_a_name_that_nobody_has_waits_like_any_other(client: Client) -> None:
    answers = {log_in(client, "nobody", "wrong").content.count(b"Too many") for _ in range(11)}
    assert answers == {0, 1}


def test_codes_are_counted_too(person: Any) -> None:
    user = person("sam", Role.MAINTAINER)
    make_second_factor(user)
    client = Client()
    log_in(client, "sam")
    for _ in range(10):
        client.post("/account/second-factor/code/", {"code": "000000"})
    refused = client.post("/account/second-factor/code/", {"code": code_of(SECRET)})
    assert b"Too many failed attempts" in refused.content
    login_attempts.forget_all(("code", str(user.pk)))
    assert client.post("/account/second-factor/code/", {"code": code_of(SECRET)}).status_code == 302


@pytest.mark.parametrize(
    ("address", "field"),
    [("/account/again/", "password"), ("/account/password/", "oldpassword")],
)
def test_a_password_that_is_asked_again_counts_like_the_first(person: Any, address: str, field: str) -> None:
    person("sam")
    client = Client()
    log_in(client, "sam")
    new = {"password1": "another long secret", "password2": "another long secret"}
    for _ in range(4):  # allauth itself allows five a minute to each web process
        wrong = client.post(address, {field: "wrong", **new})
        assert b"Too many failed attempts" not in wrong.content
    assert LoginAttempt.objects.count() == 8  # for the account, and for the address
    login_attempts.record(*[("account", "sam")] * 6)
    refused = client.post(address, {field: PASSWORD, **new})
    assert b"Too many failed attempts" in refused.content
    assert b"Too many failed attempts" in log_in(Client(), "sam").content
    assert log_in(Client(), "sam", "another long secret").status_code == 200


def test_fifty_wrong_tokens_make_an_address_wait_and_say_how_long(person: Any) -> None:
    _, token = tokens.make_token(user=person("sam", Role.SUBMITTER), name="ci")
    for number in range(50):
        answer = Client(headers={"authorization": f"Bearer arena_{number}"}).post("/api/v1/submissions/")
        assert answer.status_code == 401
    right = Client(headers={"authorization": f"Bearer {token}"})
    refused = right.post("/api/v1/submissions/")
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 900
    elsewhere = Client(headers={"authorization": f"Bearer {token}"}, REMOTE_ADDR="10.0.0.9")
    assert elsewhere.post("/api/v1/submissions/").status_code == 400


def test_stored_attempts_name_nobody_and_are_deleted_after_the_window(person: Any) -> None:
    person("sam")
    log_in(Client(), "sam", "wrong")
    assert not any("sam" in row.key or "127" in row.key for row in LoginAttempt.objects.all())
    LoginAttempt.objects.update(at=timezone.now() - login_attempts.WINDOW - timedelta(seconds=1))
    login_attempts.record(("account", "tom"))
    assert LoginAttempt.objects.count() == 1


@pytest.mark.parametrize(
    ("path", "points"),
    [
        *(("/api/v1/runs/", 1), ("/api/v1/board/a/b/c/rates.png", 10), ("/api/v1/rows/results.csv", 20)),
        *(("/run/1/records.zip", 20), ("/dump/results.parquet", 20), ("/result/1/attempt/1/log.txt", 1)),
        *(("/result/1/candidate/kernel.hip", 1), ("/task/a/b/c/source/kernel.hip", 1), ("/feed.atom", 1)),
        *(("/api/v1/submissions/", 10), ("/submit/upload/", 10), ("/result/1/session.json", 1)),
        *(("/board/a/b/c/card.png", 10), ("/board/a/b/c/badge.svg", 0), ("/robots.txt", 0)),
        *(("/", 0), ("/result/1/", 0), ("/result/1/explore/times/", 0), ("/runs/", 0), ("/static/css/base.css", 0)),
    ],
)
def test_what_an_address_costs(path: str, points: int) -> None:
    assert rate_limits.cost_of(path) == points


@pytest.mark.parametrize(
    ("path", "points"),
    [("/board/a/b/c/", 5), ("/search/", 3), ("/api/v1/search/", 3), ("/task/a/b/c/", 3), ("/runs/", 1)],
)
def test_what_the_making_of_a_page_costs(path: str, points: int) -> None:
    assert rate_limits.cost_of(path, rate_limits.MAKING) == points


def test_an_archive_is_refused_when_the_minute_is_spent(client: Client, settings: Any, monkeypatch: Any) -> None:
    cache.clear()
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: 1_800_000_010.0))  # one minute
    settings.API_POINTS_A_MINUTE = 40
    run = factories.make_run(status="passed", state="published")
    address = f"/run/{run.pk}/records.zip"
    assert [client.get(address).status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/api/v1/runs/").status_code == 429
    assert client.get("/runs/").status_code == 200
    assert from_address("10.0.0.7").get(address).status_code == 200
