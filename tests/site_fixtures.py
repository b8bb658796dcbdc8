"""Fixtures of tests that ask the site. A GPU host has no Django, and tests what needs a card without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from celery import current_app
from django.core.cache import caches
from django.db import connection
from django.test import Client


def clear_caches() -> None:
    for cache in caches.all():
        cache.clear()


@pytest.fixture(autouse=True)
def nothing_is_kept(request: pytest.FixtureRequest) -> None:
    """Before a test that has a database: one that commits has a new one, whose counter of changes begins again."""
    if "_django_db_helper" in request.fixturenames:
        clear_caches()


@pytest.fixture(autouse=True)
def messages_go_to_the_site() -> Iterator[None]:
    """A Celery application made without `set_as_current=False` would take every later test's messages elsewhere."""
    yield
    assert current_app.main == "arena"


@pytest.fixture(autouse=True)
def whoever_is_let_in_has_shown_a_second_factor(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Client.force_login stands for a whole login; one through the form is asked for its code, as in life."""
    if "django_db" not in request.keywords and not {"db", "client"} & set(request.fixturenames):
        return
    from tests.accounts import show_second_factor  # Django's models are there only now

    forced = Client.force_login

    def force_login(self: Client, user: Any, backend: str | None = None) -> None:
        forced(self, user, backend)
        show_second_factor(self, user)

    monkeypatch.setattr(Client, "force_login", force_login)


@pytest.fixture(autouse=True)
def guards_let_the_database_be_emptied(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a test that commits, pytest-django empties every table, and Django then puts the guards back."""
    has_database = "_django_db_helper" in request.fixturenames
    if has_database:
        request.getfixturevalue("_django_db_helper")  # first, so that it is emptied last
    yield
    if has_database and not connection.in_atomic_block:
        from runs import guards  # Django's models are there only now

        guards.drop()
