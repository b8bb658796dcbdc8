"""A busy database is 503 and a full disk 507, on pages and in the API, and nothing is half written."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InterfaceError, OperationalError, connection
from django.test import Client, RequestFactory

from arena_site import unavailable
from runs.models import ApiToken, AuditEntry, Submission
from runs.people.models import LoginAttempt
from runs.services import tokens

ROWS = (User, Submission, AuditEntry, ApiToken, LoginAttempt)


@contextmanager
def locked() -> Iterator[None]:
    """Another process is in the middle of a long write."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 1")
    try:
        yield
    finally:
        other.close()
        connection.close()


def counts() -> list[int]:
    return [model._default_manager.count() for model in ROWS]


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="only SQLite locks the whole database")
def test_a_locked_database_is_503_wherever_something_is_written() -> None:
    user = User.objects.create_user("sam", email="sam@example.org", password="a long secret")
    user.user_permissions.add(Permission.objects.get(codename="submit_bundle"))
    _, token = tokens.make_token(user=user, name="ci")
    sam = Client(raise_request_exception=False)
    sam.force_login(user)
    stranger = Client(raise_request_exception=False)
    program = Client(raise_request_exception=False, headers={"authorization": f"Bearer {token}"})
    names = {"username": "tom", "email": "tom@example.org", "password1": "a long secret", "password2": "a long secret"}
    form: dict[str, Any] = {"licence": "MIT", "consent": "on"}
    before = counts()
    with locked():
        answers = [
            client.post(address, {**values, "bundle": SimpleUploadedFile("x.zip", b"x")} if values is form else values)
            for client, address, values in (
                (stranger, "/login/", {"login": "sam", "password": "wrong"}),
                (stranger, "/account/sign-up/", names),
                (sam, "/account/password/", {"oldpassword": "wrong", **names}),
                (sam, "/submit/upload/", form),
                (sam, "/submit/tokens/", {"name": "x", "scope": "submit", "days": 9}),
                (program, "/api/v1/submissions/", form),
                (sam, "/logout/", {}),
            )
        ]
        assert stranger.get("/").status_code == 200, "reading goes on"
    assert [answer.status_code for answer in answers] == [503] * len(answers)
    assert {answer["Retry-After"] for answer in answers} == {str(unavailable.RETRY_S)}
    assert b"The database is busy" in answers[0].content
    assert answers[-2]["Content-Type"] == "application/problem+json"
    assert counts() == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="the trigger is written for SQLite")
def test_half_of_a_sign_up_is_taken_back() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TRIGGER busy BEFORE INSERT ON account_emailaddress BEGIN SELECT RAISE(ABORT, 'no'); END")
    try:
        names = {
            "username": "tom",
            "email": "tom@example.org",
            "password1": "a long secret",
            "password2": "a long secret",
        }
        assert Client(raise_request_exception=False).post("/account/sign-up/", names).status_code == 500
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER busy")
    assert not User.objects.exists()


def coded(code: int) -> OperationalError:
    cause = sqlite3.OperationalError("told by SQLite")
    cause.sqlite_errorcode = code
    error = OperationalError("told by Django")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (coded(sqlite3.SQLITE_BUSY), 503),
        (coded(sqlite3.SQLITE_BUSY_SNAPSHOT), 503),
        (coded(sqlite3.SQLITE_LOCKED), 503),
        (coded(sqlite3.SQLITE_IOERR_WRITE), 503),
        (OperationalError("the connection failed"), 503),
        (InterfaceError("connection already closed"), 503),
        (coded(sqlite3.SQLITE_FULL), 507),
        (OSError(errno.ENOSPC, "No space left on device"), 507),
        (coded(sqlite3.SQLITE_ERROR), 500),  # no such table
        (OSError(errno.EACCES, "Permission denied"), 500),
        (ValueError("a fault of ours"), 500),
    ],
)
def test_the_answer_tells_what_may_pass_from_faults_of_ours(error: Exception, status: int) -> None:
    try:
        raise error
    except Exception:
        answer = unavailable.server_error(RequestFactory().get("/"))
    assert answer.status_code == status
    assert ("Retry-After" in answer) == (status == 503)
